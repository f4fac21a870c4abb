import { describe, expect, it } from "vitest"
import { tocsin } from "../server/child-process.ts"
import { read, root } from "./Files.ts"
import { expressions } from "./Dashboard.ts"
import { join } from "node:path"

describe("the Grafana dashboard", () => {
  it("queries metrics that the generated rules record, and alerts and readiness", () => {
    const recorded = [...read("docs/spec/prometheus-rules.md").matchAll(/^\| `(slo:[^`]*)`/gm)].map(
      ([, name = ""]) => name.replace("WINDOW", ""),
    )
    expect(recorded.length).toBeGreaterThan(3)
    const known = ["ALERTS", "probe_success", ...recorded]
    const queried = expressions.flatMap((expression) =>
      [...expression.matchAll(/\b(slo:[\w:]+|ALERTS|probe_\w+)/g)].map(([, name]) => name),
    )
    expect(new Set(queried).size).toBeGreaterThan(4)
    expect(queried.filter((name) => !known.includes(name ?? ""))).toEqual([])
  })
})

describe("the rules of the example SLO", () => {
  it("are those that the command generates", async () => {
    const definitions = join(root, "deploy/compose/slos/prometheus-api.yaml")
    const generated = await tocsin(["generate", "prometheus-rules", "-f", definitions])
    expect(generated).toMatchObject({ code: 0, stderr: "" })
    expect(read("deploy/compose/prometheus/rules/prometheus-api.yml")).toBe(generated.stdout)
  })
})
