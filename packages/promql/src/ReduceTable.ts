import { quantile, reduce, sortedValues } from "./Aggregate.ts"
import { calculate, isTrue } from "./Operate.ts"
import type { Parts, Work } from "./Parts.ts"
import {
  type Aggregation,
  type BinaryOperation,
  type BinaryOperator,
  isArithmetic,
  isComparison,
  type Matcher,
  type Query,
  type Selector,
} from "./Query.ts"
import { QueryFailed } from "./QueryErrors.ts"
import type { Labels } from "./Series.ts"

/** The latest samples of many series in columns, a row for those with the same labels. */
export interface SeriesTable {
  /** How many rows are read. */
  readonly rows: number
  /** By the name of the label. */
  readonly labels: ReadonlyMap<string, LabelColumn>
  /** By the name of the metric; `NaN` where there is no sample. */
  readonly values: ReadonlyMap<string, Float64Array>
}

/** A label of each row. */
export interface LabelColumn {
  /** The place of its text, one for each row. */
  readonly codes: Int32Array
  /** Each once. */
  readonly texts: ReadonlyArray<string>
}

/** A part of a query that needs only the latest sample of series of one metric. */
export interface Reduction {
  /** The name of the metric. */
  readonly metric: string
  /** The other conditions on the series. */
  readonly matchers: ReadonlyArray<Matcher>
  /** Comparisons and calculations with numbers, in order. */
  readonly steps: ReadonlyArray<Step>
  /** What the results are aggregated by; absent: they are not. */
  readonly aggregation?: Aggregation
  /** The parameter of the aggregation. */
  readonly parameter: number
}

/** An operation between each value and a number. */
interface Step {
  readonly operator: BinaryOperator
  readonly isBool: boolean
  readonly number: number
  /** Whether the number is the left side. */
  readonly isSwapped: boolean
}

/** What a part of a query results in: series, each with a value. */
export interface ReducedSeries {
  /** How many series there are. */
  readonly length: number
  /** The labels of a series by its place, from 0. */
  readonly labelsAt: (index: number) => Labels
  /** The value of a series by its place. */
  readonly valueAt: (index: number) => number
}

/** The aggregations that a table is reduced by. */
const reducible = new Set("sum avg min max count group stddev stdvar topk bottomk quantile".split(" "))

/**
 * A query with a selector for each part that `reduceTable` can do, and what these parts are: aggregations over selectors, comparisons and
 * calculations with numbers. `hasMetric` says which metrics the table has.
 */
export const reductionsOf = (
  query: Query,
  hasMetric: (name: string) => boolean,
): { readonly query: Query; readonly reductions: ReadonlyMap<Selector, Reduction> } => {
  const reductions = new Map<Selector, Reduction>()
  const replaced = (from: number, reduction: Reduction): Query => {
    const selector: Selector = { kind: "selector", from, matchers: [], offsetMs: 0 }
    reductions.set(selector, reduction)
    return selector
  }
  const rewrite = (part: Query): Query => {
    if (part !== query && part.kind === "selector") return part
    const reduction = reductionOf(part, hasMetric)
    if (reduction !== undefined) return replaced(part.from, reduction)
    switch (part.kind) {
      case "negation":
        return { ...part, query: rewrite(part.query) }
      case "binary":
        return { ...part, left: rewrite(part.left), right: rewrite(part.right) }
      case "aggregation":
        return { ...part, query: rewrite(part.query) }
      case "call":
        // The time of a sample is that of a selector only.
        return part.name === "timestamp" ? part : { ...part, arguments: part.arguments.map(rewrite) }
      default:
        // Within a subquery, other times are the latest ones.
        return part
    }
  }
  return { query: rewrite(query), reductions }
}

const reductionOf = (query: Query, hasMetric: (name: string) => boolean): Reduction | undefined => {
  if (query.kind !== "aggregation") return selectedOf(query, hasMetric)
  const parameter = query.parameter === undefined ? 0 : numberOf(query.parameter)
  const selected = selectedOf(query.query, hasMetric)
  if (selected === undefined || parameter === undefined || !reducible.has(query.operator)) return undefined
  return { ...selected, aggregation: query, parameter }
}

const selectedOf = (query: Query, hasMetric: (name: string) => boolean): Reduction | undefined => {
  if (query.kind === "binary") return operatedOf(query, hasMetric)
  if (query.kind !== "selector") return undefined
  if (query.rangeMs !== undefined || query.offsetMs !== 0 || query.at !== undefined) return undefined
  const isName = ({ label }: Matcher): boolean => label === "__name__"
  const [name, ...others] = query.matchers.filter(isName)
  if (name?.operator !== "=" || others.length > 0 || !hasMetric(name.value)) return undefined
  const matchers = query.matchers.filter((matcher) => !isName(matcher))
  return { metric: name.value, matchers, steps: [], parameter: 0 }
}

