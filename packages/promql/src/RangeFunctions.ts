import { meanOf, quantile, reduce, sortedValues, sumOf, varianceOf } from "./Aggregate.ts"
import { allPresent, type PromQlFunction, scalarOf, vectorOf } from "./PromQlFunction.ts"
import { type Labels, type EvaluatedSeries, rejectSameLabels, withoutName } from "./Series.ts"
import type { Query } from "./Query.ts"

/** The samples of a series within a range. */
interface Samples {
  readonly values: Float64Array
  /** In Unix milliseconds. */
  readonly times: Float64Array
  /** The ends of the range, in Unix milliseconds. */
  readonly from: number
  readonly to: number
  /** The time of the evaluation, from which an offset moves the range, in Unix milliseconds. */
  readonly at: number
}

/** As many values are gone through in the time that finding the samples of a range takes. */
const rangeValues = 5

/** As many values are gone through in the time that a sample of a line takes. */
const lineValues = 4

/** The value of a range with at least one sample; `undefined`: none. */
type Fold = (samples: Samples, number: number) => number | undefined

/** A function of the samples of each range, and of a number if `scalar` says where it is among the arguments. */
const overRange = (
  fold: Fold,
  {
    scalar,
    keepsName = false,
    workOf = (count) => count,
  }: {
    readonly scalar?: "before" | "after"
    readonly keepsName?: boolean
    /** How many values are gone through for so many samples. */
    readonly workOf?: (count: number) => number
  } = {},
): PromQlFunction => ({
  arguments:
    scalar === undefined ? ["range"] : scalar === "before" ? ["scalar", "range"] : ["range", "scalar"],
  returns: "vector",
  *apply(given, { times, work }) {
    const range = given.find(({ kind }) => kind === "range")
    const numbers = scalarOf(
      given.find(({ kind }) => kind === "scalar"),
      times.length,
    )
    if (range?.kind !== "range") return { kind: "vector", series: [] }
    const { rangeMs, ends } = range
    const series: Array<EvaluatedSeries> = []
    for (const each of range.series) {
      if (work.spend(each.times.length)) yield
      const [sampleTimes, sampleValues] = [Float64Array.from(each.times), Float64Array.from(each.values)]
      const values = new Float64Array(times.length)
      const has = new Uint8Array(times.length)
      let [first, next] = [0, 0]
      for (const [index, to] of ends.entries()) {
        const from = to - rangeMs
        while (next < sampleTimes.length && (sampleTimes[next] ?? 0) <= to) next++
        while (first < next && (sampleTimes[first] ?? 0) <= from) first++
        if (work.spend(rangeValues + workOf(next - first))) yield
        if (first === next) continue
        const samples = {
          values: sampleValues.subarray(first, next),
          times: sampleTimes.subarray(first, next),
          from,
          to,
          at: times[index] ?? 0,
        }
        const value = fold(samples, numbers[index] ?? 0)
        if (value === undefined) continue
        values[index] = value
        has[index] = 1
      }
      if (has.includes(1)) {
        series.push({ labels: keepsName ? each.labels : withoutName(each.labels), values, has })
      }
    }
    yield* rejectSameLabels(series, work)
    return { kind: "vector", series }
  },
})

const reduced =
  (operator: string): Fold =>
  ({ values }) =>
    reduce(operator, values)

const countSteps =
  (isCounted: (previous: number, value: number) => boolean): Fold =>
  ({ values }) => {
    let count = 0
    for (let index = 1; index < values.length; index++) {
      if (isCounted(values[index - 1] ?? 0, values[index] ?? 0)) count++
    }
    return count
  }

/** What a counter or gauge changed by over a range, extrapolated to its ends as Prometheus does. */
const extrapolated =
  (isCounter: boolean, isRate: boolean): Fold =>
  ({ values, times, from, to }) => {
    const last = values.length - 1
    if (last < 1) return undefined
    const [firstValue = 0, firstTime = 0] = [values[0], times[0]]
    const lastTime = times[last] ?? 0
    let change = (values[last] ?? 0) - firstValue
    if (isCounter) {
      for (let index = 1; index <= last; index++) {
        const previous = values[index - 1] ?? 0
        if ((values[index] ?? 0) < previous) change += previous
      }
    }
    let toStart = (firstTime - from) / 1_000
    const toEnd = (to - lastTime) / 1_000
    const sampled = (lastTime - firstTime) / 1_000
    const interval = sampled / last
    // A counter does not begin below 0.
    if (isCounter && change > 0 && firstValue >= 0)
      toStart = Math.min(toStart, sampled * (firstValue / change))
    const beyond = (distance: number): number => (distance < interval * 1.1 ? distance : interval / 2)
    const factor = (sampled + beyond(toStart) + beyond(toEnd)) / sampled
    return change * (isRate ? factor / ((to - from) / 1_000) : factor)
  }

