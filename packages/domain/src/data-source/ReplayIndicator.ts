import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
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
import type { MetricsAreUnavailable } from "./MetricSource.ts"
import { markGaps } from "./MarkGaps.ts"
import { addGroups } from "./KeepGroups.ts"
import { makeSourceFinder } from "./FindSource.ts"
import { plannedObjectives, type ReadCounts } from "./ReadCounts.ts"
import type { IndicatorRead } from "./ReadTogether.ts"
import { retryAt } from "./PollPlan.ts"
import { type ClaimedReplay, type Replay, type ReplaySettled, ReplayStore } from "./ReplayStore.ts"
import { latestReadTo } from "../status/SloStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Most minutes that one part of a replay covers: a day. */
const replayPartMaxMinutes = 1_440

/** Longest time without a successful read after which a replay fails, in milliseconds. */
export const replayOutageMaxMs = 86_400_000

/**
 * The next part to read; `undefined` once everything is read. The minutes behind the range are read as far as a gap of a
 * counter that began in the range may end, since its events are spread over the gap.
 *
 * A part has at most a day, a quarter of it after each failure, and at most `countsPerRequestMax` counts.
 */
export const planReplay = (
  { range, readTo, failures }: Pick<Replay, "range" | "readTo" | "failures">,
  objectives: number,
  indicatorReadTo: number,
): MinuteRange | undefined => {
  const end = Math.max(range.to, Math.min(range.to + wholeGapMaxMs, indicatorReadTo))
  if (readTo >= end) return undefined
  const minutesMax = Math.floor(countsPerRequestMax / Math.max(1, objectives))
  const wanted = Math.floor(replayPartMaxMinutes / 4 ** Math.min(failures, 10))
  const minutes = Math.max(1, Math.min(minutesMax, wanted))
  return { from: readTo, to: Math.min(end, readTo + minutes * minuteMs) }
}

/** The next step of a replay. */
export interface PlannedReplay {
  readonly claimed: ClaimedReplay
  /** The part to read; absent: all parts are read. */
  readonly range: MinuteRange | undefined
  readonly read: Omit<IndicatorRead, "range">
  /** When it was planned, in Unix milliseconds. */
  readonly now: number
}

/** Plans the next steps of replays of one organization. */
export const planReplays = (
  replays: ReadonlyArray<ClaimedReplay>,
): Effect.Effect<ReadonlyArray<PlannedReplay>, StoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [first] = replays
    if (first === undefined) return []
    const sourceOf = makeSourceFinder(first.organization)
    return yield* Effect.forEach(replays, (claimed) =>
      Effect.gen(function* () {
        const { organization, slo, indicator: state, replay } = claimed
        const { server } = yield* sourceOf(state.indicator)
        const range = planReplay(replay, plannedObjectives(slo.definition), latestReadTo(state) ?? 0)
        // Gaps that began before the range have their events there, which are left as they are.
        const read = {
          organization,
          slo: slo.definition,
          indicator: state.indicator,
          server,
          oldest: 0,
        }
        return { claimed, range, read, now }
      }),
    )
  })

/** Keeps what was read of a part, or replaces the minutes once all parts are read. */
export const settleReplay = (
  { claimed, range: part, now }: PlannedReplay,
  result: Result.Result<ReadCounts, MetricsAreUnavailable> | undefined,
): Effect.Effect<void, StoreIsUnavailable, AnnotationStore | DefinitionStore | ReplayStore> =>
  Effect.gen(function* () {
    const { organization, slo, replay } = claimed
    const { range } = replay
    if (part === undefined || result === undefined) {
      if (replay.firstAt === undefined) {
        yield* settleStep(claimed, now, { state: "failed", reason: "no_values" })
        return
      }
      const names = plainObjectivesOf(slo.definition).map(({ name }) => name)
      yield* (yield* ReplayStore).complete(claimed, names, now)
      return
    }
    if (Result.isFailure(result)) {
      const { reason, detail } = result.failure
      const failures = replay.failures + 1
      const problem = { reason, detail, at: now }
      yield* now - replay.readAt >= replayOutageMaxMs
        ? settleStep(claimed, now, { state: "failed", reason: "source_unavailable", failures, problem })
        : settleStep(claimed, now, { failures, problem, dueAt: retryAt(failures, now) })
      return
    }
    const { counts, groups, problem, gaps } = result.success
    const read = counts.filter(({ at }) => at >= range.from && at < range.to)
    const first = read.reduce((first, { at }) => Math.min(first, at), replay.firstAt ?? range.to)
    const { problem: before, ...rest } = replay
    const current = problem === undefined ? problemOfSamples(before) : { ...problem, at: now }
    yield* addGroups(organization, slo.definition, groups)
    yield* markGaps(organization, slo.definition, gaps, now)
    yield* settleStep({ ...claimed, replay: rest }, now, {
      readTo: part.to,
      failures: 0,
      readAt: now,
      counts: read,
      ...(first < range.to && { firstAt: first }),
      ...(current !== undefined && { problem: current }),
    })
  })

/** A problem of earlier values, which later ones do not solve. */
const problemOfSamples = (problem: IndicatorProblem | undefined): IndicatorProblem | undefined =>
  sampleProblems.some((each) => each === problem?.reason) ? problem : undefined

const settleStep = (claimed: ClaimedReplay, now: number, change: Partial<ReplaySettled>) =>
  Effect.flatMap(ReplayStore, (store) => {
    const { range: _range, startedAt: _startedAt, ...state } = claimed.replay
    return store.settle(claimed, {
      ...state,
      counts: [],
      dueAt: now,
      ...change,
      ...(change.state === "failed" && { endedAt: now }),
    })
  })
