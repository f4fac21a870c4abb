import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hourMs, minuteMs } from "../codec/MinuteInstant.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { makeCalendarRanges, type WindowAt, windowAt } from "../slo/WindowAt.ts"
import { objectiveStatus } from "./ErrorBudget.ts"
import { readCounts } from "./ReadSlos.ts"
import { type DueSlo, SloStore } from "./SloStore.ts"
import type { Series } from "./SloSeries.ts"

/** How many points a trend has. */
export const trendPoints = 30

/** Most SLOs whose trends are read together. */
export const trendSlosMax = 50

/** How the error budgets of an SLO developed over its time window. */
export interface SloTrend {
  /** The project and name of the SLO. */
  readonly slo: ProjectKey
  /**
   * The error budget remaining, as `ObjectiveStatus` has it, at `trendPoints` times that divide the time window evenly; the
   * last one of a rolling window is now. `null` without data, and in the future part of a calendar-aligned window.
   */
  readonly objectives: ReadonlyArray<{ readonly name: string; readonly errorBudgetRemaining: Series }>
  /** Of the legacy composite, where the SLO has one. */
  readonly composite?: Series
}

/** The trends of SLOs; those that do not exist are left out. */
export const findSloTrends = Effect.fnUntraced(function* (
  organization: OrganizationId,
  slos: ReadonlyArray<ProjectKey>,
) {
  if (slos.length > trendSlosMax) {
    return yield* new ParameterIsInvalid({
      code: "slo_invalid",
      propertyName: "slo",
      detail: `slo can be repeated at most ${trendSlosMax} times`,
    })
  }
  const store = yield* SloStore
  const dues = yield* store.findAllForStatus(organization, slos)
  const now = yield* Clock.currentTimeMillis
  const windows = dues.map(({ slo }) => trendWindows(slo.definition.spec.timeWindow, now))
  const counts = yield* readCounts(
    dues.map(({ slo, adjustments, readTo }, index) => ({
      organization,
      slo,
      adjustments,
      readTo,
      ranges: (windows[index] ?? []).flatMap((window) => window?.range ?? []),
    })),
    now,
  )
  return dues.map((due, index): SloTrend => {
    const budgetsOf = (track: string, target: number): Series =>
      (windows[index] ?? []).map((window) => {
        if (window === undefined) return null
        const goodTotal = counts[index]?.goodTotal(track, window.range, window.lengthMs)
        const { errorBudgetRemainingPercentage } = objectiveStatus(
          target,
          window.lengthMs,
          goodTotal,
          undefined,
        )
        return errorBudgetRemainingPercentage ?? null
      })
    return trendOf(due, budgetsOf)
  })
})

const trendOf = ({ slo }: DueSlo, budgetsOf: (track: string, target: number) => Series): SloTrend => {
  const { metadata, spec } = slo.definition
  return {
    slo: { project: metadata.project, name: metadata.name },
    objectives: objectivesOf(slo.definition).map(({ name, target }) => ({
      name,
      errorBudgetRemaining: budgetsOf(name, target),
    })),
    ...(spec.composite !== undefined && { composite: budgetsOf(overallTrack, spec.composite.target) }),
  }
}

/**
 * The time window as it was at each point of the current one. Points before now are on whole hours where they are hours
 * apart: counts are summed by the hour.
 */
const trendWindows = (
  timeWindow: DueSlo["slo"]["definition"]["spec"]["timeWindow"],
  now: number,
): ReadonlyArray<WindowAt | undefined> => {
  const calendarRanges = makeCalendarRanges()
  const current = windowAt(timeWindow, now, calendarRanges)
  const { from, to } = current.range
  const stepMs = current.lengthMs / trendPoints
  const unitMs = stepMs >= hourMs ? hourMs : minuteMs
  let isPast = true
  return Array.from({ length: trendPoints }, (_, index) => {
    if (!isPast) return undefined
    const at = Math.floor((from + (index + 1) * stepMs) / unitMs) * unitMs
    // The step that now is in ends now.
    isPast = at < to && index < trendPoints - 1
    return isPast ? windowAt(timeWindow, Math.max(at, from + minuteMs) - minuteMs, calendarRanges) : current
  })
}
