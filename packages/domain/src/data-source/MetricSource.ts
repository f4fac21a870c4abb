import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** A value of a series: `at` in Unix milliseconds; the value may be no number, or infinite. */
export interface Sample {
  readonly at: number
  readonly value: number
}

/** An expression and the instants to evaluate it at: from ≤ t ≤ to, a minute apart, in Unix milliseconds. */
export interface SeriesQuery {
  /** Where the server's paths begin, as `PrometheusIndicator.url` has it. */
  readonly url: string
  readonly expression: string
  readonly from: number
  readonly to: number
}

/**
 * Port: reads series from servers that users name, and guards where it goes.
 *
 * One attempt with one deadline, without redirects. Gives the samples of the one series that the expression yields, as
 * the server has them, so perhaps of other instants than were asked for; none where it yields no series. Interrupting it
 * closes the connection.
 *
 * Fails with `MetricsAreUnavailable`.
 */
export class MetricSource extends Context.Service<
  MetricSource,
  { readonly readSeries: (query: SeriesQuery) => Effect.Effect<ReadonlyArray<Sample>, MetricsAreUnavailable> }
>()("@tocsin/domain/data-source/MetricSource") {}

/**
 * Why a series could not be read: the closed set that a user sees.
 *
 * In the order of a query's way: name, address, connection, TLS, answer, expression.
 */
export const metricFailures = [
  "dns_not_found",
  "dns_timeout",
  "address_blocked",
  "connect_refused",
  "connect_timeout",
  "tls_invalid",
  "connection_reset",
  "timeout",
  "answer_invalid",
  "answer_too_large",
  "redirect_refused",
  "http_status",
  "query_invalid",
  "query_failed",
  "several_series",
  "reader_unavailable",
] as const

/** One reason of `metricFailures`. */
export type MetricFailure = (typeof metricFailures)[number]

/** Says a reason in words the user can act on, as a clause; never an address, a URL or the server's own words. */
export const metricFailureText = (reason: MetricFailure): string => texts[reason]

/** A series could not be read; `detail` is a clause in words the user can act on. */
export class MetricsAreUnavailable extends Data.TaggedError("MetricsAreUnavailable")<{
  readonly reason: MetricFailure
  readonly detail: string
}> {}

const texts: Readonly<Record<MetricFailure, string>> = {
  dns_not_found: "the name of the server was not found",
  dns_timeout: "looking up the name of the server took too long",
  address_blocked: "the URL leads to an address that is not public, and that the operator has not allowed",
  connect_refused: "the server refused the connection",
  connect_timeout: "the server did not accept the connection in time",
  tls_invalid: "no trusted TLS connection could be made",
  connection_reset: "the server closed the connection before it answered",
  timeout: "the server did not answer in time; the expression may take too long",
  answer_invalid: "the answer is not one of Prometheus's HTTP API; see that the URL is where its paths begin",
  answer_too_large: "the answer is larger than is read; the expression may yield several series",
  redirect_refused: "the server answered with a redirect, which is not followed",
  http_status: "the server did not answer with a 2xx status",
  query_invalid: "the server refused the expression",
  query_failed: "the server could not carry out the expression",
  several_series: "the expression yields several series and must yield one; aggregate them, as sum(…) does",
  reader_unavailable: "our side could not ask the server; it is tried again",
}
