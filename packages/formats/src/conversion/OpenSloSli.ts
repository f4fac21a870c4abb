import {
  boolean,
  type Codec,
  type IssueList,
  nameMaxCharacters,
  optional,
  string,
  type TypeOf,
} from "@tocsin/domain/codec"
import { promqlMaxCharacters } from "@tocsin/domain/definitions"
import { webhookUrlMaxCharacters } from "@tocsin/domain/delivery"
import { anything, foreign, foreignObject, lost, withProperty } from "./Foreign.ts"
import { partMetadata, writtenName } from "./OpenSloMetadata.ts"
import { type EventCounts, eventCounts, type PlacedQuery, valueOfQuery } from "./EventQueries.ts"
import {
  operandsOf,
  type ParsedQuery,
  type PromQlNode,
  type PromQlParser,
  replaced,
  textOf,
  unwrapped,
} from "./PromQlNode.ts"
import { hasRange, readSourceQuery } from "./SourceQuery.ts"

/** The server, and either expressions for events or one for a value that objectives compare. */
export type OpenSloCounts = {
  /** Absent: the documents have no URL. */
  readonly url: string | undefined
} & OpenSloExpressions

export type OpenSloExpressions =
  | (EventCounts & { readonly metric?: undefined })
  | { readonly metric: string; readonly groupBy?: ReadonlyArray<string> }

const word = string({ max: nameMaxCharacters })

export const dataSourceSpec = foreignObject({
  description: lost("is omitted: data sources have no description"),
  type: optional(word),
  connectionDetails: optional(foreignObject({ url: optional(string({ max: webhookUrlMaxCharacters })) })),
}).to((_, { value }) => ({ type: value.type, url: value.connectionDetails?.url }))

/** Returns `undefined` if no document describes the data source. */
export type FindDataSource = (name: string) => TypeOf<typeof dataSourceSpec> | undefined

/**
 * An indicator, as a document of its own or within an SLO: the counts that it gives, where it gives any.
 *
 * Counts come from a ratio of good or bad to total, both of one Prometheus, or from a metric of it that objectives compare with a
 * value. Everything else gets a note.
 *
 * Source: OpenSLO v1, SLI.
 */
export const sli = (
  findDataSource: FindDataSource,
  promql: PromQlParser,
): Codec<{ readonly counts: OpenSloCounts | undefined }> =>
  foreignObject(
    { metadata: optional(partMetadata), spec: sliSpec(findDataSource, promql) },
    { ignored: ["apiVersion", "kind"] },
  ).to((_, { value }) => ({ counts: value.spec }))

const sliSpec = (findDataSource: FindDataSource, promql: PromQlParser): Codec<OpenSloCounts> => {
  const metric = metricOf(findDataSource)
  const ratio = ratioMetric(metric, promql)
  const specWith = (thresholdMetric: typeof lostThreshold) =>
    foreignObject({
      description: lost("is omitted: indicators have no description"),
      thresholdMetric,
      ratioMetric: optional(ratio),
    }).to((_, { value: { thresholdMetric: given, ratioMetric: counts }, at, issues }) => {
      const value = given && metricValue(given.query, at("thresholdMetric"), promql, issues)
      return counts ?? (given && value && { url: given.url, ...value })
    })
  return withProperty("ratioMetric", specWith(lostThreshold), specWith(optional(metric)))
}

const lostThreshold = lost<OpenSloMetric>("is omitted: ratioMetric is already set")

const ratioMetric = (metric: Codec<OpenSloMetric>, promql: PromQlParser): Codec<OpenSloCounts> => {
  const counter = optional(boolean)
  const raw = lost("is omitted: a ratio does not contain the number of events")
  const ratioOf = (isBad: boolean) =>
    foreignObject({
      counter,
      raw,
      bad: isBad ? optional(metric) : lost<OpenSloMetric>("is omitted: good is already set"),
      good: isBad ? optional(metric) : metric,
      total: metric,
    }).to((whole, { path, at, issues }): OpenSloCounts | undefined => {
      const name = isBad ? "bad" : "good"
      const part = whole?.[name]
      if (whole === undefined || part === undefined) return undefined
      const { total, counter: isCounter = false } = whole
      if (part.url !== total.url) {
        const message = `is omitted: ${name} and total must come from the same server`
        return issues.add(path, "not_allowed_value", message)
      }
      const minute = minuteQuery(part.query, isCounter, at(name), promql, issues)
      const minutes = minuteQuery(total.query, isCounter, at("total"), promql, issues)
      if (minute === undefined || minutes === undefined) return undefined
      const counts = eventCounts({ part: minute, isBad, total: minutes }, issues)
      return counts && { url: total.url, ...counts }
    })
  return withProperty(
    "raw",
    foreignObject({ counter, raw }, { ignored: ["rawType"] }).to((): OpenSloCounts | undefined => undefined),
    withProperty("good", ratioOf(false), withProperty("bad", ratioOf(true), ratioOf(false))),
  )
}

