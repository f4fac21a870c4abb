import {
  TransportFailure,
  type WebhookRequest,
  type WebhookResponse,
  WebhookTransport,
} from "@tocsin/domain/ports"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Cancellation } from "./Cancellation.ts"
import { makeConnectionPool, type Outcome, type StartedRequest } from "./ConnectionPool.ts"
import { egressGuard, type EgressOptions, userAgentOf } from "./EgressGuard.ts"
import { exchange } from "./Exchange.ts"
import { makeGuardedConnector, type MeasuredTimings } from "./GuardedConnector.ts"
import { retryAfterFromField } from "./RetryAfter.ts"

/** Timeout of a delivery attempt, in milliseconds: DNS lookup, connecting, TLS, response headers and body. */
export const deliveryDeadlineMs = 15_000

/**
 * Makes the guarded transport over undici's HTTP/1.1 client.
 *
 * The guard opens every connection. A request first waits for its organization's turn, which uses nothing of its time;
 * then one deadline covers look-up, connect, TLS, head and body. When the scope closes, requests that wait and new ones
 * fail with `sender_unavailable`, those in flight end by their deadline, then all connections close.
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
    yield* Effect.addFinalizer(() => Effect.promise(pool.close))

    const attempt = async (
      request: WebhookRequest,
      clock: Clock.Clock,
      { waitedMs, signal, connect }: StartedRequest,
    ): Promise<Outcome & { readonly response: WebhookResponse }> => {
      const startedAtMs = performance.now()
      const timings: MeasuredTimings = {}
      try {
        const connection = await connect(timings)
        const connectedAtMs = performance.now()
        const isReused = connection.isReused
        const received = await exchange(connection, request, userAgent, signal)
        const retryAfterSeconds =
          received.retryAfter === undefined
            ? undefined
            : retryAfterFromField(received.retryAfter, clock.currentTimeMillisUnsafe())
        const response: WebhookResponse = {
          status: received.status,
          waitedMs,
          ...(isReused ? {} : { connectMs: connectedAtMs - startedAtMs, ...timings }),
          headMs: received.headAtMs - startedAtMs,
          totalMs: performance.now() - startedAtMs,
          body: received.body,
          ...(received.headers.length === 0 ? {} : { headers: received.headers }),
          ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
        }
        return { isComplete: received.isComplete, response }
      } catch (error) {
        throw error instanceof TransportFailure
          ? new TransportFailure({ ...error, waitedMs, timings })
          : error
      }
    }

    return {
      send: (request) =>
        Effect.clockWith((clock) =>
          Effect.callback<WebhookResponse, TransportFailure>((resume) => {
            const abort = new Cancellation()
            const { organization, url } = request
            pool
              .use({ organization, url, deadlineMs, abort }, (started) => attempt(request, clock, started))
              .then(
                ({ response }) => resume(Effect.succeed(response)),
                (error: unknown) =>
                  resume(error instanceof TransportFailure ? Effect.fail(error) : Effect.die(error)),
              )
            return Effect.sync(() => abort.abort())
          }),
        ),
    }
  })

/** `make` as a layer. */
export const layer = (options: EgressOptions): Layer.Layer<WebhookTransport> =>
  Layer.effect(WebhookTransport, make(options))
