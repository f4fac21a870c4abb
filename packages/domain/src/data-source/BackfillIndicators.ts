import * as Cause from "effect/Cause"
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
import { workFor } from "../quota/ProcessorShares.ts"
import { readEachTogether } from "./ReadTogether.ts"
import { completeBackfill, planBackfills, type PlannedBackfill, settleBackfill } from "./BackfillIndicator.ts"
import { type ClaimedBackfill, BackfillStore } from "./BackfillStore.ts"

/** Interval between looks for due backfills, in milliseconds. */
const backfillPollMs = 1_000

/** Most organizations of which a process reads backfills concurrently. */
const backfillsAtOnce = 4

/** Most queries of a batch of backfills in flight: those of present minutes find free connections to the same server beside them. */
const backfillQueriesAtOnce = 2

/** After how long a batch reads no more, even if nothing else was read, in milliseconds, so that its lease does not end before it. */
const batchReadMaxMs = indicatorLeaseMs / 3

/** Most SLOs of a batch of backfills whose counts are stored concurrently. */
const backfillsStoredAtOnce = 2

/**
 * Continues the backfills of all organizations until it is interrupted.
 *
 * An organization has one batch of steps in flight, of backfills that are read from one server, apart from the reading of present minutes,
 * which backfills therefore do not delay. Several processes may run it on one database. Failures of our own stores are retried when the
 * lease expires; on interruption, claims are released.
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

    const begin = (organization: OrganizationId, claimed: ReadonlyArray<ClaimedBackfill>): void => {
      inFlight.add(organization)
      start(
        Effect.ensuring(
          stepAll(organization, claimed),
          Effect.sync(() => {
            inFlight.delete(organization)
            Queue.offerUnsafe(wake, undefined)
          }),
        ),
      )
    }

    const claim = Effect.gen(function* () {
      yield* followClock
      const organizationsMax = backfillsAtOnce - inFlight.size
      if (organizationsMax <= 0) return
      const claimed = yield* store.claim({
        now: yield* Clock.currentTimeMillis,
        leaseMs: indicatorLeaseMs,
        inFlight,
        organizationsMax,
        backfillsPerOrganizationMax: indicatorBatchMax,
      })
      for (const each of groupBy(claimed, ({ organization }) => organization)) begin(...each)
    }).pipe(Effect.uninterruptible, logging, Effect.ignoreCause)

    return yield* Effect.forever(
      Effect.andThen(claim, Effect.timeoutOption(Queue.take(wake), Duration.millis(backfillPollMs))),
    )
  }),
)

/**
 * Takes the next step of each: reads those together that read the same minutes, and completes those one after the other that are read. If
 * interrupted, or if it takes long, releases the remaining claims, which are due again before what was read.
 *
 * Those with a defect keep their lease, so that they are not tried at once again, and keep no others from being read.
 */
const stepAll = (organization: OrganizationId, claimed: ReadonlyArray<ClaimedBackfill>) => {
  const left = new Set(claimed)
  const stepped = <E, R>(each: ClaimedBackfill, step: Effect.Effect<void, E, R>) =>
    Effect.tap(Effect.catchCause(step, logFailure), () => Effect.sync(() => left.delete(each)))
  return Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const endsAt = startedAt + batchReadMaxMs
    const releaseLeft = Effect.gen(function* () {
      if (left.size > 0) yield* (yield* BackfillStore).release(organization, [...left], startedAt)
    }).pipe(Effect.ignore)
    const readPart = (planned: ReadonlyArray<PlannedBackfill>) =>
      readEachTogether(
        planned,
        ({ claimed }, result, range) => stepped(claimed, settleBackfill(claimed, range, result)),
        { usedAtOnce: backfillsStoredAtOnce, limits: { queriesAtOnce: backfillQueriesAtOnce, endsAt } },
      )
    const readAlone = (each: PlannedBackfill) =>
      Effect.gen(function* () {
        if (!left.has(each.claimed) || (yield* Clock.currentTimeMillis) >= endsAt) return
        yield* stepped(each.claimed, readPart([each]))
      })
    yield* Effect.gen(function* () {
      const plans = yield* planBackfills(organization, claimed)
      const isPlanned = new Set(plans.map(({ claimed }) => claimed))
      for (const each of claimed) if (!isPlanned.has(each)) left.delete(each)
      for (const [index, planned] of partsOf(plans).entries()) {
        if (index > 0 && (yield* Clock.currentTimeMillis) - startedAt >= batchMaxMs) break
        const [first] = planned
        if (first === undefined) continue
        if (first.range === undefined) yield* stepped(first.claimed, completeBackfill(first.claimed))
        else if (planned.length === 1) yield* stepped(first.claimed, readPart(planned))
        else
          yield* Effect.catchDefect(readPart(planned), (defect) =>
            Effect.andThen(
              logFailure(Cause.die(defect)),
              Effect.forEach(planned, readAlone, { discard: true }),
            ),
          )
      }
      yield* releaseLeft
    }).pipe(
      workFor(organization),
      Effect.catchCause(logFailure),
      Effect.onInterrupt(() => releaseLeft),
    )
  })
}

/** Backfills that read the same minutes, the longest due first. Each that is to be completed, which can take long, is a part of its own. */
const partsOf = (planned: ReadonlyArray<PlannedBackfill>): ReadonlyArray<ReadonlyArray<PlannedBackfill>> => {
  const byRange = groupBy(planned, (each) =>
    each.range === undefined ? each : `${each.range.from} ${each.range.to}`,
  )
  return [...byRange.values()].flatMap(partsOfCounts).map(({ planned }) => planned)
}

const logFailure = (cause: Cause.Cause<unknown>) => Effect.logError("Continuing a backfill failed", cause)
