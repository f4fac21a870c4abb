import { QueryFailed } from "./QueryErrors.ts"

/** The labels of a series with their values, none of which is empty; the name of the metric is `__name__`. */
export type Labels = ReadonlyMap<string, string>

/** A series as it is stored. */
export interface SampledSeries {
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
  readonly labels: Labels
  /** One for each time; meaningless where `has` is 0. */
  readonly values: Float64Array
  /** 1 for each time at which there is a value. */
  readonly has: Uint8Array
}

/** What a part of a query evaluates to. */
export type Value =
  | { readonly kind: "scalar"; readonly values: Float64Array }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "vector"; readonly series: ReadonlyArray<EvaluatedSeries> }
  | RangeValue

/** The samples of series in the ranges that end at some times. */
export interface RangeValue {
  readonly kind: "range"
  readonly series: ReadonlyArray<SampledSeries>
  readonly rangeMs: number
  /** The ends of the ranges, in Unix milliseconds: one for each time of the evaluation. */
  readonly ends: Float64Array
}

/** Most values and samples that all parts of one query go through. */
export const evaluatedValuesMax = 20_000_000

/** Counts the values that are gone through; fails with `QueryFailed`, which is thrown within this folder only. */
export class Work {
  #left = evaluatedValuesMax

  spend(values: number): void {
    this.#left -= values
    if (this.#left < 0) {
      throw new QueryFailed({
        detail: `query processing would load too many samples: it may go through ${evaluatedValuesMax} in all; select fewer series, a shorter range or a longer step`,
      })
    }
  }
}

/** Unique for labels with the same names and values. */
export const labelsKey = (labels: Labels): string =>
  JSON.stringify([...labels].toSorted(([a], [b]) => compareTexts(a, b)))

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Compares as Prometheus sorts series: by one label after the other, in the order of their names. */
export const compareLabels = (a: Labels, b: Labels): number => {
  const [ours, theirs] = [a, b].map((labels) => [...labels].toSorted(([x], [y]) => compareTexts(x, y)))
  for (const [index, [name, value]] of (ours ?? []).entries()) {
    const [otherName, otherValue] = theirs?.[index] ?? []
    if (otherName === undefined || otherValue === undefined) return 1
    const order = compareTexts(name, otherName) || compareTexts(value, otherValue)
    if (order !== 0) return order
  }
  return (ours?.length ?? 0) - (theirs?.length ?? 0)
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

/** Joins series that have the same labels at different times; fails if they do at the same time. */
export const joinSameLabels = (series: ReadonlyArray<EvaluatedSeries>): ReadonlyArray<EvaluatedSeries> => {
  const joined = new Map<string, EvaluatedSeries>()
  for (const each of series) {
    const key = labelsKey(each.labels)
    const other = joined.get(key)
    if (other === undefined) {
      joined.set(key, each)
      continue
    }
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
export const rejectSameLabels = (series: ReadonlyArray<EvaluatedSeries>): void => {
  const keys = new Set<string>()
  for (const { labels, has } of series) {
    if (!has.includes(1)) continue
    const key = labelsKey(labels)
    if (keys.has(key)) throw sameLabels()
    keys.add(key)
  }
}

const sameLabels = (): QueryFailed =>
  new QueryFailed({ detail: "vector cannot contain metrics with the same labelset" })
