import { formatValue } from "./FormatValue.ts"
import type { Aggregation } from "./Query.ts"
import { labelsValues, type Parts, type Work } from "./Parts.ts"
import { QueryFailed } from "./QueryErrors.ts"
import {
  type EvaluatedSeries,
  type Labels,
  labelsKey,
  onlyLabels,
  type Value,
  withoutLabels,
} from "./Series.ts"

/** Aggregates series over their labels, at each of `length` times. */
export function* aggregate(
  aggregation: Aggregation,
  parameter: Value | undefined,
  series: ReadonlyArray<EvaluatedSeries>,
  length: number,
  work: Work,
): Parts<ReadonlyArray<EvaluatedSeries>> {
  const { operator } = aggregation
  const numbers = parameter?.kind === "scalar" ? parameter.values : new Float64Array(length)
  if (operator === "count_values") {
    const label = parameter?.kind === "string" ? parameter.value : ""
    return yield* countValues(aggregation, label, series, length, work)
  }
  const aggregated: Array<EvaluatedSeries> = []
  for (const { labels, members } of yield* groupsOf(aggregation, series, work)) {
    if (operator === "topk" || operator === "bottomk") {
      aggregated.push(...(yield* extremes(members, numbers, operator === "topk", length, work)))
      continue
    }
    const values = new Float64Array(length)
    const has = new Uint8Array(length)
    for (let index = 0; index < length; index++) {
      const { length: count } = members
      if (work.spend(groupValues + (operator === "quantile" ? sortedValues(count) : count))) yield
      const present = valuesAt(members, index)
      if (present.length === 0) continue
      values[index] =
        operator === "quantile" ? quantile(numbers[index] ?? 0, present) : reduce(operator, present)
      has[index] = 1
    }
    aggregated.push({ labels, values, has })
  }
  return aggregated
}

/** As many values are gone through in the time that finding those of a group takes. */
const groupValues = 2

/** As many values are gone through in the time of sorting so many. */
export const sortedValues = (count: number): number => count * Math.ceil(Math.log2(count + 1))

/** The aggregations that are supported, and whether their parameter is a number or a string. */
export const aggregations: ReadonlyMap<string, "scalar" | "string" | undefined> = new Map([
  ...["sum", "avg", "min", "max", "count", "group", "stddev", "stdvar"].map(
    (operator) => [operator, undefined] as const,
  ),
  ...(["topk", "bottomk", "quantile"] as const).map((operator) => [operator, "scalar"] as const),
  ["count_values", "string"] as const,
])

const labelsOfGroup = ({ isWithout, labels: names }: Aggregation, labels: Labels): Labels =>
  isWithout ? withoutLabels(labels, [...names, "__name__"]) : onlyLabels(labels, names)

interface Group {
  readonly labels: Labels
  readonly members: Array<EvaluatedSeries>
}

function* groupsOf(
  aggregation: Aggregation,
  series: ReadonlyArray<EvaluatedSeries>,
  work: Work,
): Parts<ReadonlyArray<Group>> {
  const groups = new Map<string, Group>()
  for (const each of series) {
    if (work.spend(labelsValues + aggregation.labels.length)) yield
    const labels = labelsOfGroup(aggregation, each.labels)
    const key = labelsKey(labels)
    const group = groups.get(key) ?? { labels, members: [] }
    group.members.push(each)
    groups.set(key, group)
  }
  return [...groups.values()]
}

const valuesAt = (members: ReadonlyArray<EvaluatedSeries>, index: number): ReadonlyArray<number> => {
  const present: Array<number> = []
  for (const { has, values } of members) if (has[index] === 1) present.push(values[index] ?? 0)
  return present
}

/** Of at least one value. */
export const reduce = (operator: string, values: ArrayLike<number>): number => {
  switch (operator) {
    case "sum":
      return sumOf(values)
    case "avg":
      return meanOf(values)
    case "min":
    case "max": {
      let best = Number.NaN
      for (let index = 0; index < values.length; index++) {
        const value = values[index] ?? 0
        if (Number.isNaN(best) || (operator === "min" ? value < best : value > best)) best = value
      }
      return best
    }
    case "count":
      return values.length
    case "stddev":
      return Math.sqrt(varianceOf(values))
    case "stdvar":
      return varianceOf(values)
    default:
      return 1
  }
}

/** Sums with the compensation of Kahan and Neumaier. */
export const sumOf = (values: ArrayLike<number>): number => {
  let sum = 0
  let compensation = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    const next = sum + value
    if (!Number.isFinite(next)) compensation = 0
    else if (Math.abs(sum) >= Math.abs(value)) compensation += sum - next + value
    else compensation += value - next + sum
    sum = next
  }
  return sum + compensation
}

