import {
  type WebhookResponse,
  TransportFailure,
  type WebhookRequest,
  WebhookTransport,
} from "@tocsin/domain/notification/WebhookTransport"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { makeConnectionPool } from "./ConnectionPool.ts"
import { egressGuard, type EgressOptions, userAgentOf } from "./EgressGuard.ts"
import { exchange } from "./Exchange.ts"
import { makeGuardedConnector } from "./GuardedConnector.ts"
import { failure } from "./NetworkFailure.ts"
import { retryAfterFromField } from "./RetryAfter.ts"

/** Timeout of a delivery attempt, in milliseconds: DNS lookup, connecting, TLS, response headers and body. */
export const deliveryDeadlineMs = 15_000

/**
 * Makes the guarded transport over undici's HTTP/1.1 client.
 *
 * The guard opens every connection. One deadline covers waiting for a connection, look-up, connect, TLS, head and body.
 * When the scope closes, new requests fail with `sender_unavailable`, those in flight end by their deadline, then all
 * connections close.
 *
 * Dies when `allowCidrs` contains an invalid block.
 */
export const make = (
  options: EgressOptions,
): Effect.Effect<WebhookTransport["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const pool = makeConnectionPool(makeGuardedConnector(yield* egressGuard(options)))
    const deadlineMs = options.deadlineMs ?? deliveryDeadlineMs
    const userAgent = userAgentOf(options)
    const inFlight = new Set<Promise<WebhookResponse>>()
    let isClosing = false

    const attempt = async (
      request: WebhookRequest,
      clock: Clock.Clock,
      signal: AbortSignal,
    ): Promise<WebhookResponse> => {
      const startedAtMs = performance.now()
      const connection = await pool.acquire(request.url, signal)
      const connectedAtMs = performance.now()
      const isReused = connection.isReused
      const received = await exchange(connection, request, userAgent, signal)
      if (received.isComplete) pool.release(connection)
      const retryAfterSeconds =
        received.retryAfter === undefined
          ? undefined
          : retryAfterFromField(received.retryAfter, clock.currentTimeMillisUnsafe())
      return {
        status: received.status,
        ...(isReused ? {} : { connectMs: connectedAtMs - startedAtMs }),
        headMs: received.headAtMs - startedAtMs,
        totalMs: performance.now() - startedAtMs,
        body: received.body,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      }
    }

    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        isClosing = true
        pool.closeIdle()
        await Promise.allSettled(inFlight)
        pool.closeIdle()
      }),
    )

    return {
      send: (request) =>
        Effect.clockWith((clock) =>
          Effect.callback<WebhookResponse, TransportFailure>((resume) => {
            if (isClosing) {
              return resume(Effect.fail(failure("sender_unavailable", "the sender is shutting down")))
            }
            const abort = new AbortController()
            const timer = setTimeout(() => abort.abort(), deadlineMs)
            const response = attempt(request, clock, abort.signal).finally(() => {
              clearTimeout(timer)
              inFlight.delete(response)
            })
            inFlight.add(response)
            void response.then(
              (value) => resume(Effect.succeed(value)),
              (error: unknown) =>
                resume(error instanceof TransportFailure ? Effect.fail(error) : Effect.die(error)),
            )
            return Effect.sync(() => abort.abort())
          }),
        ),
    }
  })

export const layer = (options: EgressOptions): Layer.Layer<WebhookTransport> =>
  Layer.effect(WebhookTransport, make(options))
