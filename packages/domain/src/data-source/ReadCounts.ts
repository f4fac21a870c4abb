import * as Effect from "effect/Effect"
import { groupBy } from "../collections/GroupBy.ts"
import type { Count } from "../counts/CountStore.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { PrometheusServer } from "../slo/DataSource.ts"
import type { GroupValues } from "../slo/GroupValues.ts"
import { groupByOf, groupObjectiveName } from "../slo/ObjectiveGroups.ts"
import {
  isOwnIndicator,
  type OwnIndicator,
  type PolledIndicator,
  type SharedIndicator,
} from "../slo/PolledIndicator.ts"
import { plainOf } from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import { countsOfPoints, pointMs } from "./CountsOfPoints.ts"
import { type CountsOfSamples, type LimitedMinute, problemOfFalls } from "./CountsOfSamples.ts"
import { makeGroupedSource } from "./GroupedSource.ts"
import { histogramExpressions } from "../slo/HistogramExpressions.ts"
import type { IndicatorProblem } from "./IndicatorStore.ts"
import { selectGroups } from "./KeepGroups.ts"
import { markedRanges } from "./MarkGaps.ts"
import { metricFailureText, MetricsAreUnavailable, MetricSource, type SeriesQuery } from "./MetricSource.ts"
import { type CountsRead, eventsQuery, readEvents } from "./ReadEvents.ts"

/** What was read for an indicator, of each objective that is not composite. */
export interface ReadCounts {
  /** In the order of groups, objectives, then of minutes. */
  readonly counts: ReadonlyArray<Count>
  /** The groups that are counted, known ones first. */
  readonly groups: ReadonlyArray<GroupValues>
  readonly problem: Omit<IndicatorProblem, "at"> | undefined
  /** The minutes that are limited, of each query for a part of the events, not of each objective. */
  readonly limited: ReadonlyArray<LimitedMinute>
  /** The minutes over which the events of gaps are spread, as `markedRanges`. */
  readonly gaps: ReadonlyArray<MinuteRange>
}

/** Fewest groups that a part is planned for, as new ones may appear; if there are more, smaller parts are read. */
const plannedGroupsMin = 25

/** How many objectives a part is planned to have counts of. */
export const plannedObjectives = (slo: Slo): number => {
  const objectives = plainOf(slo.spec.objectives).length
  if (groupByOf(slo.spec) === undefined) return objectives
  return objectives * Math.max(slo.spec.groups?.length ?? 0, plannedGroupsMin)
}

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
    const read = { organization, slo, server, range, oldest }
    if (isOwnIndicator(indicator)) {
      return { ...withoutFalls(slo, yield* readOwnObjectives(source, read, indicator)), groups: [] }
    }
    const { groupBy: labels } = indicator.prometheus
    if (labels === undefined)
      return { ...withoutFalls(slo, yield* readObjectives(source, read, indicator)), groups: [] }
    const grouped = makeGroupedSource(source, labels)
    const found = yield* grouped.groups(mainQuery(read, indicator))
    const { groups, problem } = selectGroups(slo, found)
    const counts: Array<Count> = []
    const noticed: Array<Noticed> = []
    for (const values of groups) {
      const { counts: ofGroup, ...rest } = yield* readObjectives(grouped.of(values), read, indicator)
      for (const { objective, ...counted } of ofGroup) {
        counts.push({ objective: groupObjectiveName(objective, labels, values), ...counted })
      }
      noticed.push(rest)
    }
    const rejected =
      problem === undefined ? undefined : ({ reason: "groups_rejected", detail: problem } as const)
    return { ...withoutFalls(slo, { counts, ...noticedTogether(noticed) }, rejected), groups }
  })

const metricQuery = ({ organization, server, range }: CountsRead, metric: string): SeriesQuery => ({
  organization,
  server,
  expression: metric,
  from: range.from + pointMs,
  to: range.to,
  stepMs: pointMs,
  isValue: true,
})

const expressionsOf = ({ prometheus }: SharedIndicator) =>
  prometheus.histogram &&
  histogramExpressions(
    prometheus.histogram.series,
    prometheus.histogram.type ?? "classic",
    prometheus.groupBy,
  )

/** The query whose series say which groups there are. */
const mainQuery = (read: CountsRead, indicator: SharedIndicator): SeriesQuery => {
  const { metric, total } = indicator.prometheus
  return metric === undefined
    ? eventsQuery(read, { total: expressionsOf(indicator)?.total ?? total ?? "" }, read.range)
    : metricQuery(read, metric)
}

/** What was noticed while counts were read. */
interface Noticed extends Pick<ReadCounts, "problem" | "limited" | "gaps"> {
  /** The ends of the minutes in which counters fell a little, in Unix milliseconds: said if there is no other problem. */
  readonly falls: ReadonlyArray<number>
}

interface ReadObjectives extends Noticed {
  readonly counts: ReadonlyArray<Count>
}

