import { makeMask } from "@tocsin/domain"
import { minuteMs } from "@tocsin/domain/codec"
import { groupKey, type PrometheusServer } from "@tocsin/domain/definitions"
import { parseSourceUrl } from "@tocsin/domain/delivery"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { namesReadMax } from "@tocsin/domain/limits"
import {
  type AnswerInTime,
  type CounterGap,
  type GapQuery,
  metricFailures,
  MetricsAreUnavailable,
  MetricSource,
  type NameList,
  type NameQuery,
  type QueryLimits,
  type Sample,
  type SeriesQuery,
  TransportFailure,
} from "@tocsin/domain/ports"
import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Dispatcher } from "undici"
import { type Canceler, Cancellation, type CancelSignal } from "./Cancellation.ts"
import {
  closeConnection,
  type Connection,
  failureOn,
  makeConnectionPool,
  type StartedRequest,
} from "./ConnectionPool.ts"
import { sourceSlotLimits } from "./ConnectionSlots.ts"
import { egressGuard, type EgressOptions, userAgentOf } from "./EgressGuard.ts"
import { makeGuardedSourceConnector } from "./GuardedConnector.ts"
import { type CounterExpression, counterExpression, cumulativeExpression } from "@tocsin/promql"
import { clientCertificateText, failure } from "./NetworkFailure.ts"
import { makeOAuth2Tokens } from "./OAuth2Tokens.ts"
import { metricFailure, readNamesResponse } from "./PrometheusResponse.ts"
import { makeSeriesReader, type SeriesResponse, type WrittenQuery } from "./SeriesReader.ts"
import { type EventsQuery, limitsOfCall, makeSteadyHours } from "./SteadyHours.ts"
import { headersOf, requestOf, secretsOf, type SourceRequest } from "./SourceRequest.ts"
import { makeSourceTls } from "./SourceTls.ts"

/** Timeout of an indicator query, in milliseconds. */
export const indicatorDeadlineMs = 15_000

/** Evaluation timeout sent to the Prometheus server with each query, in milliseconds. */
export const indicatorEvaluationMs = 12_000

/** Largest response to an indicator query for few points, in bytes. */
export const indicatorResponseMaxBytes = 256 * 1024

/** Largest response to an indicator query, in bytes: of many points, such as of several expressions. */
export const seriesResponseMaxBytes = 4 * 1024 * 1024

/** Timeout of a request for names of metrics and labels, which somebody waits for while typing, in milliseconds. */
export const namesDeadlineMs = 5_000

/** Largest response with names of metrics and labels, in bytes. */
export const namesResponseMaxBytes = 512 * 1024

/**
 * Reads series through the range queries of Prometheus's HTTP API, `POST …/api/v1/query_range`, and names through
 * `GET …/api/v1/labels` and `GET …/api/v1/label/{name}/values`.
 *
 * Connections are guarded as those to webhooks are, with the same `allowCidrs`; `http://` uses no TLS. One deadline
 * covers look-up, connect, TLS, head and body, and begins when it is the organization's turn; at most 256 KiB of a
 * response are read, up to 4 MiB of one with many points, and 512 KiB of one with names. When the scope closes, queries that have started end, then all connections close.
 *
 * Queries authenticate as the definition of the data source specifies; access tokens are reused until they expire, and replaced once
 * after a response 401. Token requests are guarded in the same way.
 *
 * Dies when `allowCidrs` contains an invalid block.
 */
