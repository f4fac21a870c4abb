import * as Result from "effect/Result"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { alertingWindowMaxMs, alertingWindowMinMs } from "../alert-policy/RecommendedBurnRates.ts"
import { type Duration, durationToMs } from "../codec/Duration.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { historyRangeMaxDays, parseTimeRange } from "./DataRange.ts"
import { budgetShare, burnRateOf, objectiveStatus } from "./ErrorBudget.ts"
import { SloNotFound, sloKey } from "./FindSlo.ts"
import { dayMs, hourMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { readCounts } from "./ReadSlos.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import { type DueSlo, SloStore } from "./SloStore.ts"
import type { TimeWindow } from "../slo/TimeWindow.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import {
  burnRateLookbackMs,
  burnRateRange,
  makeCalendarRanges,
  type WindowAt,
  windowAt,
} from "../slo/WindowAt.ts"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"

/** Most points of a series. */
export const seriesPointsMax = 750

/** Most windows over which a series has burn rates. */
export const burnRateWindowsMax = 6

/** The parameters of a series; empty strings are treated as omitted. */
export interface SloSeriesQuery {
  readonly project?: string | undefined
  readonly name: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly step?: string | undefined
  /** `window`: the current time window, instead of `from` and `to`. */
  readonly range?: string | undefined
  /** Durations over which burn rates are measured, of the objective: the first one by default; empty for the legacy composite. */
  readonly windows?: ReadonlyArray<string> | undefined
  readonly objective?: string | undefined
}

/** One value per step, in order; `null` where there is no value. */
export type Series = ReadonlyArray<number | null>

export interface SloSeries extends SeriesFrame {
  readonly objectives: ReadonlyArray<
    MetricSeries & {
      readonly name: string
      /** The events of each step; absent for a composite objective, which has none of its own. */
      readonly counts?: { readonly good: Series; readonly total: Series }
    }
  >
  /** Of the legacy composite, where the SLO has one. */
  readonly composite?: MetricSeries
  /** The burn rates of one objective over the windows that were asked for, in their order. */
  readonly burnRates?: ReadonlyArray<BurnRateSeries>
}

/** The burn rate over a window at the end of each step, as a condition of an alert policy would have measured it then. */
export interface BurnRateSeries {
  /** As it was asked for. */
  readonly window: string
  /** Burn rates: 1 burns the budget exactly in the time window. */
  readonly values: Series
}

/** Metrics as `ObjectiveStatus` has them, at the end of each step. */
export interface MetricSeries {
  /** The start of the latest minute that has a count, in Unix milliseconds. Absent without one. */
  readonly latestAt?: number
  /** The reliability of the time window. */
  readonly reliability: Series
  /** The reliability of the step alone. */
  readonly stepReliability: Series
  /** The burn rate over the last hour, or over the step if that is longer. */
  readonly burnRate: Series
  /** What fraction of the budget of the time window was left. */
  readonly errorBudgetRemainingPercentage: Series
}

/** The steps of a series: from ≤ t < to, in Unix milliseconds, whole steps. */
export interface SeriesFrame extends MinuteRange {
  readonly step: SeriesStep
}

/** The steps that a series can have, the shortest first. */
export const seriesSteps = ["1m", "5m", "15m", "1h", "3h", "6h", "12h", "1d"] as const

type SeriesStep = (typeof seriesSteps)[number]

const stepMs: Readonly<Record<SeriesStep, number>> = {
  "1m": minuteMs,
  "5m": 5 * minuteMs,
  "15m": 15 * minuteMs,
  "1h": hourMs,
  "3h": 3 * hourMs,
  "6h": 6 * hourMs,
  "12h": 12 * hourMs,
  "1d": dayMs,
}

/**
 * Returns the events per step, and the metrics at the end of each step, computed from the counts known now. The current step has
 * the current status; future steps have none.
 *
 * Every time is read once, in the longest of days, hours and minutes that the steps and windows allow: at most some thousand
 * parts, whatever the range.
 */
