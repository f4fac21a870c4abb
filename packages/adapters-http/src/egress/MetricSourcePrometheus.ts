import { minuteMs } from "@tocsin/domain/internal/codec/MinuteInstant"
import * as Result from "effect/Result"
import { parseSourceUrl, type WebhookUrl } from "@tocsin/domain/internal/alert-method/WebhookUrl"
import {
  type CounterGap,
  metricFailures,
  MetricsAreUnavailable,
  MetricSource,
  type Sample,
  type SeriesQuery,
} from "@tocsin/domain/internal/data-source/MetricSource"
import { TransportFailure } from "@tocsin/domain/internal/notification/WebhookTransport"
import type { OrganizationId } from "@tocsin/domain/internal/metadata/ObjectKey"
import { groupKey } from "@tocsin/domain/internal/slo/GroupValues"
import type { PrometheusServer } from "@tocsin/domain/internal/slo/DataSource"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Dispatcher } from "undici"
import {
  closeConnection,
  type Connection,
  failureOn,
  makeConnectionPool,
  type StartedRequest,
} from "./ConnectionPool.ts"
import { egressGuard, type EgressOptions, userAgentOf } from "./EgressGuard.ts"
import { makeGuardedSourceConnector } from "./GuardedConnector.ts"
import { headerSecrets, makeMask } from "@tocsin/domain/internal/notification/SecretMask"
import { counterExpression } from "../promql/CounterExpression.ts"
import { clientCertificateText, failure } from "./NetworkFailure.ts"
import { makeOAuth2Tokens } from "./OAuth2Tokens.ts"
import { metricFailure, readSeriesResponse } from "./PrometheusResponse.ts"
import { makeSourceTls } from "./SourceTls.ts"

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
 * Each data source is logged in to as its definition says; access tokens are reused until they expire, and replaced once
 * after a response 401. Token requests are guarded in the same way.
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

    const exchange = async (
      request: Dispatcher.DispatchOptions,
      { connect, signal }: StartedRequest,
    ): Promise<Received> => {
      // The server may close an idle connection just as it is reused: retry on a new one.
      for (;;) {
        const connection = await connect()
        try {
          return await ask(connection, request, signal)
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
      { tls, abort, ...request }: SentRequest,
    ): Promise<Received> => {
      const parsed = parseSourceUrl(text, guard.policy)
      if (Result.isFailure(parsed)) throw metricFailure("address_blocked")
      const url = parsed.success
      const pooled = { organization, url, tls: tlsOf(tls), deadlineMs, abort }
      return pool
        .use(pooled, (started) => exchange(requestOf(url, request, userAgent), started))
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
        abort: new AbortController(),
      })
      return response.isComplete ? response : Promise.reject(metricFailure("response_too_large"))
    })

    const query = async (
      { organization, server, expression, from, to, stepMs = minuteMs }: SeriesQuery,
      abort: AbortController,
    ): Promise<Answered> => {
      const form = new URLSearchParams({
        query: expression,
        start: String(from / 1_000),
        end: String(to / 1_000),
        step: String(stepMs / 1_000),
        timeout: `${indicatorEvaluationMs / 1_000}s`,
      }).toString()
      const sendWith = async (token: string | undefined): Promise<Answered> => {
        const headers = headersOf(server, token)
        const path = "/api/v1/query_range"
        const received = await send(organization, server.url.text, {
          path,
          headers,
          form,
          tls: server.tls,
          abort,
        })
        return { ...received, secrets: secretsOf(server, headers) }
      }
      const { oauth2, tls } = server
      if (oauth2 === undefined) return sendWith(undefined)
      const request = { organization, oauth2, tls }
      const token = await tokens.get(request)
      const response = await sendWith(token)
      if (response.status !== 401) return response
      // It may have been revoked before it expired.
      await tokens.forget(request, token)
      return sendWith(await tokens.get(request))
    }

    const readSamples = (request: SeriesQuery): Effect.Effect<ReadonlyArray<Sample>, MetricsAreUnavailable> =>
      Effect.callback<ReadonlyArray<Sample>, MetricsAreUnavailable>((resume) => {
        const abort = new AbortController()
        query(request, abort).then(
          (response) => resume(samplesOf(response, request.groupBy)),
          (error: unknown) => resume(failedWith(error)),
        )
        return Effect.sync(() => abort.abort())
      })

    return MetricSource.of({
      readSeries: (query) => {
        const { events, value } = counterExpression(query.expression)
        return readSamples({ ...query, expression: query.isValue === true ? value : events })
      },
      readGaps: ({ lookbackMs, ...query }) =>
        Effect.gen(function* () {
          const gained = counterExpression(query.expression).gained?.(`${lookbackMs / 1_000}s`, query.groupBy)
          if (gained === undefined) return []
          const events = yield* readSamples({ ...query, expression: gained.events })
          const ends = events.filter(({ value }) => value > 0)
          if (ends.length === 0) return []
          const [from, to] = [Math.min(...ends.map(({ at }) => at)), Math.max(...ends.map(({ at }) => at))]
          // Costs more, and is rarely needed.
          const times = { ...query, from, to, expression: gained.seconds }
          const keyOf = ({ at, group = [] }: Sample): string => `${at} ${groupKey(group)}`
          const secondsAt = new Map(
            (yield* readSamples(times)).map((sample) => [keyOf(sample), sample.value]),
          )
          return ends.flatMap((sample): ReadonlyArray<CounterGap> => {
            const { at, value, group } = sample
            const seconds = secondsAt.get(keyOf(sample)) ?? Number.NaN
            if (!(seconds > 0)) return []
            const from = at - Math.round(seconds * 1_000)
            return [{ at, events: value, from, ...(group !== undefined && { group }) }]
          })
        }),
    })
  })

