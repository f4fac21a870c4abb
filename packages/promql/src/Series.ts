import { labelsValues, type Parts, type Work } from "./Parts.ts"
import { QueryFailed } from "./QueryErrors.ts"

/** The labels of a series with their values, none of which is empty; the name of the metric is `__name__`. */
export type Labels = ReadonlyMap<string, string>

/** A series as it is stored. */
export interface SampledSeries {
  /** What identifies it. */
  readonly labels: Labels
  /** In Unix milliseconds, ascending, each once. */
  readonly times: ArrayLike<number>
  /** One for each time. */
  readonly values: ArrayLike<number>
  /**
   * How long a sample is the current one if no other follows, as if a staleness marker came then; absent: as long as the
   * lookback.
   */
  readonly validMs?: number
  /** The time of the latest sample that the series can have: nothing is known of it being stale. */
  readonly latestAt?: number
}

/** A series at the times of an evaluation. */
export interface EvaluatedSeries {
  /** What identifies it. */
  readonly labels: Labels
  /** One for each time; meaningless where `has` is 0. */
  readonly values: Float64Array
  /** 1 for each time at which there is a value. */
  readonly has: Uint8Array
}

/** What a part of a query evaluates to. */
export type Value = ScalarValue | StringValue | VectorValue | RangeValue

/** A number at each time of the evaluation. */
export interface ScalarValue {
  /** Tells it from other values. */
  readonly kind: "scalar"
  /** One for each time. */
  readonly values: Float64Array
}

/** A string, which has no times. */
export interface StringValue {
  /** Tells it from other values. */
  readonly kind: "string"
  /** The text, without quotation marks. */
  readonly value: string
}

/** Series at each time of the evaluation. */
export interface VectorValue {
  /** Tells it from other values. */
  readonly kind: "vector"
  /** In no order that is promised. */
  readonly series: ReadonlyArray<EvaluatedSeries>
}

/** The samples of series in the ranges that end at some times. */
export interface RangeValue {
  /** Tells it from other values. */
  readonly kind: "range"
  /** Each with its samples. */
  readonly series: ReadonlyArray<SampledSeries>
  /** The length of the ranges, in milliseconds. */
  readonly rangeMs: number
  /** The ends of the ranges, in Unix milliseconds: one for each time of the evaluation. */
  readonly ends: Float64Array
}

/** The place of the first of ascending times that is not before another one. */
export const placeFrom = (times: ArrayLike<number>, time: number): number => {
  let [from, until] = [0, times.length]
  while (from < until) {
    const middle = (from + until) >>> 1
    if ((times[middle] ?? 0) < time) from = middle + 1
    else until = middle
  }
  return from
}

/** Unique for labels with the same names and values. */
export const labelsKey = (labels: Labels): string =>
  JSON.stringify([...labels].toSorted(([a], [b]) => compareTexts(a, b)))

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts as Prometheus sorts series: by one label after the other, in the order of their names. */
export const sortedByLabels = <A>(
  items: ReadonlyArray<A>,
  labelsOf: (item: A) => Labels,
): ReadonlyArray<A> => {
  const keyed = items.map((item) => ({
    item,
    key: [...labelsOf(item)].toSorted(([a], [b]) => compareTexts(a, b)).flat(),
  }))
  return keyed.toSorted((a, b) => compareKeys(a.key, b.key)).map(({ item }) => item)
}

const compareKeys = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = compareTexts(a[index] ?? "", b[index] ?? "")
    if (order !== 0) return order
  }
  return a.length - b.length
}

export const withoutLabels = (labels: Labels, names: Iterable<string>): Labels => {
  const kept = new Map(labels)
  for (const name of names) kept.delete(name)
  return kept
}

export const onlyLabels = (labels: Labels, names: ReadonlyArray<string>): Labels =>
  new Map(names.flatMap((name) => (labels.has(name) ? [[name, labels.get(name) ?? ""] as const] : [])))

export const withoutName = (labels: Labels): Labels => withoutLabels(labels, ["__name__"])

/** As Prometheus writes it in messages. */
export const labelsText = (labels: Labels): string => {
  const pairs = [...withoutName(labels)].map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `${labels.get("__name__") ?? ""}{${pairs.join(", ")}}`
}

/**
 * Changes each series, and joins those that have the same labels then; `workEach` is how many values are gone through in the time
 * that changing one takes.
 */
export function* mapSeries(
  series: ReadonlyArray<EvaluatedSeries>,
  work: Work,
  workEach: number,
  change: (series: EvaluatedSeries) => EvaluatedSeries,
): Parts<ReadonlyArray<EvaluatedSeries>> {
  const changed: Array<EvaluatedSeries> = []
  for (const each of series) {
    if (work.spend(workEach * each.values.length)) yield
    changed.push(change(each))
  }
  return yield* joinSameLabels(changed, work)
}

/** Joins series that have the same labels at different times; fails if they do at the same time. */
export function* joinSameLabels(
  series: ReadonlyArray<EvaluatedSeries>,
  work: Work,
): Parts<ReadonlyArray<EvaluatedSeries>> {
  const joined = new Map<string, EvaluatedSeries>()
  for (const each of series) {
    if (work.spend(labelsValues)) yield
    const key = labelsKey(each.labels)
    const other = joined.get(key)
    if (other === undefined) {
      joined.set(key, each)
      continue
    }
    if (work.spend(each.values.length)) yield
    const { values, has } = { values: other.values.slice(), has: other.has.slice() }
    for (let index = 0; index < has.length; index++) {
      if (each.has[index] === 0) continue
      if (has[index] === 1) throw sameLabels()
      values[index] = each.values[index] ?? 0
      has[index] = 1
    }
    joined.set(key, { labels: each.labels, values, has })
  }
  return [...joined.values()]
}

/** Fails if two series with a value have the same labels, whenever that is. */
export function* rejectSameLabels(series: ReadonlyArray<EvaluatedSeries>, work: Work): Parts<void> {
  const keys = new Set<string>()
  for (const { labels, has } of series) {
    if (work.spend(labelsValues)) yield
    if (!has.includes(1)) continue
    const key = labelsKey(labels)
    if (keys.has(key)) throw sameLabels()
    keys.add(key)
  }
}

const sameLabels = (): QueryFailed =>
  new QueryFailed({ detail: "vector cannot contain metrics with the same labelset" })
