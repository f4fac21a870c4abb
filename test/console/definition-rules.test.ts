import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const folder = fileURLToPath(new URL("../../apps/console", import.meta.url))

/** The types of the console's sources are checked in a project of their own. */
const { definitionRules } = (await import(`${folder}/definition-rules.ts`)) as {
  readonly definitionRules: (name: string, path?: string) => Readonly<Record<string, unknown>>
}

describe("the rules of documents", () => {
  it("are there for each document and part that a form of the console names", () => {
    const sources = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
      .map((name) => readFileSync(join(folder, "src", name), "utf8"))
      .join("\n")
    const named = [...sources.matchAll(/"virtual:rules\/(\w+)(?:\/([^"]+))?"/g)]
    expect(named.length).toBeGreaterThan(10)
    for (const [id, name = "", path] of named)
      expect(Object.keys(definitionRules(name, path)), id).not.toEqual([])
    expect(() => definitionRules("Nothing")).toThrow("Nothing")
  })

  it("have the limits, choices, defaults and required marks of the JSON Schema", () => {
    expect(definitionRules("AlertPolicy", "spec.severity")).toEqual({
      isRequired: true,
      choices: ["Low", "Medium", "High"],
    })
    expect(definitionRules("AlertPolicy", "spec.coolDown")).toEqual({ shortest: "5m" })
    expect(definitionRules("AlertPolicy", "spec.then[0].after")).toMatchObject({ isRequired: true })
    expect(definitionRules("AlertPolicy", "spec.conditionGroups")).toMatchObject({ max: 5 })
    expect(definitionRules("DataSource", "spec.prometheus.queryDelay")).toEqual({ default: "15s" })
    expect(definitionRules("DataSource", "spec.prometheus.headers")).toMatchObject({ max: 10 })
    expect(definitionRules("SLO", "spec.anomalyConfig.noData.alertAfter")).toMatchObject({
      shortest: "5m",
      longest: "31d",
    })
    expect(definitionRules("SLO", "spec.emptyTimeSlices")).toEqual({
      choices: ["good", "ignored", "lastState"],
      default: "good",
    })
    expect(definitionRules("SLO", "spec.timeWindows[0].unit").choices).toEqual([
      "Minute",
      "Hour",
      "Day",
      "Week",
      "Month",
      "Quarter",
      "Year",
    ])
    expect(definitionRules("backtestIndicator", "policies")).toMatchObject({ isRequired: true, max: 10 })
  })
})
