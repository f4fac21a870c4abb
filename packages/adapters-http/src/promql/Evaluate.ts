import * as Result from "effect/Result"
import { aggregate } from "./Aggregate.ts"
import { operateOnScalars, operateOnVectors, operateWithScalar } from "./Operate.ts"
import { functions } from "./Functions.ts"
import { QueryFailed } from "./QueryErrors.ts"
import {
  isComparison,
  isSetOperator,
  type BinaryOperation,
  type Moved,
  type Query,
  type Selector,
} from "./Query.ts"
import {
  type EvaluatedSeries,
  rejectSameLabels,
  type SampledSeries,
  type Value,
  withoutName,
  Work,
} from "./Series.ts"

/** When a query is evaluated. */
export interface Evaluation {
  /** In Unix milliseconds, ascending. */
  readonly times: Float64Array
  /** The end of the range of the request, which can be after the last time. */
  readonly end: number
  /** How long a sample is the current one, in milliseconds. */
  readonly lookbackMs: number
}

/** The samples that a selector needs. */
export interface Selection {
  readonly selector: Selector
  /** Ends of ranges, ascending; the start of a range, by `lengthMs` earlier, does not belong to it. */
  readonly ends: Float64Array
  readonly lengthMs: number
  /** Of each range, only the latest sample is needed. */
  readonly isLatest: boolean
}

/** The step of subqueries that have none, in milliseconds. */
const defaultStepMs = 60_000

/** Most times at which a subquery is evaluated. */
export const subqueryTimesMax = 11_000

/** The selections of a query, in the order of its selectors. Fails with `QueryFailed`. */
export const selectionsOf = (
  query: Query,
  evaluation: Evaluation,
): Result.Result<ReadonlyArray<Selection>, QueryFailed> =>
  orFailed(() => {
    const selections: Array<Selection> = []
    const visit = (query: Query, within: Evaluation): void => {
      switch (query.kind) {
        case "selector": {
          const ends = movedTimes(query, within.times, evaluation)
          const { rangeMs } = query
          selections.push({
            selector: query,
            ends,
            lengthMs: rangeMs ?? within.lookbackMs,
            isLatest: rangeMs === undefined,
          })
          break
        }
        case "subquery":
          visit(query.query, { ...within, times: subqueryTimes(query, within, evaluation) })
          break
        case "negation":
          visit(query.query, within)
          break
        case "binary":
          visit(query.left, within)
          visit(query.right, within)
          break
        case "aggregation":
          if (query.parameter !== undefined) visit(query.parameter, within)
          visit(query.query, within)
          break
        case "call":
          for (const each of query.arguments) visit(each, within)
          break
        default:
      }
    }
    visit(query, evaluation)
    return selections
  })

/**
 * Evaluates a query at all times at once. `samplesOf` has the samples of each selector of `selectionsOf`, the series in the order of
 * their labels.
 *
 * The semantics are those of Prometheus 3: ranges do not include their start, and a sample is the current one for less than
 * the lookback.
 */
export const evaluate = (
  query: Query,
  evaluation: Evaluation,
  samplesOf: ReadonlyMap<Selector, ReadonlyArray<SampledSeries>>,
): Result.Result<Value, QueryFailed> =>
  orFailed(() => new Evaluator(evaluation, samplesOf).value(query, evaluation))

const orFailed = <A>(run: () => A): Result.Result<A, QueryFailed> => {
  try {
    return Result.succeed(run())
  } catch (cause) {
    if (cause instanceof QueryFailed) return Result.fail(cause)
    throw cause
  }
}

/** The times of a selector or subquery that is evaluated at `times`, within an evaluation at `all`. */
const movedTimes = ({ at, offsetMs }: Moved, times: Float64Array, all: Evaluation): Float64Array => {
  const fixed = at === "start" ? all.times[0] : at === "end" ? all.end : at
  return times.map((time) => (fixed ?? time) - offsetMs)
}

/** Whole steps since 1970, as far as the ranges reach. */
const subqueryTimes = (
  query: Query & { readonly kind: "subquery" },
  within: Evaluation,
  all: Evaluation,
): Float64Array => {
  const ends = movedTimes(query, within.times, all)
  const step = query.stepMs ?? defaultStepMs
  const first = (Math.floor(((ends[0] ?? 0) - query.rangeMs) / step) + 1) * step
  const count = Math.max(0, Math.floor(((ends.at(-1) ?? 0) - first) / step) + 1)
  if (count > subqueryTimesMax) {
    throw new QueryFailed({
      detail: `a subquery may be evaluated at ${subqueryTimesMax} times at most; use a longer step or a shorter range`,
    })
  }
  return Float64Array.from({ length: count }, (_, index) => first + index * step)
}

class Evaluator {
  readonly #evaluation: Evaluation
  readonly #samplesOf: ReadonlyMap<Selector, ReadonlyArray<SampledSeries>>
  readonly #work = new Work()

  constructor(evaluation: Evaluation, samplesOf: ReadonlyMap<Selector, ReadonlyArray<SampledSeries>>) {
    this.#evaluation = evaluation
    this.#samplesOf = samplesOf
  }

