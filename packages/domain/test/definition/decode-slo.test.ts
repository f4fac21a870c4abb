import { decodeDefinition, definitionToJson } from "@tocsin/domain"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import * as Result from "effect/Result"
import { referencesOf } from "../../src/definition/References.ts"
import { describe, expect, it } from "vitest"
import {
  anSlo,
  changed,
  codesOf,
  decodeOptions,
  issuesOf,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const slo = anSlo()
const withObjectives = (objectives: unknown, from = slo): Plain =>
  changed(from, "spec.objectives", objectives)
const withWindow = (window: unknown): Plain => changed(slo, "spec.timeWindows", [window])

const decoded = (input: Plain): Slo => {
  const result = decodeDefinition(input, decodeOptions)
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success as Slo
}

const readBack = (input: Plain): unknown =>
  JSON.parse(JSON.stringify(definitionToJson(decoded(input), "tocsin")))

describe("an SLO", () => {
  it("spec/slos §1: needs a service, a budgeting method, a time window and an objective", () => {
    expect(codesOf(changed(slo, "spec", {}))).toEqual([
      ["spec.budgetingMethod", "required"],
      ["spec.objectives", "required"],
      ["spec.service", "required"],
      ["spec.timeWindows", "required"],
    ])
  })

  it("names each alert policy once", () => {
    expect(codesOf(changed(slo, "spec.alertPolicies", ["a", "b", "a"]))).toEqual([
      ["spec.alertPolicies[2]", "duplicate"],
    ])
    expect(issuesOf(changed(slo, "spec.alertPolicies", undefined))).toEqual([])
    const named = (length: number) => Array.from({ length }, (_, index) => `policy-${index}`)
    expect(codesOf(changed(slo, "spec.alertPolicies", named(30)))).toEqual([])
    expect(codesOf(changed(slo, "spec.alertPolicies", named(31)))).toEqual([
      ["spec.alertPolicies", "too_many"],
    ])
  })

  it("lists the issues of all its rules at once", () => {
    const bad = changed(slo, "spec", {
      service: "web",
      budgetingMethod: "Timeslices",
      timeWindows: [
        { unit: "Hour", count: 0, calendar: { startTime: "2026-02-30 00:00:00", timeZone: "Mars/Base" } },
      ],
      objectives: [
        { name: "a", target: 1 },
        { name: "a", target: 0.9, timeSliceTarget: 0, composite: { maxDelay: "30s", components: {} } },
      ],
      composite: { target: -1, burnRateCondition: { value: 1_001, op: "lt" } },
      indicator: {},
      anomalyConfig: { noData: { alertMethods: [], alertAfter: "4m" } },
    })
    expect(codesOf(bad)).toEqual([
      ["spec.anomalyConfig.noData.alertAfter", "out_of_range"],
      ["spec.composite.burnRateCondition", "not_allowed_value"],
      ["spec.composite.burnRateCondition.op", "not_allowed_value"],
      ["spec.composite.burnRateCondition.value", "out_of_range"],
      ["spec.composite.target", "out_of_range"],
      ["spec.indicator.prometheus", "required"],
      ["spec.objectives[0].target", "out_of_range"],
      ["spec.objectives[0].timeSliceTarget", "required"],
      ["spec.objectives[1].composite", "not_allowed_value"],
      ["spec.objectives[1].composite.components.objectives", "required"],
      ["spec.objectives[1].composite.maxDelay", "out_of_range"],
      ["spec.objectives[1].name", "duplicate"],
      ["spec.objectives[1].timeSliceTarget", "out_of_range"],
      ["spec.objectives[1].timeSliceTarget", "not_allowed_value"],
      ["spec.timeWindows[0].calendar.startTime", "invalid_format"],
      ["spec.timeWindows[0].calendar.timeZone", "not_allowed_value"],
      ["spec.timeWindows[0].count", "out_of_range"],
      ["spec.timeWindows[0].unit", "not_allowed_value"],
    ])
  })
})

describe("an SLO's time window", () => {
  it("is the only one", () => {
    const window = { unit: "Day", count: 1, isRolling: true }
    expect(codesOf(changed(slo, "spec.timeWindows", []))).toEqual([["spec.timeWindows", "too_few"]])
    expect(codesOf(changed(slo, "spec.timeWindows", [window, window]))).toEqual([
      ["spec.timeWindows", "too_many"],
    ])
  })

  it("spec/slos §4: rolls over 5 minutes to 400 days", () => {
    for (const [unit, count] of [
      ["Minute", 5],
      ["Hour", 744],
      ["Day", 1],
      ["Day", 31],
      ["Day", 400],
    ] as const) {
      expect(issuesOf(withWindow({ unit, count, isRolling: true }))).toEqual([])
    }
    for (const [unit, count] of [
      ["Minute", 4],
      ["Hour", 9_601],
      ["Day", 401],
    ] as const) {
      expect(codesOf(withWindow({ unit, count, isRolling: true }))).toEqual([
        ["spec.timeWindows[0]", "out_of_range"],
      ])
    }
    for (const count of [0, -1, 1.5, 1e300, Number.POSITIVE_INFINITY]) {
      expect(codesOf(withWindow({ unit: "Day", count, isRolling: true }))).toEqual([
        ["spec.timeWindows[0].count", "out_of_range"],
      ])
    }
    expect(codesOf(withWindow({ unit: "Week", count: 1, isRolling: true }))).toEqual([
      ["spec.timeWindows[0].unit", "not_allowed_value"],
    ])
  })

  const calendar = { startTime: "2026-01-01 00:00:00", timeZone: "Europe/Paris" }

  it("spec/slos §5: follows the calendar over as many days as counts can be retained", () => {
    for (const [unit, count] of [
      ["Day", 3_652],
      ["Week", 521],
      ["Month", 119],
      ["Quarter", 39],
      ["Year", 9],
    ] as const) {
      expect(issuesOf(withWindow({ unit, count, isRolling: false, calendar }))).toEqual([])
      expect(issuesOf(withWindow({ unit, count: 1, calendar }))).toEqual([])
      expect(codesOf(withWindow({ unit, count: count + 1, calendar }))).toEqual([
        ["spec.timeWindows[0]", "out_of_range"],
      ])
    }
    for (const unit of ["Minute", "Hour"]) {
      expect(codesOf(withWindow({ unit, count: 1, calendar }))).toEqual([
        ["spec.timeWindows[0].unit", "not_allowed_value"],
      ])
    }
  })

  it("spec/slos §5: either rolls or follows the calendar", () => {
    expect(codesOf(withWindow({ unit: "Day", count: 1, isRolling: true, calendar }))).toEqual([
      ["spec.timeWindows[0]", "mutually_exclusive"],
    ])
    expect(codesOf(withWindow({ unit: "Day", count: 1 }))).toEqual([
      ["spec.timeWindows[0].isRolling", "required"],
    ])
    expect(codesOf(withWindow({ unit: "Day", count: 1, isRolling: false }))).toEqual([
      ["spec.timeWindows[0].calendar", "required"],
    ])
    expect(codesOf(withWindow({ unit: "Day", count: 1, isRolling: "no" }))).toEqual([
      ["spec.timeWindows[0].isRolling", "wrong_type"],
    ])
    expect(codesOf(withWindow({ unit: "Eon", count: 1 }))).toEqual([
      ["spec.timeWindows[0].isRolling", "required"],
      ["spec.timeWindows[0].unit", "not_allowed_value"],
    ])
  })

  it("spec/slos §5: starts on a whole minute of the wall clock in a time zone that is known", () => {
    const codes = (change: object) =>
      codesOf(withWindow({ unit: "Month", count: 1, calendar: { ...calendar, ...change } }))
    const at = "spec.timeWindows[0].calendar"
    for (const startTime of ["2024-02-29 23:59:00", "1970-01-01 00:00:00"])
      expect(codes({ startTime })).toEqual([])
    for (const startTime of [
      "2026-02-29 00:00:00",
      "2026-01-01",
      "2026-01-01T00:00:00Z",
      "2026-01-01 24:00:00",
      "1969-12-31 00:00:00",
      "0026-01-01 00:00:00",
    ]) {
      expect(codes({ startTime }), startTime).toEqual([[`${at}.startTime`, "invalid_format"]])
    }
    expect(codes({ startTime: "2026-01-01 00:00:01" })).toEqual([[`${at}.startTime`, "out_of_range"]])
    expect(codes({ startTime: 2026 })).toEqual([[`${at}.startTime`, "wrong_type"]])
    for (const timeZone of ["UTC", "America/St_Johns", "Asia/Kathmandu"])
      expect(codes({ timeZone })).toEqual([])
    for (const timeZone of ["+01:00", "Europe/Atlantis", "local"]) {
      expect(codes({ timeZone }), timeZone).toEqual([[`${at}.timeZone`, "not_allowed_value"]])
    }
    expect(codes({ timeZone: "A".repeat(65) })).toEqual([[`${at}.timeZone`, "too_long"]])
    expect(codesOf(withWindow({ unit: "Month", count: 1, calendar: {} }))).toEqual([
      [at + ".startTime", "required"],
      [at + ".timeZone", "required"],
    ])
  })

  it("reads back as it was written", () => {
    const calendarWindow = { unit: "Month", count: 1, isRolling: false, calendar }
    expect(readBack(withWindow(calendarWindow))).toMatchObject({ spec: { timeWindows: [calendarWindow] } })
    const { isRolling: _, ...silent } = calendarWindow
    expect(readBack(withWindow(silent))).toMatchObject({ spec: { timeWindows: [calendarWindow] } })
  })
})

describe("an SLO's objectives", () => {
  it("have targets of at least 0 and less than 1", () => {
    for (const target of [0, 0.5, 0.999999]) expect(issuesOf(withObjectives([{ target }]))).toEqual([])
    for (const target of [1, -0.1, 99]) {
      expect(codesOf(withObjectives([{ target }]))).toEqual([["spec.objectives[0].target", "out_of_range"]])
    }
    expect(codesOf(withObjectives([{ target: "0.9" }]))).toEqual([
      ["spec.objectives[0].target", "wrong_type"],
    ])
    expect(codesOf(withObjectives([{}]))).toEqual([["spec.objectives[0].target", "required"]])
    expect(codesOf(withObjectives([]))).toEqual([["spec.objectives", "too_few"]])
  })

  it("spec/slos §10: show the share to write if they are written as a percentage", () => {
    const messages = (objective: Plain) =>
      issuesOf(withObjectives([objective], changed(slo, "spec.budgetingMethod", "Timeslices"))).map(
        ({ path, message }) => `${path} ${message}`,
      )
    expect(messages({ target: 99.9, timeSliceTarget: 95 })).toEqual([
      "spec.objectives[0].target must be at least 0 and less than 1; it is a share, so write 99.9% as 0.999",
      "spec.objectives[0].timeSliceTarget must be more than 0 and at most 1; it is a share, so write 95% as 0.95",
    ])
    expect(messages({ target: 0.9, timeSliceTarget: 100 })).toEqual([
      "spec.objectives[0].timeSliceTarget must be more than 0 and at most 1; it is a share, so write 100% as 1",
    ])
    for (const [target, hint] of [
      [1, "; a target of 100% leaves no error budget: write 99.9% as 0.999"],
      [100, "; a target of 100% leaves no error budget: write 99.9% as 0.999"],
      [100.1, ""],
      [999, ""],
      [-0.1, ""],
    ]) {
      expect(messages({ target, timeSliceTarget: 0.9 })).toEqual([
        `spec.objectives[0].target must be at least 0 and less than 1${hint}`,
      ])
    }
  })

  it("derive the names that they lack from the display name, or from their place", () => {
    const { objectives } = decoded(
      withObjectives([
        { displayName: "Good – enough!", target: 0.9 },
        { name: "", displayName: "", target: 0.9 },
        { displayName: "…", target: 0.9 },
        { displayName: `${"x".repeat(62)} y`, target: 0.9 },
      ]),
    ).spec
    expect(objectives.map(({ name }) => name)).toEqual([
      "good-enough",
      "objective-2",
      "objective-3",
      "x".repeat(62),
    ])
  })

  it("have unique names, derived ones and those with other issues included", () => {
    const objectives = [
      { name: "good", target: 2 },
      { name: "good", target: 0.9 },
      { displayName: "Good", target: 0.9 },
    ]
    expect(codesOf(withObjectives(objectives))).toEqual([
      ["spec.objectives[0].target", "out_of_range"],
      ["spec.objectives[1].name", "duplicate"],
      ["spec.objectives[2].name", "duplicate"],
    ])
  })

  it("spec/slos §2: have a time slice target of more than 0 and at most 1 with Timeslices, and only then", () => {
    const timeslices = changed(slo, "spec.budgetingMethod", "Timeslices")
    const codes = (timeSliceTarget: unknown, from: Plain = timeslices) =>
      codesOf(withObjectives([{ name: "good", target: 0.9, timeSliceTarget }], from))
    const at = "spec.objectives[0].timeSliceTarget"
    for (const share of [0.000001, 0.9, 1]) expect(codes(share)).toEqual([])
    for (const share of [0, -1, 1.000001]) expect(codes(share)).toEqual([[at, "out_of_range"]])
    expect(codes("0.9")).toEqual([[at, "wrong_type"]])
    expect(codes(undefined)).toEqual([[at, "required"]])
    expect(codes(0.9, slo)).toEqual([[at, "not_allowed_value"]])
    // Which of the two it should be cannot be said without a method.
    expect(codes(0.9, changed(slo, "spec.budgetingMethod", "Minutes"))).toEqual([
      ["spec.budgetingMethod", "not_allowed_value"],
    ])
  })
})

describe("a composite objective", () => {
  const component = {
    project: "search",
    slo: "latency",
    objective: "fast",
    weight: 1,
    whenDelayed: "CountAsGood",
  }
  const composite = { maxDelay: "45m", components: { objectives: [component] } }
  const objective = { name: "overall", target: 0.95, composite }
  const valid = withObjectives([{ name: "good", target: 0.9 }, objective])
  const at = "spec.objectives[1].composite"
  const componentAt = `${at}.components.objectives[0]`
  const withComponent = (change: object): Plain =>
    changed(valid, `${at}.components.objectives`, [{ ...component, ...change }])

  it("spec/slos §6: is made of weighted components, of its own project unless another is said", () => {
    expect(issuesOf(valid)).toEqual([])
    expect(decoded(withComponent({ project: undefined })).spec.objectives[1]).toEqual({
      name: "overall",
      target: 0.95,
      composite: {
        maxDelay: durationOf("45m"),
        components: [
          {
            slo: { project: "shop", name: "latency" },
            objective: "fast",
            weight: 1,
            whenDelayed: "CountAsGood",
          },
        ],
      },
    })
    for (const whenDelayed of ["CountAsBad", "Ignore"])
      expect(issuesOf(withComponent({ whenDelayed }))).toEqual([])
    for (const weight of [0.001, 4, Number.MAX_SAFE_INTEGER])
      expect(issuesOf(withComponent({ weight }))).toEqual([])
  })

  it("reads back as it was written, and names its components' SLOs", () => {
    expect(readBack(valid)).toMatchObject({ spec: { objectives: [{ name: "good" }, objective] } })
    expect(referencesOf(decoded(valid))).toContainEqual({
      key: { kind: "SLO", project: "search", name: "latency" },
      path: `${componentAt}.slo`,
    })
  })

  it.each([
    [{ weight: 0 }, "weight", "out_of_range"],
    [{ weight: -1 }, "weight", "out_of_range"],
    [{ weight: 1e300 }, "weight", "out_of_range"],
    [{ weight: undefined }, "weight", "required"],
    [{ whenDelayed: "Wait" }, "whenDelayed", "not_allowed_value"],
    [{ whenDelayed: undefined }, "whenDelayed", "required"],
    [{ objective: undefined }, "objective", "required"],
    [{ objective: "Fast" }, "objective", "invalid_format"],
    [{ slo: undefined }, "slo", "required"],
    [{ slo: "x".repeat(64) }, "slo", "too_long"],
    [{ project: "shop", slo: "checkout" }, "slo", "not_allowed_value"],
  ])("spec/slos §6: rejects a component with %j", (change, property, code) => {
    expect(codesOf(withComponent(change))).toEqual([[`${componentAt}.${property}`, code]])
  })

  it("spec/slos §6: has at most 300 components in all of its SLO", () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ ...component, objective: `o-${index}` }))
    const objectives = (...lengths: ReadonlyArray<number>) =>
      changed(
        valid,
        "spec.objectives",
        lengths.map((length, index) => ({
          name: `whole-${index}`,
          target: 0.9,
          composite: { maxDelay: "45m", components: { objectives: many.slice(0, length) } },
        })),
      )
    expect(codesOf(objectives(100, 100, 100))).toEqual([])
    expect(codesOf(objectives(100, 100, 100, 1))).toEqual([["spec.objectives", "too_many"]])
  })

  it("spec/slos §6: has 1 to 100 components, each objective once", () => {
    const list = `${at}.components.objectives`
    expect(codesOf(changed(valid, list, []))).toEqual([[list, "too_few"]])
    const many = Array.from({ length: 101 }, (_, index) => ({ ...component, objective: `o-${index}` }))
    expect(codesOf(changed(valid, list, many))).toEqual([[list, "too_many"]])
    expect(issuesOf(changed(valid, list, many.slice(1)))).toEqual([])
    const twice = [component, { ...component, weight: 2 }]
    expect(codesOf(changed(valid, list, twice))).toEqual([[`${list}[1].objective`, "duplicate"]])
  })

  it("spec/slos §6: waits for late counts for whole minutes, at least one", () => {
    for (const maxDelay of ["1m", "45m0s", "24h"])
      expect(issuesOf(changed(valid, `${at}.maxDelay`, maxDelay))).toEqual([])
    for (const maxDelay of ["59s", "90s", "0", "-1m"]) {
      expect(codesOf(changed(valid, `${at}.maxDelay`, maxDelay))).toEqual([
        [`${at}.maxDelay`, "out_of_range"],
      ])
    }
    expect(codesOf(changed(valid, `${at}.maxDelay`, "soon"))).toEqual([[`${at}.maxDelay`, "invalid_format"]])
    expect(codesOf(changed(valid, `${at}.maxDelay`, undefined))).toEqual([[`${at}.maxDelay`, "required"]])
  })

  it("spec/slos §6: is of the budgeting method Occurrences, and has no time slice target", () => {
    const timeslices = changed(valid, "spec.budgetingMethod", "Timeslices")
    expect(codesOf(changed(timeslices, "spec.objectives[0].timeSliceTarget", 0.9))).toEqual([
      [at, "not_allowed_value"],
    ])
    expect(codesOf(changed(valid, "spec.objectives[1].timeSliceTarget", 0.9))).toEqual([
      ["spec.objectives[1].timeSliceTarget", "not_allowed_value"],
    ])
  })
})

