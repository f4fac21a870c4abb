import { processMetrics } from "@tocsin/adapters-http/server"
import { metrics } from "@tocsin/domain/adapter"
import { describe, expect, it } from "vitest"
import { serverExpressions } from "./Dashboard.ts"
import { read, readYaml } from "./Files.ts"

interface Rules {
  readonly groups: ReadonlyArray<{
    readonly rules: ReadonlyArray<{
      readonly alert: string
      readonly expr: string
      readonly annotations: Readonly<Record<string, string>>
    }>
  }>
}

interface RuleTests {
  readonly tests: ReadonlyArray<{
    readonly alert_rule_test: ReadonlyArray<{
      readonly alertname: string
      readonly exp_alerts: ReadonlyArray<object>
    }>
  }>
}

const rules = readYaml<Rules>("deploy/compose/prometheus/rules/tocsin.yml").groups.flatMap(
  ({ rules }) => rules,
)
const names = rules.map(({ alert }) => alert)
const runbooks = read("docs/guides/runbooks.md")

/** Every series that the server serves. */
const served = new Set(
  [...Object.values(metrics), ...Object.values(processMetrics)].flatMap(({ name, type }) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
)

const seriesOf = (expression: string): ReadonlyArray<string> =>
  [...expression.matchAll(/\b(?:tocsin|process)_\w+/g)].map(([name]) => name)

describe("the alerting rules of the server", () => {
  it("have a runbook entry each, and there is none without a rule", () => {
    const section = runbooks.slice(runbooks.indexOf("\n## Alerts\n"))
    const entries = [...section.slice(0, section.indexOf("\n## ", 2)).matchAll(/^### (.+)$/gm)].map(
      ([, name]) => name,
    )
    expect(entries).toEqual(names)
    for (const { alert, annotations } of rules)
      expect(annotations["runbook_url"]).toBe(
        `https://tocsin.example.com/help/guides/runbooks#${alert.toLowerCase()}`,
      )
  })

  it("have a test in which they fire, and one in which they do not", () => {
    const { tests } = readYaml<RuleTests>("deploy/prometheus/tocsin.test.yml")
    const tested = tests.flatMap((each) => each.alert_rule_test)
    const namesOf = (fires: boolean) => [
      ...new Set(
        tested.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname),
      ),
    ]
    expect(namesOf(true)).toEqual(names)
    expect(namesOf(false)).toEqual(names)
  })

  it("query series that the server serves, as the dashboard does", () => {
    const queried = [...rules.map(({ expr }) => expr), ...serverExpressions].flatMap(seriesOf)
    expect(new Set(queried).size).toBeGreaterThan(30)
    expect(queried.filter((name) => !served.has(name))).toEqual([])
  })

  it("leave no metric of the domain without a panel or an alert", () => {
    const queried = new Set(
      [...rules.map(({ expr }) => expr), ...serverExpressions]
        .flatMap(seriesOf)
        .map((name) => name.replace(/_(bucket|sum|count)$/, "")),
    )
    const unseen = Object.values(metrics)
      .filter(({ name }) => !queried.has(name))
      .map(({ name }) => name)
    expect(unseen).toEqual(["tocsin_delivery_attempt_duration_seconds", "tocsin_deliveries_claimed_total"])
  })
})

describe("the SLOs of the server over its own metrics", () => {
  it("query series that it serves", () => {
    const queried = seriesOf(read("examples/self-slo.yaml").replaceAll(/^#.*$/gm, ""))
    expect(queried.length).toBe(7)
    expect(queried.filter((name) => !served.has(name))).toEqual([])
  })
})
