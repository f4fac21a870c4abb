import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Count, CountStore, type CountStoreIsUnavailable } from "../counts/CountStore.ts"
import { DefinitionStore, type DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { DataSource, PrometheusServer } from "../slo/DataSource.ts"
import type { PolledIndicator } from "../slo/PolledIndicator.ts"
import { plainObjectivesOf, type Slo } from "../slo/Slo.ts"
import { counterGapMaxMs, longGapEnds, spreadGaps, wholeGapMaxMs } from "./CounterGaps.ts"
import { countsOfPoints, pointMs } from "./CountsOfPoints.ts"
import { histogramExpressions } from "./HistogramExpressions.ts"
import { type CountsOfSamples, countsOfSamples } from "./CountsOfSamples.ts"
import {
  type IndicatorState,
  type ClaimedIndicator,
  IndicatorStore,
  type IndicatorStoreIsUnavailable,
  type PollSettled,
} from "./IndicatorStore.ts"
import { metricFailureText, MetricSource, MetricsAreUnavailable } from "./MetricSource.ts"
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
  CountStoreIsUnavailable | DefinitionStoreIsUnavailable | IndicatorStoreIsUnavailable,
  CountStore | DefinitionStore | IndicatorStore | MetricSource
> =>
  Effect.gen(function* () {
    const { project, name } = slo.definition.metadata
    const objectives = plainObjectivesOf(slo.definition)
    const now = yield* Clock.currentTimeMillis
    const source = yield* findSource(organization, state.indicator)
    const { range, dueAt } = planPoll(state, objectives.length, now, source?.queryDelay?.ms)
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
      return settle({ ...withoutIndicator(state), failures, problem }, retryAt(failures, now))
    }
    const onSuccess = ({ counts, problem }: ReadCounts) =>
      Effect.gen(function* () {
        if (counts.length > 0) {
          // An SLO that is gone takes its indicator with it.
          yield* (yield* CountStore).record(organization, [{ slo: { project, name }, counts }])
        }
        const current = problem && { problem: { ...problem, at: now } }
        yield* settle({ readTo: range.to, failures: 0, succeededAt: now, ...current }, dueAt)
      })
    const oldest = minuteOf(now - indicatorHistoryMs) + minuteMs
    yield* Effect.matchEffect(
      readCounts(organization, slo.definition, state.indicator, source, range, oldest),
      {
        onFailure,
        onSuccess,
      },
    )
  })

/** What was read for an indicator, of each objective that is not composite. */
export interface ReadCounts {
  /** In the order of objectives, then of minutes. */
  readonly counts: ReadonlyArray<Count>
  /** As in `CountsOfSamples`. */
  readonly problem: CountsOfSamples["problem"]
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
 * spread over the gap.
 */
export const readCounts = (
  organization: OrganizationId,
  slo: Slo,
  { prometheus, thresholds = [] }: PolledIndicator,
  server: PrometheusServer | undefined,
  range: MinuteRange,
  oldest: number,
): Effect.Effect<ReadCounts, MetricsAreUnavailable, MetricSource> =>
  Effect.gen(function* () {
    if (server === undefined) {
      const reason = "reader_unavailable"
      return yield* new MetricsAreUnavailable({ reason, detail: metricFailureText[reason] })
    }
    const { good, total, metric, histogram } = prometheus
    if (metric !== undefined) {
      const samples = yield* (yield* MetricSource).readSeries({
        organization,
        server,
        expression: metric,
        from: range.from + pointMs,
        to: range.to,
        stepMs: pointMs,
        isValue: true,
      })
      const counts = thresholds.flatMap(({ objective, op, value }) =>
        op === undefined
          ? []
          : countsOfPoints(samples, { op, value }, range).map((count): Count => ({ objective, ...count })),
      )
      return { counts, problem: undefined }
    }
    const events = (goods: ReadonlyArray<string>, all: string) =>
      readEvents(organization, { goods, total: all }, server, range, oldest)
    if (histogram !== undefined) {
      const expressions = histogramExpressions(histogram.series, histogram.type ?? "classic")
      const read = yield* events(
        thresholds.map(({ value }) => expressions.goodOf(value)),
        expressions.total,
      )
      const counts = thresholds.flatMap(({ objective }, index) =>
        (read[index]?.counts ?? []).map((count): Count => ({ objective, ...count })),
      )
      return { counts, problem: read.find(({ problem }) => problem !== undefined)?.problem }
    }
    const [read] = yield* events([good ?? ""], total ?? "")
    const counts = plainObjectivesOf(slo).flatMap(({ name }) =>
      (read?.counts ?? []).map((count): Count => ({ objective: name, ...count })),
    )
    return { counts, problem: read?.problem }
  })

/** The counts of several expressions for good events, each of the same total. */
const readEvents = (
  organization: OrganizationId,
  prometheus: { readonly goods: ReadonlyArray<string>; readonly total: string },
  server: PrometheusServer,
  range: MinuteRange,
  oldest: number,
): Effect.Effect<ReadonlyArray<CountsOfSamples>, MetricsAreUnavailable, MetricSource> =>
  Effect.gen(function* () {
    const source = yield* MetricSource
    const queryOf = (expression: string, { from, to }: MinuteRange) => ({
      organization,
      server,
      expression,
      from: from + minuteMs,
      to,
    })
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
    if (gaps.length === 0) return goods.map((good) => countsOfSamples(good, total, range))

    const from = Math.min(range.from, ...gaps.map((gap) => minuteOf(gap.from)))
    const before = from === range.from ? undefined : yield* read({ from, to: range.from })
    const whole = spreadGaps([...(before?.total ?? []), ...total], gaps)
    return yield* Effect.forEach(goods, (good, index) =>
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
  })
