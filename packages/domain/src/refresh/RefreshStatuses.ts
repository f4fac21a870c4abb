import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { count } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import { withSpan } from "../telemetry/Tracing.ts"
import type { AlertStore } from "../alerting/AlertStore.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import { watchClock } from "../ClockWatch.ts"
import { logOutages } from "../OutageLog.ts"
import type { CountStore } from "../counts/CountStore.ts"
import { statusLeaseMs, makeFailedStatuses } from "./FailedStatuses.ts"
import { computeStatuses, writeStatuses } from "./RefreshStatus.ts"
import { type DueSlo, SloStore, type ComputedStatus } from "../status/SloStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Interval between polls for due statuses, in milliseconds. */
const statusPollMs = 1_000

/** Longest wait for a status whose counts change, in milliseconds. */
const statusWaitMs = 60_000

/** Most statuses that a process reads and writes in one batch. */
const statusBatchMax = 100

/** Most batches of statuses that a process computes concurrently. */
const statusBatchesAtOnce = 4

/**
 * Keeps the statuses of all organizations current until it is interrupted.
 *
 * Several processes may run it on one database: each status is computed by one of them at a time. Batches run
 * concurrently, so that one is computed while the store reads another. A status that fails is logged and retried with
 * exponential backoff, without delaying others. After the clock was set back, every status that would wait for longer than
 * `statusWaitMs` is computed at once.
 */
export const refreshStatuses: Effect.Effect<never, never, Stores> = Effect.scoped(
  Effect.gen(function* () {
    const slos = yield* SloStore
    const logging = yield* logOutages("Reading due statuses failed")
    const refreshBatch = yield* makeRefreshBatch
    const followClock = yield* watchClock((now) => slos.makeDue(now, statusWaitMs))
    const start = yield* FiberSet.makeRuntime<Stores>()
    const places = yield* Semaphore.make(statusBatchesAtOnce)

    /** Starts a batch when there is capacity; returns whether more may be due. */
    const begin = Effect.gen(function* () {
      yield* followClock
      yield* places.take(1)
      const now = yield* Clock.currentTimeMillis
      const due = yield* slos
        .dueForStatus(now, statusBatchMax, statusLeaseMs)
        .pipe(Effect.onError(() => places.release(1)))
      start(Effect.ensuring(refreshBatch(due, logging), places.release(1)))
      return due.length === statusBatchMax
    }).pipe(logging)
    return yield* Effect.forever(
      Effect.flatMap(
        Effect.catchCause(begin, () => Effect.succeed(false)),
        (isMoreDue) => (isMoreDue ? Effect.yieldNow : Effect.sleep(statusPollMs)),
      ),
    )
  }),
)

type Stores = AlertStore | CountStore | DefinitionStore | SloStore

type OutageLogging = Effect.Success<ReturnType<typeof logOutages>>

/** Gives the function that computes the statuses of a batch, and remembers those which cannot be. */
const makeRefreshBatch = Effect.map(SloStore, (slos) => {
  const failed = makeFailedStatuses()
  let isOneTriedAgain = false

  /** Computes all or fails; gives those of which it was a failure of their own. */
  const computeTogether = (all: ReadonlyArray<DueSlo>) =>
    Effect.gen(function* () {
      const statuses: Array<ComputedStatus> = []
      const failures: Array<readonly [DueSlo, Cause.Cause<unknown>]> = []
      for (const { due, exit } of yield* computeStatuses(all)) {
        if (Exit.isFailure(exit)) failures.push([due, exit.cause])
        // A change has made it due.
        else if (exit.value !== undefined) statuses.push(exit.value)
      }
      const written = yield* writeStatuses(statuses)
      const writtenCount = written.filter((isWritten) => isWritten).length
      yield* count(metrics.statusRefreshes.of("written"), writtenCount)
      yield* count(metrics.statusRefreshes.of("changed"), written.length - writtenCount)
      return failures
    }).pipe(withSpan("refreshStatuses"))

  const postpone = (due: DueSlo, cause: Cause.Cause<unknown>) =>
    Effect.gen(function* () {
      yield* count(metrics.statusRefreshes.of("failed"))
      const waitMs = failed.add(due, yield* Clock.currentTimeMillis)
      const { project, name } = due.slo.definition.metadata
      yield* Effect.annotateLogs(Effect.logError("Computing a status failed", cause), {
        organization: due.organization,
        slo: `${project}/${name}`,
        retryAfterSeconds: Math.round(waitMs / 1_000),
      })
    })

  /** Whether it failed since the store is away: then the record of an SLO cannot be read either. */
  const isAway = (cause: Cause.Cause<Unavailable>, { organization, slo }: DueSlo) => {
    const failure = Cause.findErrorOption(cause)
    if (Option.isNone(failure) || !failure.value.isRetryable) return Effect.succeed(false)
    return Effect.isFailure(slos.find(organization, slo.definition.metadata))
  }

  /**
   * Computes statuses together. If that fails, tries tenths of them, and so on, down to the one that fails; after
   * `failuresMax` failures the rest waits until it is due again. Fails when the store is unavailable.
   */
  const refresh = (due: ReadonlyArray<DueSlo>) =>
    Effect.gen(function* () {
      const waiting = [due]
      let failures = 0
      for (const some of waiting) {
        const exit = yield* Effect.exit(computeTogether(some))
        if (Exit.isSuccess(exit)) {
          const alone = new Map(exit.value)
          for (const each of some) if (!alone.has(each)) failed.remove(each)
          yield* Effect.forEach(alone, ([each, cause]) => postpone(each, cause), { discard: true })
          continue
        }
        const [first] = some
        if (first === undefined || (yield* isAway(exit.cause, first))) return yield* exit
        if (some.length === 1) yield* postpone(first, exit.cause)
        else if (++failures > failuresMax) return yield* Effect.logError(notAllComputed, exit.cause)
        else waiting.push(...tenthsOf(some))
      }
    })

  return (due: ReadonlyArray<DueSlo>, logging: OutageLogging) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const turns = due.map((each) => [each, failed.turnOf(each, now)] as const)
      const together = turns.flatMap(([each, turn]) => (turn === "now" ? [each] : []))
      if (together.length > 0) {
        yield* failed.whileComputing(together)(refresh(together))
      }
      // One at a time, so that those which take long leave room for the others.
      const [alone] = turns.find(([, turn]) => turn === "alone") ?? []
      if (alone === undefined || isOneTriedAgain) return
      isOneTriedAgain = true
      yield* failed
        .whileComputing([alone])(refresh([alone]))
        .pipe(Effect.ensuring(Effect.sync(() => (isOneTriedAgain = false))))
    }).pipe(logging, Effect.ignoreCause)
})

type Unavailable = Effect.Error<ReturnType<typeof computeStatuses>> | StoreIsUnavailable

const tenthsOf = (due: ReadonlyArray<DueSlo>): ReadonlyArray<ReadonlyArray<DueSlo>> => {
  const length = Math.ceil(due.length / 10)
  return Array.from({ length: Math.ceil(due.length / length) }, (_, index) =>
    due.slice(index * length, (index + 1) * length),
  )
}

/** Of one batch. Each may take as long as the store lets a statement run. */
const failuresMax = 8

const notAllComputed = "Computing a batch of statuses failed"
