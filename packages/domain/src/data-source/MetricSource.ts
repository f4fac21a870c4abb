import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { PrometheusServer } from "../slo/DataSource.ts"
import type { GroupValues } from "../slo/GroupValues.ts"
import { requestFailures } from "../RequestFailure.ts"

/** A value of a series: `at` in Unix milliseconds; the value may be no number, or infinite. */
export interface Sample {
  /** Unix milliseconds. */
  readonly at: number
  /** Finite. */
  readonly value: number
  /** With `groupBy`: the group of the series. */
  readonly group?: GroupValues
}

/** An expression and the instants to evaluate it at: from ≤ t ≤ to, `stepMs` apart, in Unix milliseconds. */
export interface SeriesQuery {
  /** The organization whose share of the connections it takes. */
  readonly organization: OrganizationId
  /** Where the query goes. */
  readonly server: PrometheusServer
  /** PromQL. */
  readonly expression: string
  /** The first instant, in Unix milliseconds. */
  readonly from: number
  /** The last instant, in Unix milliseconds. */
  readonly to: number
  /** Default: a minute. */
  readonly stepMs?: number
  /** Whether it is a value at each instant, and not the events of the minute before. */
  readonly isValue?: boolean
  /** Whether the expression returns a cumulative counter, whose increase in the minute before are the events. */
  readonly isCumulative?: boolean
  /** The labels of which each combination of values has a series. Absent: there is one series. */
  readonly groupBy?: ReadonlyArray<string>
}

/** A query for gaps of up to `lookbackMs`. */
export interface GapQuery extends SeriesQuery {
  /** Milliseconds. */
  readonly lookbackMs: number
}

/** The answer to one of several queries. */
export type Answer<A> = Result.Result<ReadonlyArray<A>, MetricsAreUnavailable>

/**
 * The answer to one of several queries that were asked with limits. `not_asked`: the time was over, or the server did not respond to others;
 * what was asked only with others in one request has the failure of that.
 */
export type AnswerInTime<A> = Answer<A> | "not_asked"

/** How much several queries may ask. */
export interface QueryLimits {
  /** Most requests in flight to servers, at least 1. Default: as many as the source allows. */
  readonly atOnce?: number
  /** When no more is asked, in Unix milliseconds. Default: when the source ends a call. */
  readonly endsAt?: number
}

/** What a counter gained over a gap in its samples; or that it fell a little without a reset, with no events. */
export interface CounterGap {
  /** The end of the minute in which it came back, in Unix milliseconds. */
  readonly at: number
  /** The events that it gained since its last sample before that minute; 0 if it fell. */
  readonly events: number
  /** When that sample was taken, in Unix milliseconds; of several counters the oldest. */
  readonly from: number
  /** As in `Sample`. */
  readonly group?: GroupValues
}

/** Which names to read of the series that a server has had between two times. */
export interface NameQuery {
  /** The organization whose share of the connections it takes. */
  readonly organization: OrganizationId
  /** Where the query goes. */
  readonly server: PrometheusServer
  /** The label whose values are read, such as `__name__` for the names of metrics. Absent: the names of labels are. */
  readonly label?: string
  /** Only of the series of this metric. */
  readonly metric?: string
  /** Only values that contain this text, in any letter case. Ignored without `label`. */
  readonly containing?: string
  /** Unix milliseconds. */
  readonly from: number
  /** Unix milliseconds. */
  readonly to: number
}

/** Names of metrics or labels, or values of a label. */
export interface NameList {
  /** At most `namesReadMax`, sorted, each at most `metricNameMaxCharacters` long. */
  readonly names: ReadonlyArray<string>
  /** Whether the server has no others; longer ones are not counted. */
  readonly isComplete: boolean
}

/** Most names that are read from a server at once. */
export const namesReadMax = 10_000

/** Longest name of a metric or label, and longest value of a label, in characters, that is listed. */
export const metricNameMaxCharacters = 200