describe("the legacy composite of an SLO", () => {
  const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gt" } }
  const valid = changed(slo, "spec.composite", composite)

  it("spec/slos §8: has a target, and with Occurrences a burn rate that makes a minute bad", () => {
    expect(issuesOf(valid)).toEqual([])
    expect(readBack(valid)).toMatchObject({ spec: { composite } })
    for (const value of [0, 1_000])
      expect(issuesOf(changed(valid, "spec.composite.burnRateCondition.value", value))).toEqual([])
    expect(issuesOf(changed(valid, "spec.composite.burnRateCondition.op", "gte"))).toEqual([])
    expect(codesOf(changed(valid, "spec.composite", {}))).toEqual([
      ["spec.composite.burnRateCondition", "required"],
      ["spec.composite.target", "required"],
    ])
    expect(codesOf(changed(valid, "spec.composite.burnRateCondition", {}))).toEqual([
      ["spec.composite.burnRateCondition.op", "required"],
      ["spec.composite.burnRateCondition.value", "required"],
    ])
    expect(codesOf(changed(valid, "spec.composite.burnRateCondition.value", 1_000.1))).toEqual([
      ["spec.composite.burnRateCondition.value", "out_of_range"],
    ])
    expect(codesOf(changed(valid, "spec.composite.burnRateCondition.op", "lt"))).toEqual([
      ["spec.composite.burnRateCondition.op", "not_allowed_value"],
    ])
  })

  it("spec/slos §8: has no burn rate condition with Timeslices", () => {
    const objectives = ["good", "great"].map((name) => ({ name, target: 0.9, timeSliceTarget: 0.9 }))
    const timeslices = withObjectives(objectives, changed(valid, "spec.budgetingMethod", "Timeslices"))
    expect(codesOf(timeslices)).toEqual([["spec.composite.burnRateCondition", "not_allowed_value"]])
    expect(issuesOf(changed(timeslices, "spec.composite.burnRateCondition", undefined))).toEqual([])
  })

  it("spec/slos §8: needs at least 2 objectives, none of them composite", () => {
    expect(codesOf(withObjectives([{ target: 0.9 }], valid))).toEqual([
      ["spec.composite", "not_allowed_value"],
    ])
    const component = { slo: "other", objective: "good", weight: 1, whenDelayed: "Ignore" }
    const objectives = [
      { target: 0.9 },
      { target: 0.9 },
      { target: 0.9, composite: { maxDelay: "1m", components: { objectives: [component] } } },
    ]
    expect(codesOf(withObjectives(objectives, valid))).toEqual([["spec.composite", "not_allowed_value"]])
  })
})

