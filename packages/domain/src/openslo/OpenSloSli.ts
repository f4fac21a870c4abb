import { objectOf, type ObjectReader, type Rule } from "./ObjectRule.ts"
import { boolean, string } from "../codec/Leaves.ts"
import { partMetadata, logLost, writtenName } from "./OpenSloMetadata.ts"
import { perMinuteExpression } from "./PerMinuteExpression.ts"
import { webhookUrlMaxCharacters } from "../alert-method/WebhookUrl.ts"
import { promqlMaxCharacters } from "../slo/Indicator.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"

/** What a data source gives to the indicators that refer to it. */
export interface OpenSloDataSource {
  readonly type: string | undefined
  readonly url: string | undefined
}

/** PromQL expressions for counts, and the server to query. */
export interface OpenSloCounts {
  /** Absent where the documents name no server. */
  readonly url: string | undefined
  readonly good: string
  readonly total: string
}

/** Finds what a reference names; `undefined` when no document describes it. */
export type FindDataSource = (name: string) => OpenSloDataSource | undefined

/** The property `spec` of a DataSource. Source: OpenSLO v1, DataSource. */
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
 * Counts come from a ratio of good or bad to total, both of one Prometheus. Everything else gets a note.
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
    logLost(
      reader,
      ["thresholdMetric"],
      "is omitted: an objective needs counts of good and total events, not a value to compare",
    )
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
    // Without bad events there may be no series of them at all.
    const good = isBad ? `(${whole}) - ((${partly}) or vector(0))` : partly
    return { url: total.url, good, total: whole }
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
      const message = "is omitted: none of the documents describes this DataSource"
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

/** Under `query`, or as other programs have it under `promql`, or as nothing but a text. */
const metricSpec: Rule<{ readonly query: string }> = (value, path, issues) => {
  if (typeof value === "string") return { query: value }
  return objectOf((reader) => {
    const name = reader.has("promql") && !reader.has("query") ? "promql" : "query"
    const query = reader.required(name, string({ max: promqlMaxCharacters }).read)
    return query === undefined ? undefined : { query }
  })(value, path, issues)
}

const word = string({ max: nameMaxCharacters }).read
