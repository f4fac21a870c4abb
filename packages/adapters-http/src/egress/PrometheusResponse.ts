import * as Result from "effect/Result"
import {
  type MetricFailure,
  metricFailureText,
  MetricsAreUnavailable,
  type Sample,
} from "@tocsin/domain/data-source/MetricSource"
import type { SecretMask } from "@tocsin/domain/notification/SecretMask"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * Reads the response of Prometheus's HTTP API to a range query into the samples of its one series; an empty list without
 * a series.
 *
 * Of an error that the server reports, the detail has the server's own text (spec/data-sources §3), with what `mask` hides.
 */
export const readSeriesResponse = (
  status: number,
  body: string,
  mask: SecretMask,
): Result.Result<ReadonlyArray<Sample>, MetricsAreUnavailable> => {
  if (status >= 300 && status < 400) return failed("redirect_rejected")
  if (status === 401 || status === 403) return failed("credentials_rejected", rejectedText(status))
  const response = jsonOf(body)
  const error = Option.getOrUndefined(errorOf(response))
  if (error !== undefined) return failed(...reasonOf({ ...error, error: mask(error.error ?? "") }, status))
  if (status < 200 || status > 299) return failed("http_status", statusText(status))
  const found = Option.getOrUndefined(matrix(response))
  if (found === undefined) return failed("response_invalid")
  const [series, ...others] = found.data.result
  if (others.length > 0) return failed("several_series")
  const samples = series === undefined ? [] : samplesOf(series)
  return samples === undefined ? failed("response_invalid") : Result.succeed(samples)
}

/** A failure with the message of its reason by default. */
export const metricFailure = (
  reason: MetricFailure,
  detail: string = metricFailureText[reason],
): MetricsAreUnavailable => new MetricsAreUnavailable({ reason, detail })

const failed = (reason: MetricFailure, detail?: string) => Result.fail(metricFailure(reason, detail))

const jsonOf = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const errorOf = Schema.decodeUnknownOption(
  Schema.Struct({
    status: Schema.Literal("error"),
    errorType: Schema.String,
    error: Schema.optionalKey(Schema.String),
  }),
)

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const ListSchema = Schema.declare(isList)

const matrix = Schema.decodeUnknownOption(
  Schema.Struct({
    status: Schema.Literal("success"),
    data: Schema.Struct({ resultType: Schema.Literal("matrix"), result: ListSchema }),
  }),
)

const valuesOf = Schema.decodeUnknownOption(Schema.Struct({ values: ListSchema }))

/** Hand-written for speed: a schema takes a hundred times as long. */
const samplesOf = (series: unknown): ReadonlyArray<Sample> | undefined => {
  const found = Option.getOrUndefined(valuesOf(series))
  const samples = found?.values.flatMap((pair): ReadonlyArray<Sample> => {
    if (!isList(pair) || pair.length !== 2) return []
    const [seconds, value] = pair
    if (typeof seconds !== "number" || typeof value !== "string") return []
    return [{ at: Math.round(seconds * 1_000), value: valueOf(value) }]
  })
  return samples?.length === found?.values.length ? samples : undefined
}

const reasonOf = (
  { errorType, error }: { readonly errorType: string; readonly error: string },
  status: number,
): readonly [MetricFailure, string?] => {
  switch (errorType) {
    case "bad_data":
      return ["query_invalid", withText("query_invalid", error)]
    case "execution":
      return ["query_failed", withText("query_failed", error)]
    case "timeout":
    case "canceled":
      return ["timeout"]
    default:
      return ["http_status", statusText(status)]
  }
}

/** Longest text of a Prometheus server's error that is shown, in characters. */
export const upstreamErrorMaxCharacters = 300

/** Adds the server's text on one line; what is no text of its own, such as control characters, is left out. */
const withText = (reason: MetricFailure, error: string): string => {
  const line = error.replaceAll(/[\p{C}\s]+/gu, " ").trim()
  const cut = Array.from(line.slice(0, 2 * upstreamErrorMaxCharacters)).slice(0, upstreamErrorMaxCharacters)
  const text = cut.join("")
  return text === "" ? metricFailureText[reason] : `${metricFailureText[reason]}: ${text}`
}

const statusText = (status: number): string => `responded with ${status}`

const rejectedText = (status: number): string =>
  `the server responded with ${status}; check the credentials of the data source`

/** `NaN`, `+Inf` and `-Inf` beside numbers as Go writes them. */
const valueOf = (text: string): number => {
  if (/^[+-]?Inf$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity
  return text.trim() === "" ? Number.NaN : Number(text)
}
