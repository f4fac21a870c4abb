import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Sha256 } from "../signature/Sha256.ts"
import type { Signer } from "../signature/SignRequest.ts"
import { logOutages } from "../OutageLog.ts"
import { forkLoop } from "../Readiness.ts"
import { DeliveriesInFlightMax, newcomersInFlightMax } from "./ChooseClaims.ts"
import { type ClaimedDelivery, DeliveryQueue, type Release, type Settlement } from "./DeliveryQueue.ts"
import type { FailureReason } from "../notification/FailureReason.ts"
import { count, observe, observeGauge } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import { isTraced, parseTraceparent, traceparentOf } from "../telemetry/Tracing.ts"
import { type Delivery, isSettled, settleDelivery } from "./Delivery.ts"
import { AcknowledgeTokens, acknowledgeLinkLifetimeMs } from "../notification/AcknowledgeLink.ts"
import { acknowledgedEvents, notificationValues } from "../notification/Notification.ts"
import { makePreparedMethods } from "../notification/NotificationRequest.ts"
import { makeMask } from "../notification/SecretMask.ts"
import {
  type AttemptResult,
  makeSendNotification,
  type SenderFault,
  undeliverable,
} from "../notification/SendNotification.ts"
import type { WebhookTransport } from "../notification/WebhookTransport.ts"
import { usesVariable } from "../template/Template.ts"
import { senderFaultDelayMs } from "./RetryPolicy.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * Lease of the deliveries that a process has claimed, in milliseconds. It is renewed all the time: after a crash, other
 * processes take the deliveries over when it ends.
 */
export const deliveryLeaseMs = 10_000

/** Most deliveries of an organization that a process settles in one batch. */
const settleBatchMax = 500

/** Longest time between two checks for due deliveries, in milliseconds. */
export const dispatchPollMaxMs = 1_000

/**
 * First delay before a failed operation of the delivery queue is retried, in milliseconds; each further
 * failure doubles it.
 */
const storeRetryMinMs = 100

/** Longest delay before a failed operation of the delivery queue is retried, in milliseconds. */
export const storeRetryMaxMs = 5_000

export interface DispatchOptions {
  /** The URL of the console, for `$slo_details_link`. */
  readonly baseUrl: string
  /** Whether notifications continue the trace of what caused them, with the header `traceparent`; default true. */
  readonly sendsTraceparent?: boolean
  /** Makes an attempt for a recipient that is no alert method; `undefined`: it is one. */
  readonly otherRecipients?: (
    claimed: ClaimedDelivery,
  ) => Effect.Effect<AttemptResult, SenderFault> | undefined
  /** How long a shutdown waits for attempts in flight, in milliseconds; then they are interrupted and released. */
  readonly shutdownGraceMs: number
}

/**
 * Sends due deliveries in the background until the scope closes.
 *
 * Claims and settles in batches, and renews its lease until all attempts are settled. While the queue fails, it is retried with
 * exponential backoff. When the scope closes, nothing more is claimed; attempts in flight may finish and be settled
 * within the grace period, and the others are released.
 *
 * Any number of processes may run it on one queue.
 */
export const dispatchDeliveries = (
  options: DispatchOptions,
): Effect.Effect<
  void,
  never,
  DeliveryQueue | WebhookTransport | Signer | Sha256 | AcknowledgeTokens | Scope.Scope
