import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { burnRateOver, policyOf, policyWith, ruleFileOf, sloOf } from "../prometheus-rules/rule-file.ts"
import { invalidExpressions, validExpressions } from "../indicator/promql-expressions.ts"
import { scratch } from "../server/child-process.ts"

const run = promisify(execFile)

const promtool = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout, stderr } = await run("promtool", args).catch((cause: { code?: unknown }) => {
    if (cause.code === "ENOENT") throw new Error("promtool is needed for this test; it comes with Prometheus")
    throw cause
  })
  return stdout + stderr
}

const fileOf = (name: string, text: string): string => {
  const file = join(scratch, name)
  writeFileSync(file, text)
  return file
}

describe("beside promtool", () => {
  it("the alerting rules of the server are valid, fire when they should, and only then", async () => {
    const deploy = fileURLToPath(new URL("../../deploy", import.meta.url))
    expect(await promtool("check", "rules", join(deploy, "compose/prometheus/rules/tocsin.yml"))).toMatch(
      /SUCCESS: \d+ rules found/,
    )
    expect(await promtool("test", "rules", join(deploy, "prometheus/tocsin.test.yml"))).toContain("SUCCESS")
  })

  it("spec/prometheus-rules §1: every condition gives a valid rule file", async () => {
    const conditions = [
      { measurement: "averageBurnRate", value: 2 },
      { ...burnRateOver(14.4, "1h"), minEvents: 100, minBadEvents: 10 },
      { measurement: "burnedBudget", value: 0.9, op: "lt" },
      { measurement: "timeToBurnBudget", value: "72h", alertingWindow: "90m" },
      { measurement: "timeToBurnEntireBudget", value: "168h" },
      { measurement: "budgetDrop", value: 0.1, alertingWindow: "24h" },
    ]
    const timeslices = {
      budgetingMethod: "Timeslices",
      objectives: [{ name: "good", target: 0.99, timeSliceTarget: 0.9 }],
    }
    const anomalyConfig = { noData: { alertMethods: [{ name: "ops" }] } }
    for (const [index, spec] of [{ anomalyConfig }, timeslices].entries()) {
      const slo = sloOf(spec, { displayName: "{{ not a template" })
      const file = fileOf(`rules-${index}.yaml`, ruleFileOf(slo, policyOf(conditions)))
      expect(await promtool("check", "rules", file)).toMatch(/SUCCESS: \d+ rules found/)
      const preset = fileOf(`preset-${index}.yaml`, ruleFileOf(slo, policyWith({ sreWorkbook: "ticket" })))
      expect(await promtool("check", "rules", preset)).toMatch(/SUCCESS: \d+ rules found/)
    }
  })

  it("spec/data-sources §1: accepts the expressions that we accept, and rejects those that we reject", async () => {
    const check = async (expressions: ReadonlyArray<string>) => {
      const rules = expressions.map((expr, index) => ({ record: `rule:${index}`, expr }))
      const file = fileOf("expressions.yaml", JSON.stringify({ groups: [{ name: "all", rules }] }))
      return run("promtool", ["check", "rules", file]).then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      )
    }
    // Prometheus 2 has neither names in quotes nor functions in capital letters of version 3.
    const old = validExpressions.filter((each) => !each.startsWith('{"'))
    expect(await check(old)).toContain(`SUCCESS: ${old.length} rules found`)
    for (const [expression] of invalidExpressions) {
      // The value of a rule, other than that of a query of a range, may be a string or a range.
      expect(await check([`1 * ${expression}`]), expression).toContain("FAILED")
    }
  })

  it("spec/prometheus-rules §3: an alert fires and ends in the minutes of its policy", async () => {
    // 1,000 events a minute, all of them bad in the minutes 20 to 34.
    const policy = policyOf([burnRateOver(14.4, "1h"), burnRateOver(14.4, "5m")])
    const rules = fileOf("outage-rules.yaml", ruleFileOf(sloOf(), policy))
    const firing = `[{ exp_labels: { severity: High, project: shop, service: web, slo: checkout, objective: good, alert_policy: fast-burn },
      exp_annotations: { summary: "Checkout: good", description: "Average burn rate is at least 14.4 over the last 1 hour, Average burn rate is at least 14.4 over the last 5 minutes" } }]`
    // A burn rate of 14.4 is 14.4% of the events since minute 1: 4 of 23 minutes. The last bad minute leaves the range of
    // 5 m after minute 38, before Prometheus 3 after minute 39; then the cool-down of 5 minutes begins.
    const checks = [
      [22, "[]"],
      [23, firing],
      [38, firing],
      [42, firing],
      [46, "[]"],
    ]
    const test = fileOf(
      "outage-test.yaml",
      `rule_files: [${rules}]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - { series: 'orders_total{code="200"}', values: "0+1000x19 19000x14 20000+1000x60" }
      - { series: 'orders_total{code="500"}', values: "0x19 1000+1000x14 15000x60" }
    alert_rule_test:
${checks.map(([at, alerts]) => `      - { eval_time: ${at}m, alertname: SloFastBurn, exp_alerts: ${alerts} }`).join("\n")}
`,
    )
    expect(await promtool("test", "rules", test)).toContain("SUCCESS")
  })
})
