import {
  evaluate,
  evaluateOver,
  readQuery,
  reduceTable,
  reductionsOf,
  selectionsOf,
  type SeriesTable,
} from "@tocsin/promql/evaluate"
import {
  isMatch,
  type Labels,
  labelsKey,
  makeInParts,
  type SampledSeries,
  type Selector,
} from "@tocsin/promql/series"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const time = 1_000_000
const labelNames = ["objective", "project", "service", "slo"]
const metrics = ["burn", "budget"]

interface Row {
  readonly labels: ReadonlyArray<string>
  readonly values: ReadonlyArray<number>
}

/** Absent values are `NaN`; few different ones, so that many are equal. */
const value = fc.oneof(
  fc.constantFrom(0, 1, 2, -1, 0.5, Number.NaN),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
)
const rows = fc.uniqueArray(
  fc.record<Row>({
    labels: fc.tuple(
      ...labelNames.map((name) => fc.constantFrom(...["a", "b", "c"].map((text) => `${name[0]}-${text}`))),
    ),
    values: fc.tuple(value, value),
  }),
  { selector: ({ labels }) => labels.join(), maxLength: 60 },
)

const tableOf = (given: ReadonlyArray<Row>): SeriesTable => ({
  rows: given.length,
  labels: new Map(
    labelNames.map((name, index) => {
      const texts = [...new Set(given.map(({ labels }) => labels[index] ?? ""))]
      return [
        name,
        { texts, codes: Int32Array.from(given, ({ labels }) => texts.indexOf(labels[index] ?? "")) },
      ]
    }),
  ),
  values: new Map(
    metrics.map((name, index) => [name, Float64Array.from(given, ({ values }) => values[index] ?? 0)]),
  ),
})

const seriesOf = (given: ReadonlyArray<Row>): ReadonlyArray<SampledSeries> =>
  given.flatMap(({ labels, values }) =>
    metrics.flatMap((metric, index) => {
      const named: Labels = new Map([
        ["__name__", metric],
        ...labelNames.map((name, at) => [name, labels[at] ?? ""] as const),
      ])
      const of = values[index] ?? Number.NaN
      return Number.isNaN(of) ? [] : [{ labels: named, times: [time], values: [of] }]
    }),
  )

const matcher = fc.constantFrom(
  'project="p-a"',
  'project!="p-a"',
  'slo=~"s-(a|b)"',
  'service!~"s-c"',
  'missing=""',
  'missing="x"',
  'objective=~".+"',
  'slo!="s-b"',
)
const selector = fc
  .tuple(fc.constantFrom(...metrics), fc.uniqueArray(matcher, { maxLength: 2 }))
  .map(([metric, matchers]) => `${metric}{${matchers.join(",")}}`)
const number = fc.constantFrom("0", "1", "-1", "2", "0.5", "-(-1)")
const operator = fc.constantFrom("> bool", "== bool", ">", "<", ">=", "!=", "==", "*", "-", "/", "%")
const operated = fc.oneof(
  { weight: 2, arbitrary: selector },
  fc.tuple(selector, operator, number).map(([left, by, right]) => `(${left} ${by} ${right})`),
  fc.tuple(number, operator, selector).map(([left, by, right]) => `(${left} ${by} ${right})`),
  fc.tuple(selector, number, number).map(([left, a, b]) => `((${left} > ${a}) < ${b})`),
)
const grouping = fc.oneof(
  fc.constant(""),
  fc
    .tuple(
      fc.constantFrom("by", "without"),
      fc.uniqueArray(fc.constantFrom(...labelNames, "missing", "__name__"), { maxLength: 3 }),
    )
    .map(([by, names]) => `${by} (${names.join(",")})`),
)
const aggregated = fc
  .tuple(
    fc.constantFrom("sum", "avg", "min", "max", "count", "group", "stddev", "topk", "bottomk", "quantile"),
    grouping,
    fc.constantFrom("0", "1", "2.5", "40", "-1"),
    operated,
  )
  .map(([by, group, parameter, of]) =>
    ["topk", "bottomk", "quantile"].includes(by)
      ? `${by} ${group} (${parameter}, ${of})`
      : `${by} ${group} (${of})`,
  )
const query = fc.oneof(
  operated,
  { weight: 3, arbitrary: aggregated },
  fc
    .tuple(aggregated, fc.constantFrom("+", ">", "/"), aggregated)
    .map(([a, by, b]) => `${a} ${by} on() group_left() ${b}`),
  aggregated.map((of) => `sort_desc(abs(${of}))`),
  operated.map((of) => `absent(${of})`),
  operated.map((of) => `timestamp(${of})`),
  operated.map((of) => `count(${of}) or vector(0)`),
)

const evaluation = { times: Float64Array.of(time), end: time, lookbackMs: 300_000 }