export const meanOf = (values: ArrayLike<number>): number => {
  const sum = sumOf(values)
  if (Number.isFinite(sum)) return sum / values.length
  // The sum of finite values can be too large.
  let mean = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    const isInfinite = Math.abs(mean) === Infinity
    if (isInfinite && (value === mean || Number.isFinite(value))) continue
    mean += value / (index + 1) - mean / (index + 1)
  }
  return mean
}

export const varianceOf = (values: ArrayLike<number>): number => {
  let mean = 0
  let squares = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    const delta = value - mean
    mean += delta / (index + 1)
    squares += delta * (value - mean)
  }
  return squares / values.length
}

/** The quantile of at least one value, by linear interpolation; NaN is the smallest. */
export const quantile = (q: number, values: ArrayLike<number>): number => {
  if (Number.isNaN(q)) return Number.NaN
  if (q < 0) return -Infinity
  if (q > 1) return Infinity
  // Sorts without comparing in JavaScript, NaN last.
  const sorted = Float64Array.from(values).sort()
  const numbers = sorted.findLastIndex((value) => !Number.isNaN(value)) + 1
  sorted.copyWithin(sorted.length - numbers, 0, numbers).fill(Number.NaN, 0, sorted.length - numbers)
  const rank = q * (sorted.length - 1)
  const lower = Math.floor(rank)
  const weight = rank - lower
  const upper = Math.min(sorted.length - 1, lower + 1)
  return (sorted[lower] ?? 0) * (1 - weight) + (sorted[upper] ?? 0) * weight
}

/** Ascending, NaN first. */
export const compareValues = (a: number, b: number): number =>
  Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : Number.isNaN(b) ? 1 : a - b

/** Keeps the largest or smallest series of a group at each time, those that are first among equals; NaN is last. */
function* extremes(
  members: ReadonlyArray<EvaluatedSeries>,
  numbers: Float64Array,
  isLargest: boolean,
  length: number,
  work: Work,
): Parts<ReadonlyArray<EvaluatedSeries>> {
  const kept = members.map(({ labels, values }) => ({ labels, values, has: new Uint8Array(length) }))
  /** The order at the first time, which is that of the result of an instant query. */
  let order: ReadonlyArray<number> | undefined
  for (let index = 0; index < length; index++) {
    const number = numbers[index] ?? 0
    if (Number.isNaN(number)) throw new QueryFailed({ detail: "the number of series is not a number" })
    if (work.spend(sortedValues(members.length))) yield
    if (number < 1) continue
    const present = members.flatMap(({ has, values }, place) =>
      has[index] === 1 ? [{ place, value: values[index] ?? 0 }] : [],
    )
    const sorted = present.toSorted(({ value: a }, { value: b }) =>
      Number.isNaN(a) || Number.isNaN(b) ? compareValues(b, a) : isLargest ? b - a : a - b,
    )
    const best = sorted.slice(0, Math.floor(number)).map(({ place }) => place)
    for (const place of best) {
      const series = kept[place]
      if (series !== undefined) series.has[index] = 1
    }
    if (length === 1) order = best
  }
  return order === undefined ? kept : order.flatMap((place) => kept[place] ?? [])
}

function* countValues(
  aggregation: Aggregation,
  label: string,
  series: ReadonlyArray<EvaluatedSeries>,
  length: number,
  work: Work,
): Parts<ReadonlyArray<EvaluatedSeries>> {
  const counts: Array<{ labels: Labels; values: Float64Array; has: Uint8Array }> = []
  /** By their labels without the value, and by that. */
  const byLabels = new Map<string, Map<string, (typeof counts)[number]>>()
  for (const each of series) {
    if (work.spend(labelsValues + aggregation.labels.length)) yield
    const ofGroup = withoutLabels(labelsOfGroup(aggregation, each.labels), [label])
    const key = labelsKey(ofGroup)
    const byValue = byLabels.get(key) ?? new Map<string, (typeof counts)[number]>()
    byLabels.set(key, byValue)
    for (const [index, has] of each.has.entries()) {
      if (work.spend(countedValues)) yield
      if (has === 0) continue
      const text = formatValue(each.values[index] ?? 0)
      let count = byValue.get(text)
      if (count === undefined) {
        if (counts.length === countedValuesMax) {
          throw new QueryFailed({ detail: `count_values may give ${countedValuesMax} series at most` })
        }
        if (work.spend(length + labelsValues)) yield
        count = {
          labels: new Map([...ofGroup, [label, text]]),
          values: new Float64Array(length),
          has: new Uint8Array(length),
        }
        counts.push(count)
        byValue.set(text, count)
      }
      count.values[index] = (count.values[index] ?? 0) + 1
      count.has[index] = 1
    }
  }
  return counts
}

/** As many values are gone through in the time that counting one takes. */
const countedValues = 5

/** Most series that `count_values` gives. */
const countedValuesMax = 1_000
