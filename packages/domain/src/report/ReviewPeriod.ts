import { dayMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { timeOfWallClock } from "../codec/TimeZones.ts"
import type { NamedTimeZone } from "../codec/WallClock.ts"
import type { CalendarWindow } from "../slo/TimeWindow.ts"
import { calendarRange } from "../slo/WindowAt.ts"

/** A Monday. */
const weekStart: CalendarWindow["calendar"]["startTime"] = { text: "1970-01-05 00:00:00", ms: 4 * dayMs }

/**
 * The weeks of a period, each from Monday 00:00 by the wall clock of a time zone, in order and without gaps. The first and the last
 * week can be shorter, since they are cut at the period.
 */
export const weeksOf = ({ from, to }: MinuteRange, timeZone: NamedTimeZone): ReadonlyArray<MinuteRange> => {
  const week: CalendarWindow = { unit: "Week", count: 1, calendar: { startTime: weekStart, timeZone } }
  const weeks: Array<MinuteRange> = []
  for (let start = from; start < to;) {
    const end = Math.min(calendarRange(week, start).to, to)
    weeks.push({ from: start, to: end })
    start = end
  }
  return weeks
}

/**
 * The period before a period, which ends where that one starts: as many calendar months if it consists of whole ones by the wall clock
 * of a time zone, as many days if it consists of whole days, otherwise as many milliseconds.
 */
export const previousPeriod = ({ from, to }: MinuteRange, { rules }: NamedTimeZone): MinuteRange => {
  const [start, end] = [new Date(from + rules.offsetAt(from)), new Date(to + rules.offsetAt(to))]
  const months =
    (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth()
  const days = (end.getTime() - start.getTime()) / dayMs
  if (months > 0 && isFirstOfMonth(start) && isFirstOfMonth(end)) {
    const wallClock = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months, 1)
    return { from: minuteOf(timeOfWallClock(wallClock, rules)), to: from }
  }
  return days > 0 && Number.isInteger(days)
    ? { from: minuteOf(timeOfWallClock(start.getTime() - days * dayMs, rules)), to: from }
    : { from: from - (to - from), to: from }
}

const isFirstOfMonth = (wallClock: Date): boolean =>
  wallClock.getUTCDate() === 1 && wallClock.getTime() % dayMs === 0