/** `make` as a layer. */
export const layer = (options: EgressOptions): Layer.Layer<MetricSource> =>
  Layer.effect(MetricSource, make(options))

interface Received {
  readonly status: number
  readonly body: string
  /** Whether the body was read completely; otherwise it is too large. */
  readonly isComplete: boolean
}

interface Answered extends Received {
  /** What was sent that the answer may repeat. */
  readonly secrets: ReadonlyArray<string>
}

const samplesOf = (
  { status, body, isComplete, secrets }: Answered,
  groupBy: ReadonlyArray<string> | undefined,
) =>
  isComplete
    ? Effect.fromResult(readSeriesResponse(status, body, makeMask(secrets), groupBy))
    : Effect.fail(metricFailure("response_too_large"))

/** A form to post below a URL. */
interface SentRequest extends Pick<SourceForm, "path" | "headers" | "form"> {
  readonly tls: PrometheusServer["tls"]
  readonly abort: AbortController
}

interface SourceForm {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly form: string
}

const requestOf = (
  url: WebhookUrl,
  { path, headers, form }: SourceForm,
  userAgent: string,
): Dispatcher.DispatchOptions => ({
  method: "POST",
  path: path === "" ? url.path : `${url.path.replace(/\/$/, "")}${path}`,
  headers: {
    ...headers,
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": userAgent,
    "content-type": "application/x-www-form-urlencoded",
  },
  body: form,
})

const headersOf = (
  { bearer, basic, tenant, headers }: PrometheusServer,
  token: string | undefined,
): Readonly<Record<string, string>> => {
  const bearerToken = token ?? (bearer && Redacted.value(bearer.token))
  const password = basic && Redacted.value(basic.password)
  return {
    ...Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), Redacted.value(value)])),
    ...(bearerToken !== undefined && { authorization: `Bearer ${bearerToken}` }),
    ...(basic !== undefined && {
      authorization: `Basic ${Buffer.from(`${basic.username}:${password}`).toString("base64")}`,
    }),
    ...(tenant !== undefined && { "x-scope-orgid": tenant }),
  }
}

/** The secrets of a request: a server can repeat what it was sent in the text of an error. */
const secretsOf = (
  { basic, oauth2, headers }: PrometheusServer,
  sent: Readonly<Record<string, string>>,
): ReadonlyArray<string> => [
  ...headerSecrets([...headers.map(({ value }) => Redacted.value(value)), sent["authorization"] ?? ""]),
  ...(basic === undefined ? [] : [Redacted.value(basic.password)]),
  ...(oauth2 === undefined ? [] : [Redacted.value(oauth2.clientSecret)]),
]

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