/** By the last two samples. */
const instant =
  (isRate: boolean): Fold =>
  ({ values, times }) => {
    const last = values.length - 1
    if (last < 1) return undefined
    const [previous = 0, value = 0] = [values[last - 1], values[last]]
    const change = isRate && value < previous ? value : value - previous
    return isRate ? change / (((times[last] ?? 0) - (times[last - 1] ?? 0)) / 1_000) : change
  }

/** The line through the samples by least squares: its slope per second, and its value at a time. */
const lineThrough = ({ values, times }: Samples, at: number) => {
  const first = values[0] ?? 0
  if (values.every((value) => value === first)) {
    return Number.isFinite(first) ? { slope: 0, value: first } : { slope: Number.NaN, value: Number.NaN }
  }
  const seconds = times.map((time) => (time - at) / 1_000)
  const count = values.length
  const sumX = sumOf(seconds)
  const sumY = sumOf(values)
  const sumXY = sumOf(seconds.map((x, index) => x * (values[index] ?? 0)))
  const sumXX = sumOf(seconds.map((x) => x * x))
  const slope = (sumXY - (sumX * sumY) / count) / (sumXX - (sumX * sumX) / count)
  return { slope, value: sumY / count - (slope * sumX) / count }
}

const workOfLine = (count: number): number => lineValues * count

/** The labels that the selector of a series that is absent says that it has. */
const absentLabels = (query: Query | undefined): Labels => {
  if (query?.kind !== "selector") return new Map()
  const labels = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const { label, operator, value } of query.matchers) {
    if (label === "__name__") continue
    if (operator === "=" && !labels.has(label) && !ambiguous.has(label)) labels.set(label, value)
    else {
      labels.delete(label)
      ambiguous.add(label)
    }
  }
  return new Map([...labels].filter(([, value]) => value !== ""))
}

const presence = overRange(() => 1, { keepsName: true })

const absentFunction = (isRange: boolean): PromQlFunction => ({
  arguments: [isRange ? "range" : "vector"],
  returns: "vector",
  *apply(given, context) {
    const { times, call, work } = context
    const [value] = given
    const evaluated = value?.kind === "range" ? yield* presence.apply(given, context) : value
    const has = allPresent(times.length)
    for (const each of vectorOf(evaluated)) {
      if (work.spend(times.length)) yield
      for (const [index, isPresent] of each.has.entries()) if (isPresent === 1) has[index] = 0
    }
    if (!has.includes(1)) return { kind: "vector", series: [] }
    const values = new Float64Array(times.length).fill(1)
    return { kind: "vector", series: [{ labels: absentLabels(call.arguments[0]), values, has }] }
  },
})

/** The functions of ranges that are supported, and `absent`, by name. */
export const rangeFunctions: Readonly<Record<string, PromQlFunction>> = {
  absent: absentFunction(false),
  absent_over_time: absentFunction(true),
  avg_over_time: overRange(({ values }) => meanOf(values)),
  changes: overRange(
    countSteps((previous, value) => value !== previous && !(Number.isNaN(value) && Number.isNaN(previous))),
  ),
  count_over_time: overRange(({ values }) => values.length),
  delta: overRange(extrapolated(false, false)),
  deriv: overRange(
    (samples) => (samples.values.length < 2 ? undefined : lineThrough(samples, samples.times[0] ?? 0).slope),
    { workOf: workOfLine },
  ),
  first_over_time: overRange(({ values }) => values[0], { keepsName: true }),
  idelta: overRange(instant(false)),
  increase: overRange(extrapolated(true, false)),
  irate: overRange(instant(true)),
  last_over_time: overRange(({ values }) => values.at(-1), { keepsName: true }),
  max_over_time: overRange(reduced("max")),
  min_over_time: overRange(reduced("min")),
  predict_linear: overRange(
    (samples, seconds) => {
      if (samples.values.length < 2) return undefined
      const { slope, value } = lineThrough(samples, samples.at)
      return slope * seconds + value
    },
    { scalar: "after", workOf: workOfLine },
  ),
  present_over_time: overRange(() => 1),
  quantile_over_time: overRange(({ values }, q) => quantile(q, values), {
    scalar: "before",
    workOf: sortedValues,
  }),
  rate: overRange(extrapolated(true, true)),
  resets: overRange(countSteps((previous, value) => value < previous)),
  stddev_over_time: overRange(({ values }) => Math.sqrt(varianceOf(values))),
  stdvar_over_time: overRange(({ values }) => varianceOf(values)),
  sum_over_time: overRange(({ values }) => sumOf(values)),
}