interface OpenSloMetric {
  readonly query: string
  readonly url: string | undefined
}

const metricOf = (findDataSource: FindDataSource): Codec<OpenSloMetric> => {
  const metricSource = foreignObject({
    metricSourceRef: optional(writtenName),
    type: optional(word),
    spec: metricSpec,
  }).to((_, { value: { metricSourceRef: reference, type: own, spec }, path, at, issues }) => {
    const dataSource = reference === undefined ? undefined : findDataSource(reference)
    if (reference !== undefined && dataSource === undefined) {
      const message = "is omitted: no document defines this DataSource"
      issues.add(at("metricSourceRef"), "not_found", message)
    }
    const type = own ?? dataSource?.type
    if (type?.toLowerCase() !== "prometheus") {
      const message =
        "is omitted: only Prometheus is supported, and this source is not declared as Prometheus"
      return issues.add(path, "not_allowed_value", message)
    }
    return spec === undefined ? undefined : { query: spec, url: dataSource?.url }
  })
  return foreignObject({ metricSource }).to((whole) => whole?.metricSource)
}

const query = string({ max: promqlMaxCharacters })

const queryIn = (name: "promql" | "query") =>
  foreignObject({ promql: optional(anything), query: optional(anything), [name]: query }).to(
    (_, { value }) => value[name] as string | undefined,
  )

const queryObject = withProperty(
  "query",
  queryIn("query"),
  withProperty("promql", queryIn("promql"), queryIn("query")),
)

/** The property `query`, or `promql` as other programs write it, or a plain string. */
const metricSpec = foreign((value, ...at) =>
  typeof value === "string" ? value : queryObject.read(value, ...at),
)

/**
 * Converts an indicator's query to PromQL that counts the events of one minute, with what `rate` returns still per second. Returns
 * `undefined`, with an issue, if that is not safe.
 *
 * A counter that is a selector, or the sum of one, becomes `sum(increase(x[1m]))`. A query with its own range, or not declared as a
 * counter, is taken as it is, with a note.
 */
export const minuteQuery = (
  written: string,
  isCounter: boolean,
  path: string,
  promql: PromQlParser,
  issues: IssueList,
): PlacedQuery | undefined => {
  const query = readSourceQuery(promql, written, path, issues)
  if (query === undefined || query.hasWindow) return query && { ...query, path }
  if (hasRange(query)) {
    const message =
      "has its own range; make sure that it returns the events of one minute, as increase(…[1m]) does"
    issues.add(path, "invalid_format", message)
    return { ...query, path }
  }
  if (!isCounter) {
    const message = "is not declared as a counter; make sure that it returns the events of one minute"
    issues.add(path, "invalid_format", message)
    return { ...query, path }
  }
  const selector = selectorOfCounter(query)
  if (selector === undefined) {
    const message =
      "is omitted: only a counter that is one selector, or the sum of one, can be counted per minute"
    return issues.add(path, "invalid_format", message)
  }
  const { from, to } = selector
  const growth = `increase(${textOf(query.text, selector)}[1m])`
  const isGrouped = unwrapped(query.root).getChild("AggregateModifier") !== null
  const text = isGrouped ? replaced(query.text, [{ from, to, text: growth }]) : `sum(${growth})`
  const counted = readSourceQuery(promql, text, path, issues)
  return counted && { ...counted, path }
}

/** The selector in a query that is nothing but one, or the sum of one. */
const selectorOfCounter = ({ text, root }: ParsedQuery): PromQlNode | undefined => {
  const outer = unwrapped(root)
  const operator = outer.getChild("AggregateOp")
  const inner =
    operator !== null && textOf(text, operator).toLowerCase() === "sum" ? operandsOf(outer)[0] : outer
  const selected = inner && unwrapped(inner)
  return selected?.name === "VectorSelector" ? selected : undefined
}

/** The value that objectives compare, in one series or in one for each group. */
export const metricValue = (
  written: string,
  path: string,
  promql: PromQlParser,
  issues: IssueList,
): { readonly metric: string; readonly groupBy?: ReadonlyArray<string> } | undefined => {
  const query = readSourceQuery(promql, written, path, issues)
  return query && valueOfQuery({ ...query, path }, issues)
}
