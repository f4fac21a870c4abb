import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import { type CountStore, storeCounts } from "../counts/CountStore.ts"
import { count, observe } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import { hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { LimitedMinute } from "./CountsOfSamples.ts"
import { findSource } from "./FindSource.ts"
import { isOwnIndicator, type SharedIndicator } from "../slo/PolledIndicator.ts"
import {
  type IndicatorState,
  type ClaimedIndicator,
  IndicatorStore,
  type PollSettled,
} from "./IndicatorStore.ts"
import { addGroups, removeGoneGroups } from "./KeepGroups.ts"
import { markGaps } from "./MarkGaps.ts"
import { isSourceFailure, type MetricsAreUnavailable } from "./MetricSource.ts"
import { indicatorHistoryMs, planPoll, type PollPlan, retryAt } from "./PollPlan.ts"
import { plannedObjectives, type ReadCounts } from "./ReadCounts.ts"
import type { IndicatorRead } from "./ReadTogether.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** The next part of an indicator. */
export interface PlannedPoll extends PollPlan {
  readonly claimed: ClaimedIndicator
  readonly read: Omit<IndicatorRead, "range">
  /** When it was planned, in Unix milliseconds. */
  readonly now: number
}

/** Plans the next parts of indicators of one server. Those that are read from the same data source have the same `server`. */
export const planPolls = (
  polls: ReadonlyArray<ClaimedIndicator>,
): Effect.Effect<ReadonlyArray<PlannedPoll>, StoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const oldest = minuteOf(now - indicatorHistoryMs) + minuteMs
    const servers = new Map<string, Effect.Success<ReturnType<typeof findSource>>>()
    const planned: Array<PlannedPoll> = []
    for (const claimed of polls) {
      const { organization, slo: stored, state } = claimed
      const { indicator } = state
      const key = JSON.stringify(isOwnIndicator(indicator) ? indicator.source : sourceOf(indicator))
      if (!servers.has(key)) servers.set(key, yield* findSource(organization, indicator))
      const server = servers.get(key)
      const slo = stored.definition
      const plan = planPoll(state, plannedObjectives(slo), now, server?.queryDelay?.ms)
      planned.push({ ...plan, claimed, now, read: { organization, slo, indicator, server, oldest } })
    }
    return planned
  })

/** What a shared indicator is read from. */
const sourceOf = ({ prometheus: { url, dataSource } }: SharedIndicator) => ({ url: url?.text, ...dataSource })

/**
 * Records the counts that were read for every non-composite objective, and stores the progress of the indicator or its problem.
 * A new problem is logged.
 *
 * Counts are recorded first: after a crash in between they are read and replaced again.
 */
export const settlePoll = (
  { claimed: { organization, slo, state }, range, dueAt, now }: PlannedPoll,
  result: Result.Result<ReadCounts, MetricsAreUnavailable> | undefined,
): Effect.Effect<void, StoreIsUnavailable, AnnotationStore | CountStore | DefinitionStore | IndicatorStore> =>
  Effect.gen(function* () {
    const { project, name } = slo.definition.metadata
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
    if (range === undefined || result === undefined) return yield* settle(withoutIndicator(state), dueAt)
    yield* observe(metrics.indicatorLag.of(), Math.max(0, now - state.readTo) / 1_000)
    yield* count(
      Result.isSuccess(result)
        ? metrics.indicatorPolls.of("read", "")
        : metrics.indicatorPolls.of("failed", result.failure.reason),
    )
    if (Result.isFailure(result)) {
      const { reason, detail } = result.failure
      const failures = state.failures + 1
      const failedAt = yield* Clock.currentTimeMillis
      const problem = { reason, detail, at: failedAt }
      const { unavailableSince = failedAt, ...rest } = withoutIndicator(state)
      const since = isSourceFailure(reason) ? { unavailableSince } : {}
      return yield* settle({ ...rest, failures, problem, ...since }, retryAt(failures, failedAt))
    }
    const { counts, groups, problem, limited, gaps } = result.success
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

const withoutIndicator = ({ indicator: _indicator, ...rest }: IndicatorState) => rest
