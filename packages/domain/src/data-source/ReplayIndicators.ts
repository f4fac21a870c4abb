import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { watchClock } from "../ClockWatch.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { logOutages } from "../OutageLog.ts"
import type { MetricSource } from "./MetricSource.ts"
import { batchMaxMs, indicatorBatchMax, partsOfCounts } from "./PollIndicators.ts"
import { indicatorLeaseMs, indicatorRetryMaxMs } from "./PollPlan.ts"
import { readCountsTogether } from "./ReadTogether.ts"
import { planReplays, settleReplay } from "./ReplayIndicator.ts"
import { type ClaimedReplay, ReplayStore } from "./ReplayStore.ts"

/** Interval between looks for due replays, in milliseconds. */
const replayPollMs = 1_000

/** Most organizations of which a process reads replays concurrently. */
const replaysAtOnce = 4

/** Most SLOs of a batch of replays whose counts are stored concurrently. */
const replaysStoredAtOnce = 5

/**
 * Continues the replays of all organizations until it is interrupted.
 *
 * An organization has one batch of steps in flight, of replays that are read from one server, apart from the reading of present minutes,
 * which replays therefore do not delay. Several processes may run it on one database. Failures of our own stores are retried when the
 * lease expires; on interruption, claims are released.
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

    const begin = (organization: OrganizationId, claimed: ReadonlyArray<ClaimedReplay>): void => {
      inFlight.add(organization)
      start(
        Effect.ensuring(
          stepAll(claimed),
          Effect.sync(() => {
            inFlight.delete(organization)
            Queue.offerUnsafe(wake, undefined)
          }),
        ),
      )
    }

    const claim = Effect.gen(function* () {
      yield* followClock
      const organizationsMax = replaysAtOnce - inFlight.size
      if (organizationsMax <= 0) return
      const claimed = yield* store.claim({
        now: yield* Clock.currentTimeMillis,
        leaseMs: indicatorLeaseMs,
        inFlight,
        organizationsMax,
        replaysPerOrganizationMax: indicatorBatchMax,
      })
      for (const each of groupBy(claimed, ({ organization }) => organization)) begin(...each)
    }).pipe(Effect.uninterruptible, logging, Effect.ignoreCause)

    return yield* Effect.forever(
      Effect.andThen(claim, Effect.timeoutOption(Queue.take(wake), Duration.millis(replayPollMs))),
    )
  }),
)

/**
 * Takes the next step of each, and reads those together that read the same minutes. If interrupted, or if it takes long, releases the
 * remaining claims.
 */
const stepAll = (claimed: ReadonlyArray<ClaimedReplay>) => {
  const left = new Set(claimed)
  return Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const byRange = groupBy(yield* planReplays(claimed), ({ range }) => range && `${range.from} ${range.to}`)
    const parts = [...byRange.values()].flatMap(partsOfCounts)
    for (const [index, { planned }] of parts.entries()) {
      if (index > 0 && (yield* Clock.currentTimeMillis) - startedAt >= batchMaxMs) break
      const reads = planned.flatMap(({ range, read }) => (range === undefined ? [] : { ...read, range }))
      const results = yield* readCountsTogether(reads)
      yield* Effect.forEach(
        planned,
        (each, at) =>
          Effect.tap(Effect.catchCause(settleReplay(each, results[at]), logFailure), () =>
            Effect.sync(() => left.delete(each.claimed)),
          ),
        { concurrency: replaysStoredAtOnce, discard: true },
      )
    }
    yield* Effect.forEach(left, giveBack, { discard: true })
  }).pipe(
    Effect.catchCause(logFailure),
    Effect.onInterrupt(() => Effect.forEach(left, giveBack, { discard: true })),
  )
}

const logFailure = (cause: Cause.Cause<unknown>) =>
  Effect.logError("Storing the counts of a replay failed", cause)

const giveBack = (claimed: ClaimedReplay) =>
  Effect.gen(function* () {
    const dueAt = yield* Clock.currentTimeMillis
    yield* (yield* ReplayStore).settle(claimed, { ...claimed.replay, counts: [], dueAt })
  }).pipe(Effect.ignore)
