import * as Result from "effect/Result"
import { readDocuments } from "@tocsin/formats/documents"
import { describe, expect, it } from "vitest"
import {
  burnRateOver,
  policyOf,
  policyWith,
  ruleFileOf,
  rulesOf,
  sloOf,
} from "../../../../test/prometheus-rules/rule-file.ts"

type Plain = ReturnType<typeof JSON.parse>

const workbook = policyOf([burnRateOver(14.4, "1h"), burnRateOver(14.4, "5m")])

const recordsOf = (slo = sloOf(), policy = workbook) =>
  Object.fromEntries(
    (rulesOf(slo, policy).group?.rules ?? []).flatMap((rule) =>
      "record" in rule ? [[rule.record, rule.expr]] : [],
    ),
  )

const alertsOf = (slo = sloOf(), policy = workbook): ReadonlyArray<Plain> =>
  (rulesOf(slo, policy).group?.rules ?? []).filter((rule) => "alert" in rule)

const sliced = {
  budgetingMethod: "Timeslices",
  objectives: [{ name: "good", target: 0.99, timeSliceTarget: 0.9 }],
}

const monthly = {
  timeWindows: [
    { unit: "Month", count: 1, calendar: { startTime: "2026-01-01 00:00:00", timeZone: "Europe/Paris" } },
  ],
}

const of = 'project="shop",slo="checkout"'

