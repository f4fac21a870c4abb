import { readDocuments } from "@tocsin/formats/documents"
import { countObjects } from "@tocsin/formats"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { converted, convertedYaml, type Plain } from "./conversion.ts"

const requests = (matchers: string, range: string) => `sum(rate(cart_requests_total{${matchers}}[${range}]))`

const slothLabels = (window: string) => ({
  area: "web",
  sloth_id: "cart-answers",
  sloth_service: "cart",
  sloth_slo: "answers",
  sloth_window: window,
})

const slothRatio = (window: string, expr: string) => ({
  record: `slo:sli_error:ratio_rate${window}`,
  expr,
  labels: slothLabels(window),
})

const slothAlert = (severity: string, ...rates: ReadonlyArray<readonly [string, string, number]>) => ({
  alert: "CartFails",
  expr: rates
    .map((each) => {
      const [short, long, factor] = each
      const over = (window: string) =>
        `max(slo:sli_error:ratio_rate${window}{sloth_id="cart-answers"} > (${factor} * 0.005)) without (sloth_window)`
      return `(${over(short)} and ${over(long)})`
    })
    .join(" or "),
  labels: { sloth_severity: severity },
})

const slothMeta = (record: string, value: string) => ({
  record,
  expr: `vector(${value})`,
  labels: { sloth_id: "cart-answers", sloth_service: "cart", sloth_slo: "answers" },
})

const divided = (range: string) => `(${requests('code=~"5.."', range)})\n/\n(${requests("", range)})`

const ofSloth = (ratio = divided("5m"), { metadata = true, alerts = true } = {}) => ({
  groups: [
    {
      name: "sli",
      rules: [
        slothRatio("1h", divided("1h")),
        slothRatio("5m", ratio),
        slothRatio(
          "30d",
          "sum_over_time(slo:sli_error:ratio_rate5m[30d]) / count_over_time(slo:sli_error:ratio_rate5m[30d])",
        ),
      ],
    },
    ...(metadata
      ? [
          {
            name: "meta",
            rules: [
              slothMeta("slo:objective:ratio", "0.9950000000000001"),
              slothMeta("slo:time_period:days", "28"),
            ],
          },
        ]
      : []),
    ...(alerts
      ? [
          {
            name: "alerts",
            rules: [
              slothAlert("page", ["5m", "1h", 13.44], ["30m", "6h", 5.6]),
              slothAlert("ticket", ["2h", "1d", 2.8], ["6h", "3d", 0.93]),
            ],
          },
        ]
      : []),
  ],
})

const pyrraBurn = (window: string, expr: string, labels: object = {}) => ({
  record: `cart_requests:burnrate${window}`,
  expr,
  labels: { slo: "cart-answers", job: "cart", team: "shop", service: "cart", ...labels },
})

const ofJob = (range: string, matchers = "") =>
  `sum by (region) (rate(cart_requests_total{job="cart"${matchers}}[${range}]))`

const pyrraAlert = (short: string, long: string, factor: number, exhaustion: string, severity: string) => ({
  alert: "ErrorBudgetBurn",
  expr: `cart_requests:burnrate${short}{slo="cart-answers"} > (${factor} * (1-0.99)) and cart_requests:burnrate${long}{slo="cart-answers"} > (${factor} * (1-0.99))`,
  for: "2m0s",
  labels: { slo: "cart-answers", short, long, exhaustion, severity },
})

const increase = {
  record: "cart_requests:increase4w",
  expr: 'sum by (code) (increase(cart_requests_total{job="cart"}[4w]))',
  labels: { slo: "cart-answers", job: "cart" },
}

const ofPyrra = (ratio: string, ...more: ReadonlyArray<object>) => ({
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  metadata: { name: "cart-answers" },
  spec: {
    groups: [
      { name: "increase", rules: more },
      {
        name: "burn",
        rules: [
          pyrraBurn("1h", ratio.replaceAll("[5m]", "[1h]")),
          pyrraBurn("5m", ratio),
          pyrraAlert("5m", "1h", 14, "2d", "critical"),
        ],
      },
    ],
  },
})

