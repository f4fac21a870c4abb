import type { IssueList } from "@tocsin/domain/codec"
import { groupLabelsMax } from "@tocsin/domain/definitions"
import { histogramOfBuckets, readsBothBounds } from "./BucketQueries.ts"
import {
  calledBy,
  operandsOf,
  type ParsedQuery,
  partsOf,
  type PromQlNode,
  replaced,
  textOf,
  unwrapped,
} from "./PromQlNode.ts"
import { constantLabelsOf, isZero, labelsOf, type QueryLabels, withoutZero } from "./QueryLabels.ts"

/** A query of a document and its path. */
export interface PlacedQuery extends ParsedQuery {
  readonly path: string
}

/** What an indicator counts by. */
export type EventCounts = (
  | { readonly good: string; readonly total: string }
  | { readonly bad: string; readonly total: string }
  | {
      readonly histogram: { readonly series: string; readonly type?: "native" }
      /** The greatest good value. */
      readonly value: number
    }
) & {
  readonly groupBy?: ReadonlyArray<string>
  /** The share of bad events of the last hour by the document's own queries, to compare with what the indicator gives. */
  readonly sourceRatio: string
}

/**
 * Converts the queries for the bad or good events, and for all, of a document to those of an indicator, in which each returns the
 * events of one minute in one series, or in one for each group.
 *
 * Other programs divide the two, so that a rate per second is as good as a number of events. Here the number counts: `rate` over the
 * window becomes `increase`, or where that would change what is compared with it, the query is multiplied by 60.
 *
 * | queries | indicator |
 * |---|---|
 * | `sum(rate(e[1m]))`, `sum(rate(a[1m]))` | `sum(increase(e[1m]))`, `sum(increase(a[1m]))` |
 * | `sum by (x) (rate(e[1m]))`, `sum by (x) (rate(a[1m]))` | the same of `increase`, and `groupBy: [x]` |
 * | `rate(e[1m])`, `rate(a[1m])` | `sum(increase(e[1m]))`, `sum(increase(a[1m]))`, with a note |
 * | `sum(rate(e[1m])) > 0.5`, `sum(rate(a[1m]))` | `(sum(rate(e[1m])) > 0.5) * 60`, `sum(increase(a[1m]))`, with a note |
 *
 * Returns `undefined`, with an issue, for queries that never have data, or have too many groups.
 */
export const eventCounts = (
  {
    part,
    isBad,
    total,
  }: { readonly part: PlacedQuery; readonly isBad: boolean; readonly total: PlacedQuery },
  issues: IssueList,
): EventCounts | undefined => {
  const [ofPart, ofTotal] = [part, total].map(labelsOf)
  if (ofPart === undefined || ofTotal === undefined) return undefined
  for (const [query, labels] of [
    [part, ofPart],
    [total, ofTotal],
  ] as const) {
    if (labels === "never") return issues.add(query.path, "not_allowed_value", neverMessage)
    if (partsOf(query.root).some((each) => calledBy(query.text, each) === "irate")) {
      return issues.add(query.path, "invalid_format", "is omitted: irate does not give a number of events")
    }
  }
  const groupBy = groupsOf({ ...part, labels: ofPart }, { ...total, labels: ofTotal }, issues)
  if (groupBy === undefined) return undefined
  const [ofHour, allOfHour] = [part, total].map((query) => {
    const root = groupBy.length > 0 ? withoutZero(query.text, query.root) : query.root
    return aggregated({ ...query, root }, groupBy, "sum", overHour(query.text, root))
  })
  const share = `(${ofHour}) / (${allOfHour})`
  const common = { ...(groupBy.length > 0 && { groupBy }), sourceRatio: isBad ? share : `1 - ${share}` }
  const histogram = histogramOfBuckets(part, isBad, total)
  if (histogram !== undefined) return { ...histogram, ...common }
  const rated = [part, total].map(({ text, root }) => ratesOf(text, root).length > 0)
  const counted = [part, total].map(({ text, root }) => countsIn(text, root))
  // Events per second by events of the window: the document itself has brought them to the same unit, or its share depends on the window.
  const isMixed = rated.some((isRated, index) => isRated && counted[1 - index] === true && !rated[1 - index])
  if (isMixed) issues.add(part.path, "not_allowed_value", mixedMessage)
  const isRated = rated.includes(true)
  const [partly, whole] = [part, total].map((query) => {
    // With groups, a series without labels belongs to none of them.
    const root = groupBy.length > 0 ? withoutZero(query.text, query.root) : query.root
    const excerpt = { text: query.text, root }
    const text = isMixed
      ? rewritten(excerpt, readsBothBounds(query.text, root))
      : inEvents({ ...query, root }, isRated, issues)
    return aggregated({ ...query, root }, groupBy, "sum", text)
  })
  if (partly === undefined || whole === undefined) return undefined
  if (!isBad) return { good: partly, total: whole, ...common }
  return {
    bad: badOrNone(partly, whole, { part, total, isGrouped: groupBy.length > 0 }, issues),
    total: whole,
    ...common,
  }
}