const noticedTogether = (all: ReadonlyArray<Noticed>): Noticed => ({
  problem: all.find(({ problem }) => problem !== undefined)?.problem,
  limited: all.flatMap(({ limited }) => limited),
  gaps: markedRanges(all.flatMap(({ gaps }) => gaps).map(({ from, to }) => ({ from, at: to }))),
  falls: all.flatMap(({ falls }) => falls),
})

/** The read with its most severe problem: `severest` if there is one, and falls at last. */
const withoutFalls = (
  slo: Slo,
  { falls, problem, ...read }: ReadObjectives,
  severest?: ReadCounts["problem"],
): Omit<ReadCounts, "groups"> => ({
  ...read,
  problem: severest ?? problem ?? problemOfFalls(falls, slo.metadata),
})

/** Reads the counts of the objectives as they are defined, of the source of one group or of the whole. */
const readObjectives = (
  source: MetricSource["Service"],
  read: CountsRead,
  { prometheus, thresholds = [], ...indicator }: SharedIndicator,
): Effect.Effect<ReadObjectives, MetricsAreUnavailable> =>
  Effect.gen(function* () {
    const { good = "", bad, total = "", metric } = prometheus
    if (metric !== undefined) {
      const values = thresholds.flatMap(({ objective, op, value }) =>
        op === undefined ? [] : { objective, metric, op, value },
      )
      return {
        counts: yield* readValues(source, read, values),
        problem: undefined,
        limited: [],
        gaps: [],
        falls: [],
      }
    }
    const expressions = expressionsOf({ prometheus, ...indicator })
    if (expressions !== undefined) {
      const parts = thresholds.map(({ value }) => ({ expression: expressions.goodOf(value) }))
      const { events, ...rest } = yield* readEvents(source, read, { parts, total: expressions.total })
      const counts = thresholds.flatMap(({ objective }, index) => countsOf(objective, events[index]))
      return { counts, ...saidOf(events), ...rest }
    }
    const parts = [bad === undefined ? { expression: good } : { expression: bad, isBad: true }]
    const { events, ...rest } = yield* readEvents(source, read, { parts, total })
    const counts = plainOf(read.slo.spec.objectives).flatMap(({ name }) => countsOf(name, events[0]))
    return { counts, ...saidOf(events), ...rest }
  })

/** What was noticed in the samples of several parts. */
const saidOf = (events: ReadonlyArray<CountsOfSamples>): Pick<CountsOfSamples, "problem" | "limited"> => ({
  problem: events.find(({ problem }) => problem !== undefined)?.problem,
  limited: events.flatMap(({ limited }) => limited),
})

const countsOf = (objective: string, events: CountsOfSamples | undefined): ReadonlyArray<Count> =>
  (events?.counts ?? []).map((count): Count => ({ objective, ...count }))

/** Reads the counts of objectives with queries of their own. What several of them ask is asked once. */
const readOwnObjectives = (
  source: MetricSource["Service"],
  read: CountsRead,
  { events, values }: OwnIndicator,
): Effect.Effect<ReadObjectives, MetricsAreUnavailable> =>
  Effect.gen(function* () {
    const counts: Array<Count> = [...(yield* readValues(source, read, values))]
    const noticed: Array<Noticed> = []
    const byTotal = groupBy(events, ({ total, isCumulative }) => JSON.stringify([total, isCumulative]))
    for (const together of byTotal.values()) {
      const [first] = together
      if (first === undefined) continue
      const byPart = groupBy(together, ({ part, isBad }) => JSON.stringify([part, isBad]))
      const parts = [...byPart.values()].flatMap(([each]) =>
        each === undefined ? [] : { expression: each.part, isBad: each.isBad },
      )
      const { total, isCumulative } = first
      const ofTotal = yield* readEvents(source, read, { parts, total, isCumulative })
      for (const [index, objectives] of [...byPart.values()].entries()) {
        for (const { objective } of objectives) counts.push(...countsOf(objective, ofTotal.events[index]))
      }
      noticed.push({ ...saidOf(ofTotal.events), gaps: ofTotal.gaps, falls: ofTotal.falls })
    }
    return { counts, ...noticedTogether(noticed) }
  })

/** The counts of metrics that objectives compare. */
const readValues = (
  source: MetricSource["Service"],
  read: CountsRead,
  values: OwnIndicator["values"],
): Effect.Effect<ReadonlyArray<Count>, MetricsAreUnavailable> =>
  Effect.map(
    Effect.forEach(
      groupBy(values, ({ metric }) => metric),
      ([metric, objectives]) =>
        Effect.map(source.readSeries(metricQuery(read, metric)), (samples) =>
          objectives.flatMap(({ objective, op, value }) =>
            countsOfPoints(samples, { op, value }, read.range).map((count): Count => ({
              objective,
              ...count,
            })),
          ),
        ),
    ),
    (counts) => counts.flat(),
  )
