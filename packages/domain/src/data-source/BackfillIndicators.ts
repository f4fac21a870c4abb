import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import { watchClock } from "../ClockWatch.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { logOutages } from "../OutageLog.ts"
import type { MetricSource } from "./MetricSource.ts"
import { indicatorLeaseMs, indicatorRetryMaxMs } from "./PollPlan.ts"
import { backfillIndicator } from "./BackfillIndicator.ts"
import { type ClaimedBackfill, BackfillStore } from "./BackfillStore.ts"

/** Interval between looks for due backfills, in milliseconds. */
const backfillPollMs = 1_000

/** Most backfills, of one organization each, that a process reads concurrently. */
const backfillsAtOnce = 4

/**
 * Continues the backfills of all organizations until it is interrupted.
 *
 * An organization has one step of a backfill in flight, apart from the reading of present minutes, which backfills therefore do not
 * delay. Several processes may run it on one database. Failures of our own stores are retried when the lease expires; on
 * interruption, claims are released.
 */
export const backfillIndicators: Effect.Effect<
  never,
  never,
  AnnotationStore | DefinitionStore | MetricSource | BackfillStore
> = Effect.scoped(
  Effect.gen(function* () {
    const store = yield* BackfillStore
    const start = yield* FiberSet.makeRuntime<
      AnnotationStore | DefinitionStore | MetricSource | BackfillStore
    >()
    const wake = yield* Queue.sliding<void>(1)
    const logging = yield* logOutages("Reading due backfills failed")
    const followClock = yield* watchClock((now) => store.makeDue(now, indicatorRetryMaxMs))
    const inFlight = new Set<OrganizationId>()

    const begin = (claimed: ClaimedBackfill): void => {
      inFlight.add(claimed.organization)
      start(
        Effect.ensuring(
          stepSafely(claimed),
          Effect.sync(() => {
            inFlight.delete(claimed.organization)
            Queue.offerUnsafe(wake, undefined)
          }),
        ),
      )
    }

    const claim = Effect.gen(function* () {
      yield* followClock
      const backfillsMax = backfillsAtOnce - inFlight.size
      if (backfillsMax <= 0) return
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* store.claim({ now, leaseMs: indicatorLeaseMs, inFlight, backfillsMax })
      for (const each of claimed) begin(each)
    }).pipe(Effect.uninterruptible, logging, Effect.ignoreCause)

    return yield* Effect.forever(
      Effect.andThen(claim, Effect.timeoutOption(Queue.take(wake), Duration.millis(backfillPollMs))),
    )
  }),
)

const stepSafely = (claimed: ClaimedBackfill) =>
  backfillIndicator(claimed).pipe(
    Effect.onInterrupt(() => giveBack(claimed)),
    Effect.catchCause((cause) => Effect.logError("Storing the counts of a backfill failed", cause)),
  )

const giveBack = (claimed: ClaimedBackfill) =>
  Effect.gen(function* () {
    const dueAt = yield* Clock.currentTimeMillis
    yield* (yield* BackfillStore).settle(claimed, { ...claimed.backfill, counts: [], dueAt })
  }).pipe(Effect.ignore)
