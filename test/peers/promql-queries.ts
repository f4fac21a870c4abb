import * as fc from "fast-check"

/** A query with the ranges of both sides, and when it is evaluated; times are in Unix seconds. */
export interface GeneratedQuery {
  /** Ranges are written `[§ms§]`. */
  readonly text: string
  readonly isOnGrid: boolean
  readonly start: number
  /** Absent: an instant query. */
  readonly range?: { readonly end: number; readonly step: number }
}

const selectors = [
  "reliability",
  "budget",
  "target",
  "burn_rate",
  "count_good",
  "count_total",
  "sli_ratio_received_good",
  "sli_ratio_used_total",
  'budget{project="shop"}',
  'burn_rate{project!="shop"}',
  'count_total{slo=~"check.*|search"}',
  'reliability{slo!~".*out",objective!=""}',
  'budget{component_slo=""}',
  'sli_ratio_received_total{objective="good"}',
  '{__name__=~"reliab.+|target",project="lab"}',
  'no_such_metric{project="shop"}',
  "threshold",
  "time_slice_status",
]

const labels = ["project", "slo", "objective", "service", "absent"]

const selector = fc.constantFrom(...selectors)

const minutes = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * 60_000)

/** A selector, range or subquery, with an offset or at a fixed time. */
const moved = (isOnGrid: boolean, inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(inner, fc.option(fc.integer({ min: -20, max: 60 }), { freq: 4 }))
    .map(([text, offset]) => (offset === null || offset === 0 ? text : `${text} offset ${offset}m`))
    .chain((text) => (isOnGrid ? fc.constant(text) : fc.constantFrom(text, text, `${text} @ end()`)))

const instant = (isOnGrid: boolean) => moved(isOnGrid, selector)

const rangeFunctions = ["avg", "sum", "min", "max", "count", "last", "stddev", "stdvar", "present"].map(
  (name) => `${name}_over_time`,
)

/** Whether a query is evaluated at the times of samples: there, extrapolation depends on the ends of ranges. */
const ranged = (isOnGrid: boolean): fc.Arbitrary<string> => {
  const names = [...rangeFunctions, "changes", "resets", "idelta", "irate", "deriv", "absent_over_time"]
  const all = isOnGrid ? names : [...names, "rate", "increase", "delta"]
  const unmoved = fc
    .tuple(selector, minutes(1, 40), fc.boolean(), minutes(1, 7))
    .map(([text, ms, isSubquery, step]) =>
      isSubquery ? `(${text})[§${ms}§:${step / 1_000}s]` : `${text}[§${ms}§]`,
    )
  const range = moved(isOnGrid, unmoved)
  return fc.oneof(
    fc.tuple(fc.constantFrom(...all), range).map(([name, text]) => `${name}(${text})`),
    fc
      .tuple(fc.constantFrom("0", "0.3", "0.9", "1", "1.5"), range)
      .map(([q, text]) => `quantile_over_time(${q}, ${text})`),
    // Prometheus moves a range at a fixed time with the steps of a range query for this function only.
    moved(true, unmoved).map((text) => `predict_linear(${text}, 600)`),
  )
}

const labelList = fc.subarray(labels).map((names) => `(${names.join(", ")})`)

const modifier = fc.oneof(
  fc.constant(""),
  labelList.map((names) => ` by ${names}`),
  labelList.map((names) => ` without ${names}`),
)

const aggregated = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(fc.constantFrom("sum", "avg", "min", "max", "count", "group"), modifier, inner)
        .map(([operator, by, text]) => `${operator}${by} (${text})`),
    },
    // Of one value that is not finite, Prometheus 2 has 0.
    fc
      .tuple(fc.constantFrom("stddev", "stdvar"), modifier, selector)
      .map(([operator, by, text]) => `${operator}${by} (${text})`),
    // Of equal values, which are kept is up to the implementation, so there are none.
    fc
      .tuple(fc.constantFrom("topk", "bottomk"), fc.integer({ min: 0, max: 4 }), modifier)
      .map(([operator, k, by]) => `${operator}${by} (${k}, count_total + count_good / 7)`),
    fc
      .tuple(fc.constantFrom("0.25", "0.5", "-1", "2"), modifier, inner)
      .map(([q, by, text]) => `quantile${by} (${q}, ${text})`),
    fc
      .tuple(modifier, fc.constantFrom("target", "threshold", "time_slice_status"))
      .map(([by, text]) => `count_values${by} ("value", ${text})`),
  )

const scalar = fc.constantFrom(
  "2",
  "0.5",
  "-1",
  "0",
  "1e3",
  "NaN",
  "Inf",
  "-Inf",
  "time()",
  "pi()",
  "scalar(sum(target))",
)

/** Without atan2, which keeps the name of the metric before Prometheus 3. */
const arithmetic = fc.constantFrom("+", "-", "*", "/", "%", "^")
const comparison = fc.constantFrom("==", "!=", "<", "<=", ">", ">=")

const matching = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 2, arbitrary: fc.constant("ignoring (service)") },
  labelList.map((names) => `on ${names}`),
  labelList.map((names) => `ignoring ${names}`),
  fc.constant("on (project, slo) group_left ()"),
  fc.constant("on (project, slo, objective) group_right (service)"),
  fc.constant("ignoring (objective) group_left (service)"),
)

