import { groupBy } from "../collections/GroupBy.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { Slo } from "../slo/Slo.ts"
import { observe } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Semaphore from "effect/Semaphore"
import * as Queue from "effect/Queue"
import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import type { CountStore } from "../counts/CountStore.ts"
import { watchClock } from "../ClockWatch.ts"
import { logOutages } from "../OutageLog.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { workFor } from "../quota/ProcessorShares.ts"
import { type HistoryTurns, historyWaitMs, makeHistoryTurns } from "./HistoryTurns.ts"
import { type IndicatorBatch, IndicatorStore } from "./IndicatorStore.ts"
import type { MetricSource } from "./MetricSource.ts"
import { type PlannedPoll, planPolls, settlePoll } from "./PollIndicator.ts"
import { plannedObjectives } from "./ReadCounts.ts"
import { type CountsResult, readEachTogether, type ReadsTogether } from "./ReadTogether.ts"
import { indicatorLeaseMs, indicatorRetryMaxMs, type PollPlan } from "./PollPlan.ts"

/** Interval between polls for due indicators, in milliseconds. */
const indicatorPollMs = 1_000

/** Most batches of indicators, each of one organization and server, that a process reads concurrently. */
export const indicatorBatchesAtOnce = 32

/** Most batches of indicators of one organization that a process reads concurrently. */
const indicatorBatchesPerOrganizationAtOnce = 8

/** Most SLOs of one batch of indicators whose counts of many minutes are stored concurrently. */
const storedAtOnce = 5

/** Most SLOs whose counts of new minutes are stored concurrently: stores write few counts of many SLOs together. */
const newStoredAtOnce = 25

/** Most SLOs in one batch of indicators. */
export const indicatorBatchMax = 100

/** Most counts that are read together, of all SLOs. */
const countsTogetherMax = 200_000

/**
 * Most queries of a batch that reads older minutes, or many, which are in flight: those of new minutes of the same server find free
 * connections beside these and those of backfills.
 */
const longQueriesAtOnce = 4

/** From how many counts on minutes are read a few ranges at a time by all batches of a process. */
const longReadMinCounts = 20_000

/** Up to how long a range is one of new minutes, in milliseconds, which wait for no history. */
const newMinutesMaxMs = 3_600_000

/** Most reads of that many counts at once, beside those of older minutes. */
const longReadsAtOnce = 4

/** Most of them of one organization. */
const longReadsPerOrganizationAtOnce = 2

/** After how long a batch leaves what is longer to read, or older, to the next, in milliseconds, so that new minutes do not wait. */
export const batchMaxMs = 5_000

/**
 * Reads the counts of all due indicators until it is interrupted.
 *
 * An organization has one batch in flight per server, and batches for a few servers, so that neither a slow server
 * nor an organization with many servers delays others. Older minutes are read of fewer servers at once, and no batch waits for
 * them: while a batch reads them, another one of the same server can begin. Several processes may run it on one database. Failures of our own stores are retried when the lease expires; on
 * interruption, claims are released.
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
    const turns = yield* makeTurns
    const history = makeHistoryTurns()
    const inFlight = new Map<OrganizationId, Set<string>>()
    let batches = 0

    const begin = (batch: IndicatorBatch): void => {
      const { organization, server } = batch
      const servers = inFlight.get(organization) ?? new Set()
      inFlight.set(organization, servers.add(server))
      batches++
      let isInFlight = true
      const letOthers = (): void => {
        if (!isInFlight) return
        isInFlight = false
        servers.delete(server)
        if (servers.size === 0) {
          inFlight.delete(organization)
          turns.forget(organization)
        }
        // More may be due of it.
        Queue.offerUnsafe(wake, undefined)
      }
      start(
        Effect.ensuring(
          pollAll(batch, (read) => turns.take(organization, read), { history, letOthers }),
          Effect.sync(() => {
            letOthers()
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

/** Reads of many counts, of which a few are done at once. */
const makeTurns = Effect.map(Semaphore.make(longReadsAtOnce), (all) => {
  const byOrganization = new Map<OrganizationId, Semaphore.Semaphore>()
  return {
    take: <A, E, R>(organization: OrganizationId, read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      const own = byOrganization.get(organization) ?? Semaphore.makeUnsafe(longReadsPerOrganizationAtOnce)
      byOrganization.set(organization, own)
      return own.withPermits(1)(all.withPermits(1)(read))
    },
    /** Once it has no batch any more. */
    forget: (organization: OrganizationId): boolean => byOrganization.delete(organization),
  }
})

/**
 * Polls those together that read the same minutes, older minutes last, and few minutes first. If it takes long, if there is no turn for
 * older minutes, or if interrupted, releases the remaining claims, so that another batch or process continues.
 */
