import * as Result from "effect/Result"
import { checkPromQl } from "@tocsin/promql"
import { decodeDefinition, type DecodeOptions, definitionToJson } from "@tocsin/domain"
import {
  type Definition,
  definitionFromStored,
  definitionsAreEqual,
  definitionToStored,
  polledIndicatorOf,
} from "@tocsin/domain/adapter"
import type { Slo } from "@tocsin/domain/definitions"
import { referencesOf } from "../../src/definition/References.ts"
import { unsupportedSourceOf } from "../../src/slo/PolledIndicator.ts"
import { unsupportedSourceTypes } from "../../src/slo/SourceType.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  aSourceSlo,
  anSlo,
  changed,
  codesOf,
  decodeOptions,
  issuesOf,
  type Plain,
  promql,
} from "../../../../test/definition/valid-definitions.ts"

const slo = aSourceSlo()
const first = "spec.objectives[0]"
const allowing: DecodeOptions = { ...decodeOptions, allowUnsupportedSources: true }

const decoded = (input: Plain, options = decodeOptions): Slo => {
  const result = decodeDefinition(input, options)
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success as Slo
}

const jsonOf = (definition: Definition): Plain =>
  JSON.parse(JSON.stringify(definitionToJson(definition, "tocsin")))

/** An SLO whose queries are all for a data source of another type. */
const ofType = (type: string, query: unknown = { query: "x" }): Plain =>
  changed(slo, "spec.objectives", [
    {
      name: "a",
      target: 0.9,
      timeSliceTarget: 0.9,
      countMetrics: { incremental: false, goodTotal: { [type]: query } },
    },
    {
      name: "b",
      target: 0.9,
      timeSliceTarget: 0.9,
      op: "lt",
      value: 2,
      rawMetric: { query: { [type]: query } },
    },
  ])

describe("an SLO whose objectives have queries of their own", () => {
  it("spec/client-slos §1: is read back as it was applied", () => {
    expect(issuesOf(slo)).toEqual([])
    expect(jsonOf(decoded(slo))).toEqual(slo)
  })

  it("spec/client-slos §1: ignores what clients send back as they received it", () => {
    const echoed = {
      ...changed(
        changed(changed(slo, "spec.createdAt", "2026-01-30T12:00:00Z"), "spec.createdBy", "00u"),
        "spec.timeWindows[0].period",
        { begin: "2026-01-01T00:00:00Z", end: "2026-01-29T00:00:00Z" },
      ),
      status: { updatedAt: "2026-01-30T12:00:00Z" },
      organization: "acme",
      manifestSrc: "slo.yaml",
    }
    expect(jsonOf(decoded(changed(echoed, "spec.tier", "1")))).toEqual(slo)
  })

  it("spec/client-slos §1: names an Agent of its own project by default, and refers to it", () => {
    const short = decoded(changed(slo, "spec.indicator.metricSource", { name: "scraper" }))
    expect(definitionsAreEqual(short, decoded(slo))).toBe(true)
    expect(referencesOf(short)).toContainEqual({
      key: { kind: "Agent", project: "shop", name: "scraper" },
      path: "spec.indicator.metricSource.name",
    })
    const direct = changed(slo, "spec.indicator.metricSource", {
      kind: "Direct",
      name: "a",
      project: "other",
    })
    expect(referencesOf(decoded(direct)).at(-1)?.key).toEqual({ kind: "Direct", project: "other", name: "a" })
  })

  it("spec/data-sources §15: is polled by the queries of each objective", () => {
    expect(polledIndicatorOf(decoded(slo))).toEqual({
      source: { kind: "Agent", project: "shop", name: "scraper" },
      events: [
        {
          objective: "answered",
          isCumulative: true,
          isBad: false,
          part: 'sum(payments_total{code!="500"})',
          total: "sum(payments_total)",
        },
      ],
      values: [{ objective: "fast", metric: "payment_latency_seconds", op: "lte", value: 0.3 }],
    })
  })

  it.each<[string, string, unknown, ReadonlyArray<readonly [string, string]>]>([
    [
      "no data source",
      "spec.indicator",
      undefined,
      [
        [`${first}.countMetrics`, "not_allowed_value"],
        ["spec.objectives[1].rawMetric", "not_allowed_value"],
      ],
    ],
    [
      "no metrics",
      `${first}.countMetrics`,
      undefined,
      [
        [`${first}.countMetrics`, "required"],
        [`${first}.value`, "not_allowed_value"],
      ],
    ],
    [
      "both metrics",
      `${first}.rawMetric`,
      { query: promql("x") },
      [
        [first, "mutually_exclusive"],
        [`${first}.op`, "required"],
      ],
    ],
    ["no total", `${first}.countMetrics.total`, undefined, [[`${first}.countMetrics.total`, "required"]]],
    ["no part", `${first}.countMetrics.good`, undefined, [[`${first}.countMetrics.good`, "required"]]],
    [
      "both parts",
      `${first}.countMetrics.bad`,
      promql("x"),
      [[`${first}.countMetrics`, "mutually_exclusive"]],
    ],
    [
      "neither counter nor events",
      `${first}.countMetrics.incremental`,
      null,
      [[`${first}.countMetrics.incremental`, "required"]],
    ],
    [
      "one query of Prometheus for both",
      `${first}.countMetrics`,
      { incremental: false, goodTotal: promql("x") },
      [[`${first}.countMetrics.goodTotal`, "not_allowed_value"]],
    ],
    ["a threshold of events", `${first}.op`, "lt", [[`${first}.op`, "not_allowed_value"]]],
    ["no threshold", "spec.objectives[1].op", undefined, [["spec.objectives[1].op", "required"]]],
    [
      "two main objectives",
      "spec.objectives[1].primary",
      true,
      [["spec.objectives[1].primary", "duplicate"]],
    ],
    [
      "two indicators",
      "spec.indicator.otlp",
      { good: { metric: "a" }, total: { metric: "b" } },
      [["spec.indicator", "mutually_exclusive"]],
    ],
    [
      "a script",
      "spec.attachments[0].url",
      "javascript:alert(1)",
      [["spec.attachments[0].url", "invalid_format"]],
    ],
    [
      "21 attachments",
      "spec.attachments",
      Array.from({ length: 21 }, () => ({ url: "https://a.example" })),
      [["spec.attachments", "too_many"]],
    ],
    [
      "zero as no data, unless it is a boolean",
      "spec.anomalyConfig.noData.treatZeroAsNoData",
      "yes",
      [["spec.anomalyConfig.noData.treatZeroAsNoData", "wrong_type"]],
    ],
  ])("spec/client-slos §1: is rejected with %s", (_, path, value, issues) => {
    expect(codesOf(changed(slo, path, value))).toEqual(issues)
  })

  it("spec/data-sources §1: has its expressions checked", () => {
    const issues = decodeDefinition(changed(slo, `${first}.countMetrics.total`, promql("sum(")), {
      ...decodeOptions,
      checkPromQl,
    })
    expect(Result.isFailure(issues) && issues.failure.map(({ path }) => path)).toEqual([
      `${first}.countMetrics.total.prometheus.promql`,
    ])
  })

  it("spec/slos §6: a composite may name its only aggregation", () => {
    const composite = {
      maxDelay: "45m0s",
      components: {
        objectives: [
          { project: "shop", slo: "payment", objective: "fast", weight: 1, whenDelayed: "Ignore" },
        ],
      },
      aggregation: "Reliability",
    }
    const whole = changed(anSlo(), "spec.objectives", [{ name: "all", target: 0.9, composite }])
    expect(jsonOf(decoded(whole))["spec"]).toMatchObject({ objectives: [{ composite }] })
    const other = changed(whole, `${first}.composite.aggregation`, "ErrorBudgetState")
    expect(codesOf(other)).toEqual([[`${first}.composite.aggregation`, "not_allowed_value"]])
    expect(codesOf(changed(whole, `${first}.rawMetric`, { query: promql("x") }))).toEqual([
      [`${first}.rawMetric`, "not_allowed_value"],
    ])
  })
})

