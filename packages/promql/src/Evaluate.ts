import type * as Effect from "effect/Effect"
import { aggregate } from "./Aggregate.ts"
import { operateOnScalars, operateOnVectors, operateWithScalar } from "./Operate.ts"
import { functions } from "./Functions.ts"
import type { InParts, Parts, Work } from "./Parts.ts"
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
  /** The selector of the query. */
  readonly selector: Selector
  /** Ends of ranges, ascending; the start of a range, by `lengthMs` earlier, does not belong to it. */
  readonly ends: Float64Array
  /** The length of each range, in milliseconds. */
  readonly lengthMs: number
  /** Of each range, only the latest sample is needed. */
  readonly isLatest: boolean
}

/** The step of subqueries that have none, in milliseconds. */
const defaultStepMs = 60_000

/** Most times at which a subquery is evaluated. */
const subqueryTimesMax = 11_000

/** The selections of a query, in the order of its selectors. */
export const selectionsOf = <E, R>(
  query: Query,
  evaluation: Evaluation,
  inParts: InParts<E, R>,
): Effect.Effect<ReadonlyArray<Selection>, QueryFailed | E, R> =>
  inParts(function* (work) {
    const selections: Array<Selection> = []
    function* visit(query: Query, within: Evaluation): Parts<void> {
      switch (query.kind) {
        case "selector": {
          if (work.spend(within.times.length)) yield
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
          yield* visit(query.query, {
            ...within,
            times: yield* subqueryTimes(query, within, evaluation, work),
          })
          break
        case "negation":
          yield* visit(query.query, within)
          break
        case "binary":
          yield* visit(query.left, within)
          yield* visit(query.right, within)
          break
        case "aggregation":
          if (query.parameter !== undefined) yield* visit(query.parameter, within)
          yield* visit(query.query, within)
          break
        case "call":
          for (const each of query.arguments) yield* visit(each, within)
          break
        default:
      }
    }
    yield* visit(query, evaluation)
    return selections
  })

/**
 * Evaluates a query at all times at once. `samplesOf` has the samples of each selector of `selectionsOf`, the series in the order
 * of their labels.
 *
 * The semantics are those of Prometheus 3: ranges do not include their start, and a sample is the current one for less than
 * the lookback.
 */
export const evaluate = <E, R>(
  query: Query,
  evaluation: Evaluation,
  samplesOf: ReadonlyMap<Selector, ReadonlyArray<SampledSeries>>,
  inParts: InParts<E, R>,
): Effect.Effect<Value, QueryFailed | E, R> =>
  inParts((work) => new Evaluator(evaluation, samplesOf, work).value(query, evaluation))

/** The times of a selector or subquery that is evaluated at `times`, within an evaluation at `all`. */
const movedTimes = ({ at, offsetMs }: Moved, times: Float64Array, all: Evaluation): Float64Array => {
  const fixed = at === "start" ? all.times[0] : at === "end" ? all.end : at
  // Selections at the same times need the same minutes, which are then found once.
  if (fixed === undefined && offsetMs === 0) return times
  return times.map((time) => (fixed ?? time) - offsetMs)
}

/** Whole steps since 1970, of those within the ranges. */
function* subqueryTimes(
  query: Query & { readonly kind: "subquery" },
  within: Evaluation,
  all: Evaluation,
  work: Work,
): Parts<Float64Array> {
  const step = query.stepMs ?? defaultStepMs
  const times: Array<number> = []
  let after = -Infinity
  for (const end of movedTimes(query, within.times, all)) {
    const first = (Math.floor((end - query.rangeMs) / step) + 1) * step
    const last = Math.floor(end / step) * step
    if (work.spend(1)) yield
    for (let time = Math.max(first, after + step); time <= last; time += step) {
      if (times.length === subqueryTimesMax) {
        throw new QueryFailed({
          detail: `a subquery may be evaluated at ${subqueryTimesMax} times at most; use a longer step or a shorter range`,
        })
      }
      if (work.spend(1)) yield
      times.push(time)
    }
    after = last
  }
  return Float64Array.from(times)
}

class Evaluator {
  readonly #evaluation: Evaluation
  readonly #samplesOf: ReadonlyMap<Selector, ReadonlyArray<SampledSeries>>
  readonly #work: Work

  constructor(
    evaluation: Evaluation,
    samplesOf: ReadonlyMap<Selector, ReadonlyArray<SampledSeries>>,
    work: Work,
  ) {
    this.#evaluation = evaluation
    this.#samplesOf = samplesOf
    this.#work = work
  }

  *value(query: Query, within: Evaluation): Parts<Value> {
    const { times } = within
    switch (query.kind) {
      case "number":
        if (this.#work.spend(times.length)) yield
        return { kind: "scalar", values: new Float64Array(times.length).fill(query.value) }
      case "string":
        return { kind: "string", value: query.value }
      case "selector": {
        const { rangeMs } = query
        if (rangeMs === undefined) return yield* this.#latest(query, within, (series) => series.values)
        const ends = movedTimes(query, times, this.#evaluation)
        return { kind: "range", series: this.#samplesOf.get(query) ?? [], rangeMs, ends }
      }
      case "subquery": {
        const inner = yield* subqueryTimes(query, within, this.#evaluation, this.#work)
        const series: Array<SampledSeries> = []
        for (const each of seriesOf(yield* this.value(query.query, { ...within, times: inner }))) {
          if (this.#work.spend(inner.length)) yield
          series.push(samplesAt(each, inner))
        }
        return {
          kind: "range",
          series,
          rangeMs: query.rangeMs,
          ends: movedTimes(query, times, this.#evaluation),
        }
      }
      case "negation": {
        const value = yield* this.value(query.query, within)
        if (value.kind === "scalar") {
          if (this.#work.spend(times.length)) yield
          return { kind: "scalar", values: value.values.map((each) => -each) }
        }
        const series: Array<EvaluatedSeries> = []
        for (const { labels, values, has } of seriesOf(value)) {
          if (this.#work.spend(times.length)) yield
          series.push({ labels: withoutName(labels), values: values.map((each) => -each), has })
        }
        yield* rejectSameLabels(series, this.#work)
        return { kind: "vector", series }
      }
      case "binary":
        return yield* this.#binary(query, within)
      case "aggregation": {
        const parameter =
          query.parameter === undefined ? undefined : yield* this.value(query.parameter, within)
        const series = seriesOf(yield* this.value(query.query, within))
        const aggregated = yield* aggregate(query, parameter, series, times.length, this.#work)
        return { kind: "vector", series: aggregated }
      }
      case "call": {
        const isTimestamp = query.name === "timestamp"
        const given: Array<Value> = []
        for (const each of query.arguments) {
          given.push(
            yield* isTimestamp && each.kind === "selector"
              ? this.#latest(each, within, timesOfSamples)
              : this.value(each, within),
          )
        }
        const called = functions[query.name]
        if (called === undefined) throw new QueryFailed({ detail: `${query.name} is not supported` })
        return yield* called.apply(given, { call: query, times, work: this.#work })
      }
    }
  }

  /** What an instant selector has: the values of its samples, or something else about them. */
  *#latest(
    selector: Selector,
    { times, lookbackMs }: Evaluation,
    valuesOf: (series: SampledSeries) => ArrayLike<number>,
  ): Parts<Value> {
    const ends = movedTimes(selector, times, this.#evaluation)
    const series: Array<EvaluatedSeries> = []
    for (const each of this.#samplesOf.get(selector) ?? []) {
      if (this.#work.spend(times.length + each.times.length)) yield
      series.push(...latestOf({ ...each, values: valuesOf(each) }, ends, lookbackMs))
    }
    return { kind: "vector", series }
  }

  *#binary({ operator, left, right, isBool, matching }: BinaryOperation, within: Evaluation): Parts<Value> {
    const a = yield* this.value(left, within)
    const b = yield* this.value(right, within)
    const options = { operator, isBool: isBool && isComparison(operator), matching }
    const { length } = within.times
    if (a.kind === "scalar" && b.kind === "scalar") {
      if (this.#work.spend(length)) yield
      return { kind: "scalar", values: operateOnScalars(operator, a.values, b.values) }
    }
    if (a.kind === "scalar" || b.kind === "scalar") {
      if (isSetOperator(operator)) throw new QueryFailed({ detail: `${operator} needs series on both sides` })
      const [vector, scalar] =
        b.kind === "scalar" ? [a, b.values] : [b, a.kind === "scalar" ? a.values : noValues]
      const isSwapped = a.kind === "scalar"
      const series = yield* operateWithScalar(options, seriesOf(vector), scalar, isSwapped, this.#work)
      return { kind: "vector", series }
    }
    const series = yield* operateOnVectors(options, seriesOf(a), seriesOf(b), length, this.#work)
    return { kind: "vector", series }
  }
}

const noValues = new Float64Array()

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
