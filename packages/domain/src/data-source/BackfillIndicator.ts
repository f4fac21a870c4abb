import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { countsPerRequestMax } from "../counts/DecodeCounts.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { wholeGapMaxMs } from "./CounterGaps.ts"
import { type IndicatorProblem, sampleProblems } from "./IndicatorStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { MetricsAreUnavailable } from "./MetricSource.ts"
import { markGaps } from "./MarkGaps.ts"
import { addGroups } from "./KeepGroups.ts"
import { makeSourceFinder } from "./FindSource.ts"
import { plannedObjectives, type ReadCounts } from "./ReadCounts.ts"
import type { IndicatorRead } from "./ReadTogether.ts"
import { retryAt } from "./PollPlan.ts"
import { type ClaimedBackfill, type Backfill, type BackfillSettled, BackfillStore } from "./BackfillStore.ts"
import { latestReadTo } from "../status/SloStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Most minutes that one part of a backfill covers: a day. */
const backfillPartMaxMinutes = 1_440

/** Longest time without a successful read after which a backfill fails, in milliseconds. */
export const backfillOutageMaxMs = 86_400_000

/**
 * The next part to read; `undefined` once everything is read. The minutes behind the range are read as far as a gap of a
 * counter that began in the range may end, since its events are spread over the gap.
 *
 * A part has at most a day, a quarter of it after each failure, and at most `countsPerRequestMax` counts.
 */
export const planBackfill = (
  { range, readTo, failures }: Pick<Backfill, "range" | "readTo" | "failures">,
  objectives: number,
  indicatorReadTo: number,
): MinuteRange | undefined => {
  const end = Math.max(range.to, Math.min(range.to + wholeGapMaxMs, indicatorReadTo))
  if (readTo >= end) return undefined
  const minutesMax = Math.floor(countsPerRequestMax / Math.max(1, objectives))
  const wanted = Math.floor(backfillPartMaxMinutes / 4 ** Math.min(failures, 10))
  const minutes = Math.max(1, Math.min(minutesMax, wanted))
  return { from: readTo, to: Math.min(end, readTo + minutes * minuteMs) }
}

/** The next step of a backfill. */
export interface PlannedBackfill {
  readonly claimed: ClaimedBackfill
  /** The part to read; absent: all parts are read. */
  readonly range: MinuteRange | undefined
  readonly read: Omit<IndicatorRead, "range">
}

/**
 * Plans the next steps of backfills of one organization, without those that have a defect. Those that are read from the same data source
 * have the same `server`.
 */
export const planBackfills = (
  organization: OrganizationId,
  backfills: ReadonlyArray<ClaimedBackfill>,
): Effect.Effect<ReadonlyArray<PlannedBackfill>, StoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    const sourceOf = makeSourceFinder(organization)
    const plans = yield* Effect.forEach(backfills, (claimed) =>
      Effect.gen(function* (): Effect.fn.Return<
        ReadonlyArray<PlannedBackfill>,
        StoreIsUnavailable,
        DefinitionStore
      > {
        const { slo: stored, indicator: state, backfill } = claimed
        const { indicator } = state
        const { server } = yield* sourceOf(indicator)
        const slo = stored.definition
        const range = planBackfill(backfill, plannedObjectives(slo), latestReadTo(state) ?? 0)
        // Gaps that began before the range have their events there, which are left as they are.
        return [{ claimed, range, read: { organization, slo, indicator, server, oldest: 0 } }]
      }).pipe(
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logError("Planning a backfill failed", Cause.die(defect)), []),
        ),
      ),
    )
    return plans.flat()
  })

/** Replaces the minutes of a backfill whose parts are all read. */
export const completeBackfill = (
  claimed: ClaimedBackfill,
): Effect.Effect<void, StoreIsUnavailable, BackfillStore> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (claimed.backfill.firstAt === undefined) {
      yield* settleStep(claimed, now, { state: "failed", reason: "no_values" })
      return
    }
    const names = plainObjectivesOf(claimed.slo.definition).map(({ name }) => name)
    yield* (yield* BackfillStore).complete(claimed, names, now)
  })

/** Keeps what was read of a part. The next part is due after those of other backfills that are due now. */
export const settleBackfill = (
  claimed: ClaimedBackfill,
  part: MinuteRange,
  result: Result.Result<ReadCounts, MetricsAreUnavailable>,
): Effect.Effect<void, StoreIsUnavailable, AnnotationStore | DefinitionStore | BackfillStore> =>
  Effect.gen(function* () {
    const { organization, slo, backfill } = claimed
    const { range } = backfill
    const now = yield* Clock.currentTimeMillis
    if (Result.isFailure(result)) {
      const { reason, detail } = result.failure
      const failures = backfill.failures + 1
      const problem = { reason, detail, at: now }
      yield* now - backfill.readAt >= backfillOutageMaxMs
        ? settleStep(claimed, now, { state: "failed", reason: "source_unavailable", failures, problem })
        : settleStep(claimed, now, { failures, problem, dueAt: retryAt(failures, now) })
      return
    }
    const { counts, groups, problem, gaps } = result.success
    const read = counts.filter(({ at }) => at >= range.from && at < range.to)
    const first = read.reduce((first, { at }) => Math.min(first, at), backfill.firstAt ?? range.to)
    const { problem: before, ...rest } = backfill
    const current = problem === undefined ? problemOfSamples(before) : { ...problem, at: now }
    yield* addGroups(organization, slo.definition, groups)
    const isSettled = yield* settleStep({ ...claimed, backfill: rest }, now, {
      readTo: part.to,
      failures: 0,
      readAt: now,
      counts: read,
      ...(first < range.to && { firstAt: first }),
      ...(current !== undefined && { problem: current }),
    })
    // The counts of a backfill that was canceled meanwhile are not used.
    if (isSettled) yield* markGaps(organization, slo.definition, gaps, now)
  })

/** A problem of earlier values, which later ones do not solve. */
const problemOfSamples = (problem: IndicatorProblem | undefined): IndicatorProblem | undefined =>
  sampleProblems.some((each) => each === problem?.reason) ? problem : undefined

const settleStep = (claimed: ClaimedBackfill, now: number, change: Partial<BackfillSettled>) =>
  Effect.flatMap(BackfillStore, (store) => {
    const { range: _range, startedAt: _startedAt, ...state } = claimed.backfill
    return store.settle(claimed, {
      ...state,
      counts: [],
      dueAt: now,
      ...change,
      ...(change.state === "failed" && { endedAt: now }),
    })
  })
