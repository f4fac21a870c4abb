import { hourMs, minuteMs } from "../codec/MinuteInstant.ts"
import { type MinuteRange, rangesOverlap } from "../codec/MinuteRange.ts"
import type { TimeWindow } from "../slo/TimeWindow.ts"
import { isCalendarWindow } from "../slo/WindowLength.ts"
import { calendarRange, type CalendarRanges } from "../slo/WindowAt.ts"

/** Time from the end of a period to its report, for counts and alerts that arrive late, in milliseconds. */
export const reportDelayMs = hourMs

/**
 * Longest time from the end of a period to its report while the data source of the SLO has not been read to the end of
 * the period, in milliseconds.
 */
export const reportDelayMaxMs = 24 * hourMs

/** Interval at which a report that waits for the data source is tried, in milliseconds. */
export const reportRetryMs = 10 * minuteMs

/** The period of the next report of an SLO. */
export interface ReportSchedule {
  /** What the report is about, in whole minutes. */
  readonly period: MinuteRange
  /** When it is made, in Unix milliseconds. */
  readonly dueAt: number
}

/**
 * The period that contains an instant (Unix milliseconds): a calendar window, or the month in UTC for a rolling one.
 * Callers that read many pass their `makeCalendarRanges`.
 */
export const reportPeriod = (
  window: TimeWindow,
  instant: number,
  rangeOf: CalendarRanges = calendarRange,
): MinuteRange => {
  if (isCalendarWindow(window)) return rangeOf(window, instant)
  const date = new Date(instant)
  const firstOfMonth = (months: number): number =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
  return { from: firstOfMonth(0), to: firstOfMonth(1) }
}

/** The report of the period that contains an instant (Unix milliseconds). */
export const reportScheduleAt = (
  window: TimeWindow,
  instant: number,
  rangeOf?: CalendarRanges,
): ReportSchedule => {
  const period = reportPeriod(window, instant, rangeOf)
  return { period, dueAt: period.to + reportDelayMs }
}

/** What to do with a report that may be due: make it, or not; and when to look again. */
export interface ReportStep {
  /** Whether the report of the scheduled period is made now. */
  readonly isDue: boolean
  readonly next: ReportSchedule
}

/** The state of an SLO with a report that may be due. All times are in Unix milliseconds. */
export interface ReportState {
  readonly window: TimeWindow
  /** The scheduled period. */
  readonly period: MinuteRange
  readonly now: number
  /** Counts before may have been deleted. */
  readonly countsFrom: number
  /** How far the data source has been read; absent without one. */
  readonly readTo?: number
  /** Minutes of components that are not read yet, as in `DueSlo`. */
  readonly componentsUnread?: MinuteRange
}

/**
 * Decides on a scheduled report.
 *
 * After the window of the SLO was changed, the next report is that of the present period. Periods of which counts may have been
 * deleted have no report.
 */
export const reportStep = ({
  window,
  period,
  now,
  countsFrom,
  readTo = Infinity,
  componentsUnread,
}: ReportState): ReportStep => {
  const expected = reportPeriod(window, period.from)
  if (expected.from !== period.from || expected.to !== period.to) {
    return { isDue: false, next: reportScheduleAt(window, now) }
  }
  const dueAt = period.to + reportDelayMs
  if (now < dueAt) return { isDue: false, next: { period, dueAt } }
  const { from } = period
  if (from < countsFrom) {
    return { isDue: false, next: firstReadable(window, Math.max(period.to, countsFrom), countsFrom) }
  }
  const latest = period.to + reportDelayMaxMs
  const isUnread =
    readTo < period.to ||
    (componentsUnread !== undefined && rangesOverlap(componentsUnread, { from, to: period.to }))
  if (isUnread && now < latest) {
    return { isDue: false, next: { period, dueAt: Math.min(now + reportRetryMs, latest) } }
  }
  return { isDue: true, next: reportScheduleAt(window, period.to) }
}

/** The first report from an instant on whose period has all counts. */
const firstReadable = (window: TimeWindow, instant: number, countsFrom: number): ReportSchedule => {
  const schedule = reportScheduleAt(window, instant)
  const { from, to } = schedule.period
  return from < countsFrom ? firstReadable(window, to, countsFrom) : schedule
}
