import { type CalendarRanges, calendarRange } from "./CalendarRange.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { isCalendarWindow, rollingMs, type TimeWindow } from "./TimeWindow.ts"

/** How far back the events of the burn rate reach, in milliseconds. */
export const burnRateLookbackMs = 3_600_000

/** An SLO's window at one instant. */
export interface WindowAt {
  /** The window's minutes up to the one under way, which is part of it. */
  readonly range: MinuteRange
  /** The length of the whole window in milliseconds, a calendar window's time to come included. */
  readonly lengthMs: number
  /** When a calendar window ends and the next begins, in Unix milliseconds. */
  readonly endsAt?: number
}

/**
 * The window that contains `now` (Unix milliseconds): a rolling one ends with the current minute. A caller that reads
 * many passes its `makeCalendarRanges`.
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
 * The range of the burn rate: the last hour, or the whole window if that is shorter.
 *
 * An hour is long enough that one bad minute does not dominate the rate, and short enough to differ from the average of
 * the window, which `errorBudgetRemainingPercentage` already shows.
 *
 * Source: spec/slos §3.
 */
export const burnRateRange = ({ range }: WindowAt): MinuteRange => ({
  from: Math.max(range.from, range.to - burnRateLookbackMs),
  to: range.to,
})
