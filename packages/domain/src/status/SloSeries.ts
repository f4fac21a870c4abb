import * as Result from "effect/Result"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { parseTimeRange } from "./DataRange.ts"
import { objectiveStatus } from "./ErrorBudget.ts"
import { SloNotFound, sloKey } from "./FindSlo.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { readCounts } from "./ReadSlos.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { isCompositeObjective } from "../slo/Slo.ts"
import { type DueSlo, SloStore } from "./SloStore.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { makeCalendarRanges, windowAt } from "../slo/WindowAt.ts"

/** Most points of a series. */
export const seriesPointsMax = 700

/** The parameters of a series; empty strings are treated as omitted. */
export interface SloSeriesQuery {
  readonly project?: string | undefined
  readonly name: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly step?: string | undefined
}

/** One value per step, in order; `null` where there is no value. */
export type Series = ReadonlyArray<number | null>

export interface SloSeries extends SeriesFrame {
  readonly objectives: ReadonlyArray<{
    readonly name: string
    /** The events of each step; absent for a composite objective, which has none of its own. */
    readonly counts?: { readonly good: Series; readonly total: Series }
    /** What fraction of the budget was left at the end of each step, as `ObjectiveStatus` has it. */
    readonly errorBudgetRemainingPercentage: Series
  }>
  /** Of the legacy composite, where the SLO has one. */
  readonly composite?: { readonly errorBudgetRemainingPercentage: Series }
}

/** The steps of a series: from ≤ t < to, in Unix milliseconds, whole steps. */
export interface SeriesFrame extends MinuteRange {
  readonly step: SeriesStep
}

/** The steps that a series can have, the shortest first. */
export const seriesSteps = ["1m", "5m", "15m", "1h"] as const

export type SeriesStep = (typeof seriesSteps)[number]

const stepMs: Readonly<Record<SeriesStep, number>> = {
  "1m": minuteMs,
  "5m": 5 * minuteMs,
  "15m": 15 * minuteMs,
  "1h": 60 * minuteMs,
}

/**
 * Returns the events per step, and the error budget remaining at the end of each step, computed from the counts known
 * now. The current step has the current status; future steps have none.
 */
export const findSloSeries = (organization: OrganizationId, query: SloSeriesQuery) =>
  Effect.gen(function* () {
    const key = yield* Effect.fromResult(sloKey(query.project, query.name))
    const frame = yield* Effect.fromResult(parseSeriesFrame(query))
    const found = yield* (yield* SloStore).findForStatus(organization, key)
    if (Option.isNone(found)) return yield* new SloNotFound(key)
    return yield* readSeries(found.value, frame)
  })

/**
 * Parses `from`, `to` and `step` into whole steps, at most `seriesPointsMax`; without `step`, the shortest that fits.
 */
export const parseSeriesFrame = (
  query: Pick<SloSeriesQuery, "from" | "to" | "step">,
): Result.Result<SeriesFrame, ParameterIsInvalid> => {
  const range = parseTimeRange(query)
  if (Result.isFailure(range)) return Result.fail(range.failure)
  const frames = seriesSteps.map((step) => frameOf(range.success, step))
  const frame = frames.find(({ step }) => step === query.step)
  const fitting = frames.filter(isFitting)
  if (query.step && (frame === undefined || !isFitting(frame))) {
    const steps = fitting.map(({ step }) => step).join(", ")
    return Result.fail(
      new ParameterIsInvalid({
        code: "step_invalid",
        propertyName: "step",
        propertyValue: query.step,
        detail: `step must be one of ${steps}, as there are at most ${seriesPointsMax} points`,
      }),
    )
  }
  // The longest step makes the longest range few enough points.
  return Result.succeed(frame ?? fitting[0] ?? frameOf(range.success, "1h"))
}

const frameOf = (
  { from, to }: { readonly from: number; readonly to: number },
  step: SeriesStep,
): SeriesFrame => {
  const length = stepMs[step]
  return { from: Math.floor(from / length) * length, to: Math.ceil(to / length) * length, step }
}

const isFitting = ({ from, to, step }: SeriesFrame): boolean => (to - from) / stepMs[step] <= seriesPointsMax

const readSeries = ({ organization, slo, adjustments }: DueSlo, frame: SeriesFrame) =>
  Effect.gen(function* () {
    const { spec } = slo.definition
    const now = yield* Clock.currentTimeMillis
    const asOf = minuteOf(now) + minuteMs
    const length = stepMs[frame.step]
    const steps = Array.from({ length: (frame.to - frame.from) / length }, (_, index): MinuteRange => {
      const from = frame.from + index * length
      return { from, to: from + length }
    })
    const calendarRanges = makeCalendarRanges()
    const windows = steps.map(({ from, to }) =>
      from < asOf ? windowAt(spec.timeWindow, Math.min(to, asOf) - minuteMs, calendarRanges) : undefined,
    )
    const ranges = [...steps, ...windows.flatMap((window) => window?.range ?? [])]
    const [counts] = yield* readCounts([{ organization, slo, adjustments, ranges }], now)

    const budgetsOf = (track: string, target: number): Series =>
      windows.map((window) => {
        if (window === undefined) return null
        const goodTotal = counts?.goodTotal(track, window.range, window.lengthMs)
        return (
          objectiveStatus(target, window.lengthMs, goodTotal, undefined).errorBudgetRemainingPercentage ??
          null
        )
      })
    const countsOf = (objective: string) => {
      const sums = steps.map((step) => counts?.ownSum(objective, step))
      return {
        good: sums.map((sum) => sum?.good ?? null),
        total: sums.map((sum) => sum?.total ?? null),
      }
    }
    const series: SloSeries = {
      ...frame,
      objectives: objectivesOf(slo.definition).map((objective) => ({
        name: objective.name,
        ...(!isCompositeObjective(objective) && { counts: countsOf(objective.name) }),
        errorBudgetRemainingPercentage: budgetsOf(objective.name, objective.target),
      })),
      ...(spec.composite && {
        composite: { errorBudgetRemainingPercentage: budgetsOf(overallTrack, spec.composite.target) },
      }),
    }
    return series
  })
