import { describe, expect, it } from "vitest"
import { converted, type Plain, variationsOf } from "./conversion.ts"

const ratio = {
  errors: { metric: 'orders_total{job="shop",code=~"5.."}' },
  total: { metric: 'orders_total{job="shop"}' },
}

const slo = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: "pyrra.dev/v1alpha1",
  kind: "ServiceLevelObjective",
  metadata: {
    name: "orders-errors",
    namespace: "shop",
    labels: { "pyrra.dev/team": "Payments", "pyrra.dev/service": "shop" },
    ...metadata,
  },
  spec: {
    target: "99.5",
    window: "4w",
    indicator: { ratio },
    alerting: { burnrates: false, absent: false },
    ...spec,
  },
})

const serviceNote =
  "0 metadata: requires the service shop, which is not in the documents; it must exist when the result is applied"

const indicatorOf = (indicator: object) => converted([slo({ indicator })]).slos[0]?.spec.indicator.prometheus

describe("converting Pyrra", () => {
  it("spec/openslo §5: an SLO keeps its target, window, labels, annotations and counts", () => {
    const { slos, policies, notes, isComplete } = converted([
      slo(
        {
          description: "Orders are taken.",
          performanceOverAccuracy: true,
          partial_response_strategy: "warn",
        },
        {
          annotations: { "pyrra.dev/runbook": "x", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
        },
      ),
    ])
    expect(slos).toEqual([
      {
        apiVersion: "tocsin/v1alpha",
        kind: "SLO",
        metadata: {
          name: "orders-errors",
          project: "default",
          labels: { team: ["Payments"] },
          annotations: { "pyrra.dev/runbook": "x" },
        },
        spec: {
          description: "Orders are taken.",
          service: "shop",
          budgetingMethod: "Occurrences",
          timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
          objectives: [{ target: 0.995 }],
          indicator: {
            prometheus: {
              url: "http://prometheus:9090",
              bad: '(sum(increase(orders_total{job="shop",code=~"5.."}[1m]))) or vector(0)',
              total: 'sum(increase(orders_total{job="shop"}[1m]))',
            },
          },
        },
      },
    ])
    expect({ policies, notes, isComplete }).toEqual({ policies: [], notes: [serviceNote], isComplete: true })
  })

  it("spec/openslo §5: reads latencies, native histograms and gauges of 0 and 1", () => {
    expect(
      indicatorOf({
        latency: { success: { metric: 'seconds_bucket{le="0.25"}' }, total: { metric: "seconds_count" } },
      }),
    ).toMatchObject({ histogram: { series: "seconds" } })
    expect(
      indicatorOf({ latencyNative: { latency: "1s500ms", total: { metric: "seconds" } } }),
    ).toMatchObject({ histogram: { series: "seconds", type: "native" } })
    expect(indicatorOf({ bool_gauge: { metric: '{__name__="up",job="a"}' } })).toMatchObject({
      good: 'sum(sum_over_time({__name__="up",job="a"}[1m]))',
      total: 'sum(count_over_time({__name__="up",job="a"}[1m]))',
    })
  })

  it.each([
    [
      "28d",
      {},
      [
        "High 14 60m 5m for 2m",
        "High 7 360m 30m for 15m",
        "Medium 2 1440m 120m for 60m",
        "Medium 1 5760m 360m for 180m",
      ],
    ],
    [
      "4w",
      { severities: { fastBurn: "critical", mediumBurn: "info", slowBurn: "low", longTermBurn: "warning" } },
      [
        "High 14 60m 5m for 2m",
        "Low 7 360m 30m for 15m",
        "Low 2 1440m 120m for 60m",
        "Medium 1 5760m 360m for 180m",
      ],
    ],
  ])("spec/openslo §5: the alerts of a window of %s with %j", (window, alerting, expected) => {
    const { policies, slos } = converted([slo({ window, alerting })])
    expect(
      policies.map(({ spec }) =>
        [
          spec.severity,
          spec.conditions[0].value,
          ...spec.conditions.map((each: Plain) => each.alertingWindow),
          "for",
          ...new Set(spec.conditions.map((each: Plain) => each.lastsFor)),
        ].join(" "),
      ),
    ).toEqual(expected)
    expect(slos[0].spec.alertPolicies).toHaveLength(4)
  })

  it.each([
    ["99", "28d", undefined, "10m"],
    ["99.5", "4w", {}, "6m"],
    ["99.99", "28d", { absent: true }, "5m"],
    ["90", "28d", { burnrates: false }, "86m"],
    ["90", "2w", { disabled: true }, "43m"],
    ["0", "56d", { absentName: "X" }, "1684m"],
  ])(
    "spec/openslo §5: %s%% over %s with %j alerts on missing data after %s",
    (target, window, alerting, after) => {
      const { slos, notes } = converted([slo({ target, window, alerting })])
      expect(slos[0].spec.anomalyConfig).toEqual({ noData: { alertMethods: [], alertAfter: after } })
      expect(notes).toContain(
        `0 spec.alerting.absent: becomes spec.anomalyConfig.noData, which alerts after ${after} without data, without alert methods; add alertMethods to it before you apply the result`,
      )
    },
  )

  it("spec/openslo §5: absent: false turns the alert on missing data off, without a note", () => {
    const { slos, notes } = converted([slo({ alerting: { absent: false } })])
    expect(slos[0].spec.anomalyConfig).toBeUndefined()
    expect(notes.filter((note) => note.includes("absent"))).toEqual([])
  })

  it("spec/openslo §5: an alert whose windows are too short is left out, with a note", () => {
    const { policies, slos, notes, isComplete } = converted([slo({ window: "1w", alerting: undefined })])
    expect(policies.map(({ metadata }) => metadata.name)).toEqual([
      "burn-rate-7-90m-8m-for-4m-high",
      "burn-rate-2-6h-30m-for-15m-medium",
      "burn-rate-1-1d-90m-for-45m-medium",
    ])
    expect(slos[0].spec.alertPolicies).toHaveLength(3)
    expect(notes).toContain(
      "0 spec.alerting: has an alert over 15m and 1m, which is omitted: alerting windows last 5m to 7d",
    )
    expect(isComplete).toBe(false)
  })

  it("spec/openslo §5: the service is a label or an option; without one, the SLO is left out", () => {
    const unnamed = slo({}, { labels: { app: "x" } })
    expect(converted([unnamed], { service: "web" }).slos[0].spec.service).toBe("web")
    const { slos, notes, isComplete } = converted([unnamed])
    expect(slos).toEqual([])
    expect(notes).toContain(
      "0 metadata.labels: has no label pyrra.dev/service, and an SLO requires a service; set one for all SLOs with --service",
    )
    expect(notes.some((note) => note.startsWith('0 metadata.labels["app"]: is omitted'))).toBe(true)
    expect(isComplete).toBe(false)
  })

  it.each([
    [
      "a group by too many labels",
      { indicator: { ratio: { ...ratio, grouping: [..."abcdefghi"] } } },
      "spec.indicator.ratio.grouping",
    ],
    [
      "a query",
      { indicator: { ratio: { ...ratio, total: { metric: "sum(x)" } } } },
      "spec.indicator.ratio.total.metric",
    ],
    ["two indicators", { indicator: { ratio, bool_gauge: { metric: "up" } } }, "spec.indicator"],
    ["no errors", { indicator: { ratio: { total: ratio.total } } }, "spec.indicator.ratio.errors"],
    [
      "no latency",
      { indicator: { latencyNative: { total: ratio.total } } },
      "spec.indicator.latencyNative.latency",
    ],
    ["a target of words", { target: "high" }, "spec.target"],
    ["a target of 100", { target: "100" }, "spec.target"],
    ["a window of seconds", { window: "90s" }, "spec.window"],
    ["a window that is too long", { window: "2y" }, "spec.window"],
  ])("spec/openslo §1: an SLO with %s is left out", (_, spec, path) => {
    const { slos, notes, isComplete } = converted([slo(spec)])
    expect(slos).toEqual([])
    expect(notes.some((note) => note.startsWith(`0 ${path}: `))).toBe(true)
    expect(isComplete).toBe(false)
  })

  it("spec/openslo §5: grouping becomes groupBy, and a group without errors is good", () => {
    const grouping = ["path", "method"]
    const total = 'sum by (path, method) (increase(orders_total{job="shop"}[1m]))'
    const bad = 'sum by (path, method) (increase(orders_total{job="shop",code=~"5.."}[1m]))'
    expect(indicatorOf({ ratio: { ...ratio, grouping } })).toEqual({
      url: "http://prometheus:9090",
      bad: `(${bad}) or (${total}) * 0`,
      total,
      groupBy: grouping,
    })
    expect(indicatorOf({ bool_gauge: { metric: "up", grouping: ["job"] } })).toMatchObject({
      good: "sum by (job) (sum_over_time(up[1m]))",
      groupBy: ["job"],
    })
  })

  it("spec/openslo §1: an empty grouping is no group; names and absent alerts get a note", () => {
    const { notes, isComplete } = converted([
      slo({
        indicator: { ratio: { ...ratio, grouping: [] } },
        alerting: { disabled: true, name: "A", absentName: "B", absent: true },
      }),
    ])
    expect(notes.map((note) => note.replace(/:.*/, ""))).toEqual([
      "0 metadata",
      "0 spec.alerting.absent",
      "0 spec.alerting.absentName",
      "0 spec.alerting.name",
    ])
    expect(isComplete).toBe(true)
  })

  it("spec/openslo §1: whatever a property is, the result is valid, and an omission gets a note", () => {
    for (const changed of variationsOf(slo(), [null, "", "x", -1, 1e308, true, [], {}, ["x"]])) {
      const { notes, isComplete } = converted([changed])
      if (!isComplete) expect(notes).not.toEqual([serviceNote])
    }
  })
})
