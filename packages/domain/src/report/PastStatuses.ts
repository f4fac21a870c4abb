import * as Effect from "effect/Effect"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Slo } from "../slo/Slo.ts"
import type { TimeWindow } from "../slo/TimeWindow.ts"
import { makeCalendarRanges, windowAt } from "../slo/WindowAt.ts"
import { reliabilityOf, shareRemaining } from "../status/ErrorBudget.ts"
import { SloStore } from "../status/SloStore.ts"
import { readStatusSeries } from "../status/StatusSeries.ts"

/** SLOs that are read together. */
const slosAtOnce = 50

/** What the status of an objective was in a minute. */
export interface PastStatus {
  readonly slo: Slo
  readonly target: number
  /** The start of the minute, in Unix milliseconds. */
  readonly minute: number
  /** Absent without data. */
  readonly reliability?: number | undefined
  readonly errorBudgetRemainingPercentage?: number | undefined
}

/**
 * Reads what the status of each objective of SLOs was in each of some minutes, by the present definitions. Windows that begin before
 * `countsFrom` (Unix milliseconds), whose counts may have been deleted, are left out, as are SLOs that do not exist.
 */
export const readPastStatuses = Effect.fnUntraced(function* (
  organization: OrganizationId,
  slos: ReadonlyArray<ProjectKey>,
  minutes: ReadonlyArray<number>,
  countsFrom: number,
  onStatus: (status: PastStatus) => void,
) {
  const minutesOf = makeMinutesOf(minutes, countsFrom)
  const store = yield* SloStore
  for (let next = 0; next < slos.length; next += slosAtOnce) {
    const found = yield* store.findAllForStatus(organization, slos.slice(next, next + slosAtOnce))
    const targets = new Map(
      found.map(({ slo: { definition } }) => [
        projectKeyText(definition.metadata),
        new Map(objectivesOf(definition).map(({ name, target }) => [name, target])),
      ]),
    )
    const wanted = found.map(({ slo, adjustments }) => ({
      slo,
      adjustments,
      objectives: new Set(objectivesOf(slo.definition).map(({ name }) => name)),
      statuses: minutesOf(slo.definition.spec.timeWindow),
      parts: { window: true, burnRate: false },
      counts: [],
    }))
    yield* readStatusSeries(organization, wanted, {
      onStatus: ({ definition }, objective, minute, { budget, window }) =>
        onStatus({
          slo: definition,
          target: targets.get(projectKeyText(definition.metadata))?.get(objective) ?? 0,
          minute,
          reliability: reliabilityOf(window),
          errorBudgetRemainingPercentage: shareRemaining(budget, window),
        }),
      onCounts: () => undefined,
    })
  }
})

/** The minutes whose windows are whole; the same array for the same time window, as their ranges are then made once. */
const makeMinutesOf = (minutes: ReadonlyArray<number>, countsFrom: number) => {
  const known = new Map<string, ReadonlyArray<number>>()
  const calendarRanges = makeCalendarRanges()
  return (timeWindow: TimeWindow): ReadonlyArray<number> => {
    const key = JSON.stringify(timeWindow)
    const isWhole = (minute: number): boolean =>
      windowAt(timeWindow, minute, calendarRanges).range.from >= countsFrom
    const whole = known.get(key) ?? minutes.filter(isWhole)
    known.set(key, whole)
    return whole
  }
}