> =>
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const inFlightMax = yield* DeliveriesInFlightMax
    const attempt = yield* makeAttempt(options)
    const hints = yield* queue.hints
    const fork = yield* FiberSet.runtime(yield* FiberSet.make<AttemptResult, SenderFault>())<never>()
    const forkSettling = yield* FiberSet.runtime(yield* FiberSet.make<void>())<never>()
    /** Attempts that have ended and are not settled yet, by organization. */
    const ended = new Map<OrganizationId, Array<EndedAttempt>>()
    const wake = yield* Queue.sliding<void>(1)
    const inFlight = new Map<string, Fiber.Fiber<AttemptResult, SenderFault>>()
    yield* observeGauge(metrics.deliveryAttemptsInFlight.of(), () => inFlight.size)
    const logClaimOutages = yield* logOutages("Claiming deliveries failed")
    const logSettleOutages = yield* logOutages("Settling deliveries failed")
    const logSendOutages = yield* logOutages("Sending notifications failed", Infinity)
    const logRenewOutages = yield* logOutages("Renewing leases failed")

    const startAttempt = (claimed: ClaimedDelivery): void => {
      const { claimId, delivery } = claimed
      const { organization } = delivery.notification
      const fiber = fork(logSendOutages(Effect.suspend(() => attempt(claimed))))
      inFlight.set(claimId, fiber)
      fiber.addObserver((exit) => {
        const waiting = ended.get(organization)
        if (waiting !== undefined) return void waiting.push({ claimId, delivery, exit })
        ended.set(organization, [{ claimId, delivery, exit }])
        forkSettling(settleAll(organization))
      })
    }

    /** Starts attempts a few at a time, so that many of them do not block the event loop. */
    const startAll = (claims: ReadonlyArray<ClaimedDelivery>) =>
      Effect.forEach(
        claims,
        (claimed, index) => {
          startAttempt(claimed)
          return (index + 1) % startsAtOnce === 0 ? Effect.yieldNow : Effect.void
        },
        { discard: true },
      )

    /** Returns how long to wait before the next claim, in milliseconds. */
    const claim = Effect.suspend(() => {
      const limit = inFlightMax + newcomersInFlightMax - inFlight.size
      if (limit <= 0) return Effect.succeed(dispatchPollMaxMs)
      return Effect.uninterruptible(
        Effect.flatMap(
          queue.claim({ limit, leaseMs: deliveryLeaseMs }),
          ({ claims, nextDueInMs = Infinity }) =>
            startAll(claims).pipe(
              Effect.andThen(count(metrics.deliveriesClaimed.of(), claims.length)),
              Effect.as(Math.min(Math.max(nextDueInMs, 1), dispatchPollMaxMs)),
            ),
        ),
      )
    }).pipe(
      logClaimOutages,
      Effect.retry(exponentialBackoff),
      Effect.orDie,
      Effect.catchDefect(() => Effect.succeed(storeRetryMaxMs)),
    )

    const claimWhenDue = Effect.forever(
      Effect.flatMap(claim, (waitMs) => Effect.timeoutOption(Queue.take(wake), Duration.millis(waitMs))),
    )

    /**
     * Settles the attempts of an organization that have ended, until there are none. Those that end while others are being
     * settled are settled together. Organizations do not wait for one another.
     */
    const settleAll = (organization: OrganizationId): Effect.Effect<void> =>
      Effect.gen(function* () {
        yield* Effect.yieldNow
        yield* Effect.sleep(0)
        for (;;) {
          const batch = ended.get(organization)?.splice(0, settleBatchMax) ?? []
          if (batch.length === 0) return void ended.delete(organization)
          yield* settle(batch)
        }
      })

    const settle = (batch: ReadonlyArray<EndedAttempt>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const settlements: Array<Settlement> = []
        const releases: Array<Release> = []
        const ends: Array<EndedDelivery> = []
        for (const { claimId, delivery, exit } of batch) {
          if (Exit.isSuccess(exit)) {
            const settlement = { claimId, ...exit.value, random: yield* Random.next }
            settlements.push(settlement)
            ends.push({ delivery, settlement })
          } else releases.push({ claimId, delayMs: releaseDelayMs(exit.cause) })
        }
        // Retried separately, so that neither is repeated because of the other.
        if (settlements.length > 0) {
          const lost = yield* untilSettled(logSettleOutages(queue.settle(settlements)))
          if (lost !== undefined) {
            yield* countEnds(ends, new Set(lost))
            if (lost.length > 0)
              yield* Effect.annotateLogs(Effect.logWarning("Leases expired before settlement"), {
                deliveries: lost.length,
              })
          }
        }
        if (releases.length > 0) {
          yield* count(metrics.deliveriesReleased.of(), releases.length)
          yield* untilSettled(logSettleOutages(queue.release(releases)))
        }
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            for (const { claimId } of batch) inFlight.delete(claimId)
            Queue.offerUnsafe(wake, undefined)
          }),
        ),
      )

    const renew = Effect.suspend(() =>
      inFlight.size === 0 ? Effect.void : queue.renew(deliveryLeaseMs),
    ).pipe(logRenewOutages, Effect.ignoreCause)

    const untilIdle = Effect.whileLoop({
      while: () => inFlight.size > 0,
      body: () => Queue.take(wake),
      step: () => {},
    })

    const waitToRenew = Effect.sleep(Duration.millis(deliveryLeaseMs / 3))
    yield* forkLoop("Renewing leases ended", Effect.forever(Effect.andThen(waitToRenew, renew)))
    yield* forkLoop(
      "Listening to hints ended",
      Effect.forever(Effect.andThen(Queue.take(hints), Queue.offer(wake, undefined))),
    )
    const claimer = yield* forkLoop("Claiming deliveries ended", claimWhenDue)
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* atMost(Fiber.interrupt(claimer), storeRetryMaxMs)
        yield* atMost(untilIdle, options.shutdownGraceMs)
        yield* Fiber.interruptAll(inFlight.values())
        yield* atMost(untilIdle, storeRetryMaxMs)
      }),
    )
  })

/** How many attempts start before other work of the process gets its turn. */
const startsAtOnce = 16

interface EndedAttempt {
  readonly claimId: string
  readonly delivery: Delivery
  readonly exit: Exit.Exit<AttemptResult, SenderFault>
}

interface EndedDelivery {
  readonly delivery: Delivery
  readonly settlement: Settlement
}

