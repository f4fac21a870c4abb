import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AnnotationStore } from "../annotation/AnnotationStore.ts"
import { CountStore, storeCounts } from "../counts/CountStore.ts"
import { count, observe } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import { hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { LimitedMinute } from "./CountsOfSamples.ts"
import { makeSourceFinder } from "./FindSource.ts"
import {
  type ClaimedIndicator,
  type ClaimedProgress,
  IndicatorStore,
  minutesReadOf,
  type PollSettled,
} from "./IndicatorStore.ts"
import { addGroups, removeGoneGroups } from "./KeepGroups.ts"
import { markGaps } from "./MarkGaps.ts"
import { isSourceFailure, type MetricsAreUnavailable } from "./MetricSource.ts"
import {
  indicatorHistoryMs,
  indicatorLeaseMs,
  planPoll,
  type PollPlan,
  type ReadProgress,
  retryAt,
} from "./PollPlan.ts"
import { plannedObjectives, type ReadCounts } from "./ReadCounts.ts"
import type { IndicatorRead } from "./ReadTogether.ts"
import { latestOf } from "../status/PastChanges.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** The next part of an indicator. */
export interface PlannedPoll extends PollPlan {
  readonly claimed: ClaimedIndicator
  readonly read: Omit<IndicatorRead, "range">
  /** When it was planned, in Unix milliseconds. */
  readonly now: number
}

/** Plans the next parts of indicators of one organization and server. Those that are read from the same data source have the same `server`. */
export const planPolls = (
  polls: ReadonlyArray<ClaimedIndicator>,
): Effect.Effect<ReadonlyArray<PlannedPoll>, StoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const oldest = minuteOf(now - indicatorHistoryMs) + minuteMs
    const planned: Array<PlannedPoll> = []
    const [first] = polls
    if (first === undefined) return planned
    const sourceOf = makeSourceFinder(first.organization)
    for (const claimed of polls) {
      const { organization, slo: stored, state } = claimed
      const { indicator } = state
      const { server, updatedAt } = yield* sourceOf(indicator)
      const slo = stored.definition
      const plan = planPoll(state, plannedObjectives(slo), now, {
        queryDelayMs: server?.queryDelay?.ms,
        changedAt: updatedAt,
      })
      planned.push({ ...plan, claimed, now, read: { organization, slo, indicator, server, oldest } })
    }
    return planned
  })

/**
 * Records the counts that were read for every non-composite objective, and stores the progress of the indicator or its problem.
 * A new problem is logged.
 *
 * Counts are recorded first: after a crash in between they are read and replaced again. Before the first of recent minutes are, it is
 * stored from when on there are some, as conditions of composites measure counts at once.
 */
