import { objectOf, type Rule } from "./ObjectRule.ts"
import { boolean, type IssueList, nameMaxCharacters, string } from "@tocsin/domain/codec"
import { promqlMaxCharacters } from "@tocsin/domain/definitions"
import { webhookUrlMaxCharacters } from "@tocsin/domain/delivery"
import { partMetadata, logLost, writtenName } from "./OpenSloMetadata.ts"
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

export interface OpenSloDataSource {
  readonly type: string | undefined
  readonly url: string | undefined
}

/** The server, and either expressions for events or one for a value that objectives compare. */
export type OpenSloCounts = {
  /** Absent: the documents have no URL. */
  readonly url: string | undefined
} & OpenSloExpressions

export type OpenSloExpressions =
  | (EventCounts & { readonly metric?: undefined })
  | { readonly metric: string; readonly groupBy?: ReadonlyArray<string> }

/** Returns `undefined` if no document describes the data source. */
export type FindDataSource = (name: string) => OpenSloDataSource | undefined

export const dataSourceSpec: Rule<OpenSloDataSource> = objectOf((reader) => {
  logLost(reader, ["description"], "is omitted: data sources have no description")
  const type = reader.optional("type", word)
  const url = reader.optional(
    "connectionDetails",
    objectOf((details) => {
      const said = details.optional("url", string({ max: webhookUrlMaxCharacters }).read)
      return { said }
    }),
  )
  return { type, url: url?.said }
})

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
): Rule<{ readonly counts: OpenSloCounts | undefined }> =>
  objectOf((reader) => {
    reader.ignore("apiVersion")
    reader.ignore("kind")
    reader.optional("metadata", partMetadata)
    return { counts: reader.required("spec", sliSpec(findDataSource, promql)) }
  })

const sliSpec = (findDataSource: FindDataSource, promql: PromQlParser): Rule<OpenSloCounts> =>
  objectOf((reader) => {
    logLost(reader, ["description"], "is omitted: indicators have no description")
    if (reader.has("thresholdMetric") && !reader.has("ratioMetric")) {
      const metric = reader.optional("thresholdMetric", metricOf(findDataSource))
      const value = metric && metricValue(metric.query, reader.at("thresholdMetric"), promql, reader.issues)
      return metric && value && { url: metric.url, ...value }
    }
    logLost(reader, ["thresholdMetric"], "is omitted: ratioMetric is already set")
    return reader.optional("ratioMetric", ratioMetric(findDataSource, promql))
  })

const ratioMetric = (findDataSource: FindDataSource, promql: PromQlParser): Rule<OpenSloCounts> =>
  objectOf((reader) => {
    const metric = metricOf(findDataSource)
    const isCounter = reader.optional("counter", boolean.read) ?? false
    logLost(reader, ["raw"], "is omitted: a ratio does not contain the number of events")
    if (reader.has("raw")) {
      reader.ignore("rawType")
      return undefined
    }
    const isBad = reader.has("bad") && !reader.has("good")
    const part = reader.required(isBad ? "bad" : "good", metric)
    if (!isBad) logLost(reader, ["bad"], "is omitted: good is already set")
    const total = reader.required("total", metric)
    if (part === undefined || total === undefined) return undefined
    if (part.url !== total.url) {
      const message = `is omitted: ${isBad ? "bad" : "good"} and total must come from the same server`
      return reader.issues.add(reader.path, "not_allowed_value", message)
    }
    const [partly, whole] = [
      [isBad ? "bad" : "good", part.query] as const,
      ["total", total.query] as const,
    ].map(([name, query]) => minuteQuery(query, isCounter, reader.at(name), promql, reader.issues))
    if (partly === undefined || whole === undefined) return undefined
    const counts = eventCounts({ part: partly, isBad, total: whole }, reader.issues)
    return counts && { url: total.url, ...counts }
  })

const metricOf = (
  findDataSource: FindDataSource,
): Rule<{ readonly query: string; readonly url: string | undefined }> => {
  const source = objectOf((reader) => {
    const reference = reader.optional("metricSourceRef", writtenName)
    const own = reader.optional("type", word)
    const query = reader.required("spec", metricSpec)
    const dataSource = reference === undefined ? undefined : findDataSource(reference)
    if (reference !== undefined && dataSource === undefined) {
      const message = "is omitted: no document defines this DataSource"
      reader.issues.add(reader.at("metricSourceRef"), "not_found", message)
    }
    const type = own ?? dataSource?.type
    if (type?.toLowerCase() !== "prometheus") {
      const message =
        "is omitted: only Prometheus is supported, and this source is not declared as Prometheus"
      return reader.issues.add(reader.path, "not_allowed_value", message)
    }
    return query && { query: query.query, url: dataSource?.url }
  })
  return objectOf((reader) => reader.required("metricSource", source))
}

/** The property `query`, or `promql` as other programs write it, or a plain string. */
const metricSpec: Rule<{ readonly query: string }> = (value, path, issues) => {
  if (typeof value === "string") return { query: value }
  return objectOf((reader) => {
    const name = reader.has("promql") && !reader.has("query") ? "promql" : "query"
    const query = reader.required(name, string({ max: promqlMaxCharacters }).read)
    return query === undefined ? undefined : { query }
  })(value, path, issues)
}

const word = string({ max: nameMaxCharacters }).read

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
