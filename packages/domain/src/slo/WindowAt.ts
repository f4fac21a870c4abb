import { type CalendarRanges, calendarRange } from "./CalendarRange.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { isCalendarWindow, rollingMs, type TimeWindow } from "./TimeWindow.ts"

export const burnRateLookbackMs = 3_600_000

export interface WindowAt {
  /** Up to and including the current minute. */
  readonly range: MinuteRange
  /** The whole window, including the future part of a calendar window. */
  readonly lengthMs: number
  /** The end of a calendar window, in Unix milliseconds. */
  readonly endsAt?: number
}

/**
 * The window that contains `now`, in Unix milliseconds; a rolling one ends with the current minute. Callers
 * that read many pass their `makeCalendarRanges`.
 */
export const windowAt = (
  window: TimeWindow,
  now: number,
  rangeOf: CalendarRanges = calendarRange,
): WindowAt => {
  const to = minuteOf(now) + minuteMs
  if (isCalendarWindow(window)) {
    const whole = rangeOf(window, now)
    return { range: { from: whole.from, to }, lengthMs: whole.to - whole.from, endsAt: whole.to }
  }
  const lengthMs = rollingMs(window)
  return { range: { from: to - lengthMs, to }, lengthMs }
}

/**
 * The last hour, or the whole window if that is shorter (spec/slos §3).
 *
 * One bad minute does not dominate an hour, yet an hour differs from the window's average, which
 * `errorBudgetRemainingPercentage` shows.
 */
export const burnRateRange = ({ range }: WindowAt): MinuteRange => ({
  from: Math.max(range.from, range.to - burnRateLookbackMs),
  to: range.to,
})