export const findSloSeries = (organization: OrganizationId, query: SloSeriesQuery) =>
  Effect.gen(function* () {
    const key = yield* Effect.fromResult(sloKey(query.project, query.name))
    const given = yield* Effect.fromResult(parseSeriesRange(query))
    const windows = yield* Effect.fromResult(parseWindows(query.windows ?? []))
    const found = yield* (yield* SloStore).findForStatus(organization, key)
    if (Option.isNone(found)) return yield* new SloNotFound(key)
    const now = yield* Clock.currentTimeMillis
    const { definition } = found.value.slo
    const range = given ?? wholeWindow(definition.spec.timeWindow, now)
    const frame = yield* Effect.fromResult(frameOfStep(range, query.step))
    const track = query.objective ?? objectivesOf(definition)[0]?.name ?? overallTrack
    const burned = windows.length === 0 ? undefined : { track, windows }
    return yield* readSeries(found.value, frame, now, burned)
  })

/** Parses the windows of burn rates: as alerting windows of conditions, at most `burnRateWindowsMax`. */
const parseWindows = (
  texts: ReadonlyArray<string>,
): Result.Result<ReadonlyArray<Duration>, ParameterIsInvalid> => {
  const windows = texts.map((text) => ({ text, ms: durationToMs(text) ?? 0 }))
  const invalid = windows.find(
    ({ ms }) => ms < alertingWindowMinMs || ms > alertingWindowMaxMs || ms % minuteMs !== 0,
  )
  if (invalid === undefined && windows.length <= burnRateWindowsMax) return Result.succeed(windows)
  return Result.fail(
    new ParameterIsInvalid({
      code: "window_invalid",
      propertyName: "window",
      ...(invalid !== undefined && { propertyValue: invalid.text }),
      detail: `window must be a whole number of minutes from ${alertingWindowMinMs / minuteMs} minutes to ${alertingWindowMaxMs / hourMs} hours, such as 5m or 1h, and can be repeated up to ${burnRateWindowsMax} times`,
    }),
  )
}

/** Parses `range`, or `from` and `to`; `undefined` for the time window of the SLO. */
const parseSeriesRange = (query: Pick<SloSeriesQuery, "from" | "to" | "range">) => {
  if (!query.range) return parseTimeRange(query, historyRangeMaxDays)
  const isAlone = !query.from && !query.to
  if (query.range === "window" && isAlone) return Result.succeed(undefined)
  return Result.fail(
    new ParameterIsInvalid({
      code: "range_invalid",
      propertyName: "range",
      propertyValue: query.range,
      detail: isAlone ? "the one supported value of range is window" : "range replaces from and to",
    }),
  )
}

/** The time window, with the future part of a calendar-aligned one; of one that is longer than a series can be, the latest part. */
const wholeWindow = (window: TimeWindow, now: number): MinuteRange => {
  const { range, endsAt } = windowAt(window, now)
  const maxMs = historyRangeMaxDays * dayMs
  const from = Math.max(range.from, range.to - maxMs)
  return { from, to: Math.min(endsAt ?? range.to, from + maxMs) }
}

/**
 * Parses `from`, `to` and `step` into whole steps, at most `seriesPointsMax`; without `step`, the shortest that fits.
 */
export const parseSeriesFrame = (
  query: Pick<SloSeriesQuery, "from" | "to" | "step">,
): Result.Result<SeriesFrame, ParameterIsInvalid> =>
  Result.flatMap(parseTimeRange(query, historyRangeMaxDays), (range) => frameOfStep(range, query.step))

const frameOfStep = (
  range: MinuteRange,
  wanted: string | undefined,
): Result.Result<SeriesFrame, ParameterIsInvalid> => {
  const frames = seriesSteps.map((step) => frameOf(range, step))
  const frame = frames.find(({ step }) => step === wanted)
  const fitting = frames.filter(isFitting)
  if (wanted && (frame === undefined || !isFitting(frame))) {
    const steps = fitting.map(({ step }) => step).join(", ")
    return Result.fail(
      new ParameterIsInvalid({
        code: "step_invalid",
        propertyName: "step",
        propertyValue: wanted,
        detail: `step must be one of ${steps}, as there are at most ${seriesPointsMax} points`,
      }),
    )
  }
  // The longest step makes the longest range few enough points.
  return Result.succeed(frame ?? fitting[0] ?? frameOf(range, "1d"))
}

const frameOf = (
  { from, to }: { readonly from: number; readonly to: number },
  step: SeriesStep,
): SeriesFrame => {
  const length = stepMs[step]
  return { from: Math.floor(from / length) * length, to: Math.ceil(to / length) * length, step }
}

const isFitting = ({ from, to, step }: SeriesFrame): boolean => (to - from) / stepMs[step] <= seriesPointsMax