const mixedMessage =
  "is divided with the other query although one returns events per second and the other the number of events; both are kept as they are, over one minute"

const neverMessage =
  "is omitted: the labels of its sides differ, so that it has no data; aggregate both by the same labels"

/**
 * Converts the query for the ratio of bad events, of which each minute becomes one event that is bad to this part.
 *
 * Such is the status of programs that average the ratio over time.
 */
export const ratioCounts = (
  query: PlacedQuery,
  isBad: boolean,
  issues: IssueList,
): EventCounts | undefined => {
  const labels = labelsOf(query)
  if (labels === "never") return issues.add(query.path, "not_allowed_value", neverMessage)
  const named = { ...query, labels }
  const groupBy = groupsOf(named, named, issues, "avg")
  if (groupBy === undefined) return undefined
  const root = groupBy.length > 0 ? withoutZero(query.text, query.root) : query.root
  const excerpt = { text: query.text, root }
  const ratio = aggregated(excerpt, groupBy, "avg", rewritten(excerpt, readsBothBounds(query.text, root)))
  const hour = aggregated(excerpt, groupBy, "avg", overHour(query.text, root))
  const part = isBad ? { bad: ratio } : { good: ratio }
  const sourceRatio = isBad ? hour : `1 - (${hour})`
  return groupBy.length === 0
    ? { ...part, total: "vector(1)", sourceRatio }
    : { ...part, total: `(${ratio}) * 0 + 1`, groupBy, sourceRatio }
}

/** Converts the query for a value that objectives compare. */
export const valueOfQuery = (
  query: PlacedQuery,
  issues: IssueList,
): { readonly metric: string; readonly groupBy?: ReadonlyArray<string> } | undefined => {
  const labels = labelsOf(query)
  if (labels === "never") return issues.add(query.path, "not_allowed_value", neverMessage)
  if (labels === "any") {
    if (unwrapped(query.root).name === "VectorSelector") return { metric: query.text }
    issues.add(
      query.path,
      "not_allowed_value",
      "must return one series; aggregate it, as in max(…), if it can return several",
    )
    return { metric: query.text }
  }
  const named = { ...query, labels }
  const groupBy = groupsOf(named, named, issues)
  if (groupBy === undefined) return undefined
  const metric = aggregated(query, groupBy, "avg", query.text)
  return { metric, ...(groupBy.length > 0 && { groupBy }) }
}

interface LabeledQuery extends PlacedQuery {
  readonly labels: QueryLabels
}

/** The labels by which both queries are grouped, without those that have one value. Says what else becomes of them. */
const groupsOf = (
  part: LabeledQuery,
  total: LabeledQuery,
  issues: IssueList,
  operator: "sum" | "avg" = "sum",
): ReadonlyArray<string> | undefined => {
  const queries = part.path === total.path ? [total] : [part, total]
  const open = queries.filter(({ labels }) => !Array.isArray(labels))
  if (open.length > 0) {
    for (const { path, root } of open) {
      // A selector alone is often that of one series, such as of a recording rule, and its sum is what is meant of several.
      if (unwrapped(root).name === "VectorSelector") continue
      issues.add(path, "not_allowed_value", openMessage(operator))
    }
    return []
  }
  const [ofPart, ofTotal] = [part, total].map(variableLabelsOf)
  if (ofPart === undefined || ofTotal === undefined) return []
  const common = ofTotal.filter((label) => ofPart.includes(label))
  if (common.length < ofTotal.length || common.length < ofPart.length) {
    const by = common.length === 0 ? "no label" : common.join(", ")
    const message = `is grouped by different labels than the other query (${ofPart.join(", ") || "none"}, and ${ofTotal.join(", ") || "none"}), so that it would have no data; both are grouped by ${by}`
    issues.add(part.path, "not_allowed_value", message)
  }
  if (common.length <= groupLabelsMax) return common
  const message = `is omitted: it is grouped by ${common.length} labels, and groupBy has at most ${groupLabelsMax}`
  return issues.add(total.path, "too_many", message)
}

