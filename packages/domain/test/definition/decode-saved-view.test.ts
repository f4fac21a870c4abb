import { describe, expect, it } from "vitest"
import { aSavedView, changed, codesOf, writtenOf } from "../../../../test/definition/valid-definitions.ts"

describe("a saved view", () => {
  it("spec/definitions §16: is written as it is read", () => {
    const { apiVersion: _, ...view } = aSavedView()
    expect(writtenOf(aSavedView())).toEqual(view)
    expect(writtenOf(changed(aSavedView(), "spec", { labels: {}, projects: [] }))).toMatchObject({ spec: {} })
  })

  it.each([
    ["spec.search", "a".repeat(254), "spec.search", "too_long"],
    ["spec.projects", ["Shop"], "spec.projects[0]", "invalid_format"],
    ["spec.projects", ["shop", "shop"], "spec.projects[1]", "duplicate"],
    ["spec.projects", Array.from({ length: 201 }, (_, n) => `p${n}`), "spec.projects", "too_many"],
    ["spec.services", [{ name: "web" }], "spec.services[0].project", "required"],
    ["spec.labels", { team: [] }, "spec.labels.team", "required"],
    ["spec.labels", { team: Array.from({ length: 51 }, (_, n) => `v${n}`) }, "spec.labels.team", "too_many"],
    [
      "spec.labels",
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ["v"]])),
      "spec.labels",
      "too_many",
    ],
    ["spec.statuses", ["broken"], "spec.statuses[0]", "not_allowed_value"],
    ["spec.groupBy", "objective", "spec.groupBy", "invalid_format"],
    ["spec.groupBy", "label:Team", "spec.groupBy", "invalid_format"],
    ["spec.sortBy", "+burn", "spec.sortBy", "not_allowed_value"],
    ["spec.columns", ["reliability8d"], "spec.columns[0]", "not_allowed_value"],
    ["spec.query", "state=breached", "spec.query", "unknown_property"],
  ])("rejects %s of %j", (path, value, at, code) => {
    expect(codesOf(changed(aSavedView(), path, value))).toEqual([[at, code]])
  })
})