export const make = (options: EgressOptions): Effect.Effect<MetricSource["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const guard = yield* egressGuard(options)
    const pool = makeConnectionPool(makeGuardedSourceConnector(guard), sourceSlotLimits)
    const userAgent = userAgentOf(options)
    const deadlineMs = options.deadlineMs ?? indicatorDeadlineMs
    yield* Effect.addFinalizer(() => Effect.promise(pool.close))

    const exchange = async (
      request: Dispatcher.DispatchOptions,
      maxBytes: number,
      { connect, signal }: StartedRequest,
    ): Promise<Received> => {
      // The server may close an idle connection just as it is reused: retry on a new one.
      for (;;) {
        const connection = await connect()
        try {
          return await ask(connection, request, signal, maxBytes)
        } catch (error) {
          const isClosed = error instanceof TransportFailure && error.reason === "connection_reset"
          if (!connection.isReused || !isClosed) throw error
        }
      }
    }

    const tlsOf = makeSourceTls()
    const send = (
      organization: OrganizationId,
      text: string,
      { tls, abort, maxMs, maxBytes, ...request }: SentRequest,
    ): Promise<Received> => {
      const parsed = parseSourceUrl(text, guard.policy)
      if (Result.isFailure(parsed)) throw metricFailure("address_blocked")
      const url = parsed.success
      // Tenants of one server are sources of their own, of which one may take long.
      const path = `${url.path} ${request.headers["x-scope-orgid"] ?? ""}`
      const pooled = {
        organization,
        url,
        path,
        tls: tlsOf(tls),
        deadlineMs: Math.min(maxMs, deadlineMs),
        abort,
      }
      return pool
        .use(pooled, (started) => exchange(requestOf(url, request, userAgent), maxBytes, started))
        .catch((error: unknown) =>
          Promise.reject(isCertificateRejected(error) ? certificateFailure(tls) : error),
        )
    }

    const tokens = makeOAuth2Tokens(async ({ organization, oauth2, tls }, authorization, form) => {
      const response = await send(organization, oauth2.tokenUrl.text, {
        path: "",
        headers: { authorization },
        form,
        tls: tls?.ca === undefined ? undefined : { ca: tls.ca },
        abort: new Cancellation(),
        ...queryLimits,
      })
      return response.isComplete ? response : Promise.reject(metricFailure("response_too_large"))
    })

    /** Sends an authenticated request. */
    const authenticated = async (
      { organization, server }: Pick<SeriesQuery, "organization" | "server">,
      request: Omit<SentRequest, "headers" | "tls">,
    ): Promise<Answered> => {
      const { oauth2, tls } = server
      const sendWith = async (token: string | undefined): Promise<Answered> => {
        const headers = headersOf(server, token)
        const received = await send(organization, server.url.text, { ...request, headers, tls })
        return { ...received, secrets: secretsOf(server, headers) }
      }
      if (oauth2 === undefined) return sendWith(undefined)
      const credentials = { organization, oauth2, tls }
      const token = await tokens.get(credentials)
      const response = await sendWith(token)
      if (response.status !== 401) return response
      // It may have been revoked before it expired.
      await tokens.forget(credentials, token)
      return sendWith(await tokens.get(credentials))
    }

    const readSeries = makeSeriesReader((query, points, expressions, isComplete) =>
      interruptible(async (abort) => {
        const form = rangeQueryOf(query, isComplete ? completeParameters : {})
        const maxBytes = responseMaxBytes(
          points * expressions * (query.groupBy === undefined ? 1 : groupsExpected),
        )
        const limits = { maxMs: indicatorDeadlineMs, maxBytes, abort }
        return Effect.succeed(await authenticated(query, { path: "/api/v1/query_range", form, ...limits }))
      }),
    )

    const hours = makeSteadyHours(readSeries)

    const readAll = (queries: ReadonlyArray<SeriesQuery>, limits?: QueryLimits) =>
      Effect.flatMap(limitsOfCall(limits), (ofCall) =>
        hours.readEvents(
          queries.map((query) => ({ query, ...writtenOf(query) })),
          ofCall,
        ),
      )

    const readGapsOfParts = (
      parts: ReadonlyArray<{ readonly query: GapQuery; readonly gained: CounterExpression["gained"] }>,
      limits?: QueryLimits,
    ): Effect.Effect<ReadonlyArray<AnswerInTime<CounterGap>>> =>
      Effect.gen(function* () {
        const gained = parts.map(({ query, gained }) =>
          gained?.(`${query.lookbackMs / 1_000}s`, query.groupBy),
        )
        const asked = parts.flatMap(({ query }, index) => {
          const written = gained[index]?.events
          return written === undefined ? [] : { query, written, index }
        })
        // What is not asked has no gaps that can be told.
        const answers: Array<AnswerInTime<CounterGap>> = gained.map((each) =>
          each === undefined ? Result.succeed([]) : unanswered,
        )
        const returned: Array<
          WrittenQuery & { readonly events: ReadonlyArray<Sample>; readonly index: number }
        > = []
        for (const [place, read] of (yield* readSeries(asked, limits)).entries()) {
          const of = asked[place]
          if (of === undefined) continue
          const { query, index } = of
          answers[index] = read === "not_asked" ? read : Result.map(read, fallsOf)
          const events = read === "not_asked" || Result.isFailure(read) ? [] : read.success.filter(isGain)
          const written = gained[index]?.seconds
          if (events.length === 0 || written === undefined) continue
          // Costs more, and is rarely needed.
          const [from, to] = [
            Math.min(...events.map(({ at }) => at)),
            Math.max(...events.map(({ at }) => at)),
          ]
          returned.push({ query: { ...query, from, to }, written, events, index })
        }
        for (const [place, read] of (yield* readSeries(returned, limits)).entries()) {
          const of = returned[place]
          if (of === undefined) continue
          const { events, index } = of
          const falls = answers[index] ?? unanswered
          answers[index] =
            read === "not_asked" || falls === "not_asked"
              ? "not_asked"
              : Result.flatMap(falls, (falls) =>
                  Result.map(read, (seconds) =>
                    [...falls, ...gapsOf(events, seconds)].toSorted((a, b) => a.at - b.at),
                  ),
                )
        }
        return answers
      })

    const readAllGaps = (
      queries: ReadonlyArray<GapQuery>,
      limits?: QueryLimits,
    ): Effect.Effect<ReadonlyArray<AnswerInTime<CounterGap>>> =>
      Effect.gen(function* () {
        const ofCall = yield* limitsOfCall(limits)
        const written = queries.map((query) => ({ query, ...eventsOf(query) }))
        const interrupted = yield* hours.interruptedOf(written, ofCall)
        const parts = written.flatMap(({ query, gained }, index) => {
          const instants = interrupted[index] ?? "not_asked"
          return instants === "not_asked" || Result.isFailure(instants)
            ? []
            : instants.success.map((part) => ({ query: { ...query, ...part }, gained, index }))
        })
        // Counters that are steady have none.
        const answers = interrupted.map((instants): AnswerInTime<CounterGap> =>
          instants === "not_asked" ? instants : Result.map(instants, () => []),
        )
        const read = yield* readGapsOfParts(parts, ofCall)
        for (const [place, { index }] of parts.entries()) {
          const [before = unanswered, more = unanswered] = [answers[index], read[place]]
          answers[index] =
            before === "not_asked" || more === "not_asked"
              ? "not_asked"
              : Result.flatMap(before, (all) => Result.map(more, (some) => [...all, ...some]))
        }
        return answers
      })

    return MetricSource.of({
      readSeries: (query) => onlyAnswer(readAll([query])),
      readGaps: (query) => onlyAnswer(readAllGaps([query])),
      together: { readSeries: readAll, readGaps: readAllGaps },
      readNames: (query) =>
        interruptible(async (abort) => {
          const limits = { maxMs: namesDeadlineMs, maxBytes: namesResponseMaxBytes, abort }
          return namesOf(await authenticated(query, { path: namesPathOf(query), ...limits }))
        }),
    })
  })

