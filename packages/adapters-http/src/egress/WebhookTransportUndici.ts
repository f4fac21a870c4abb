import { connect as connectTcp } from "node:net"
import { createSecureContext, rootCertificates } from "node:tls"
import { makeAddressPolicy } from "@tocsin/domain/alert-method/AddressPolicy"
import type { Answer, WebhookRequest } from "@tocsin/domain/notification/WebhookTransport"
import { TransportFailure, WebhookTransport } from "@tocsin/domain/notification/WebhookTransport"
import { Limits } from "@tocsin/domain/Limits"
import type { Clock, Scope } from "effect"
import { Effect, Layer } from "effect"
import { makeConnectionPool } from "./ConnectionPool.ts"
import { exchange } from "./Exchange.ts"
import type { Dial } from "./GuardedConnector.ts"
import { makeGuardedConnector } from "./GuardedConnector.ts"
import type { NameResolver } from "./NameResolver.ts"
import { nameResolverOf } from "./NameResolver.ts"
import { failure } from "./NetworkFailure.ts"
import { retryAfterFromField } from "./RetryAfter.ts"

/**
 * How the transport is set up.
 *
 * `allowCidrs` are blocks as `makeAddressPolicy` takes them, checked where the configuration is read. `caPem` holds
 * certificates that are trusted beside those that Node ships with. `version` stands in the `user-agent`. `resolve` and
 * `dial` replace name look-up and TCP for tests of the guard. Times are in milliseconds and default to `Limits`.
 */
export interface WebhookTransportOptions {
  readonly allowCidrs: ReadonlyArray<string>
  readonly caPem?: string | undefined
  readonly version?: string | undefined
  readonly resolve?: NameResolver
  readonly dial?: Dial
  readonly lookupTimeoutMs?: number
  readonly connectTimeoutMs?: number
  readonly deadlineMs?: number
}

/**
 * Makes the guarded transport over undici's HTTP/1.1 client.
 *
 * Every connection comes from the guard; nothing is read from the environment, neither a proxy nor a switch that
 * would turn verification off. One deadline covers waiting for a connection, look-up, connect, TLS, head and body.
 * When the scope closes new requests are refused as `sender_unavailable`, those under way end by their deadline, then
 * all connections close.
 *
 * Dies when `allowCidrs` holds what is no block.
 *
 * Source: decisions 0303, 0304 and 0310.
 */
export const make = (
  options: WebhookTransportOptions,
): Effect.Effect<WebhookTransport["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const policy = makeAddressPolicy(options.allowCidrs)
    if (!policy.ok) return yield* Effect.dieMessage(`not blocks of addresses: ${policy.error.join(", ")}`)
    const pool = makeConnectionPool(
      makeGuardedConnector({
        policy: policy.value,
        resolve: options.resolve ?? nameResolverOf(policy.value),
        dial: options.dial ?? dialByTcp,
        secureContext: createSecureContext({
          minVersion: "TLSv1.2",
          ...(options.caPem === undefined ? {} : { ca: [...rootCertificates, options.caPem] }),
        }),
        lookupTimeoutMs: options.lookupTimeoutMs ?? Limits.lookupTimeoutMs,
        connectTimeoutMs: options.connectTimeoutMs ?? Limits.connectTimeoutMs,
      }),
    )
    const deadlineMs = options.deadlineMs ?? Limits.deliveryDeadlineMs
    const userAgent = options.version === undefined ? "tocsin" : `tocsin/${options.version}`
    const underWay = new Set<Promise<Answer>>()
    let isClosing = false

    const attempt = async (
      request: WebhookRequest,
      clock: Clock.Clock,
      signal: AbortSignal,
    ): Promise<Answer> => {
      const startedAtMs = performance.now()
      const connection = await pool.acquire(request.url, signal)
      const connectedAtMs = performance.now()
      const isReused = connection.isReused
      const received = await exchange(connection, request, userAgent, signal)
      if (received.isComplete) pool.release(connection)
      const retryAfterSeconds =
        received.retryAfter === undefined
          ? undefined
          : retryAfterFromField(received.retryAfter, clock.unsafeCurrentTimeMillis())
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
        await Promise.allSettled(underWay)
        pool.closeIdle()
      }),
    )

    return {
      send: (request) =>
        Effect.clockWith((clock) =>
          Effect.async<Answer, TransportFailure>((resume) => {
            if (isClosing) {
              return resume(Effect.fail(failure("sender_unavailable", "the sender is shutting down")))
            }
            const abort = new AbortController()
            const timer = setTimeout(() => abort.abort(), deadlineMs)
            const answer = attempt(request, clock, abort.signal).finally(() => {
              clearTimeout(timer)
              underWay.delete(answer)
            })
            underWay.add(answer)
            void answer.then(
              (value) => resume(Effect.succeed(value)),
              (error: unknown) =>
                resume(error instanceof TransportFailure ? Effect.fail(error) : Effect.die(error)),
            )
            return Effect.sync(() => abort.abort())
          }),
        ),
    }
  })

/** The guarded transport as a layer; its scope closes the connections. */
export const layer = (options: WebhookTransportOptions): Layer.Layer<WebhookTransport> =>
  Layer.scoped(WebhookTransport, make(options))

/** Without Nagle's algorithm, so that the end of a body does not wait for an acknowledgement. */
const dialByTcp: Dial = (target) => connectTcp({ ...target, noDelay: true })