/**
 * Port: reads the events of minutes from servers that users name, with an egress guard.
 *
 * One attempt with one timeout, without redirects; it may first wait for the turn of its organization. Fails with
 * `MetricsAreUnavailable`.
 */
export class MetricSource extends Context.Service<
  MetricSource,
  {
    /**
     * Returns the samples of the expression's one series, or with `groupBy` of the series of each group, as the server sends
     * them, possibly at other instants; none if there is no series.
     *
     * Of events, a counter that had no sample for up to an hour has what it gained in the minute in which it comes back.
     */
    readonly readSeries: (query: SeriesQuery) => Effect.Effect<ReadonlyArray<Sample>, MetricsAreUnavailable>
    /** Returns the gaps of up to `lookbackMs` after which counters of the expression have come back, and where they fell, in order. */
    readonly readGaps: (query: GapQuery) => Effect.Effect<ReadonlyArray<CounterGap>, MetricsAreUnavailable>
    /**
     * Answers several queries, each as it is answered alone, in their order. Those that are alike, for the same organization,
     * `server` (the same object) and instants, may be read together. Absent: nothing can be.
     */
    readonly together?: {
      readonly readSeries: (
        queries: ReadonlyArray<SeriesQuery>,
        limits?: QueryLimits,
      ) => Effect.Effect<ReadonlyArray<AnswerInTime<Sample>>>
      readonly readGaps: (
        queries: ReadonlyArray<GapQuery>,
        limits?: QueryLimits,
      ) => Effect.Effect<ReadonlyArray<AnswerInTime<CounterGap>>>
    }
    /** Returns the names that a query can have. What is too much to read is an incomplete list, possibly without names. */
    readonly readNames: (query: NameQuery) => Effect.Effect<NameList, MetricsAreUnavailable>
  }
>()("@tocsin/domain/internal/data-source/MetricSource") {}

/** The default message for each reason why a query can fail, in words that a user can act on. */
export const metricFailureText = {
  ...requestFailures("the server"),
  dns_not_found: "the host name of the URL was not found; check the URL and the DNS record",
  connect_refused:
    "the server refused the connection; check that it is up and listens at the host and port of the URL",
  connect_timeout:
    "the server did not accept the connection in time; check the firewall, and that the host is up",
  timeout: "the server did not respond in time; the expression may take too long",
  response_invalid:
    "the response is not one of Prometheus's HTTP API; check that the URL is where its paths begin",
  response_too_large: "the response is too large; the expression may yield several series",
  credentials_rejected: "the server rejected the credentials",
  token_unavailable: "the token endpoint did not return an access token",
  query_invalid: "the server rejected the expression",
  query_failed: "the server could not execute the expression",
  several_series:
    "the expression yields several series and must yield one; aggregate them, for example with sum(…)",
  labels_missing:
    "a series has none of the labels of groupBy; keep them, for example with sum by (region) (…)",
  reader_unavailable: "the request could not be made because of an internal error; it is retried",
}

/** Why a series could not be read: the closed set that a user sees. */
export type MetricFailure = keyof typeof metricFailureText

/** All values of `MetricFailure`. */
export const metricFailures = Struct.keys(metricFailureText)

/** Failures that lie with a server or the way to it, and not with an expression or with us. */
const sourceFailures: ReadonlySet<MetricFailure> = new Set([
  ...Struct.keys(requestFailures("the server")),
  "response_invalid",
  "credentials_rejected",
  "token_unavailable",
])

/** Whether a server cannot be read for this reason, whatever it is asked. */
export const isSourceFailure = (reason: MetricFailure): boolean => sourceFailures.has(reason)

/** `detail` is a clause for the user. */
export class MetricsAreUnavailable extends TaggedError("MetricsAreUnavailable")<{
  /** Why, from a closed set. */
  readonly reason: MetricFailure
  /** A sentence with what the data source said, without secrets. */
  readonly detail: string
}> {}
