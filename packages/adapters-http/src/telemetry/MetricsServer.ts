import { retriedReasons } from "@tocsin/domain"
import { collectMetrics, metrics } from "@tocsin/domain/adapter"
import { holdReasons } from "@tocsin/domain/alerting"
import type { AlertStore, DeliveryQueue, IndicatorStore, SloStore } from "@tocsin/domain/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Semaphore from "effect/Semaphore"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { listen } from "../server/Listen.ts"

/**
 * Serves the metrics of the process at `/metrics`, in Prometheus' text format, until the scope closes; returns the URL. It
 * has an address of its own, so that it need not be public.
 *
 * Requests that arrive together share one reading. Fails with `PortIsNotAvailable`.
 */
export const make = ({
  host,
  port,
}: {
  /** The address to listen on, such as `127.0.0.1`. */
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
}) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<AlertStore | DeliveryQueue | IndicatorStore | SloStore>()
    startAtZero(context)
    const oneAtATime = yield* Semaphore.make(1)
    let latest: { readonly readAt: number; readonly text: string } | undefined
    const read = oneAtATime.withPermits(1)(
      Effect.gen(function* () {
        const now = performance.now()
        if (latest !== undefined && now - latest.readAt < sharedMs) return latest.text
        yield* collectMetrics
        const text = yield* PrometheusMetrics.format()
        latest = { readAt: now, text }
        return text
      }),
    )
    const runFork = Effect.runForkWith(context)
    const respond = (request: IncomingMessage, response: ServerResponse): void => {
      request.resume()
      const [path] = (request.url ?? "").split("?")
      if (path !== "/metrics") return void response.writeHead(404).end()
      if (request.method !== "GET" && request.method !== "HEAD")
        return void response.writeHead(405, { allow: "GET, HEAD" }).end()
      runFork(
        Effect.matchCauseEffect(read, {
          onSuccess: (text) =>
            Effect.sync(() => {
              response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" })
              response.end(text)
            }),
          onFailure: (cause) =>
            Effect.andThen(
              Effect.logError("Reading the metrics failed", cause),
              Effect.sync(() => response.writeHead(500).end()),
            ),
        }),
      )
    }
    const server = createServer({ requestTimeout: 10_000, keepAliveTimeout: 60_000 }, respond)
    server.maxConnections = connectionsMax
    const onError = ({ code, name }: NodeJS.ErrnoException) => {
      runFork(
        Effect.annotateLogs(Effect.logError("Connections cannot be accepted"), { reason: code ?? name }),
      )
    }
    yield* Effect.acquireRelease(listen(server, { host, port }, onError), () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
    )
    const address = server.address() as AddressInfo
    const shownHost = address.family === "IPv6" ? `[${address.address}]` : address.address
    return `http://${shownHost}:${address.port}/metrics`
  })

/** Counts that alerts watch begin at 0: the first of something would not be an increase otherwise. */
const startAtZero = (context: Context.Context<never>): void => {
  const counters = [
    metrics.alertMethodsDisabled.of("failing"),
    metrics.alertMethodsDisabled.of("gone"),
    metrics.circuitsOpened.of(),
    metrics.deliveriesClaimed.of(),
    metrics.deliveriesReleased.of(),
    metrics.deliveriesSettled.of("delivered", ""),
    ...retriedReasons.map((reason) => metrics.deliveriesSettled.of("exhausted", reason)),
    metrics.deliveriesSettled.of("failed", "method_disabled"),
    metrics.leasesLost.of(),
    metrics.statusRefreshes.of("failed"),
    metrics.alertEvaluations.of(),
    ...holdReasons.map((reason) => metrics.alertsHeld.of(reason)),
    metrics.tokensIssued.of(),
    metrics.signInsRejected.of(),
  ]
  for (const each of counters) each.updateUnsafe(0, context)
}

const sharedMs = 500
const connectionsMax = 64
