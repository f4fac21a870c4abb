import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import { type CountStore, storeCounts } from "../counts/CountStore.ts"
import { count, observe } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import { hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { LimitedMinute } from "./CountsOfSamples.ts"
import { findSource } from "./FindSource.ts"
import {
  type IndicatorState,
  type ClaimedIndicator,
  IndicatorStore,
  type PollSettled,
} from "./IndicatorStore.ts"
import { addGroups, removeGoneGroups } from "./KeepGroups.ts"
import { markGaps } from "./MarkGaps.ts"
import { isSourceFailure, type MetricsAreUnavailable, type MetricSource } from "./MetricSource.ts"
import { indicatorHistoryMs, planPoll, retryAt } from "./PollPlan.ts"
import { plannedObjectives, type ReadCounts, readCounts } from "./ReadCounts.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * Reads the next part of an indicator, records its counts for every non-composite objective, and stores its progress
 * or problem. A new problem is logged.
 *
 * Counts are recorded first: after a crash in between they are read and replaced again.
 */
export const pollIndicator = ({
  organization,
  slo,
  state,
}: ClaimedIndicator): Effect.Effect<
  void,
  StoreIsUnavailable,
  AnnotationStore | CountStore | DefinitionStore | IndicatorStore | MetricSource
> =>
  Effect.gen(function* () {
    const { project, name } = slo.definition.metadata
    const now = yield* Clock.currentTimeMillis
    const source = yield* findSource(organization, state.indicator)
    const { range, dueAt } = planPoll(state, plannedObjectives(slo.definition), now, source?.queryDelay?.ms)
    const settle = (settled: Omit<PollSettled, "dueAt">, at: number) =>
      Effect.gen(function* () {
        const { problem } = settled
        if (problem !== undefined && problem.reason !== state.problem?.reason) {
          yield* Effect.annotateLogs(Effect.logWarning("Indicator has a problem"), {
            organization,
            slo: `${project}/${name}`,
            reason: problem.reason,
            detail: problem.detail,
          })
        }
        const store = yield* IndicatorStore
        yield* store.settle(organization, { project, name }, state, { ...settled, dueAt: at })
      })
    if (range === undefined) return yield* settle(withoutIndicator(state), dueAt)

    const onFailure = ({ reason, detail }: MetricsAreUnavailable) => {
      const failures = state.failures + 1
      const problem = { reason, detail, at: now }
      const { unavailableSince = now, ...rest } = withoutIndicator(state)
      const since = isSourceFailure(reason) ? { unavailableSince } : {}
      return settle({ ...rest, failures, problem, ...since }, retryAt(failures, now))
    }
    const onSuccess = ({ counts, groups, problem, limited, gaps }: ReadCounts) =>
      Effect.gen(function* () {
        yield* countLimited(limited, state.readTo)
        yield* addGroups(organization, slo.definition, groups)
        if (counts.length > 0) {
          // An SLO that is gone takes its indicator with it.
          yield* storeCounts(organization, [{ slo: { project, name }, counts }], "indicator")
          yield* markGaps(organization, slo.definition, gaps, now)
        }
        // Minutes that are not read yet may have counts of any group.
        if (hourOf(range.to) > hourOf(state.readTo)) {
          yield* removeGoneGroups(organization, slo.definition, range.to)
        }
        const current = problem && { problem: { ...problem, at: now } }
        yield* settle({ readTo: range.to, failures: 0, succeededAt: now, ...current }, dueAt)
      })
    const oldest = minuteOf(now - indicatorHistoryMs) + minuteMs
    yield* observe(metrics.indicatorLag.of(), Math.max(0, now - state.readTo) / 1_000)
    const reading = readCounts(organization, slo.definition, state.indicator, source, range, oldest)
    yield* Effect.matchEffect(measureRead(reading), { onFailure, onSuccess })
  })

/** Minutes that are read again are not counted again. */
const countLimited = (limited: ReadonlyArray<LimitedMinute>, readTo: number) =>
  Effect.forEach(
    ["good", "bad"] as const,
    (part) => {
      const minutes = limited.filter((each) => each.part === part && each.at >= readTo).length
      return minutes === 0 ? Effect.void : count(metrics.indicatorLimited.of(part), minutes)
    },
    { discard: true },
  )

const measureRead = <A, R>(reading: Effect.Effect<A, MetricsAreUnavailable, R>) =>
  Effect.flatMap(Clock.currentTimeMillis, (startedAt) => {
    const ended = (outcome: "read" | "failed", reason: string) =>
      Effect.gen(function* () {
        yield* count(metrics.indicatorPolls.of(outcome, reason))
        const endedAt = yield* Clock.currentTimeMillis
        yield* observe(metrics.indicatorPollDuration.of(), Math.max(0, endedAt - startedAt) / 1_000)
      })
    return reading.pipe(
      Effect.tap(() => ended("read", "")),
      Effect.tapError(({ reason }) => ended("failed", reason)),
    )
  })

const withoutIndicator = ({ indicator: _indicator, ...rest }: IndicatorState) => rest