/** `make` as a layer. */
export const layer = (options: EgressOptions): Layer.Layer<MetricSource> =>
  Layer.effect(MetricSource, make(options))

const onlyAnswer = <A>(
  answers: Effect.Effect<ReadonlyArray<AnswerInTime<A>>>,
): Effect.Effect<ReadonlyArray<A>, MetricsAreUnavailable> =>
  Effect.flatMap(answers, ([answer = unanswered]) =>
    answer === "not_asked" ? Effect.fail(metricFailure("timeout")) : Effect.fromResult(answer),
  )

const unanswered = Result.fail(metricFailure("reader_unavailable"))

/** The expression of a query as it is sent. */
const writtenOf = (query: SeriesQuery): Omit<EventsQuery, "query"> =>
  query.isValue === true ? { events: counterExpression(query.expression).value } : eventsOf(query)

const isGain = ({ value }: Sample): boolean => value > 0 && Number.isFinite(value)

const fallsOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<CounterGap> =>
  samples
    .filter(({ value }) => Math.abs(value) === Number.POSITIVE_INFINITY)
    .map(({ value: _value, ...rest }) => ({ ...rest, events: 0, from: rest.at - minuteMs }))

/** Gaps of events, and the seconds since the last sample before them. */
const gapsOf = (events: ReadonlyArray<Sample>, seconds: ReadonlyArray<Sample>): ReadonlyArray<CounterGap> => {
  const keyOf = ({ at, group = [] }: Sample): string => `${at} ${groupKey(group)}`
  const secondsAt = new Map(seconds.map((sample) => [keyOf(sample), sample.value]))
  return events.flatMap((sample): ReadonlyArray<CounterGap> => {
    const { at, value, group } = sample
    const seconds = secondsAt.get(keyOf(sample)) ?? Number.NaN
    if (!(seconds > 0)) return []
    const from = at - Math.round(seconds * 1_000)
    return [{ at, events: value, from, ...(group !== undefined && { group }) }]
  })
}