const readSeries = (
  { organization, slo, adjustments, readTo }: DueSlo,
  frame: SeriesFrame,
  now: number,
  burned: { readonly track: string; readonly windows: ReadonlyArray<Duration> } | undefined,
) =>
  Effect.gen(function* () {
    const { spec } = slo.definition
    const asOf = minuteOf(now) + minuteMs
    const length = stepMs[frame.step]
    const steps = Array.from({ length: (frame.to - frame.from) / length }, (_, index): MinuteRange => {
      const from = frame.from + index * length
      return { from, to: from + length }
    })
    const calendarRanges = makeCalendarRanges()
    const points = steps.map((step): Point | undefined => {
      if (step.from >= asOf) return undefined
      const known = { from: step.from, to: Math.min(step.to, asOf) }
      const window = windowAt(spec.timeWindow, known.to - minuteMs, calendarRanges)
      return { known, window, burned: length > burnRateLookbackMs ? known : burnRateRange(window) }
    })
    /** A condition measures up to the end of the minute after the latest one with counts, which was the last one of the step then. */
    const measuredRange = ({ known }: Point, lengthMs: number): MinuteRange => ({
      from: Math.min(known.to + minuteMs, asOf) - lengthMs,
      to: known.to,
    })
    const ranges = [
      ...steps,
      ...points.flatMap((point) =>
        point === undefined ? [] : [point.known, point.window.range, point.burned],
      ),
    ]
    const wanted = { organization, slo, adjustments, readTo }
    const [counts] = yield* readCounts([{ ...wanted, ranges }], now)

    const metricsOf = (track: string, target: number): MetricSeries => {
      const statuses = points.map((point): ObjectiveStatus => {
        if (point === undefined) return {}
        const { window, burned } = point
        const goodTotal = counts?.goodTotal(track, window.range, window.lengthMs)
        return objectiveStatus(target, window.lengthMs, goodTotal, counts?.goodTotal(track, burned))
      })
      const latestAt = counts?.latestAt(track)
      return {
        ...(latestAt !== undefined && { latestAt }),
        reliability: statuses.map(({ reliability }) => reliability ?? null),
        stepReliability: points.map((point) => {
          const ofStep = point && counts?.goodTotal(track, point.known)
          return ofStep === undefined || ofStep.total <= 0 ? null : ofStep.good / ofStep.total
        }),
        burnRate: statuses.map(({ burnRate }) => burnRate ?? null),
        errorBudgetRemainingPercentage: statuses.map(
          (status) => status.errorBudgetRemainingPercentage ?? null,
        ),
      }
    }
    const countsOf = (objective: string) => {
      const sums = steps.map((step) => counts?.ownSum(objective, step))
      return {
        good: sums.map((sum) => sum?.good ?? null),
        total: sums.map((sum) => sum?.total ?? null),
      }
    }
    const burnRatesOf = Effect.fnUntraced(function* ({ track, windows }: NonNullable<typeof burned>) {
      const target = targetsOf(slo.definition).get(track)
      return yield* Effect.forEach(windows, ({ text, ms }) =>
        Effect.gen(function* () {
          const measured = points.map((point) => point && measuredRange(point, ms))
          const ranges = measured.filter((range) => range !== undefined)
          // Of one objective, and of one window at a time.
          const [counts] = yield* readCounts([{ ...wanted, ranges, track }], now)
          yield* Effect.yieldNow
          const values = measured.map((range) =>
            range === undefined || target === undefined
              ? null
              : (burnRateOf(budgetShare(target), counts?.goodTotal(track, range, ms)) ?? null),
          )
          return { window: text, values } satisfies BurnRateSeries
        }),
      )
    })
    const objectives = yield* Effect.forEach(objectivesOf(slo.definition), (objective) =>
      // Hundreds of points of hundreds of objectives take long.
      Effect.map(Effect.yieldNow, () => ({
        name: objective.name,
        ...(!isCompositeObjective(objective) && { counts: countsOf(objective.name) }),
        ...metricsOf(objective.name, objective.target),
      })),
    )
    const series: SloSeries = {
      ...frame,
      objectives,
      ...(spec.composite && { composite: metricsOf(overallTrack, spec.composite.target) }),
      ...(burned !== undefined && { burnRates: yield* burnRatesOf(burned) }),
    }
    return series
  })

/** What is measured at the end of a step. */
interface Point {
  /** The step up to the current minute. */
  readonly known: MinuteRange
  readonly window: WindowAt
  /** What the burn rate is measured over. */
  readonly burned: MinuteRange
}
