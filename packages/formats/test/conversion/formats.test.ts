import { describe, expect, it } from "vitest"
import { converted } from "./conversion.ts"
import { service } from "../../../../test/conversion/documents.ts"

const alpha = (spec: object = {}) => ({
  apiVersion: "openslo/v1alpha",
  kind: "SLO",
  metadata: { name: "orders", displayName: "Orders" },
  spec: {
    service: "shop",
    description: "Orders are taken.",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [{ displayName: "Taken", target: 0.99, ratioMetrics }],
    ...spec,
  },
})

const metric = (query: string, source = "prometheus") => ({ source, queryType: "promql", query })

const ratioMetrics = {
  good: metric('sum(rate(orders_total{code!~"5.."}[{{.window}}]))'),
  total: metric("sum(rate(orders_total[{{.window}}]))", "sloth"),
}

describe("the formats of documents", () => {
  it("spec/openslo §2: reads OpenSLO v1alpha, with the queries of an objective", () => {
    const { slos, notes, isComplete } = converted([service, alpha()])
    expect(slos[0].spec).toEqual({
      description: "Orders are taken.",
      service: "shop",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [{ displayName: "Taken", target: 0.99 }],
      indicator: {
        prometheus: {
          url: "http://prometheus:9090",
          good: 'sum(increase(orders_total{code!~"5.."}[1m]))',
          total: "sum(increase(orders_total[1m]))",
        },
      },
    })
    expect({ notes, isComplete }).toEqual({ notes: [], isComplete: true })
  })

  it("spec/openslo §2: objectives of v1alpha can repeat the queries of the first", () => {
    const objectives = [
      { target: 0.99, ratioMetrics: { ...ratioMetrics, incremental: true } },
      { target: 0.9, ratioMetric: ratioMetrics },
    ]
    expect(converted([service, alpha({ objectives })]).slos[0].spec.objectives).toHaveLength(2)
    const other = { ...ratioMetrics, good: metric("sum(rate(x[{{.window}}]))") }
    const different = converted([
      service,
      alpha({ objectives: [objectives[0], { target: 0.9, ratioMetrics: other }] }),
    ])
    expect(different).toMatchObject({ slos: [], isComplete: false })
  })

  it("spec/openslo §2: a window of v1alpha without a calendar is rolling, with a note", () => {
    const { slos, notes } = converted([service, alpha({ timeWindows: [{ unit: "Day", count: 30 }] })])
    expect(slos[0].spec.timeWindows).toEqual([{ unit: "Day", count: 30, isRolling: true }])
    expect(notes).toEqual([
      "1 spec.timeWindows[0].isRolling: is not true, but the window has no calendar; it becomes a rolling window",
    ])
    const calendar = { startTime: "2026-01-01 00:00:00", timeZone: "Europe/Paris" }
    const monthly = converted([service, alpha({ timeWindows: [{ unit: "Month", count: 1, calendar }] })])
    expect(monthly.slos[0].spec.timeWindows).toEqual([{ unit: "Month", count: 1, calendar }])
  })

  it("spec/openslo §2: a threshold metric of v1alpha is compared by each objective", () => {
    const objectives = [{ target: 0.9, op: "lte", value: 1 }]
    const { slos, notes } = converted([
      service,
      alpha({ indicator: { thresholdMetric: metric("x") }, objectives }),
    ])
    expect(notes).toEqual([])
    expect(slos[0].spec).toMatchObject({ objectives, indicator: { prometheus: { metric: "x" } } })
  })

  it.each([
    [
      "a threshold of another source",
      {
        indicator: { thresholdMetric: metric("x", "datadog") },
        objectives: [{ target: 0.9, op: "lte", value: 1 }],
      },
    ],
    [
      "another source",
      { objectives: [{ target: 0.9, ratioMetrics: { ...ratioMetrics, good: metric("x", "datadog") } }] },
    ],
    ["too long a window", { timeWindows: [{ unit: "Day", count: 999, isRolling: true }] }],
  ])("spec/openslo §1: an SLO of v1alpha with %s is left out", (_, spec) => {
    const { slos, notes, isComplete } = converted([service, alpha(spec)])
    expect({ slos, isComplete }).toEqual({ slos: [], isComplete: false })
    expect(notes).not.toEqual([])
  })

  it.each([
    ["is a Nobl9 document (SLO, n9/v1alpha)", { apiVersion: "n9/v1alpha", kind: "SLO" }],
    ["is a Prometheus rule file", { groups: [{ name: "a", rules: [] }] }],
    [
      "is a Prometheus Operator document (PrometheusRule, monitoring.coreos.com/v1)",
      { apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule" },
    ],
    [
      "is a Kubernetes document of another kind (Deployment, apps/v1)",
      { apiVersion: "apps/v1", kind: "Deployment" },
    ],
    ["is a Sloth document without SLOs", { apiVersion: "sloth.slok.dev/v1", kind: "AlertWindows" }],
    ["is a Sloth document of another version", { version: "prometheus/v2", slos: [] }],
    ["is a Pyrra document without SLOs", { apiVersion: "pyrra.dev/v1", kind: "ServiceLevelObjective" }],
    ["is already a definition (SLO, tocsin/v1alpha)", { apiVersion: "tocsin/v1alpha", kind: "SLO" }],
    ["is in a format that is not recognized", { slo: 1 }],
    ["is not an object", null],
  ])("spec/openslo §6: a foreign document %s", (text, document) => {
    const { notes, isComplete } = converted([document])
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain(`0 : ${text}`)
    expect(notes[0]).toContain("the formats are OpenSLO")
    expect(isComplete).toBe(false)
  })

  it("spec/openslo §6: the message does not repeat what does not look like a name", () => {
    const { notes } = converted([{ apiVersion: "https://user:secret@host/", kind: "a secret" }])
    expect(notes[0]).not.toContain("secret")
  })
})
