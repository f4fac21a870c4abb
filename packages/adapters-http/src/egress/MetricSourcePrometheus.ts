import * as Result from "effect/Result"
import { parseSourceUrl, type WebhookUrl } from "@tocsin/domain/alert-method/WebhookUrl"
import {
  metricFailures,
  type MetricsAreUnavailable,
  MetricSource,
  type Sample,
  type SeriesQuery,
} from "@tocsin/domain/data-source/MetricSource"
import { TransportFailure } from "@tocsin/domain/notification/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Dispatcher } from "undici"
import {
  closeConnection,
  type Connection,
  connectionIsGone,
  makeConnectionPool,
  type StartedRequest,
} from "./ConnectionPool.ts"
import { egressGuard, type EgressOptions, userAgentOf } from "./EgressGuard.ts"
import { makeGuardedSourceConnector } from "./GuardedConnector.ts"
import { counterExpression } from "../promql/CounterExpression.ts"
import { exchangeFailure, failure } from "./NetworkFailure.ts"
import { metricFailure, readSeriesResponse } from "./PrometheusResponse.ts"

/** Timeout of an indicator query, in milliseconds. */
export const indicatorDeadlineMs = 15_000

/** Evaluation timeout sent to the Prometheus server with each query, in milliseconds. */
export const indicatorEvaluationMs = 12_000

/** Largest response to an indicator query, in bytes. */
export const indicatorResponseMaxBytes = 256 * 1024

/**
 * Reads series through the range queries of Prometheus's HTTP API, `POST …/api/v1/query_range`.
 *
 * Connections are guarded as those to webhooks are, with the same `allowCidrs`; `http://` uses no TLS. One deadline
 * covers look-up, connect, TLS, head and body, and begins when it is the organization's turn; at most 256 KiB of a
 * response are read. When the scope closes, queries that have started end, then all connections close.
 *
 * Dies when `allowCidrs` contains an invalid block.
 */
export const make = (options: EgressOptions): Effect.Effect<MetricSource["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const guard = yield* egressGuard(options)
    const pool = makeConnectionPool(makeGuardedSourceConnector(guard))
    const userAgent = userAgentOf(options)
    const deadlineMs = options.deadlineMs ?? indicatorDeadlineMs
    yield* Effect.addFinalizer(() => Effect.promise(pool.close))

    const read = async (
      url: WebhookUrl,
      query: SeriesQuery,
      { connect, signal }: StartedRequest,
    ): Promise<Received> => {
      // The server may close an idle connection just as it is reused: retry on a new one.
      for (;;) {
        const connection = await connect()
        try {
          return await ask(connection, requestOf(url, query, userAgent), signal)
        } catch (error) {
          const isClosed = error instanceof TransportFailure && error.reason === "connection_reset"
          if (!connection.isReused || !isClosed) throw error
        }
      }
    }

    const readSamples = (query: SeriesQuery): Effect.Effect<ReadonlyArray<Sample>, MetricsAreUnavailable> =>
      Effect.suspend(() => {
        const parsed = parseSourceUrl(query.url, guard.policy)
        if (Result.isFailure(parsed)) return Effect.fail(metricFailure("address_blocked"))
        const url = parsed.success
        return Effect.callback<ReadonlyArray<Sample>, MetricsAreUnavailable>((resume) => {
          const abort = new AbortController()
          const { organization } = query
          pool
            .use({ organization, url, deadlineMs, abort }, (started) => read(url, query, started))
            .then(
              (response) => resume(samplesOf(response)),
              (error: unknown) =>
                resume(error instanceof TransportFailure ? Effect.fail(failureOf(error)) : Effect.die(error)),
            )
          return Effect.sync(() => abort.abort())
        })
      })

    return MetricSource.of({
      readSeries: (query) => {
        const { events } = counterExpression(query.expression)
        return readSamples({ ...query, expression: events })
      },
      readGaps: ({ lookbackMs, ...query }) =>
        Effect.gen(function* () {
          const gained = counterExpression(query.expression).gained?.(`${lookbackMs / 1_000}s`)
          if (gained === undefined) return []
          const events = yield* readSamples({ ...query, expression: gained.events })
          const ends = events.filter(({ value }) => value > 0)
          const [first] = ends
          const last = ends.at(-1)
          if (first === undefined || last === undefined) return []
          // Costs more, and is rarely needed.
          const times = { ...query, from: first.at, to: last.at, expression: gained.seconds }
          const secondsAt = new Map((yield* readSamples(times)).map(({ at, value }) => [at, value]))
          return ends.flatMap(({ at, value }) => {
            const seconds = secondsAt.get(at) ?? Number.NaN
            return seconds > 0 ? [{ at, events: value, from: at - Math.round(seconds * 1_000) }] : []
          })
        }),
    })
  })

export const layer = (options: EgressOptions): Layer.Layer<MetricSource> =>
  Layer.effect(MetricSource, make(options))

interface Received {
  readonly status: number
  readonly body: string
  /** Whether the body was read completely; otherwise it is too large. */
  readonly isComplete: boolean
}

const samplesOf = ({ status, body, isComplete }: Received) =>
  isComplete
    ? Effect.fromResult(readSeriesResponse(status, body))
    : Effect.fail(metricFailure("response_too_large"))

const requestOf = (
  url: WebhookUrl,
  { expression, from, to }: SeriesQuery,
  userAgent: string,
): Dispatcher.DispatchOptions => ({
  method: "POST",
  path: `${url.path.replace(/\/$/, "")}/api/v1/query_range`,
  headers: {
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": userAgent,
    "content-type": "application/x-www-form-urlencoded",
  },
  body: new URLSearchParams({
    query: expression,
    start: String(from / 1_000),
    end: String(to / 1_000),
    step: "60",
    timeout: `${indicatorEvaluationMs / 1_000}s`,
  }).toString(),
})

/** Sends one request over a connection and reads the response; aborting closes the connection. */
const ask = (
  connection: Connection,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
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
        if (bytes > indicatorResponseMaxBytes) return settle(false)
        chunks.push(chunk)
      },
      onResponseEnd: () => settle(true),
      onResponseError: (_, error) => settle(false, askFailure(error)),
    })
  })

/** The error itself is a defect of this code. */
const askFailure = (error: Error): unknown =>
  "code" in error && error.code === connectionIsGone
    ? failure("connection_reset")
    : (exchangeFailure(error) ?? error)

const failureOf = ({ reason, detail }: TransportFailure): MetricsAreUnavailable => {
  if (reason === "sender_unavailable") return metricFailure("reader_unavailable")
  const known = metricFailures.find((each) => each === reason) ?? "response_invalid"
  return known === "tls_invalid"
    ? metricFailure(known, detail.replaceAll("the receiver", "the server"))
    : metricFailure(known)
}