describe("an SLO's indicator", () => {
  const prometheus = { url: "https://prometheus.example.com", good: "good", total: "total" }
  const valid = changed(slo, "spec.indicator", { prometheus })

  it("is a Prometheus server with two expressions, and is there only where it is said", () => {
    expect(issuesOf(valid)).toEqual([])
    expect(readBack(valid)).toMatchObject({ spec: { indicator: { prometheus } } })
    expect(codesOf(changed(slo, "spec.indicator", {}))).toEqual([["spec.indicator.prometheus", "required"]])
    expect(codesOf(changed(slo, "spec.indicator", { statsd: {} }))).toEqual([
      ["spec.indicator.prometheus", "required"],
      ["spec.indicator.statsd", "unknown_property"],
    ])
    expect(decoded(slo).spec).not.toHaveProperty("indicator")
  })

  it("spec/data-sources §11: compares a metric with a threshold of each objective, or has good and total", () => {
    const metric = { url: prometheus.url, metric: "latency_seconds" }
    const compared = changed(slo, "spec.indicator", { prometheus: metric })
    const objective = { name: "fast", target: 0.9, op: "lte", value: 0.3 }
    const component = { slo: "other", objective: "good", weight: 1, whenDelayed: "Ignore" }
    const composite = { maxDelay: "1m", components: { objectives: [component] } }
    const both = withObjectives([objective, { name: "whole", target: 0.9, composite }], compared)
    expect(issuesOf(both)).toEqual([])
    expect(readBack(both)).toMatchObject({
      spec: { indicator: { prometheus: metric }, objectives: [objective, {}] },
    })
    expect(codesOf(withObjectives([{ target: 0.9 }, { ...objective, op: "eq" }], compared))).toEqual([
      ["spec.objectives[0].op", "required"],
      ["spec.objectives[0].value", "required"],
      ["spec.objectives[1].op", "not_allowed_value"],
    ])
    expect(codesOf(withObjectives([{ target: 0.9, composite, value: 1 }, objective], compared))).toEqual([
      ["spec.objectives[0].value", "not_allowed_value"],
    ])
    expect(codesOf(withObjectives([objective], valid))).toEqual([
      ["spec.objectives[0].op", "not_allowed_value"],
      ["spec.objectives[0].value", "not_allowed_value"],
    ])
    const histogram = {
      url: prometheus.url,
      histogram: { series: 'latency_seconds{job="a"}', type: "native" },
    }
    const bucketed = changed(slo, "spec.indicator", { prometheus: histogram })
    const { op: _, ...bound } = objective
    expect(issuesOf(withObjectives([bound], bucketed))).toEqual([])
    expect(codesOf(withObjectives([objective, { target: 0.9 }], bucketed))).toEqual([
      ["spec.objectives[0].op", "not_allowed_value"],
      ["spec.objectives[1].value", "required"],
    ])
    const summed = changed(
      withObjectives([bound], bucketed),
      "spec.indicator.prometheus.histogram.series",
      "sum(a)",
    )
    expect(codesOf(summed)).toEqual([["spec.indicator.prometheus.histogram.series", "invalid_format"]])
    const mixed = changed(both, "spec.indicator.prometheus.good", "good")
    expect(codesOf(mixed)).toEqual([["spec.indicator.prometheus", "mutually_exclusive"]])
    expect(codesOf(changed(valid, "spec.indicator", { prometheus: { url: prometheus.url } }))).toEqual([
      ["spec.indicator.prometheus.good", "required"],
      ["spec.indicator.prometheus.total", "required"],
    ])
  })

  it("returns nothing for an SLO whose objectives are all composite", () => {
    const component = { slo: "other", objective: "good", weight: 1, whenDelayed: "Ignore" }
    const composite = { maxDelay: "1m", components: { objectives: [component] } }
    expect(codesOf(withObjectives([{ target: 0.9, composite }], valid))).toEqual([
      ["spec.indicator", "not_allowed_value"],
    ])
    expect(issuesOf(withObjectives([{ target: 0.9, composite }, { target: 0.9 }], valid))).toEqual([])
  })
})

