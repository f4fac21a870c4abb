import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { countsPerRequestMax } from "../counts/DecodeCounts.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { wholeGapMaxMs } from "./CounterGaps.ts"
import { type IndicatorProblem, sampleProblems } from "./IndicatorStore.ts"
import type { MetricsAreUnavailable, MetricSource } from "./MetricSource.ts"
import { markGaps } from "./MarkGaps.ts"
import { addGroups } from "./KeepGroups.ts"
import { findSource } from "./FindSource.ts"
import { plannedObjectives, readCounts } from "./ReadCounts.ts"
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

/** Takes the next step of a replay: reads a part, or replaces the minutes once all parts are read. */
export const replayIndicator = (
  claimed: ClaimedReplay,
): Effect.Effect<void, StoreIsUnavailable, AnnotationStore | DefinitionStore | MetricSource | ReplayStore> =>
  Effect.gen(function* () {
    const { organization, slo, indicator, replay } = claimed
    const { range } = replay
    const store = yield* ReplayStore
    const now = yield* Clock.currentTimeMillis
    const objectives = plainObjectivesOf(slo.definition)
    const part = planReplay(replay, plannedObjectives(slo.definition), latestReadTo(indicator) ?? 0)
    if (part === undefined) {
      if (replay.firstAt === undefined) {
        return yield* settleStep(claimed, now, { state: "failed", reason: "no_values" })
      }
      const names = objectives.map(({ name }) => name)
      yield* store.complete(claimed, names, now)
      return
    }
    const onFailure = ({ reason, detail }: MetricsAreUnavailable) => {
      const failures = replay.failures + 1
      const problem = { reason, detail, at: now }
      return now - replay.readAt >= replayOutageMaxMs
        ? settleStep(claimed, now, { state: "failed", reason: "source_unavailable", failures, problem })
        : settleStep(claimed, now, { failures, problem, dueAt: retryAt(failures, now) })
    }
    const source = yield* findSource(organization, indicator.indicator)
    // Gaps that began before the range have their events there, which are left as they are.
    yield* Effect.matchEffect(
      readCounts(organization, slo.definition, indicator.indicator, source, part, 0),
      {
        onFailure,
        onSuccess: ({ counts, groups, problem, gaps }) => {
          const read = counts.filter(({ at }) => at >= range.from && at < range.to)
          const first = read.reduce((first, { at }) => Math.min(first, at), replay.firstAt ?? range.to)
          const { problem: before, ...rest } = replay
          const current = problem === undefined ? problemOfSamples(before) : { ...problem, at: now }
          return Effect.andThen(
            Effect.andThen(
              addGroups(organization, slo.definition, groups),
              markGaps(organization, slo.definition, gaps, now),
            ),
            settleStep({ ...claimed, replay: rest }, now, {
              readTo: part.to,
              failures: 0,
              readAt: now,
              counts: read,
              ...(first < range.to && { firstAt: first }),
              ...(current !== undefined && { problem: current }),
            }),
          )
        },
      },
    )
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