describe("an SLO of a data source that is not read", () => {
  it.each(unsupportedSourceTypes)("spec/client-slos §3: is rejected, and the type %s is named", (type) => {
    expect(issuesOf(ofType(type)).map(({ path, code }) => [path, code])).toEqual([
      [`${first}.countMetrics.goodTotal.${type}`, "not_allowed_value"],
      [`spec.objectives[1].rawMetric.query.${type}`, "not_allowed_value"],
    ])
    expect(issuesOf(ofType(type))[0]?.message).toContain(`Data source type ${type} is not supported`)
  })

  it("spec/client-slos §3: is stored as it was written if the server allows it, and is not polled", () => {
    const query = { site: "eu", nested: [{ a: null, b: ["x", 1, true] }], query: "avg:x{*}" }
    const stored = decoded(ofType("datadog", query), allowing)
    expect(jsonOf(stored)).toEqual(ofType("datadog", query))
    expect(polledIndicatorOf(stored)).toBeUndefined()
    expect(unsupportedSourceOf(stored)).toBe("datadog")
    expect(Result.getOrThrow(definitionFromStored(definitionToStored(stored)))).toEqual(stored)
  })

  it("spec/client-slos §3: the order of its keys means nothing", () => {
    const [a, b] = [
      { x: 1, y: { p: 1, q: 2 } },
      { y: { q: 2, p: 1 }, x: 1 },
    ].map((query) => decoded(ofType("splunk", query), allowing))
    expect(a !== undefined && b !== undefined && definitionsAreEqual(a, b)).toBe(true)
  })

  it("spec/client-slos §3: has queries of one type", () => {
    const mixed = changed(ofType("datadog"), "spec.objectives[1].rawMetric.query", promql("x"))
    const result = decodeDefinition(mixed, allowing)
    expect(Result.isFailure(result) && result.failure).toEqual([
      {
        path: "spec.objectives",
        code: "mutually_exclusive",
        message: "must have queries for one type of data source, not datadog and prometheus",
      },
    ])
  })

  it.each<[string, unknown, string]>([
    ["no object", "avg:x", "wrong_type"],
    ["a value that cannot be stored", { query: "a\u0000" }, "invalid_format"],
    ["a name that cannot be stored", { "\ud800": 1 }, "invalid_format"],
    ["more than 64 Ki characters", { query: "x".repeat(65_536) }, "too_long"],
    ["more than 20 levels", JSON.parse(`${'{"a":'.repeat(21)}1${"}".repeat(21)}`), "too_deep"],
  ])("spec/client-slos §3: is rejected with %s", (_, query, code) => {
    const result = decodeDefinition(ofType("datadog", query), allowing)
    expect(Result.isFailure(result) && result.failure.map((issue) => issue.code)).toEqual([code, code])
  })

  it("is read back and stored unchanged, whatever its query is", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 5 })), (value) => {
        // Without -0, which JSON does not write.
        const query: unknown = JSON.parse(JSON.stringify(value))
        const result = decodeDefinition(ofType("elasticsearch", query), allowing)
        if (Result.isFailure(result)) return
        const again = decodeDefinition(jsonOf(result.success as Definition), allowing)
        expect(Result.getOrThrow(again)).toEqual(result.success)
        const { success } = result
        expect(Result.getOrThrow(definitionFromStored(definitionToStored(success as Definition)))).toEqual(
          success,
        )
      }),
      { numRuns: 200 },
    )
  })
})