describe("alerts of missing data", () => {
  const noData = (value: unknown): Plain => changed(slo, "spec.anomalyConfig", { noData: value })

  it("lists alert methods, possibly none, each once, after 15 minutes unless said otherwise", () => {
    const alertMethods = [{ name: "ops" }, { name: "ops", project: "other" }]
    const keys = [
      { name: "ops", project: "shop" },
      { name: "ops", project: "other" },
    ]
    expect(decoded(noData({ alertMethods })).spec.anomalyConfig).toEqual({
      noData: { alertMethods: keys, alertAfter: durationOf("15m") },
    })
    expect(readBack(noData({ alertMethods: keys, alertAfter: "1h" }))).toMatchObject({
      spec: { anomalyConfig: { noData: { alertMethods: keys, alertAfter: "1h" } } },
    })
    expect(referencesOf(decoded(noData({ alertMethods })))).toContainEqual({
      key: { kind: "AlertMethod", project: "other", name: "ops" },
      path: "spec.anomalyConfig.noData.alertMethods[1].name",
    })
    const at = "spec.anomalyConfig.noData.alertMethods"
    expect(codesOf(noData({}))).toEqual([[at, "required"]])
    expect(codesOf(noData({ alertMethods: [] }))).toEqual([])
    expect(codesOf(noData({ alertMethods: [{}] }))).toEqual([[`${at}[0].name`, "required"]])
    const twice = [{ name: "ops" }, { name: "ops", project: "shop" }]
    expect(codesOf(noData({ alertMethods: twice }))).toEqual([[`${at}[1].name`, "duplicate"]])
  })

  it("waits for 5 minutes to 31 days", () => {
    const after = (alertAfter: unknown): Plain => noData({ alertMethods: [{ name: "ops" }], alertAfter })
    const at = "spec.anomalyConfig.noData.alertAfter"
    for (const text of ["5m", "744h"]) expect(issuesOf(after(text))).toEqual([])
    for (const text of ["4m59s", "744h1s"]) expect(codesOf(after(text))).toEqual([[at, "out_of_range"]])
    expect(codesOf(after(15))).toEqual([[at, "wrong_type"]])
  })

  it("is nothing where the configuration is written empty", () => {
    expect(decoded(changed(slo, "spec.anomalyConfig", { noData: null })).spec).not.toHaveProperty(
      "anomalyConfig",
    )
  })
})