const operatedOf = (
  { operator, isBool, left, right }: BinaryOperation,
  hasMetric: (name: string) => boolean,
): Reduction | undefined => {
  if (!isComparison(operator) && !isArithmetic(operator)) return undefined
  const [leftNumber, rightNumber] = [numberOf(left), numberOf(right)]
  const number = leftNumber ?? rightNumber
  const selected = selectedOf(leftNumber === undefined ? left : right, hasMetric)
  if (selected === undefined || number === undefined) return undefined
  const step = { operator, isBool, number, isSwapped: leftNumber !== undefined }
  return { ...selected, steps: [...selected.steps, step] }
}

const numberOf = (query: Query): number | undefined => {
  if (query.kind === "number") return query.value
  if (query.kind !== "negation") return undefined
  const number = numberOf(query.query)
  return number === undefined ? undefined : -number
}

/** Rows that are gone through between two looks at whether others are to take their turn. */
const rowsAtOnce = 4_096

/**
 * Reduces the rows of a table. `accepted` has, for each label on which there are conditions, 1 at the places of the texts that meet all of
 * them. Series are in no order that is promised, except that those of `topk` and `bottomk` are sorted within their group.
 */
export function* reduceTable(
  { metric, steps, aggregation, parameter }: Reduction,
  table: SeriesTable,
  accepted: ReadonlyMap<string, Uint8Array>,
  work: Work,
): Parts<ReducedSeries> {
  const given = table.values.get(metric) ?? new Float64Array(table.rows).fill(Number.NaN)
  const conditions = Array.from(accepted, ([label, texts]) => ({
    codes: table.labels.get(label)?.codes,
    texts,
  }))
  const rows = new Int32Array(table.rows)
  const values = new Float64Array(table.rows)
  let count = 0
  for (let from = 0; from < table.rows; from += rowsAtOnce) {
    const until = Math.min(table.rows, from + rowsAtOnce)
    if (work.spend((until - from) * (1 + conditions.length + steps.length))) yield
    for (let row = from; row < until; row++) {
      const value = operated(given[row] ?? Number.NaN, steps)
      if (value === undefined) continue
      if (!conditions.every(({ codes, texts }) => texts[codes?.[row] ?? 0] === 1)) continue
      rows[count] = row
      values[count++] = value
    }
  }
  const hasName = !steps.some(({ operator, isBool }) => isBool || isArithmetic(operator))
  const labelsOf = (row: number, names: Iterable<string>): Labels => {
    const labels = new Map<string, string>()
    for (const name of names) {
      const column = table.labels.get(name)
      const text = name === "__name__" && hasName ? metric : column?.texts[column.codes[row] ?? 0]
      if (text !== undefined) labels.set(name, text)
    }
    return labels
  }
  const all = ["__name__", ...table.labels.keys()]
  const members = (places: ArrayLike<number> | undefined, length: number): ReducedSeries => ({
    length,
    labelsAt: (index) => labelsOf(rows[places?.[index] ?? index] ?? 0, all),
    valueAt: (index) => values[places?.[index] ?? index] ?? 0,
  })
  if (aggregation === undefined) return members(undefined, count)
  const names = aggregation.isWithout
    ? [...table.labels.keys()].filter((name) => !aggregation.labels.includes(name))
    : all.filter((name) => aggregation.labels.includes(name))
  const { operator } = aggregation
  const groups = yield* groupsOf(
    rows,
    count,
    names.flatMap((name) => table.labels.get(name) ?? []),
    work,
  )
  if (operator === "topk" || operator === "bottomk") {
    if (Number.isNaN(parameter)) throw new QueryFailed({ detail: "the number of series is not a number" })
    const sorted = [...table.labels].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, column]) => column)
    const isBefore = (a: number, b: number): boolean => {
      const [left, right] = [values[a] ?? 0, values[b] ?? 0]
      if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(right)
      if (left !== right && !Number.isNaN(left)) return operator === "topk" ? left > right : left < right
      return comparedRows(sorted, rows[a] ?? 0, rows[b] ?? 0) < 0
    }
    const kept: Array<number> = []
    for (const places of groups) {
      for (const place of yield* first(places, Math.floor(parameter), isBefore, work)) kept.push(place)
    }
    return members(kept, kept.length)
  }
  const reduced = new Float64Array(groups.length)
  for (const [group, places] of groups.entries()) {
    const size = places.length
    if (work.spend(groupValues + (operator === "quantile" ? sortedValues(size) : size))) yield
    const ofGroup = new Float64Array(size)
    for (let index = 0; index < size; index++) ofGroup[index] = values[places[index] ?? 0] ?? 0
    reduced[group] = operator === "quantile" ? quantile(parameter, ofGroup) : reduce(operator, ofGroup)
  }
  return {
    length: groups.length,
    labelsAt: (group) => labelsOf(rows[groups[group]?.[0] ?? 0] ?? 0, names),
    valueAt: (group) => reduced[group] ?? 0,
  }
}