const pollAll = (
  batch: IndicatorBatch,
  takeTurn: <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  { history, letOthers }: { readonly history: HistoryTurns; readonly letOthers: () => void },
) => {
  const { organization, server, polls } = batch
  const left = new Set(polls)
  const releaseLeft = (dueAt: number) =>
    Effect.gen(function* () {
      if (left.size > 0) yield* (yield* IndicatorStore).release({ ...batch, polls: [...left] }, dueAt)
    }).pipe(Effect.ignore)
  let hasTurn = false
  return Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const parts = partsOf(yield* planPolls(polls))
    for (const [index, { planned, kind, isLong }] of parts.entries()) {
      const now = yield* Clock.currentTimeMillis
      const isHistory = kind === "history"
      if ((isLong || isHistory) && index > 0 && now - startedAt >= batchMaxMs) break
      if (isHistory && !hasTurn) {
        const askAgainAt = history.take(organization, server, now, historyWaitMs(left.size))
        if (askAgainAt !== undefined) {
          const nextMinuteAt = parts.flatMap(({ planned }) => planned.map((poll) => poll.nextMinuteAt))
          return yield* releaseLeft(Math.min(askAgainAt, ...nextMinuteAt))
        }
        hasTurn = true
        letOthers()
      }
      const storedMax = isHistory || isLong ? storedAtOnce : newStoredAtOnce
      const settle = (poll: PlannedPoll, result?: CountsResult) =>
        Effect.tap(settleSafely(poll, result), () => Effect.sync(() => left.delete(poll.claimed)))
      if (planned.some(({ range }) => range === undefined))
        yield* Effect.forEach(planned, (poll) => settle(poll), { concurrency: storedMax, discard: true })
      else {
        const read = readEachTogether(planned, settle, {
          usedAtOnce: storedMax,
          ...((isLong || isHistory) && { limits: { queriesAtOnce: longQueriesAtOnce } }),
          reading: (read) => (isLong && !isHistory ? takeTurn(measured(read)) : measured(read)),
        })
        // Few new minutes go ahead of all heavy work.
        yield* isHistory || isLong ? workFor(organization)(read) : read
      }
    }
    yield* releaseLeft(yield* Clock.currentTimeMillis)
  }).pipe(
    Effect.catchCause(logFailure),
    Effect.onInterrupt(() => Effect.flatMap(Clock.currentTimeMillis, releaseLeft)),
    Effect.ensuring(
      Effect.sync(() => {
        if (hasTurn) history.end(organization, server)
      }),
    ),
  )
}

interface PartOfBatch extends Pick<PollPlan, "kind"> {
  readonly planned: ReadonlyArray<PlannedPoll>
  readonly isLong: boolean
}

/** Divides what reads the same minutes into parts that have at most `countsTogetherMax` counts. */
export const partsOfCounts = <
  A extends { readonly range?: MinuteRange | undefined; readonly read: { readonly slo: Slo } },
>(
  all: ReadonlyArray<A>,
): ReadonlyArray<{ readonly planned: ReadonlyArray<A>; readonly counts: number }> => {
  const parts: Array<{ readonly planned: Array<A>; counts: number }> = []
  for (const each of all) {
    const { range = { from: 0, to: 0 } } = each
    const more = ((range.to - range.from) / minuteMs) * plannedObjectives(each.read.slo)
    const part = parts.at(-1)
    if (part === undefined || part.counts + more > countsTogetherMax)
      parts.push({ planned: [each], counts: more })
    else {
      part.planned.push(each)
      part.counts += more
    }
  }
  return parts
}

/** Polls that read the same minutes, older minutes last, and few minutes first. */
const partsOf = (planned: ReadonlyArray<PlannedPoll>): ReadonlyArray<PartOfBatch> => {
  const byRange = groupBy(planned, ({ kind, range }) =>
    range === undefined ? "" : `${kind} ${range.from} ${range.to}`,
  )
  const parts: Array<PartOfBatch> = []
  const minutesOf = ({ range }: PlannedPoll): number =>
    range === undefined ? 0 : (range.to - range.from) / minuteMs
  const isOlder = ({ kind }: PlannedPoll): number => (kind === "history" ? 1 : 0)
  const ordered = [...byRange.values()].toSorted(([a], [b]) =>
    a && b ? isOlder(a) - isOlder(b) || minutesOf(a) - minutesOf(b) : 0,
  )
  for (const polls of ordered) {
    const kind = polls[0]?.kind ?? "new"
    const isLong = polls.some((poll) => minutesOf(poll) * minuteMs > newMinutesMaxMs)
    for (const { planned, counts } of partsOfCounts(polls))
      parts.push({ planned, kind, isLong: isLong && counts >= longReadMinCounts })
  }
  return parts
}

/** Observes how long each read has taken. */
const measured: ReadsTogether = (read) =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const results = yield* read
    const seconds = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt) / 1_000
    for (const _ of results) yield* observe(metrics.indicatorPollDuration.of(), seconds)
    return results
  })

const logFailure = (cause: Cause.Cause<unknown>) =>
  Effect.logError("Storing the counts of an indicator failed", cause)

const settleSafely = (...poll: Parameters<typeof settlePoll>) =>
  Effect.catchCause(settlePoll(...poll), logFailure)
