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
import { replayIndicator } from "./ReplayIndicator.ts"
import { type ClaimedReplay, ReplayStore } from "./ReplayStore.ts"

/** Interval between looks for due replays, in milliseconds. */
const replayPollMs = 1_000

/** Most replays, of one organization each, that a process reads concurrently. */
const replaysAtOnce = 4

/**
 * Continues the replays of all organizations until it is interrupted.
 *
 * An organization has one step of a replay in flight, apart from the reading of present minutes, which replays therefore do not
 * delay. Several processes may run it on one database. Failures of our own stores are retried when the lease expires; on
 * interruption, claims are released.
 */
export const replayIndicators: Effect.Effect<
  never,
  never,
  AnnotationStore | DefinitionStore | MetricSource | ReplayStore
> = Effect.scoped(
  Effect.gen(function* () {
    const store = yield* ReplayStore
    const start = yield* FiberSet.makeRuntime<
      AnnotationStore | DefinitionStore | MetricSource | ReplayStore
    >()
    const wake = yield* Queue.sliding<void>(1)
    const logging = yield* logOutages("Reading due replays failed")
    const followClock = yield* watchClock((now) => store.makeDue(now, indicatorRetryMaxMs))
    const inFlight = new Set<OrganizationId>()

    const begin = (claimed: ClaimedReplay): void => {
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
      const replaysMax = replaysAtOnce - inFlight.size
      if (replaysMax <= 0) return
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* store.claim({ now, leaseMs: indicatorLeaseMs, inFlight, replaysMax })
      for (const each of claimed) begin(each)
    }).pipe(Effect.uninterruptible, logging, Effect.ignoreCause)

    return yield* Effect.forever(
      Effect.andThen(claim, Effect.timeoutOption(Queue.take(wake), Duration.millis(replayPollMs))),
    )
  }),
)

const stepSafely = (claimed: ClaimedReplay) =>
  replayIndicator(claimed).pipe(
    Effect.onInterrupt(() => giveBack(claimed)),
    Effect.catchCause((cause) => Effect.logError("Storing the counts of a replay failed", cause)),
  )

const giveBack = (claimed: ClaimedReplay) =>
  Effect.gen(function* () {
    const dueAt = yield* Clock.currentTimeMillis
    yield* (yield* ReplayStore).settle(claimed, { ...claimed.replay, counts: [], dueAt })
  }).pipe(Effect.ignore)
