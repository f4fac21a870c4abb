import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import type { CountStore } from "../counts/CountStore.ts"
import { watchClock } from "../ClockWatch.ts"
import { logOutages } from "../OutageLog.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { type ClaimedIndicator, type IndicatorBatch, IndicatorStore } from "./IndicatorStore.ts"
import type { MetricSource } from "./MetricSource.ts"
import { pollIndicator } from "./PollIndicator.ts"
import { indicatorRetryMaxMs } from "./PollPlan.ts"

/** Interval between polls for due indicators, in milliseconds. */
const indicatorPollMs = 1_000

/** Most batches of indicators, each of one organization and server, that a process reads concurrently. */
export const indicatorBatchesAtOnce = 32

/** Most batches of indicators of one organization that a process reads concurrently. */
const indicatorBatchesPerOrganizationAtOnce = 8

/** Most SLOs of one batch of indicators that are read concurrently. */
const indicatorsPerBatchAtOnce = 5

/** Most SLOs in one batch of indicators. */
const indicatorBatchMax = 25

/** Lease of an indicator that a process reads, in milliseconds; longer than reading a batch can take. */
export const indicatorLeaseMs = 120_000

/**
 * Reads the counts of all due indicators until it is interrupted.
 *
 * An organization has one batch in flight per server, and batches for a few servers, so that neither a slow server
 * nor an organization with many servers delays others. Several processes may run it on one database. Failures of our
 * own stores are retried when the lease expires; on interruption, claims are released.
 */
export const pollIndicators: Effect.Effect<
  never,
  never,
  AnnotationStore | CountStore | DefinitionStore | IndicatorStore | MetricSource
> = Effect.scoped(
  Effect.gen(function* () {
    const store = yield* IndicatorStore
    const start = yield* FiberSet.makeRuntime<
      AnnotationStore | CountStore | DefinitionStore | IndicatorStore | MetricSource
    >()
    const wake = yield* Queue.sliding<void>(1)
    const logging = yield* logOutages("Reading due indicators failed")
    const followClock = yield* watchClock((now) => store.makeDue(now, indicatorRetryMaxMs))
    const inFlight = new Map<OrganizationId, Set<string>>()
    let batches = 0

    const begin = ({ organization, server, polls }: IndicatorBatch): void => {
      const servers = inFlight.get(organization) ?? new Set()
      inFlight.set(organization, servers.add(server))
      batches++
      start(
        Effect.ensuring(
          pollAll(polls),
          Effect.sync(() => {
            servers.delete(server)
            if (servers.size === 0) inFlight.delete(organization)
            batches--
            // There may be more to read of it, which would otherwise wait for the next look.
            Queue.offerUnsafe(wake, undefined)
          }),
        ),
      )
    }

    const claim = Effect.gen(function* () {
      yield* followClock
      const batchesMax = indicatorBatchesAtOnce - batches
      if (batchesMax <= 0) return
      const claimed = yield* store.claim({
        now: yield* Clock.currentTimeMillis,
        leaseMs: indicatorLeaseMs,
        inFlight,
        batchesMax,
        batchesPerOrganizationMax: indicatorBatchesPerOrganizationAtOnce,
        pollsPerBatchMax: indicatorBatchMax,
      })
      for (const batch of claimed) begin(batch)
    }).pipe(Effect.uninterruptible, logging, Effect.ignoreCause)

    return yield* Effect.forever(
      Effect.andThen(claim, Effect.timeoutOption(Queue.take(wake), Duration.millis(indicatorPollMs))),
    )
  }),
)

/** Polls a few at a time. If interrupted, releases the remaining claims, so that another process continues at once. */
const pollAll = (polls: ReadonlyArray<ClaimedIndicator>) => {
  const left = new Set(polls)
  return Effect.forEach(
    polls,
    (claimed) => Effect.tap(pollSafely(claimed), () => Effect.sync(() => left.delete(claimed))),
    { concurrency: indicatorsPerBatchAtOnce, discard: true },
  ).pipe(Effect.onInterrupt(() => Effect.forEach(left, giveBack, { discard: true })))
}

const pollSafely = (claimed: ClaimedIndicator) =>
  Effect.catchCause(pollIndicator(claimed), (cause) =>
    Effect.logError("Storing the counts of an indicator failed", cause),
  )

const giveBack = ({ organization, slo, state }: ClaimedIndicator) =>
  Effect.gen(function* () {
    const { project, name } = slo.definition.metadata
    const { indicator: _indicator, ...kept } = state
    const dueAt = yield* Clock.currentTimeMillis
    yield* (yield* IndicatorStore).settle(organization, { project, name }, state, { ...kept, dueAt })
  }).pipe(Effect.ignore)