const eventsOf = ({ expression, isCumulative }: SeriesQuery) =>
  isCumulative === true ? cumulativeExpression(expression) : counterExpression(expression)

/** How large a response with so many points can be, in bytes. */
const responseMaxBytes = (points: number): number =>
  Math.min(seriesResponseMaxBytes, Math.max(indicatorResponseMaxBytes, 65_536 + points * pointMaxBytes))

/** What a point takes in a response, in bytes: `[1795293360,"1189.090909090909"],` and more. */
const pointMaxBytes = 48

/** How many groups the limit of a response allows for. */
const groupsExpected = 25

/** The limits of a request for a token. */
const queryLimits = { maxMs: indicatorDeadlineMs, maxBytes: indicatorResponseMaxBytes }

/** Has Thanos and VictoriaMetrics answer from all data as it is now, or not at all; others ignore these. */
const completeParameters = {
  partial_response: "false",
  max_source_resolution: "0s",
  deny_partial_response: "1",
  nocache: "1",
}

const rangeQueryOf = (
  { expression, from, to, stepMs = minuteMs }: SeriesQuery,
  others: Readonly<Record<string, string>>,
): string =>
  new URLSearchParams({
    ...others,
    query: expression,
    start: String(from / 1_000),
    end: String(to / 1_000),
    step: String(stepMs / 1_000),
    timeout: `${indicatorEvaluationMs / 1_000}s`,
  }).toString()

/** One more name than is read shows that there are more; servers before Prometheus 2.54 return all. */
const namesPathOf = ({ label, metric, containing, from, to }: NameQuery): string => {
  const matchers = [
    ...(metric === undefined ? [] : [`__name__=${JSON.stringify(metric)}`]),
    ...(label === undefined || containing === undefined
      ? []
      : [`${labelText(label)}=~${JSON.stringify(`(?i).*${escapeRegex(containing)}.*`)}`]),
  ]
  const query = new URLSearchParams({
    start: String(from / 1_000),
    end: String(to / 1_000),
    limit: String(namesReadMax + 1),
    ...(matchers.length > 0 && { "match[]": `{${matchers.join(",")}}` }),
  })
  return `/api/v1/${label === undefined ? "labels" : `label/${encodeURIComponent(label)}/values`}?${query}`
}