export const settlePoll = (
  { claimed: { organization, slo, state }, now, ...plan }: PlannedPoll,
  result: Result.Result<ReadCounts, MetricsAreUnavailable> | undefined,
): Effect.Effect<void, StoreIsUnavailable, AnnotationStore | CountStore | DefinitionStore | IndicatorStore> =>
  Effect.gen(function* () {
    const { range, kind, progress, dueAt } = plan
    const isHistory = kind === "history"
    const { project, name } = slo.definition.metadata
    let claimed: ClaimedProgress = state
    const settle = (settled: Omit<PollSettled, "dueAt">, at: number) =>
      Effect.gen(function* () {
        const known = [state.problem?.reason, state.recent?.history.problem?.reason]
        for (const problem of [settled.problem, settled.recent?.history.problem]) {
          if (problem === undefined || known.includes(problem.reason)) continue
          yield* Effect.annotateLogs(Effect.logWarning("Indicator has a problem"), {
            organization,
            slo: `${project}/${name}`,
            reason: problem.reason,
            detail: problem.detail,
          })
        }
        const store = yield* IndicatorStore
        return yield* store.settle(organization, { project, name }, claimed, { ...settled, dueAt: at })
      })
    const { indicator, readTo, recent, ...before } = state
    if (range === undefined || result === undefined) {
      yield* settle({ ...before, ...progress }, dueAt)
      return
    }
    const { newRange = range } = plan
    const latest = recent?.to ?? readTo
    if (!isHistory && latest > 0) yield* observe(metrics.indicatorLag.of(), Math.max(0, now - latest) / 1_000)
    yield* count(
      Result.isSuccess(result)
        ? metrics.indicatorPolls.of("read", "")
        : metrics.indicatorPolls.of("failed", result.failure.reason),
    )
    if (Result.isFailure(result)) {
      const { reason, detail } = result.failure
      const failedAt = yield* Clock.currentTimeMillis
      const problem = { reason, detail, at: failedAt }
      if (isHistory && recent !== undefined) {
        const failures = plan.failures + 1
        const settled = { ...before, readTo, recent: { ...recent, history: { failures, problem } } }
        // New minutes do not wait for it, and show whether the server is available.
        yield* settle(settled, Math.min(plan.nextMinuteAt, retryAt(failures, failedAt)))
        return
      }
      const failures = plan.failures + 1
      const { unavailableSince = failedAt, ...rest } = before
      const since = isSourceFailure(reason) ? { unavailableSince } : {}
      const kept = { readTo, ...(recent !== undefined && { recent }) }
      yield* settle({ ...rest, ...kept, failures, problem, ...since }, retryAt(failures, failedAt))
      return
    }
    const { counts, groups, problem, limited, gaps } = result.success
    yield* countLimited(limited, newRange)
    yield* addGroups(organization, slo.definition, groups)
    const next =
      kind === "recent" && recent === undefined
        ? yield* withMeasuredTo(organization, { project, name }, progress)
        : progress
    if (kind === "recent" && next.recent !== undefined) {
      const begun = { readTo, recent: { ...next.recent, to: next.recent.from } }
      // Another caller has advanced it, and reads these minutes itself.
      if (!(yield* settle({ ...before, ...begun }, now + indicatorLeaseMs))) return
      claimed = { indicator, ...begun }
    }
    if (counts.length > 0) {
      // An SLO that is gone takes its indicator with it.
      // Conditions that measure them have waited for them.
      const unmeasured =
        isHistory && recent !== undefined
          ? { from: Math.max(newRange.from, recent.measuredTo), to: newRange.to }
          : undefined
      yield* storeCounts(
        organization,
        [{ slo: { project, name }, counts, unmeasured, isFirstRecent: kind === "recent" }],
        "indicator",
      )
      yield* markGaps(organization, slo.definition, gaps, now)
    }
    const read = minutesReadOf(progress)
    // Minutes that are not read yet may have counts of any group.
    if (read.recent === undefined && hourOf(read.readTo) > hourOf(minutesReadOf(state).readTo)) {
      yield* removeGoneGroups(organization, slo.definition, read.readTo)
    }
    const current = problem && { problem: { ...problem, at: now } }
    if (!isHistory) {
      yield* settle({ ...next, failures: 0, succeededAt: now, ...current }, dueAt)
      return
    }
    // Of the last part, there is nothing else that could have the problem.
    const older = next.recent ? { recent: { ...next.recent, history: { failures: 0, ...current } } } : current
    yield* settle({ ...before, ...next, ...older, succeededAt: now }, dueAt)
  })

/** Minutes that are read again are not counted again. */
const countLimited = (limited: ReadonlyArray<LimitedMinute>, { from, to }: MinuteRange) =>
  Effect.forEach(
    ["good", "bad"] as const,
    (part) => {
      const minutes = limited.filter((each) => each.part === part && each.at >= from && each.at < to).length
      return minutes === 0 ? Effect.void : count(metrics.indicatorLimited.of(part), minutes)
    },
    { discard: true },
  )

/**
 * The progress of an indicator once its recent minutes are read first, with how far conditions were measured until then: up to the latest
 * count, such as of a previous indicator.
 */
const withMeasuredTo = (
  organization: OrganizationId,
  slo: ProjectKey,
  progress: ReadProgress,
): Effect.Effect<ReadProgress, StoreIsUnavailable, CountStore> =>
  Effect.gen(function* () {
    const { recent } = progress
    if (recent === undefined) return progress
    const [read] = yield* (yield* CountStore).sums([{ organization, slo, ranges: [] }])
    const countedTo = latestOf(read?.latestAt ?? new Map()) + minuteMs
    return { ...progress, recent: { ...recent, measuredTo: Math.max(recent.measuredTo, countedTo) } }
  })