const openMessage = (operator: "sum" | "avg"): string =>
  `returns a series for each combination of labels, whose ${operator === "sum" ? "sum" : "average"} becomes one SLO; to have an objective for each, aggregate it, as in ${operator} by (job) (…)`

const variableLabelsOf = (query: LabeledQuery): ReadonlyArray<string> => {
  if (!Array.isArray(query.labels)) return []
  const constant = constantLabelsOf(query)
  return query.labels.filter((label) => !constant.has(label))
}

/** The text, which returns the series of the query, as one that returns a series for each group, or one in all. */
const aggregated = (
  query: ParsedQuery,
  groupBy: ReadonlyArray<string>,
  operator: "sum" | "avg",
  text: string,
): string => {
  const labels = labelsOf(query)
  const isEnough =
    Array.isArray(labels) && (groupBy.length > 0 ? isAtMost(labels, groupBy, query) : labels.length === 0)
  if (isEnough) return text
  return groupBy.length === 0 ? `${operator}(${text})` : `${operator} by (${groupBy.join(", ")}) (${text})`
}

interface Replacement {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The text of an expression with parts of it replaced. */
const rewritten = ({ text, root }: ParsedQuery, places: ReadonlyArray<Replacement>): string =>
  replaced(
    textOf(text, root),
    places
      .filter(({ from, to }) => from >= root.from && to <= root.to)
      .map((each) => ({ ...each, from: each.from - root.from, to: each.to - root.from })),
  )

/** The expression over an hour instead of a minute. */
const overHour = (text: string, root: PromQlNode): string => {
  const ranges = partsOf(root).flatMap((part) => {
    const range =
      part.name === "MatrixSelector" || part.name === "SubqueryExpr" ? part.getChild("DurationExpr") : null
    return range !== null && textOf(text, range).trim() === "1m"
      ? [{ from: range.from, to: range.to, text: "1h" }]
      : []
  })
  return rewritten({ text, root }, [...ranges, ...readsBothBounds(text, root)])
}

/** Whether the labels are those of the groups, besides labels that have one value. */
const isAtMost = (
  labels: ReadonlyArray<string>,
  groupBy: ReadonlyArray<string>,
  query: ParsedQuery,
): boolean => {
  const constant = constantLabelsOf(query)
  return labels.every((label) => groupBy.includes(label) || constant.has(label))
}

/** The query, so that it returns the events of a minute where it returned events per second. */
const inEvents = ({ text, root, path }: PlacedQuery, isRated: boolean, issues: IssueList): string => {
  const rates = ratesOf(text, root)
  const bounds = readsBothBounds(text, root)
  const written = (places: ReadonlyArray<Replacement>) => rewritten({ text, root }, places)
  if (rates.length === 0) {
    return isRated && !countsIn(text, root) ? `(${written(bounds)}) * 60` : written(bounds)
  }
  if (isLinear(text, root)) {
    const names = rates.flatMap((each) => each.getChild("FunctionIdentifier") ?? [])
    return written([...bounds, ...names.map(({ from, to }) => ({ from, to, text: "increase" }))])
  }
  const message =
    "compares or limits a rate per second; it is multiplied by 60, and compares the rate of each minute instead of that of longer windows"
  issues.add(path, "not_allowed_value", message)
  return `(${written(bounds)}) * 60`
}

/** Functions that return a number of events. */
const counting: ReadonlySet<string> = new Set([
  "increase",
  "delta",
  "changes",
  "resets",
  "count_over_time",
  "sum_over_time",
])

const countsIn = (text: string, root: PromQlNode): boolean =>
  partsOf(root).some((each) => counting.has(calledBy(text, each)))

/** The calls of `rate` over one minute. */
const ratesOf = (text: string, root: PromQlNode): ReadonlyArray<PromQlNode> =>
  partsOf(root).filter((each) => calledBy(text, each) === "rate" && isOverMinute(text, each))

const isOverMinute = (text: string, call: PromQlNode): boolean => {
  let range = operandsOf(call)[0]
  while (range?.name === "OffsetExpr" || range?.name === "StepInvariantExpr" || range?.name === "ParenExpr") {
    range = operandsOf(range)[0]
  }
  const duration = range?.getChild("DurationExpr")
  return duration != null && textOf(text, duration).trim() === "1m"
}

/** Whether an expression returns 60 times as much with `increase` instead of `rate`. */
const isLinear = (text: string, node: PromQlNode): boolean => {
  const operands = operandsOf(node)
  const linear = (each: PromQlNode | undefined): boolean => each !== undefined && isLinear(text, each)
  const isFixed = (each: PromQlNode | undefined): boolean =>
    each !== undefined && ratesOf(text, each).length === 0
  const [left, right] = operands
  if (isZero(text, node)) return true
  switch (node.name) {
    case "AggregateExpr": {
      const operator = node.getChild("AggregateOp")
      const isKept = operator !== null && linearAggregations.has(textOf(text, operator).toLowerCase())
      return isKept && linear(operands.at(-1)) && operands.slice(0, -1).every(isFixed)
    }
    case "FunctionCall": {
      const called = calledBy(text, node)
      if (called === "rate" && isOverMinute(text, node)) return true
      if (called === "clamp_min" || called === "clamp_max")
        return linear(left) && right !== undefined && isZero(text, right)
      return linearFunctions.has(called) && linear(called === "quantile_over_time" ? right : left)
    }
    case "BinaryExpr": {
      const has = (name: string): boolean => node.getChild(name) !== null
      if (has("BoolModifier")) return false
      if (has("Mul")) return (linear(left) && isFixed(right)) || (isFixed(left) && linear(right))
      if (has("Div")) return linear(left) && isFixed(right)
      if (has("And") || has("Unless")) return linear(left) && (isFixed(right) || linear(right))
      return !has("Pow") && !has("Mod") && !has("Atan2") && linear(left) && linear(right)
    }
    case "PromQL":
    case "ParenExpr":
    case "UnaryExpr":
    case "OffsetExpr":
    case "StepInvariantExpr":
    case "SubqueryExpr":
      return linear(left)
    default:
      return false
  }
}

const linearAggregations: ReadonlySet<string> = new Set(
  "sum avg min max topk bottomk quantile stddev limitk".split(" "),
)

const linearFunctions: ReadonlySet<string> = new Set(
  "abs label_replace label_join sort sort_desc scalar vector histogram_count histogram_sum sum_over_time avg_over_time min_over_time max_over_time last_over_time quantile_over_time".split(
    " ",
  ),
)

/** Bad events. Without any there may be no series of them, which differs from a series that does not exist. */
const badOrNone = (
  bad: string,
  total: string,
  {
    part,
    total: all,
    isGrouped,
  }: { readonly part: PlacedQuery; readonly total: PlacedQuery; readonly isGrouped: boolean },
  issues: IssueList,
): string => {
  const names = metricsOf(part)
  const isOfTotal = names.size > 0 && [...names].every((name) => metricsOf(all).has(name))
  if (isGrouped) {
    const none = `(${total}) * 0`
    return `(${bad}) or ${isOfTotal ? none : `(${none} and on() (${bad}))`}`
  }
  const hasZero = withoutZero(part.text, part.root).to < unwrapped(part.root).to
  if (isOfTotal || hasZero) return hasZero ? bad : `(${bad}) or vector(0)`
  const message =
    "selects metrics that the query for all events does not; minutes without a series of them have no count. If there is no series before the first error, add: or vector(0)"
  issues.add(part.path, "not_allowed_value", message)
  return bad
}

/** The names of the metrics that a query selects. */
const metricsOf = ({ text, root }: ParsedQuery): ReadonlySet<string> =>
  new Set(
    partsOf(root).flatMap((part) => {
      if (part.name !== "VectorSelector") return []
      const name = part.getChild("Identifier")
      return name === null ? textOf(text, part) : textOf(text, name)
    }),
  )