const evaluatedOf = (given: ReadonlyArray<Row>, text: string) =>
  evaluateOver(text, seriesOf(given), { times: [time] }).pipe(
    Effect.map((found) =>
      found.kind === "vector"
        ? found.series.flatMap(({ labels, values, has }) =>
            has[0] === 1 ? [[labels, values[0] ?? 0] as const] : [],
          )
        : [],
    ),
  )

/** What of a query is not reduced is evaluated over the series. */
const reducedOf = (given: ReadonlyArray<Row>, text: string) =>
  Effect.gen(function* () {
    const inParts = makeInParts(() => Effect.void)
    const parsed = yield* Effect.fromResult(readQuery(text))
    const { query: rest, reductions } = reductionsOf(parsed, (name) => metrics.includes(name))
    const table = tableOf(given)
    const samples = new Map<Selector, ReadonlyArray<SampledSeries>>()
    for (const { selector } of yield* selectionsOf(rest, evaluation, inParts)) {
      samples.set(
        selector,
        seriesOf(given).filter(({ labels }) =>
          selector.matchers.every((each) => isMatch(each, labels.get(each.label) ?? "")),
        ),
      )
    }
    for (const [selector, reduction] of reductions) {
      const isNever = reduction.matchers.some((each) => !table.labels.has(each.label) && !isMatch(each, ""))
      const accepted = new Map(
        reduction.matchers.flatMap(({ label }) => {
          const of = table.labels.get(label)
          if (of === undefined) return []
          const conditions = reduction.matchers.filter((each) => each.label === label)
          return [
            [
              label,
              Uint8Array.from(of.texts, (text) => Number(conditions.every((each) => isMatch(each, text)))),
            ],
          ]
        }),
      )
      const reduced = yield* inParts((work) =>
        reduceTable(reduction, isNever ? { ...table, rows: 0 } : table, accepted, work),
      )
      samples.set(
        selector,
        Array.from({ length: reduced.length }, (_, index) => ({
          labels: reduced.labelsAt(index),
          times: [time],
          values: [reduced.valueAt(index)],
        })),
      )
    }
    const found = yield* evaluate(rest, evaluation, samples, inParts)
    const series =
      found.kind === "vector"
        ? found.series.flatMap(({ labels, values, has }) =>
            has[0] === 1 ? [[labels, values[0] ?? 0] as const] : [],
          )
        : []
    return { series, isReduced: reductions.size > 0 }
  })

/** Sums of the same values in another order differ in their last digits. */
const comparable = (
  series: ReadonlyArray<readonly [Labels, number]>,
): ReadonlyArray<readonly [string, string]> =>
  series.map(([labels, of]) => [labelsKey(labels), String(Number(of.toPrecision(9)))] as const)

const sorted = (pairs: ReadonlyArray<readonly [string, string]>) =>
  pairs.toSorted(([a], [b]) => (a < b ? -1 : 1))

describe("reduceTable", () => {
  it("has the series and the values that the evaluation of each of them has", () => {
    let reducedQueries = 0
    fc.assert(
      fc.property(rows, query, (given, text) => {
        const expected = Effect.runSync(Effect.result(evaluatedOf(given, text)))
        const actual = Effect.runSync(Effect.result(reducedOf(given, text)))
        expect(actual._tag, text).toBe(expected._tag)
        if (expected._tag !== "Success" || actual._tag !== "Success") return
        if (actual.success.isReduced) reducedQueries++
        const [before, after] = [comparable(expected.success), comparable(actual.success.series)]
        expect(sorted(after), text).toEqual(sorted(before))
        // The order of the largest and smallest is promised, and which they are of equal ones too.
        if (/^(?:topk|bottomk) +\(/.test(text)) expect(after, text).toEqual(before)
      }),
      { numRuns: 400 },
    )
    expect(reducedQueries).toBeGreaterThan(200)
  })

  it("leaves what needs other times or metrics, and what it cannot aggregate", () => {
    for (const [text, left] of [
      ["topk(2, burn)", 0],
      ["sum(burn) / sum(other)", 1],
      ["sum(burn offset 1m)", 1],
      ["sum(burn @ 5)", 1],
      ["max_over_time(sum(burn)[5m:1m])", 1],
      ["count_values('v', burn)", 1],
      ["topk(scalar(burn), budget)", 2],
      ["sum({__name__=~'burn'})", 1],
      ["timestamp(burn > 1)", 1],
      ["burn + budget", 2],
      ["burn", 0],
    ] as const) {
      const parsed = Effect.runSync(Effect.fromResult(readQuery(text)))
      const { query: rest, reductions } = reductionsOf(parsed, (name) => metrics.includes(name))
      const selections = Effect.runSync(
        selectionsOf(
          rest,
          evaluation,
          makeInParts(() => Effect.void),
        ),
      )
      expect([text, selections.filter(({ selector }) => !reductions.has(selector)).length]).toEqual([
        text,
        left,
      ])
    }
  })
})