describe("Prometheus rules", () => {
  it("spec/prometheus-rules §2: record the counts of each minute and the burn rates of an objective", () => {
    const counts = (name: string, range: string) =>
      `sum_over_time(slo:events_${name}:count1m{${of}}[${range}])`
    const share = (range: string) => `${counts("bad", range)} / ${counts("total", range)}`
    expect(recordsOf()).toEqual({
      "slo:events_total:count1m":
        'sum(sum(increase(orders_total[1m]))) and sum(sum(increase(orders_total{code!~"5.."}[1m])))',
      "slo:events_bad:count1m":
        'clamp_min(sum(sum(increase(orders_total[1m]))) - clamp_min(sum(sum(increase(orders_total{code!~"5.."}[1m]))), 0), 0)',
      "slo:burn_rate:1h": `${share("1h")} / 0.01`,
      "slo:burn_rate:5m": `${share("5m")} / 0.01`,
      "slo:error_budget:remaining": `1 - ${share("28d")} / 0.01`,
    })
  })

  it("spec/prometheus-rules §2: record bad events that are counted, at most as many as all", () => {
    const [bad, total] = ["sum(increase(errors_total[1m]))", "sum(increase(requests_total[1m]))"]
    const records = recordsOf(
      sloOf({ indicator: { prometheus: { url: "https://p.example.com", bad, total } } }),
    )
    expect([records["slo:events_total:count1m"], records["slo:events_bad:count1m"]]).toEqual([
      `sum(${total}) and sum(${bad})`,
      `clamp_min((sum(${bad}) <= sum(${total})) or (sum(${total}) and sum(${bad})), 0)`,
    ])
  })

  it("spec/prometheus-rules §2: record the counts of a data source", () => {
    const { url: _, ...queries } = sloOf().spec.indicator?.prometheus ?? {}
    const prometheus = { ...queries, dataSource: { name: "prometheus" } }
    expect(rulesOf(sloOf({ indicator: { prometheus } }), workbook)).toEqual(rulesOf(sloOf(), workbook))
  })

  it("spec/prometheus-rules §4: report what an indicator has beside the counts, by its path", () => {
    const url = "https://p.example.com"
    const objectives = [{ name: "fast", target: 0.99, value: 0.3 }]
    const prometheus = { url, histogram: { series: "duration_seconds" } }
    expect(rulesOf(sloOf({ indicator: { prometheus }, objectives })).issues).toEqual([
      {
        path: "spec.indicator.prometheus.histogram",
        code: "not_allowed_value",
        message: "cannot be expressed in rules; write good or bad, and total",
      },
    ])
  })

  it("spec/prometheus-rules §2: count minutes with Timeslices, of the whole range", () => {
    const records = recordsOf(sloOf(sliced))
    expect(records["slo:minute_bad:bool"]).toBe(
      `slo:events_bad:count1m{${of}} / slo:events_total:count1m{${of}} > bool 0.1`,
    )
    expect(records["slo:burn_rate:1h"]).toBe(
      `sum_over_time(slo:minute_bad:bool{${of},objective="good"}[1h]) / 60 / 0.01`,
    )
  })

  it("spec/prometheus-rules §3: an alert fires while all conditions are met, and for the cool-down after", () => {
    expect(alertsOf(sloOf({}, { labels: { "team-name": ["a", "{{b}}"] } }))).toEqual([
      {
        alert: "SloFastBurn",
        expr: `(slo:burn_rate:1h{${of},objective="good"} >= 14.4) and (slo:burn_rate:5m{${of},objective="good"} >= 14.4)`,
        keep_firing_for: "5m",
        labels: {
          project: "shop",
          service: "web",
          slo: "checkout",
          objective: "good",
          alert_policy: "fast-burn",
          severity: "High",
          label_team_name: 'a,{{"{{"}}b}}',
        },
        annotations: {
          summary: "Checkout: good",
          description:
            "Average burn rate is at least 14.4 over the last 1 hour, Average burn rate is at least 14.4 over the last 5 minutes",
        },
      },
    ])
  })

  it("spec/prometheus-rules §3: groups of conditions are alternatives, also those of the SRE Workbook", () => {
    const rate = (window: string) => `slo:burn_rate:${window}{${of},objective="good"}`
    const { conditions: _, ...spec } = workbook.spec
    const policy: typeof workbook = { ...workbook, spec: { ...spec, sreWorkbook: "page" } }
    const [rule] = alertsOf(sloOf(), policy)
    expect(rule?.expr).toBe(
      `((${rate("1h")} >= 13.44) and (${rate("5m")} >= 13.44)) or ((${rate("6h")} >= 5.6) and (${rate("30m")} >= 5.6))`,
    )
  })

  const remaining = `slo:error_budget:remaining{${of},objective="good"}`

  it.each([
    [{ measurement: "averageBurnRate", value: 2 }, `slo:burn_rate:1h{${of},objective="good"} >= 2`],
    [{ measurement: "burnedBudget", value: 0.9, op: "gt" }, `1 - ${remaining} > 0.9`],
    [{ measurement: "burnedBudget", value: 0.1, op: "lte" }, `1 - ${remaining} <= 0.1`],
    [
      { measurement: "timeToBurnBudget", value: "72h", alertingWindow: "90m" },
      `(clamp_min(${remaining}, 0) * 2419200 < slo:burn_rate:1h30m{${of},objective="good"} * 259200) or (${remaining} <= 0)`,
    ],
    [
      { measurement: "timeToBurnEntireBudget", value: "168h", alertingWindow: "6h" },
      `slo:burn_rate:6h{${of},objective="good"} >= 4`,
    ],
    [
      { measurement: "budgetDrop", value: 0.1, alertingWindow: "24h" },
      `((${remaining} offset 1d) or (${remaining} * 0 + 1)) - ${remaining} >= 0.1`,
    ],
  ])("spec/prometheus-rules §3: the condition %j", (condition, expr) => {
    expect(alertsOf(sloOf(), policyOf([condition]))).toMatchObject([{ expr }])
    expect(rulesOf(sloOf(), policyOf([condition])).issues).toEqual([])
  })

  const burns = (window: string) => `slo:burn_rate:${window}{${of},objective="good"}`

  it("spec/prometheus-rules §3: groups of conditions are alternatives, also those of a preset", () => {
    const pageAt = (fast: number, slow: number) =>
      `((${burns("1h")} >= ${fast}) and (${burns("5m")} >= ${fast})) or ((${burns("6h")} >= ${slow}) and (${burns("30m")} >= ${slow}))`
    const conditionGroups = [
      { conditions: [burnRateOver(14.4, "1h"), burnRateOver(14.4, "5m")] },
      { conditions: [burnRateOver(6, "6h"), burnRateOver(6, "30m")] },
    ]
    const [written, preset] = [policyWith({ conditionGroups }), policyWith({ sreWorkbook: "page" })]
    expect(alertsOf(sloOf(), written)).toMatchObject([{ expr: pageAt(14.4, 6) }])
    expect(alertsOf(sloOf(), preset)).toMatchObject([{ expr: pageAt(13.44, 5.6) }])
    // Every month as one of 30 days.
    for (const policy of [written, preset]) {
      expect(alertsOf(sloOf(monthly), policy)).toMatchObject([{ expr: pageAt(14.4, 6) }])
    }
    const [quarter] = [{ ...monthly.timeWindows[0], unit: "Quarter" }]
    const { issues } = rulesOf(sloOf({ timeWindows: [quarter] }), policyWith({ sreWorkbook: "page" }))
    expect(issues.map(({ path }) => path)).toEqual(["alert policy fast-burn: spec.sreWorkbook"])
  })

  it("spec/prometheus-rules §3: a condition needs its fewest events in the range that it measures", () => {
    const condition = { ...burnRateOver(2, "30m"), minEvents: 100, minBadEvents: 5 }
    const events = (name: string, range: string) =>
      `sum_over_time(slo:events_${name}:count1m{${of}}[${range}])`
    expect(alertsOf(sloOf(), policyOf([condition]))[0].expr).toBe(
      `((${burns("30m")} >= 2) and on (project, slo) (${events("total", "30m")} >= 100)) and on (project, slo) (${events("bad", "30m")} >= 5)`,
    )
    const whole = { measurement: "burnedBudget", value: 0.5, minEvents: 10 }
    expect(alertsOf(sloOf(), policyOf([whole]))[0].expr).toContain(`${events("total", "28d")} >= 10`)
  })

  it("spec/prometheus-rules §3: the same lastsFor of all conditions becomes for", () => {
    const lasting = (lastsFor: string) => ({ measurement: "averageBurnRate", value: 2, lastsFor })
    expect(alertsOf(sloOf(), policyOf([lasting("90s"), lasting("90s")]))[0].for).toBe("1m30s")
    const mixed = rulesOf(sloOf(), policyOf([lasting("90s"), lasting("2m")]))
    expect(mixed.group?.rules.filter((rule) => "alert" in rule)).toEqual([])
    expect(mixed.issues.map(({ path }) => path)).toEqual(["alert policy fast-burn: spec"])
  })

  it("spec/prometheus-rules §3: missing data fires after alertAfter", () => {
    const anomalyConfig = { noData: { alertMethods: [{ name: "ops" }], alertAfter: "10m" } }
    expect(alertsOf(sloOf({ anomalyConfig, alertPolicies: [] }))).toMatchObject([
      { alert: "SloNoData", expr: `absent_over_time(slo:events_total:count1m{${of}}[10m])` },
    ])
  })

  it.each([
    ["no indicator", sloOf({ indicator: undefined }), workbook, ["spec.indicator"]],
    ["a policy that is missing", sloOf(), undefined, ["spec.alertPolicies[0]"]],
    [
      "a budget of a calendar-aligned window",
      sloOf(monthly),
      policyOf([{ measurement: "burnedBudget", value: 0.5 }]),
      ["alert policy fast-burn: spec.conditions[0].measurement"],
    ],
    [
      "a composite of all objectives",
      sloOf({
        objectives: [
          { name: "a", target: 0.9 },
          { name: "b", target: 0.99 },
        ],
        composite: { target: 0.9, burnRateCondition: { value: 2, op: "gt" } },
      }),
      workbook,
      ["spec.composite"],
    ],
    [
      "a composite objective",
      sloOf({
        objectives: [
          { name: "a", target: 0.9 },
          {
            name: "b",
            target: 0.9,
            composite: {
              maxDelay: "5m",
              components: {
                objectives: [{ slo: "x", objective: "y", weight: 1, whenDelayed: "Ignore" }],
              },
            },
          },
        ],
      }),
      workbook,
      ["spec.objectives[1].composite"],
    ],
    [
      "labels that become the same",
      sloOf({}, { labels: { a_b: ["1"], "a-b": ["2"] } }),
      workbook,
      ["metadata.labels.a-b"],
    ],
  ])("spec/prometheus-rules §4: %s is an issue", (_, slo, policy, paths) => {
    expect(rulesOf(slo, policy).issues.map(({ path }) => path)).toEqual(paths)
  })

  it("spec/prometheus-rules §3: a burn rate needs no range of a calendar-aligned window", () => {
    expect(rulesOf(sloOf(monthly), workbook).issues).toEqual([])
    expect(recordsOf(sloOf(monthly))).not.toHaveProperty("slo:error_budget:remaining")
  })

  it.each([sloOf(), sloOf(sliced), sloOf(monthly)])(
    "spec/prometheus-rules §1: the file has the form of a rule file (%#)",
    (slo) => {
      const read = readDocuments(ruleFileOf(slo, workbook), "application/yaml")
      if (Result.isFailure(read)) throw new Error(read.failure.message)
      const [file] = read.success as ReadonlyArray<Plain>
      expect(Object.keys(file)).toEqual(["groups"])
      for (const { name, interval, rules, ...others } of file.groups) {
        expect(name).toBe("tocsin-shop-checkout")
        expect(interval).toMatch(duration)
        expect(others).toEqual({})
        expect(rules.length).toBeGreaterThan(3)
        for (const rule of rules) checkRule(rule)
      }
    },
  )
})

const duration = /^(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/

/** What Prometheus requires of a rule, except the grammar of the expression. */
const checkRule = ({ record, alert, expr, labels, annotations = {}, ...times }: Plain): void => {
  expect([record, alert].filter((name) => name !== undefined)).toHaveLength(1)
  if (record !== undefined) {
    expect(record).toMatch(/^[a-zA-Z_:][a-zA-Z0-9_:]*$/)
    expect({ times, annotations }).toEqual({ times: {}, annotations: {} })
  } else expect(alert).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/)
  expect(expr.length).toBeGreaterThan(0)
  expect(["for", "keep_firing_for"]).toEqual(expect.arrayContaining(Object.keys(times)))
  for (const time of Object.values(times)) expect(time).toMatch(duration)
  for (const [name, value] of [...Object.entries(labels), ...Object.entries(annotations)]) {
    expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/)
    expect(name).not.toMatch(/^__/)
    expect(typeof value).toBe("string")
  }
}