const prometheusOf = ({ slos }: { readonly slos: ReadonlyArray<Plain> }) => slos[0]?.spec.indicator.prometheus

describe("converting generated rules", () => {
  it("spec/openslo §8: the rules of Sloth become the SLO that they were generated from", () => {
    const { slos, policies, notes, isComplete } = converted([ofSloth()])
    expect(slos).toMatchObject([
      {
        metadata: { name: "cart-answers", displayName: "answers", labels: { area: ["web"] } },
        spec: {
          service: "cart",
          budgetingMethod: "Occurrences",
          timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
          objectives: [{ target: 0.995 }],
          indicator: {
            prometheus: {
              bad: '((sum(increase(cart_requests_total{code=~"5.."}[1m])))) or vector(0)',
              total: "(sum(increase(cart_requests_total{}[1m])))",
            },
          },
          alertPolicies: policies.map(({ metadata }) => metadata.name),
        },
      },
    ])
    expect(policies.map(({ spec }) => spec.severity)).toEqual(["High", "Medium"])
    const { conditionGroups } = policies[0].spec
    expect(
      conditionGroups.map(({ conditions }: Plain) =>
        conditions.map(({ value, alertingWindow }: Plain) => [value, alertingWindow]),
      ),
    ).toEqual([
      [
        [13.44, "60m"],
        [13.44, "5m"],
      ],
      [
        [5.6, "360m"],
        [5.6, "30m"],
      ],
    ])
    expect(notes).toHaveLength(2)
    expect(isComplete).toBe(true)
  })

  it("spec/openslo §8: a PrometheusRule and a list of them give the same as the rule file", () => {
    const rule = {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name: "cart" },
      spec: ofSloth(),
    }
    const { slos } = converted([ofSloth()])
    expect(converted([rule]).slos).toEqual(slos)
    expect(converted([{ kind: "List", apiVersion: "v1", items: [rule] }]).slos).toEqual(slos)
    expect(countObjects([rule, ofSloth(), { groups: [] }])).toBe(3)
    const rules = Array.from({ length: 20_001 }, () => 0)
    expect(countObjects([{ groups: [{ rules }] }])).toBe(1_001)
  })

  it.each<readonly [string, string, object]>([
    [
      "good events",
      `1 - ((${requests('code="200"', "5m")}) / (${requests("", "5m")}))`,
      {
        good: '(sum(increase(cart_requests_total{code="200"}[1m])))',
        total: "(sum(increase(cart_requests_total{}[1m])))",
      },
    ],
    [
      "buckets",
      '(sum(rate(d_count{a="b"}[5m])) - sum(rate(d_bucket{a="b",le="0.5"}[5m]))) / sum(rate(d_count{a="b"}[5m]))',
      { histogram: { series: 'd{a="b"}' } },
    ],
    [
      "a raw ratio",
      "avg(avg_over_time(failing[5m]))",
      { bad: "avg(avg_over_time(failing[1m]))", total: "vector(1)" },
    ],
    [
      "a division by matched labels",
      `${requests("", "5m")} / on() ${requests("", "5m")}`,
      { total: "vector(1)" },
    ],
  ])("spec/openslo §8: the ratio of %s", (_, ratio, prometheus) => {
    const result = converted([ofSloth(ratio)])
    expect(prometheusOf(result)).toMatchObject(prometheus)
    expect(result.isComplete).toBe(true)
  })

  it("spec/openslo §8: the rules of Pyrra become the SLO that they were generated from", () => {
    const ratio = `${ofJob("5m", ',code=~"5.."')} / ${ofJob("5m")}`
    const { slos, policies, isComplete } = converted([ofPyrra(ratio, increase)])
    const total = 'sum by (region) (increase(cart_requests_total{job="cart"}[1m]))'
    const bad = 'sum by (region) (increase(cart_requests_total{job="cart",code=~"5.."}[1m]))'
    expect(slos).toMatchObject([
      {
        metadata: { name: "cart-answers", labels: { team: ["shop"] } },
        spec: {
          service: "cart",
          timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
          objectives: [{ target: 0.99 }],
          indicator: { prometheus: { bad: `(${bad}) or (${total}) * 0`, total, groupBy: ["region"] } },
        },
      },
    ])
    expect(slos[0].metadata.labels).toEqual({ team: ["shop"] })
    const condition = { measurement: "averageBurnRate", value: 14, op: "gte", lastsFor: "2m" }
    expect(policies).toMatchObject([
      {
        spec: {
          severity: "High",
          conditions: [
            { ...condition, alertingWindow: "60m" },
            { ...condition, alertingWindow: "5m" },
          ],
        },
      },
    ])
    expect(isComplete).toBe(true)
  })

  it.each<readonly [string, string, object, number | undefined]>([
    [
      "bool gauges",
      "(sum(count_over_time(up[5m])) - sum(sum_over_time(up[5m]))) / sum(count_over_time(up[5m]))",
      { total: "sum(count_over_time(up[1m]))" },
      undefined,
    ],
    [
      "native histograms",
      '1 - histogram_fraction(0,0.2,sum by (region) (rate(d{job="cart"}[5m])))',
      { histogram: { series: 'd{job="cart"}', type: "native" }, groupBy: ["region"] },
      0.2,
    ],
  ])("spec/openslo §8: Pyrra's rules of %s", (_, ratio, prometheus, value) => {
    // The window is that of the alert's time to exhaustion.
    const result = converted([ofPyrra(ratio)])
    expect(prometheusOf(result)).toMatchObject(prometheus)
    expect(result.slos[0].spec).toMatchObject({
      timeWindows: [{ unit: "Day", count: 28 }],
      objectives: [{ target: 0.99, ...(value !== undefined && { value }) }],
    })
    expect(result.isComplete).toBe(true)
  })

  it("spec/openslo §8: the objective and window of rules without alerts are those of Pyrra's generic rules", () => {
    const { slos } = converted([
      {
        groups: [
          {
            name: "cart",
            rules: [
              pyrraBurn("5m", `${ofJob("5m")} / ${ofJob("5m")}`),
              { record: "pyrra_objective", expr: "0.999", labels: { slo: "cart-answers" } },
              { record: "pyrra_window", expr: 1_209_600, labels: { slo: "cart-answers" } },
            ],
          },
        ],
      },
    ])
    expect(slos).toMatchObject([
      { spec: { timeWindows: [{ unit: "Day", count: 14 }], objectives: [{ target: 0.999 }] } },
    ])
    expect(slos[0].spec).not.toHaveProperty("alertPolicies")
  })

  const burn = pyrraBurn("5m", `${ofJob("5m")} / ${ofJob("5m")}`)
  const file = (...rules: ReadonlyArray<object>) => ({ groups: [{ name: "a", rules }] })

  it.each<readonly [string, object, string]>([
    ["without an objective", ofSloth(divided("5m"), { metadata: false }), "no rule has its objective"],
    [
      "without an error ratio",
      file(slothMeta("slo:objective:ratio", "0.9")),
      "no rule records its error ratio",
    ],
    ["with another range", ofSloth(divided("10m")), "has a range other than the window of its rule"],
    ["with invalid PromQL", ofSloth("sum(rate("), "its error ratio cannot be converted"],
    [
      "without a window",
      file(burn, { record: "pyrra_objective", expr: "0.9", labels: { slo: "cart-answers" } }),
      "no rule has its time window",
    ],
    ["without a service", file({ ...burn, labels: { slo: "x" } }), "set one for all SLOs with --service"],
  ])("spec/openslo §8: an SLO of rules %s is omitted, with a note", (_, document, message) => {
    const { slos, notes, isComplete } = converted([document])
    expect({ slos, isComplete }).toEqual({ slos: [], isComplete: false })
    expect(notes.join("\n")).toContain(message)
  })

  it("spec/openslo §8: rules of one SLO in several documents are joined, in any order", () => {
    const whole = converted([ofSloth()])
    const parts = ofSloth().groups.map((group) => ({ groups: [group] }))
    for (const documents of [parts, parts.toReversed()]) {
      const { slos, policies, notes, isComplete } = converted(documents)
      expect({ slos, policies, isComplete }).toEqual({
        slos: whole.slos,
        policies: whole.policies,
        isComplete: true,
      })
      // Notes are about the document that a rule is in.
      expect(notes.map((note) => note.replace(/^\d+ /, ""))).toHaveLength(whole.notes.length)
      const { notes: omitted, isComplete: isWhole } = converted(
        documents
          .slice(0, 2)
          .concat({ groups: [{ name: "x", rules: [{ record: "x", expr: "1" } as never] }] }),
      )
      expect(isWhole).toBe(false)
      expect(omitted.at(-1)).toMatch(/^2 /)
    }
  })

  it("spec/openslo §1, spec/openslo §8: a document that is there twice gives its SLO once, and another SLO of its name is omitted", () => {
    const twice = converted([ofSloth(), ofSloth()])
    expect(twice.slos).toHaveLength(1)
    expect(twice.isComplete).toBe(true)
    const other = converted([
      ofSloth(),
      ofSloth(divided("5m").replaceAll("cart_requests", "basket_requests")),
    ])
    expect(other.slos).toHaveLength(1)
    expect(other.isComplete).toBe(false)
    expect(other.notes).toContainEqual(
      expect.stringMatching(/^1 groups\[0\]\.rules\[1\]: is the name of another object of the documents/),
    )
  })

  it("spec/openslo §8: other rules beside them are omitted, with a note, and the SLO is kept", () => {
    const { groups } = ofSloth()
    const other = { alert: "Down", expr: "up == 0" }
    const strange = { ...slothAlert("page"), expr: 'max(x{sloth_id="cart-answers"}) > 3' }
    const { slos, notes, isComplete } = converted([
      { groups: [...groups, { name: "b", rules: [other, strange, null] }] },
    ])
    expect(slos).toHaveLength(1)
    expect(isComplete).toBe(false)
    expect(notes.filter((note) => note.startsWith("0 groups[3]"))).toEqual([
      "0 groups[3].rules[0]: is omitted: it is not a rule that Sloth or Pyrra generates for an SLO",
      "0 groups[3].rules[1]: is omitted: it is not an alert on burn rates that Sloth or Pyrra generates",
      "0 groups[3].rules[2]: is omitted: it is not a rule that Sloth or Pyrra generates for an SLO",
    ])
  })

  it("spec/openslo §8: Pyrra's alert on missing data is omitted, with a note", () => {
    const absent = {
      alert: "SLOMetricAbsent",
      expr: "absent(cart_requests_total) == 1",
      labels: { slo: "cart-answers" },
    }
    const { notes, isComplete } = converted([ofPyrra(`${ofJob("5m")} / ${ofJob("5m")}`, increase, absent)])
    expect(notes.join("\n")).toContain("spec.groups[0].rules[1]: is omitted: add spec.anomalyConfig.noData")
    expect(isComplete).toBe(true)
  })

  it("spec/openslo §8: rules of any shape never fail the conversion", () => {
    for (const groups of [
      [null],
      [{ rules: 1 }],
      [{ rules: [1, { labels: { sloth_id: 3 } }, { record: "a:burnrate5m", labels: { slo: "x" } }] }],
    ]) {
      expect(converted([{ groups }]).isComplete).toBe(false)
    }
    const yaml =
      "groups: [{ name: a, rules: [{ record: 'a:burnrate5m', expr: 1, labels: { slo: x, service: y } }] }]"
    expect(convertedYaml(yaml).isComplete).toBe(false)
    expect(Result.isSuccess(readDocuments(yaml, "application/yaml"))).toBe(true)
  })
})
