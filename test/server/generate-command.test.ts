import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { parse, stringify } from "yaml"
import { anAlertPolicy, anSlo, type Plain } from "../definition/valid-definitions.ts"
import { scratch, tocsin } from "./child-process.ts"

const withIndicator = (name: string): Plain => {
  const slo = anSlo(name)
  const prometheus = { url: "https://prometheus.example.com", good: "sum(good)", total: "sum(total)" }
  return { ...slo, spec: { ...(slo["spec"] as Plain), indicator: { prometheus } } }
}

const fileOf = (name: string, documents: ReadonlyArray<Plain>): string => {
  const file = join(scratch, name)
  writeFileSync(file, stringify(documents))
  return file
}

describe.concurrent("tocsin generate prometheus-rules", () => {
  it("spec/data-sources §1: rejects an expression that is not PromQL", async ({ expect }) => {
    const slo = withIndicator("checkout")
    const text = stringify(slo).replace("sum(total)", "sum(total")
    const file = join(scratch, "invalid-slo.yaml")
    writeFileSync(file, text)
    const { code, stderr } = await tocsin(["generate", "prometheus-rules", "-f", file])
    expect(code).toBe(1)
    expect(stderr).toContain(
      'spec.indicator.prometheus.total: is not valid PromQL at line 1, column 10: a ")" is missing',
    )
  })

  it("spec/prometheus-rules §1: prints the rules of the SLOs in the files", async ({ expect }) => {
    const slos = fileOf("rule-slos.yaml", [withIndicator("checkout"), withIndicator("search")])
    const policies = fileOf("rule-policies.yaml", [anAlertPolicy()])
    const { code, stdout, stderr } = await tocsin(["generate", "prometheus-rules", "-f", slos, policies])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect([...stdout.matchAll(/name: (tocsin-\S+)/g)].map(([, name]) => name)).toEqual([
      "tocsin-shop-checkout",
      "tocsin-shop-search",
    ])
    expect(stdout.match(/alert: SloFastBurn/g)).toHaveLength(4)
    // As the indicator is read.
    expect(stdout).toContain("sum(sum(last_over_time(total[1m])))")
  })

  it("spec/prometheus-rules §4: reports what it could not generate and exits with 1", async ({ expect }) => {
    const slos = fileOf("rule-slos-alone.yaml", [withIndicator("checkout"), anSlo("pushed"), { kind: "SLO" }])
    const { code, stdout, stderr } = await tocsin(["generate", "prometheus-rules", "-f", slos])
    expect(code).toBe(1)
    expect(stdout).toContain("slo:burn_rate:1h")
    expect(stderr).toContain(
      "SLO checkout: spec.alertPolicies[0]: is not in the documents; add the alert policy",
    )
    expect(stderr).toContain("SLO pushed: spec.indicator: is required")
    expect(stderr).toContain("[2]: metadata: is required")
    const empty = await tocsin([
      "generate",
      "prometheus-rules",
      "-f",
      fileOf("rule-pushed.yaml", [anSlo("pushed")]),
    ])
    expect(empty.code).toBe(1)
    expect(parse(empty.stdout)).toEqual({ groups: [] })
    const none = await tocsin([
      "generate",
      "prometheus-rules",
      "-f",
      fileOf("rules-none.yaml", [anAlertPolicy()]),
    ])
    expect(none).toMatchObject({ code: 1, stdout: "" })
    expect(none.stderr).toContain("has no SLO")
  })
})
