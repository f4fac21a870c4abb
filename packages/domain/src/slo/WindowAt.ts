import { minuteMs, minuteOf, dayMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { timeOfWallClock } from "../codec/TimeZones.ts"
import type { CalendarWindow, TimeWindow } from "./TimeWindow.ts"
import { isCalendarWindow, rollingMs, type CalendarUnit } from "./WindowLength.ts"

/** Longest range that the burn rate of a status is computed over, in milliseconds. */
export const burnRateLookbackMs = 3_600_000

/** A time window that contains a given time. */
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

const lengthByUnit: Readonly<Record<CalendarUnit, { readonly days: number } | { readonly months: number }>> =
  {
    Day: { days: 1 },
    Week: { days: 7 },
    Month: { months: 1 },
    Quarter: { months: 3 },
    Year: { months: 12 },
  }

export type CalendarRanges = (window: CalendarWindow, now: number) => MinuteRange

/**
 * `calendarRange` with a cache, for reading many windows: a range takes some 60 µs to compute, and many SLOs
 * share one.
 */
export const makeCalendarRanges = (): CalendarRanges => {
  const rangeByWindow = new Map<string, MinuteRange>()
  return (window, now) => {
    const { unit, count, calendar } = window
    const key = `${unit} ${count} ${calendar.startTime.ms} ${calendar.timeZone.name}`
    const latest = rangeByWindow.get(key)
    if (latest !== undefined && latest.from <= now && now < latest.to) return latest
    const range = calendarRange(window, now)
    rangeByWindow.set(key, range)
    return range
  }
}

/**
 * The calendar-aligned window that contains `now`, in Unix milliseconds; windows start by the wall clock of
 * the time zone.
 *
 * Windows have no gaps, before `startTime` too. A window across a daylight saving change is an hour shorter
 * or longer. If its wall-clock start is skipped, the window starts that much later; if it occurs twice, at
 * the first. Months keep the day of `startTime`, or the last day of the month (31 January, 28 February, 31
 * March).
 */
export const calendarRange = ({ unit, count, calendar }: CalendarWindow, now: number): MinuteRange => {
  const anchor = calendar.startTime.ms
  const { rules } = calendar.timeZone
  const startOf = (index: number): number =>
    minuteOf(timeOfWallClock(wallClockAfter(anchor, unit, index * count), rules))
  // As if the zone were UTC, which is off by less than a window's length.
  let index = Math.floor(unitsBetween(anchor, now, unit) / count)
  let from = startOf(index)
  while (from > now) from = startOf(--index)
  let to = startOf(index + 1)
  while (to <= now) {
    from = to
    to = startOf(++index + 1)
  }
  return { from, to }
}

const wallClockAfter = (anchor: number, unit: CalendarUnit, units: number): number => {
  const length = lengthByUnit[unit]
  if ("days" in length) return anchor + units * length.days * dayMs
  const start = new Date(anchor)
  const firstOfMonth = (months: number): number =>
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, 1)
  const months = units * length.months
  const daysInMonth = (firstOfMonth(months + 1) - firstOfMonth(months)) / dayMs
  const day = Math.min(start.getUTCDate(), daysInMonth)
  return firstOfMonth(months) + (day - 1) * dayMs + (anchor % dayMs)
}

const unitsBetween = (anchor: number, now: number, unit: CalendarUnit): number => {
  const length = lengthByUnit[unit]
  if ("days" in length) return (now - anchor) / (length.days * dayMs)
  const [start, end] = [new Date(anchor), new Date(now)]
  const years = end.getUTCFullYear() - start.getUTCFullYear()
  return (years * 12 + end.getUTCMonth() - start.getUTCMonth()) / length.months
}
