import type { CalendarWindow } from "@tocsin/domain/adapter"
import type { MinuteRange } from "@tocsin/domain/codec"
import type { CalendarUnit } from "@tocsin/domain/definitions"

/*
 * Calendar windows, slowly and plainly: it looks for the instants at which a wall clock shows a time, and walks from
 * one window's start to the next.
 */

const minute = 60_000
const day = 24 * 60 * minute

/** The calendar window that holds `now`. */
export const modelCalendarRange = (window: CalendarWindow, now: number): MinuteRange => {
  const startOf = (index: number): number =>
    instantAt(wallClockOf(window, index), window.calendar.timeZone.name)
  let index = 0
  while (startOf(index) > now) index--
  while (startOf(index + 1) <= now) index++
  return { from: startOf(index), to: startOf(index + 1) }
}

interface WallClock {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

const wallClockOf = ({ unit, count, calendar }: CalendarWindow, index: number): WallClock => {
  const [year = 0, month = 0, date = 0, hour = 0, minutes = 0] = calendar.startTime.text
    .split(/[- :]/)
    .map(Number)
  const steps = index * count
  if (unit === "Day" || unit === "Week") {
    const moved = new Date(Date.UTC(year, month - 1, date))
    moved.setUTCDate(date + steps * (unit === "Week" ? 7 : 1))
    return {
      year: moved.getUTCFullYear(),
      month: moved.getUTCMonth() + 1,
      day: moved.getUTCDate(),
      hour,
      minute: minutes,
    }
  }
  let [inYear, inMonth] = [year, month]
  for (let moved = 0; moved < Math.abs(steps) * monthsIn[unit]; moved++) {
    inMonth += Math.sign(steps)
    if (inMonth === 13) [inYear, inMonth] = [inYear + 1, 1]
    if (inMonth === 0) [inYear, inMonth] = [inYear - 1, 12]
  }
  return {
    year: inYear,
    month: inMonth,
    day: Math.min(date, daysIn(inYear, inMonth)),
    hour,
    minute: minutes,
  }
}

const monthsIn: Readonly<Record<Exclude<CalendarUnit, "Day" | "Week">, number>> = {
  Month: 1,
  Quarter: 3,
  Year: 12,
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** The first instant at which the clock shows this time; where it never does, as much later as it was put forward. */
const instantAt = (wallClock: WallClock, timeZone: string): number => {
  const wanted = asIfUtc(wallClock)
  const key = `${wanted} ${timeZone}`
  const known = instants.get(key)
  if (known !== undefined) return known
  let found: number | undefined
  for (let at = wanted - 15 * 60 * minute; at <= wanted + 15 * 60 * minute; at += 15 * minute) {
    if (shownAt(at, timeZone) === wanted) {
      found = at
      break
    }
  }
  found ??= afterGap(wanted, timeZone)
  instants.set(key, found)
  return found
}

const instants = new Map<string, number>()

const afterGap = (wanted: number, timeZone: string): number => {
  let at = wanted - 2 * day
  while (shownAt(at + minute, timeZone) < wanted) at += minute
  return at + (wanted - shownAt(at, timeZone))
}

/** What the clock shows at an instant, as if it were in UTC. */
const shownAt = (at: number, timeZone: string): number => {
  const format = formats.get(timeZone) ?? formatOf(timeZone)
  formats.set(timeZone, format)
  const [month = 0, date = 0, year = 0, hour = 0, minutes = 0] = (format.format(at).match(/\d+/g) ?? []).map(
    Number,
  )
  return asIfUtc({ year, month, day: date, hour, minute: minutes })
}

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-US", {
    timeZone,
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    hourCycle: "h23",
  })

const asIfUtc = ({ year, month, day: date, hour, minute: minutes }: WallClock): number =>
  Date.UTC(year, month - 1, date, hour, minutes)