/** As many values are gone through in the time that finding those of a group takes. */
const groupValues = 4

/** `undefined` if the value does not meet a comparison, or is none. */
const operated = (given: number, steps: ReadonlyArray<Step>): number | undefined => {
  if (Number.isNaN(given)) return undefined
  let value = given
  for (const { operator, isBool, number, isSwapped } of steps) {
    const [left, right] = isSwapped ? [number, value] : [value, number]
    if (!isComparison(operator)) value = calculate(operator, left, right)
    else if (isBool) value = Number(isTrue(operator, left, right))
    else if (!isTrue(operator, left, right)) return undefined
  }
  return value
}

/** The places among the rows that have the same texts of some labels. */
function* groupsOf(
  rows: Int32Array,
  count: number,
  columns: ReadonlyArray<LabelColumn>,
  work: Work,
): Parts<ReadonlyArray<Int32Array>> {
  const groups = new Int32Array(count)
  let sizes = count === 0 ? [] : [count]
  for (const { codes, texts } of columns) {
    const known = new Map<number, number>()
    sizes = []
    for (let place = 0; place < count; place++) {
      if (place % rowsAtOnce === 0 && work.spend(2 * Math.min(rowsAtOnce, count - place))) yield
      const key = (groups[place] ?? 0) * texts.length + (codes[rows[place] ?? 0] ?? 0)
      let group = known.get(key)
      if (group === undefined) {
        group = known.size
        known.set(key, group)
        sizes.push(0)
      }
      groups[place] = group
      sizes[group] = (sizes[group] ?? 0) + 1
    }
  }
  const all = new Int32Array(count)
  let start = 0
  const found = sizes.map((size) => all.subarray(start, (start += size)))
  const filled = new Int32Array(sizes.length)
  for (let place = 0; place < count; place++) {
    if (place % rowsAtOnce === 0 && work.spend(Math.min(rowsAtOnce, count - place))) yield
    const group = groups[place] ?? 0
    const at = filled[group] ?? 0
    filled[group] = at + 1
    const places = found[group]
    if (places !== undefined) places[at] = place
  }
  return found
}

/** In the order of the names of the labels. */
const comparedRows = (columns: ReadonlyArray<LabelColumn>, a: number, b: number): number => {
  for (const { codes, texts } of columns) {
    const [left, right] = [codes[a] ?? 0, codes[b] ?? 0]
    if (left !== right) return (texts[left] ?? "") < (texts[right] ?? "") ? -1 : 1
  }
  return 0
}

/** So many that come first are found by comparing with the last of them; more are sorted. */
const insertedMax = 32

function* first(
  places: Int32Array,
  wanted: number,
  isBefore: (a: number, b: number) => boolean,
  work: Work,
): Parts<Iterable<number>> {
  if (wanted < 1) return []
  if (wanted > insertedMax) return (yield* sorted(places, isBefore, work)).slice(0, wanted)
  const found = new Int32Array(wanted)
  let count = 0
  for (let index = 0; index < places.length; index++) {
    if (index % rowsAtOnce === 0 && work.spend(2 * Math.min(rowsAtOnce, places.length - index))) yield
    const place = places[index] ?? 0
    if (count === wanted && !isBefore(place, found[count - 1] ?? 0)) continue
    let at = count < wanted ? count++ : count - 1
    for (; at > 0 && isBefore(place, found[at - 1] ?? 0); at--) found[at] = found[at - 1] ?? 0
    found[at] = place
  }
  return found.subarray(0, count)
}

/** Sorts some, and merges them two by two. */
function* sorted(
  places: Int32Array,
  isBefore: (a: number, b: number) => boolean,
  work: Work,
): Parts<ReadonlyArray<number>> {
  const cost = Math.ceil(Math.log2(rowsAtOnce))
  let lists: Array<ReadonlyArray<number>> = []
  for (let from = 0; from < places.length; from += rowsAtOnce) {
    const some = [...places.subarray(from, from + rowsAtOnce)]
    if (work.spend(some.length * cost)) yield
    lists.push(some.sort((a, b) => (isBefore(a, b) ? -1 : 1)))
  }
  while (lists.length > 1) {
    const merged: Array<ReadonlyArray<number>> = []
    for (let index = 0; index < lists.length; index += 2) {
      const [left = [], right = []] = lists.slice(index, index + 2)
      const both: Array<number> = []
      for (let [i, j] = [0, 0]; i < left.length || j < right.length;) {
        if (both.length % rowsAtOnce === 0 && work.spend(rowsAtOnce)) yield
        const isLeft = j >= right.length || (i < left.length && isBefore(left[i] ?? 0, right[j] ?? 0))
        both.push((isLeft ? left[i++] : right[j++]) ?? 0)
      }
      merged.push(both)
    }
    lists = merged
  }
  return lists[0] ?? []
}