/** Counts the attempts, the deliveries that ended with them, and how long those took that arrived. */
const countEnds = (ends: ReadonlyArray<EndedDelivery>, lost: ReadonlySet<string>) =>
  Effect.gen(function* () {
    if (lost.size > 0) yield* count(metrics.leasesLost.of(), lost.size)
    const now = yield* Clock.currentTimeMillis
    for (const { delivery, settlement } of ends) {
      const { attempt, outcome, claimId, random } = settlement
      const { reason = "" } = attempt
      yield* count(metrics.deliveryAttempts.of(outcome.kind, reason))
      yield* observe(metrics.deliveryAttemptDuration.of(), attempt.durationMs / 1_000)
      if (lost.has(claimId)) continue
      const settled = settleDelivery(delivery, outcome, now, random)
      if (!isSettled(settled)) continue
      yield* count(metrics.deliveriesSettled.of(settled.state, reason))
      // Resending starts to count the attempts again.
      if (settled.state === "delivered" && delivery.attempt === delivery.attemptsUsed)
        yield* observe(metrics.deliveryArrival.of(), Math.max(0, now - delivery.createdAt) / 1_000)
    }
  })

const makeAttempt = ({
  baseUrl,
  sendsTraceparent = true,
  otherRecipients = () => undefined,
}: DispatchOptions) =>
  Effect.gen(function* () {
    const send = yield* makeSendNotification
    const clock = yield* Clock.Clock
    const tokens = yield* AcknowledgeTokens
    const prepare = makePreparedMethods()
    const attempt = (
      claimed: ClaimedDelivery,
      traceparent: string | undefined,
    ): Effect.Effect<AttemptResult, SenderFault> => {
      const { delivery, alertMethod } = claimed
      const { notification } = delivery
      const toOther = otherRecipients(claimed)
      if (toOther !== undefined) return toOther
      const fail = (reason: FailureReason) =>
        Effect.sync(() => undeliverable(delivery.attempt, clock.currentTimeMillisUnsafe(), reason))
      if (alertMethod === undefined) return fail("method_not_found")
      if (claimed.isDisabled) return fail("method_disabled")
      const prepared = prepare(alertMethod)
      const facts = {
        id: notification.id,
        event: notification.event,
        attempt: delivery.attempt,
        traceparent: sendsTraceparent ? traceparent : undefined,
      }
      if (!acknowledgedEvents.has(notification.event) || !usesVariable(prepared.template, "acknowledge_link"))
        return send(prepared, facts, notificationValues(notification, baseUrl))
      return Effect.flatMap(
        tokens.issue(notification, clock.currentTimeMillisUnsafe() + acknowledgeLinkLifetimeMs),
        (token) => {
          const maskToken = makeMask([token])
          const masked = { ...prepared, mask: (text: string) => prepared.mask(maskToken(text)) }
          return send(masked, facts, notificationValues(notification, baseUrl, token))
        },
      )
    }
    return (claimed: ClaimedDelivery): Effect.Effect<AttemptResult, SenderFault> =>
      Effect.withFiber((fiber) => {
        const { traceparent } = claimed.delivery.notification
        return isTraced(fiber)
          ? traceAttempt(claimed.delivery, (current) => attempt(claimed, current))
          : attempt(claimed, traceparent)
      })
  })

/** Makes an attempt within a span that continues the trace of the notification. */
const traceAttempt = (
  { notification, attempt: number }: Delivery,
  attempt: (traceparent: string) => Effect.Effect<AttemptResult, SenderFault>,
) => {
  const parent = parseTraceparent(notification.traceparent)
  const attributes = { "tocsin.event": notification.event, "tocsin.attempt": number }
  return Effect.useSpan(
    "deliverNotification",
    { kind: "client", attributes, ...(parent === undefined ? { root: true } : { parent }) },
    (span) =>
      Effect.map(Effect.withParentSpan(attempt(traceparentOf(span)), span), (result) => {
        const { status, reason } = result.attempt
        span.attribute("tocsin.outcome", result.outcome.kind)
        if (status !== undefined) span.attribute("http.response.status_code", status)
        if (reason !== undefined) span.attribute("error.type", reason)
        return result
      }),
  )
}

/** Waits for an effect at most `ms`; within a finalizer it would not be interruptible otherwise. */
const atMost = <A>(effect: Effect.Effect<A>, ms: number) =>
  Effect.timeoutOption(Effect.interruptible(effect), Duration.millis(ms))

/** An interrupted attempt is due again at once; one that failed because of the sender is delayed. */
const releaseDelayMs = (cause: Cause.Cause<SenderFault>): number =>
  Cause.hasInterruptsOnly(cause) ? 0 : senderFaultDelayMs

/** Retries until the queue responds; undefined if retrying cannot help. */
const untilSettled = <A>(effect: Effect.Effect<A, StoreIsUnavailable>) =>
  effect.pipe(
    Effect.retry({ schedule: exponentialBackoff, while: (error) => error.isRetryable }),
    Effect.catchCause((cause) =>
      Effect.logError("Settling deliveries failed; they are sent again later", cause),
    ),
  )

const exponentialBackoff = Schedule.min([
  Schedule.exponential(storeRetryMinMs),
  Schedule.spaced(storeRetryMaxMs),
])