  value(query: Query, within: Evaluation): Value {
    const value = this.#valueOf(query, within)
    const { length } = within.times
    if (value.kind === "vector") this.#work.spend(value.series.length * length)
    else this.#work.spend(length)
    return value
  }

  #valueOf(query: Query, within: Evaluation): Value {
    const { times } = within
    switch (query.kind) {
      case "number":
        return { kind: "scalar", values: new Float64Array(times.length).fill(query.value) }
      case "string":
        return { kind: "string", value: query.value }
      case "selector": {
        const { rangeMs } = query
        if (rangeMs === undefined) return this.#latest(query, within, (series) => series.values)
        const ends = movedTimes(query, times, this.#evaluation)
        return { kind: "range", series: this.#samplesOf.get(query) ?? [], rangeMs, ends }
      }
      case "subquery": {
        const inner = { ...within, times: subqueryTimes(query, within, this.#evaluation) }
        const series = seriesOf(this.value(query.query, inner)).map((each) => samplesAt(each, inner.times))
        return {
          kind: "range",
          series,
          rangeMs: query.rangeMs,
          ends: movedTimes(query, times, this.#evaluation),
        }
      }
      case "negation": {
        const value = this.value(query.query, within)
        if (value.kind === "scalar") return { kind: "scalar", values: value.values.map((each) => -each) }
        const series = seriesOf(value).map((each) => ({
          labels: withoutName(each.labels),
          values: each.values.map((value) => -value),
          has: each.has,
        }))
        rejectSameLabels(series)
        return { kind: "vector", series }
      }
      case "binary":
        return this.#binary(query, within)
      case "aggregation": {
        const parameter = query.parameter === undefined ? undefined : this.value(query.parameter, within)
        const series = seriesOf(this.value(query.query, within))
        return { kind: "vector", series: aggregate(query, parameter, series, times.length) }
      }
      case "call": {
        const isTimestamp = query.name === "timestamp"
        const given = query.arguments.map((each) =>
          isTimestamp && each.kind === "selector"
            ? this.#latest(each, within, timesOfSamples)
            : this.value(each, within),
        )
        const called = functions[query.name]
        if (called === undefined) throw new QueryFailed({ detail: `${query.name} is not supported` })
        return called.apply(given, { call: query, times, work: this.#work })
      }
    }
  }

  /** What an instant selector has: the values of its samples, or something else about them. */
  #latest(
    selector: Selector,
    { times, lookbackMs }: Evaluation,
    valuesOf: (series: SampledSeries) => ArrayLike<number>,
  ): Value {
    const series = this.#samplesOf.get(selector) ?? []
    const ends = movedTimes(selector, times, this.#evaluation)
    this.#work.spend(series.length * times.length)
    return {
      kind: "vector",
      series: series.flatMap((each) => latestOf({ ...each, values: valuesOf(each) }, ends, lookbackMs)),
    }
  }

  #binary({ operator, left, right, isBool, matching }: BinaryOperation, within: Evaluation): Value {
    const [a, b] = [this.value(left, within), this.value(right, within)]
    const options = { operator, isBool: isBool && isComparison(operator), matching }
    if (a.kind === "scalar" && b.kind === "scalar") {
      return { kind: "scalar", values: operateOnScalars(operator, a.values, b.values) }
    }
    if (a.kind === "scalar" || b.kind === "scalar") {
      if (isSetOperator(operator)) throw new QueryFailed({ detail: `${operator} needs series on both sides` })
      const series =
        b.kind === "scalar"
          ? operateWithScalar(options, seriesOf(a), b.values, false)
          : operateWithScalar(options, seriesOf(b), a.kind === "scalar" ? a.values : new Float64Array(), true)
      return { kind: "vector", series }
    }
    const { length } = within.times
    return { kind: "vector", series: operateOnVectors(options, seriesOf(a), seriesOf(b), length, this.#work) }
  }
}

const timesOfSamples = ({ times }: SampledSeries): ArrayLike<number> =>
  Float64Array.from(times, (time) => time / 1_000)

const seriesOf = (value: Value): ReadonlyArray<EvaluatedSeries> =>
  value.kind === "vector" ? value.series : []

/** The latest sample before or at each time that is still the current one; nothing if there is none at all. */
const latestOf = (
  { labels, times, values, validMs = Infinity, latestAt }: SampledSeries,
  ends: Float64Array,
  lookbackMs: number,
): ReadonlyArray<EvaluatedSeries> => {
  const evaluated = { labels, values: new Float64Array(ends.length), has: new Uint8Array(ends.length) }
  let isEmpty = true
  let next = 0
  for (const [index, end] of ends.entries()) {
    while (next < times.length && (times[next] ?? 0) <= end) next++
    const at = next === 0 ? -Infinity : (times[next - 1] ?? 0)
    const valid = at === latestAt ? lookbackMs : Math.min(validMs, lookbackMs)
    if (end - at >= valid) continue
    evaluated.values[index] = values[next - 1] ?? 0
    evaluated.has[index] = 1
    isEmpty = false
  }
  return isEmpty ? [] : [evaluated]
}

const samplesAt = ({ labels, values, has }: EvaluatedSeries, times: Float64Array): SampledSeries => {
  const isPresent = (_: number, index: number): boolean => has[index] === 1
  return { labels, times: times.filter(isPresent), values: values.filter(isPresent) }
}
