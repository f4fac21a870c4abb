import { dayMs } from "../time/Minute.ts"
import { locale, timeFormat } from "../time/TimeZone.ts"

/** When a step begins; of a step of whole days, the day of UTC. */
export const stepTimeText = (time: number, stepMs: number): string =>
  stepMs >= dayMs ? utcDayText(time) : minuteTime(time)

/** A range, to the minute. */
export const rangeTimeText = (from: number, to: number): string => `${minuteTime(from)} – ${minuteTime(to)}`

/** A day of UTC. */
export const utcDayText = (time: number): string => utcFormat(utcDay).format(time)

/** The weekday and the month of a day of UTC, abbreviated. */
export const utcWeekdayText = (time: number): string => utcFormat({ weekday: "short" }).format(time)
export const utcMonthText = (time: number): string => utcFormat({ month: "short" }).format(time)

const minuteTime = timeFormat({
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
})

const utcDay = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const

/** Whatever time zone is chosen. */
const utcFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = JSON.stringify(options)
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale(), { ...options, timeZone: "UTC" })
  formats.set(key, format)
  return format
}

/** The language does not change without a reload. */
const formats = new Map<string, Intl.DateTimeFormat>()
