import { objectOf, type ObjectReader, type Rule } from "./ObjectRule.ts"
import { boolean, string } from "../codec/Leaves.ts"
import { partMetadata, logLost, writtenName } from "./OpenSloMetadata.ts"
import { webhookUrlMaxCharacters } from "../alert-method/WebhookUrl.ts"
import { promqlMaxCharacters } from "../slo/PromQlExpression.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"
import { badOrNone, counterSelector, eventsExpression, hasWindowVariable, quoted } from "./WindowedQuery.ts"

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
  | { readonly good: string; readonly total: string; readonly bad?: undefined; readonly metric?: undefined }
  | { readonly bad: string; readonly total: string; readonly good?: undefined; readonly metric?: undefined }
  | {
      readonly metric: string
      readonly good?: undefined
      readonly bad?: undefined
      readonly total?: undefined
    }

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
export const sli = (findDataSource: FindDataSource): Rule<{ readonly counts: OpenSloCounts | undefined }> =>
  objectOf((reader) => {
    reader.ignore("apiVersion")
    reader.ignore("kind")
    reader.optional("metadata", partMetadata)
    return { counts: reader.required("spec", sliSpec(findDataSource)) }
  })

const sliSpec = (findDataSource: FindDataSource): Rule<OpenSloCounts> =>
  objectOf((reader) => {
    logLost(reader, ["description"], "is omitted: indicators have no description")
    if (reader.has("thresholdMetric") && !reader.has("ratioMetric")) {
      const metric = reader.optional("thresholdMetric", metricOf(findDataSource))
      return metric && { url: metric.url, metric: metric.query }
    }
    logLost(reader, ["thresholdMetric"], "is omitted: ratioMetric is already set")
    return reader.optional("ratioMetric", ratioMetric(findDataSource))
  })

const ratioMetric = (findDataSource: FindDataSource): Rule<OpenSloCounts> =>
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
    const partly = expressionOf(reader, isBad ? "bad" : "good", part.query, isCounter)
    const whole = expressionOf(reader, "total", total.query, isCounter)
    if (partly === undefined || whole === undefined) return undefined
    const counts = isBad ? { bad: badOrNone(partly) } : { good: partly }
    return { url: total.url, ...counts, total: whole }
  })

const expressionOf = (
  reader: ObjectReader,
  name: string,
  query: string,
  isCounter: boolean,
): string | undefined => {
  const { expression, note } = perMinuteExpression(query, isCounter)
  if (note !== undefined) reader.issues.add(reader.at(name), "invalid_format", note)
  return expression
}

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
 * Converts an indicator's query to PromQL that counts the events of one minute; `expression` is absent if
 * that is not safe.
 *
 * A counter that is a selector, or the sum of one, becomes `sum(increase(x[1m]))`. A query with its own
 * range, or not declared as a counter, is unchanged, with a note.
 */
export const perMinuteExpression = (
  query: string,
  isCounter: boolean,
): { readonly expression?: string; readonly note?: string } => {
  const trimmed = query.trim()
  const code = trimmed.replaceAll(quoted, '""')
  if (hasWindowVariable(code)) return eventsExpression(query)
  if (/\{\{|\$\w|\$\{/.test(code)) {
    return { note: "is omitted: its query has a placeholder; it must be complete PromQL" }
  }
  if (code.includes("[")) {
    const note =
      "is unchanged because it has its own range; make sure that it returns the events of one minute, as increase(…[1m]) does"
    return { expression: trimmed, note }
  }
  if (!isCounter) {
    const note =
      "is unchanged because it is not declared as a counter; make sure that it returns the events of one minute"
    return { expression: trimmed, note }
  }
  const selector = counterSelector
    .exec(trimmed)
    ?.slice(1)
    .find((each) => each !== undefined)
  return selector === undefined
    ? {
        note: "is omitted: only a counter that is one selector, or the sum of one, can be counted per minute",
      }
    : { expression: `sum(increase(${selector}[1m]))` }
}