/** Only Prometheus 3 reads quoted names. */
const labelText = (label: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(label) ? label : JSON.stringify(label)

const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** Runs a request that is aborted when it is interrupted. */
const interruptible = <A>(
  run: (abort: Canceler) => Promise<Effect.Effect<A, MetricsAreUnavailable>>,
): Effect.Effect<A, MetricsAreUnavailable> =>
  Effect.callback<A, MetricsAreUnavailable>((resume) => {
    const abort = new Cancellation()
    run(abort).then(resume, (error: unknown) => resume(failedWith(error)))
    return Effect.sync(() => abort.abort())
  })

interface Received {
  readonly status: number
  readonly body: string
  /** Whether the body was read completely; otherwise it is too large. */
  readonly isComplete: boolean
}

type Answered = SeriesResponse

const namesOf = ({
  status,
  body,
  isComplete,
  secrets,
}: Answered): Effect.Effect<NameList, MetricsAreUnavailable> =>
  isComplete
    ? Effect.fromResult(readNamesResponse(status, body, makeMask(secrets)))
    : Effect.succeed({ names: [], isComplete: false })

/** A request with its limits. */
interface SentRequest extends SourceRequest {
  readonly tls: PrometheusServer["tls"]
  readonly abort: Canceler
  readonly maxMs: number
  readonly maxBytes: number
}

/** Sends one request over a connection and reads the response; aborting closes the connection. */
const ask = (
  connection: Connection,
  request: Dispatcher.DispatchOptions,
  signal: CancelSignal,
  maxBytes: number,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    let status = 0
    let isSettled = false
    const settle = (isComplete: boolean, error?: unknown): void => {
      if (isSettled) return
      isSettled = true
      signal.removeEventListener("abort", giveUp)
      if (!isComplete) closeConnection(connection)
      if (error === undefined) resolve({ status, body: Buffer.concat(chunks).toString(), isComplete })
      else reject(error)
    }
    const giveUp = (): void => settle(false, failure("timeout"))
    if (signal.aborted) return giveUp()
    signal.addEventListener("abort", giveUp, { once: true })
    connection.client.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_, code) => {
        status = code
      },
      onResponseData: (_, chunk) => {
        bytes += chunk.length
        if (bytes > maxBytes) return settle(false)
        chunks.push(chunk)
      },
      onResponseEnd: () => settle(true),
      // The error itself is a defect of this code.
      onResponseError: (_, error) => settle(false, failureOn(connection, error) ?? error),
    })
  })

const isCertificateRejected = (error: unknown): boolean =>
  error instanceof TransportFailure && error.detail === clientCertificateText

const certificateFailure = (tls: PrometheusServer["tls"]): MetricsAreUnavailable =>
  metricFailure(
    "tls_invalid",
    tls?.key === undefined
      ? "the server requires a client certificate; set tls.certificate and tls.key"
      : "the server did not accept the client certificate; check that it trusts the certificate's issuer",
  )

const failedWith = (error: unknown): Effect.Effect<never, MetricsAreUnavailable> => {
  if (error instanceof MetricsAreUnavailable) return Effect.fail(error)
  return error instanceof TransportFailure ? Effect.fail(failureOf(error)) : Effect.die(error)
}

const failureOf = ({ reason, detail }: TransportFailure): MetricsAreUnavailable => {
  if (reason === "sender_unavailable") return metricFailure("reader_unavailable")
  const known = metricFailures.find((each) => each === reason) ?? "response_invalid"
  return known === "tls_invalid"
    ? metricFailure(known, detail.replaceAll("the receiver", "the server"))
    : metricFailure(known)
}