const operated = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const operator = fc.oneof(
    arithmetic,
    comparison,
    comparison.map((each) => `${each} bool`),
  )
  return fc.oneof(
    fc.tuple(inner, operator, scalar).map((parts) => parts.join(" ")),
    fc.tuple(scalar, operator, inner).map((parts) => parts.join(" ")),
    fc.tuple(inner, operator, matching, inner).map(([a, sign, how, b]) => `(${a}) ${sign} ${how} (${b})`),
    fc
      .tuple(
        inner,
        fc.constantFrom("and", "or", "unless"),
        fc.oneof(
          fc.constant(""),
          labelList.map((names) => `on ${names}`),
        ),
        inner,
      )
      .map(([a, sign, how, b]) => `(${a}) ${sign} ${how} (${b})`),
    fc.tuple(scalar, operator, scalar).map((parts) => parts.join(" ")),
  )
}

const called = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .tuple(
        fc.constantFrom("abs", "ceil", "floor", "exp", "sqrt", "ln", "log2", "log10", "sgn", "round", "-"),
        inner,
      )
      .map(([name, text]) => `${name}(${text})`),
    inner.map((text) => `clamp(${text}, 0.2, 0.95)`),
    inner.map((text) => `clamp_max(${text}, 0.9)`),
    inner.map((text) => `clamp_min(${text}, 0.9)`),
    inner.map((text) => `round(${text}, 0.05)`),
    inner.map((text) => `absent(${text})`),
    inner.map((text) => `scalar(${text})`),
    // Of a series at a fixed time, Prometheus 2 has another time.
    inner.filter((text) => !text.includes("@")).map((text) => `timestamp(${text})`),
    inner.map((text) => `hour(clamp(${text}, 0, 5000) * 1e6 >= 0)`),
    inner.map((text) => `day_of_year(clamp(${text}, 0, 5000) * 1e6 >= 0)`),
    inner.map((text) => `vector(scalar(${text}))`),
    inner.map((text) => `label_replace(${text}, "team", "$1-x", "slo", "(.)(?:.*)")`),
    inner.map((text) => `label_replace(${text}, "slo", "", "project", "sh.*")`),
    inner.map((text) => `label_join(${text}, "both", "/", "project", "slo")`),
    inner.map((text) => `label_replace(${text}, "__name__", "same", "slo", ".*")`),
    inner.map((text) => `sort_desc(${text})`),
    selector.map((text) => `timestamp(${text})`),
    fc.constant("minute()"),
  )

/** Queries that are errors because of their types. */
const wrong = fc.oneof(
  selector.map((text) => `sum(${text}[§300000§])`),
  selector.map((text) => `rate(${text})`),
  selector.map((text) => `${text} and 1`),
  selector.map((text) => `abs(${text}, 1)`),
  fc.constantFrom(
    "1 == 1",
    "sum(",
    "topk(budget)",
    '{slo=""}',
    'budget{slo=~"("}',
    "-(budget[§60000§])",
    "budget + bool 1",
    "budget and on (slo) group_left () target",
    '"text" + 1',
    "nosuchfunction(budget)",
    'budget{__name__="a"}',
    "budget offset",
  ),
)

const query = (isOnGrid: boolean): fc.Arbitrary<string> => {
  const leaf = fc.oneof(
    { weight: 3, arbitrary: instant(isOnGrid) },
    { weight: 2, arbitrary: ranged(isOnGrid) },
  )
  const inner = fc.oneof({ weight: 2, arbitrary: leaf }, aggregated(leaf), operated(leaf), called(leaf))
  return fc.oneof(
    { weight: 2, arbitrary: leaf },
    { weight: 3, arbitrary: aggregated(inner) },
    { weight: 3, arbitrary: operated(inner) },
    { weight: 2, arbitrary: called(inner) },
    { weight: 1, arbitrary: wrong },
  )
}

/** Queries within the minutes of a history; times between samples are 17 s after one. */
export const generatedQueries = (from: number, to: number): fc.Arbitrary<GeneratedQuery> =>
  fc.boolean().chain((isOnGrid) =>
    fc
      .record({
        text: query(isOnGrid),
        minute: fc.integer({ min: 0, max: Math.floor((to - from) / 60) - 45 }),
        range: fc.option(
          fc.record({
            minutes: fc.integer({ min: 0, max: 40 }),
            step: isOnGrid ? fc.constantFrom(7, 30, 60, 90, 300) : fc.constantFrom(60, 120, 300),
          }),
        ),
      })
      .map(({ text, minute, range }): GeneratedQuery => {
        const start = from + minute * 60 + (isOnGrid ? 0 : 17)
        return {
          text,
          isOnGrid,
          start,
          ...(range !== null && { range: { end: start + range.minutes * 60, step: range.step } }),
        }
      }),
  )

/** The query as it is sent; `isLeftClosed`: to a Prometheus 2, whose ranges include their start. */
export const textOf = ({ text, isOnGrid }: GeneratedQuery, isLeftClosed: boolean): string =>
  text.replaceAll(/§(\d+)§/g, (_, ms: string) => `${Number(ms) - (isLeftClosed && isOnGrid ? 1 : 0)}ms`)
