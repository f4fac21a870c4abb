import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AnnotationStore, AnnotationStoreIsUnavailable } from "../annotation/AnnotationStore.ts"
import type { Count, CountStore, CountStoreIsUnavailable } from "../counts/CountStore.ts"
import { storeCounts } from "../counts/StoreCounts.ts"
import { count, observe } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import { DefinitionStore, type DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { DataSource, PrometheusServer } from "../slo/DataSource.ts"
import type { PolledIndicator } from "../slo/PolledIndicator.ts"
import { groupByOf, groupObjectiveName } from "../slo/ObjectiveGroups.ts"
import type { GroupValues } from "../slo/GroupValues.ts"
import { plainOf, type Slo } from "../slo/Slo.ts"
import { counterGapMaxMs, longGapEnds, spreadGaps, wholeGapMaxMs } from "./CounterGaps.ts"
import { countsOfPoints, pointMs } from "./CountsOfPoints.ts"
import { makeGroupedSource } from "./GroupedSource.ts"
import { markedRanges, markGaps } from "./MarkGaps.ts"
import { addGroups, removeGoneGroups, selectGroups } from "./KeepGroups.ts"
import { histogramExpressions } from "./HistogramExpressions.ts"
import { type CountsOfSamples, countsOfSamples } from "./CountsOfSamples.ts"
import {
  type IndicatorProblem,
  type IndicatorState,
  type ClaimedIndicator,
  IndicatorStore,
  type IndicatorStoreIsUnavailable,
  type PollSettled,
} from "./IndicatorStore.ts"
import {
  isSourceFailure,
  metricFailureText,
  MetricSource,
  MetricsAreUnavailable,
  type SeriesQuery,
} from "./MetricSource.ts"
import { indicatorHistoryMs, planPoll, retryAt } from "./PollPlan.ts"

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
  | AnnotationStoreIsUnavailable
  | CountStoreIsUnavailable
  | DefinitionStoreIsUnavailable
  | IndicatorStoreIsUnavailable,
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
    const onSuccess = ({ counts, groups, problem, gaps }: ReadCounts) =>
      Effect.gen(function* () {
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

/** What was read for an indicator, of each objective that is not composite. */
export interface ReadCounts {
  /** In the order of groups, objectives, then of minutes. */
  readonly counts: ReadonlyArray<Count>
  /** The groups that are counted, known ones first. */
  readonly groups: ReadonlyArray<GroupValues>
  readonly problem: Omit<IndicatorProblem, "at"> | undefined
  /** The minutes over which the events of gaps are spread, as `markedRanges`. */
  readonly gaps: ReadonlyArray<MinuteRange>
}

/** Fewest groups that a part is planned for, as new ones may appear; if there are more, smaller parts are read. */
export const plannedGroupsMin = 25

/** How many objectives a part is planned to have counts of. */
export const plannedObjectives = (slo: Slo): number => {
  const objectives = plainOf(slo.spec.objectives).length
  if (groupByOf(slo.spec) === undefined) return objectives
  return objectives * Math.max(slo.spec.groups?.length ?? 0, plannedGroupsMin)
}

const withoutIndicator = ({ indicator: _indicator, ...rest }: IndicatorState) => rest

/** The server of an indicator as it is defined now; `undefined`: its data source was deleted together with the SLO. */
export const findSource = (
  organization: OrganizationId,
  { prometheus }: PolledIndicator,
): Effect.Effect<
  DataSource["spec"]["prometheus"] | undefined,
  DefinitionStoreIsUnavailable,
  DefinitionStore
> =>
  Effect.gen(function* () {
    const { url, dataSource } = prometheus
    if (url !== undefined) return { url, headers: [] }
    if (dataSource === undefined) return undefined
    const found = yield* (yield* DefinitionStore).find(organization, "DataSource", dataSource)
    return Option.getOrUndefined(found)?.definition.spec.prometheus
  })

/**
 * Reads the counts of a range. Of events, also of minutes before it where a counter has come back after a gap: what it gained is
 * spread over the gap. With `groupBy`, of each group that is counted.
 */
export const readCounts = (
  organization: OrganizationId,
  slo: Slo,
  indicator: PolledIndicator,
  server: PrometheusServer | undefined,
  range: MinuteRange,
  oldest: number,
): Effect.Effect<ReadCounts, MetricsAreUnavailable, MetricSource> =>
  Effect.gen(function* () {
    if (server === undefined) {
      const reason = "reader_unavailable"
      return yield* new MetricsAreUnavailable({ reason, detail: metricFailureText[reason] })
    }
    const source = yield* MetricSource
    const read = { organization, slo, indicator, server, range, oldest }
    const { groupBy } = indicator.prometheus
    if (groupBy === undefined) return { ...(yield* readObjectives(source, read)), groups: [] }
    const grouped = makeGroupedSource(source, groupBy)
    const found = yield* grouped.groups(mainQuery(read))
    const { groups, problem } = selectGroups(slo, found)
    const counts: Array<Count> = []
    const gaps: Array<MinuteRange> = []
    let current: ReadCounts["problem"] =
      problem === undefined ? undefined : { reason: "groups_rejected", detail: problem }
    for (const values of groups) {
      const ofGroup = yield* readObjectives(grouped.of(values), read)
      for (const { objective, ...counted } of ofGroup.counts) {
        counts.push({ objective: groupObjectiveName(objective, groupBy, values), ...counted })
      }
      gaps.push(...ofGroup.gaps)
      current ??= ofGroup.problem
    }
    const marked = markedRanges(gaps.map(({ from, to }) => ({ from, at: to })))
    return { counts, groups, problem: current, gaps: marked }
  })

interface CountsRead {
  readonly organization: OrganizationId
  readonly slo: Slo
  readonly indicator: PolledIndicator
  readonly server: PrometheusServer
  readonly range: MinuteRange
  /** How far back gaps are filled, in Unix milliseconds. */
  readonly oldest: number
}

const metricQuery = ({ organization, server, range }: CountsRead, metric: string): SeriesQuery => ({
  organization,
  server,
  expression: metric,
  from: range.from + pointMs,
  to: range.to,
  stepMs: pointMs,
  isValue: true,
})

const eventsQuery = (
  { organization, server }: CountsRead,
  expression: string,
  { from, to }: MinuteRange,
): SeriesQuery => ({ organization, server, expression, from: from + minuteMs, to })

const expressionsOf = ({ prometheus }: PolledIndicator) =>
  prometheus.histogram &&
  histogramExpressions(
    prometheus.histogram.series,
    prometheus.histogram.type ?? "classic",
    prometheus.groupBy,
  )

/** The query whose series say which groups there are. */
const mainQuery = (read: CountsRead): SeriesQuery => {
  const { metric, total } = read.indicator.prometheus
  return metric === undefined
    ? eventsQuery(read, expressionsOf(read.indicator)?.total ?? total ?? "", read.range)
    : metricQuery(read, metric)
}

/** Reads the counts of the objectives as they are defined, of the source of one group or of the whole. */
const readObjectives = (
  source: MetricSource["Service"],
  read: CountsRead,
): Effect.Effect<Omit<ReadCounts, "groups">, MetricsAreUnavailable> =>
  Effect.gen(function* () {
    const { slo, indicator, range } = read
    const { prometheus, thresholds = [] } = indicator
    const { good, total, metric } = prometheus
    if (metric !== undefined) {
      const samples = yield* source.readSeries(metricQuery(read, metric))
      const counts = thresholds.flatMap(({ objective, op, value }) =>
        op === undefined
          ? []
          : countsOfPoints(samples, { op, value }, range).map((count): Count => ({ objective, ...count })),
      )
      return { counts, problem: undefined, gaps: [] }
    }
    const expressions = expressionsOf(indicator)
    if (expressions !== undefined) {
      const goods = thresholds.map(({ value }) => expressions.goodOf(value))
      const { events, gaps } = yield* readEvents(source, read, { goods, total: expressions.total })
      const counts = thresholds.flatMap(({ objective }, index) =>
        (events[index]?.counts ?? []).map((count): Count => ({ objective, ...count })),
      )
      return { counts, problem: events.find(({ problem }) => problem !== undefined)?.problem, gaps }
    }
    const {
      events: [events],
      gaps,
    } = yield* readEvents(source, read, { goods: [good ?? ""], total: total ?? "" })
    const counts = plainOf(slo.spec.objectives).flatMap(({ name }) =>
      (events?.counts ?? []).map((count): Count => ({ objective: name, ...count })),
    )
    return { counts, problem: events?.problem, gaps }
  })

/** The counts of several expressions for good events, each of the same total. */
const readEvents = (
  source: MetricSource["Service"],
  counts: CountsRead,
  prometheus: { readonly goods: ReadonlyArray<string>; readonly total: string },
): Effect.Effect<
  { readonly events: ReadonlyArray<CountsOfSamples>; readonly gaps: ReadonlyArray<MinuteRange> },
  MetricsAreUnavailable
> =>
  Effect.gen(function* () {
    const { range, oldest } = counts
    const queryOf = (expression: string, part: MinuteRange) => eventsQuery(counts, expression, part)
    const read = (part: MinuteRange) =>
      Effect.map(
        Effect.forEach(
          [...prometheus.goods, prometheus.total],
          (expression) => source.readSeries(queryOf(expression, part)),
          { concurrency: 2 },
        ),
        (all) => ({ goods: all.slice(0, -1), total: all.at(-1) ?? [] }),
      )
    const readGaps = (expression: string, part: MinuteRange, lookbackMs: number) =>
      source.readGaps({ ...queryOf(expression, part), lookbackMs })
    const readLongGaps = (expression: string, ends: ReadonlyArray<number>) =>
      Effect.map(
        Effect.forEach(ends, (at) => readGaps(expression, { from: at - minuteMs, to: at }, wholeGapMaxMs)),
        (found) => found.flat(),
      )
    const { goods, total } = yield* read(range)
    const short = yield* readGaps(prometheus.total, range, counterGapMaxMs)
    const ends = longGapEnds(total, range.from, new Set(short.map(({ at }) => at)))
    const long = yield* readLongGaps(prometheus.total, ends)
    const gaps = [...short, ...long].map((gap) => ({ ...gap, from: Math.max(gap.from, oldest) }))
    if (gaps.length === 0) {
      return { events: goods.map((good) => countsOfSamples(good, total, range)), gaps: [] }
    }

    const from = Math.min(range.from, ...gaps.map((gap) => minuteOf(gap.from)))
    const before = from === range.from ? undefined : yield* read({ from, to: range.from })
    const whole = spreadGaps([...(before?.total ?? []), ...total], gaps)
    const events = yield* Effect.forEach(goods, (good, index) =>
      Effect.gen(function* () {
        const expression = prometheus.goods[index] ?? ""
        const ofGood = [
          ...(short.length === 0 ? [] : yield* readGaps(expression, range, counterGapMaxMs)),
          ...(yield* readLongGaps(
            expression,
            long.map(({ at }) => at),
          )),
        ]
        const goodAt = new Map(ofGood.map(({ at, events }) => [at, events]))
        const goodGaps = gaps.map((gap) => ({ ...gap, events: goodAt.get(gap.at) ?? 0 }))
        const part = spreadGaps([...(before?.goods[index] ?? []), ...good], goodGaps)
        return countsOfSamples(part, whole, { from, to: range.to })
      }),
    )
    return { events, gaps: markedRanges(gaps) }
  })
