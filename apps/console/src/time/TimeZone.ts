import { currentLanguage } from "../language/Language.ts"
import { storedChoice } from "../preferences/StoredChoice.ts"

/** In which time zone times are shown and entered. */
type TimeZoneChoice = "local" | "utc"

const { read: choice, choose, useChoice } = storedChoice<TimeZoneChoice>("tocsin.timezone", ["local", "utc"])

/** Chooses the time zone of the whole console, which is rendered again. */
export const chooseTimeZone = choose

/** The chosen time zone. A component that calls it is rendered again when it changes; the app calls it for all. */
export const useTimeZone = useChoice

/** The IANA name of the time zone in which times are shown and entered. */
export const timeZoneName = (): string => (choice() === "utc" ? "UTC" : localTimeZone())

/** The IANA name of the browser's time zone. */
export const localTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The locale of dates and numbers. English dates have the day first and 24 hours. */
export const locale = (): string => (currentLanguage() === "en" ? "en-GB" : currentLanguage())

/** A function that formats times in the language and the time zone of the user, as they are when it is called. */
export const timeFormat = (options: Intl.DateTimeFormatOptions): ((time: number | Date) => string) => {
  const formats = new Map<string, Intl.DateTimeFormat>()
  return (time) => {
    const key = `${choice()} ${locale()}`
    const format =
      formats.get(key) ??
      new Intl.DateTimeFormat(locale(), { ...options, ...(choice() === "utc" && { timeZone: "UTC" }) })
    formats.set(key, format)
    return format.format(time)
  }
}

const zoneParts = timeFormat({ timeZoneName: "short" })

/** The short name of the time zone at a time, such as `UTC` or `CET`. */
export const timeZoneText = (time = Date.now()): string => zoneParts(time).replace(/^.*,\s*/, "")

/** A time as the API and the address have it. */
export const timeText = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z")

/** A time of the API as the text of an input, such as `2026-11-29 14:05`; empty without a time. */
export const inputOfTime = (text: string): string => {
  const time = Date.parse(text)
  if (Number.isNaN(time)) return ""
  const offsetMs = choice() === "utc" ? 0 : new Date(time).getTimezoneOffset() * 60_000
  return new Date(time - offsetMs).toISOString().slice(0, 16).replace("T", " ")
}

/** The time of the text of an input, as the API has it; with seconds and `Z` as it may be pasted. Empty if it is not a time. */
export const timeOfInput = (text: string): string => {
  const [, day = "", time, seconds = "", zone = ""] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z?)$/.exec(text.trim()) ?? []
  const at = Date.parse(`${day}T${time}${seconds}${choice() === "utc" ? "Z" : zone}`)
  // 31 February would be a day in March.
  const isDay = !Number.isNaN(at) && new Date(`${day}T00:00Z`).toISOString().startsWith(day)
  return isDay ? timeText(at) : ""
}

/** The start of the day of a time. */
export const startOfDay = (time: number): number => {
  const date = new Date(time)
  return choice() === "utc" ? date.setUTCHours(0, 0, 0, 0) : date.setHours(0, 0, 0, 0)
}

/** The same time some days later; each can have 23 or 25 hours. */
export const dayAfter = (time: number, days = 1): number => {
  const date = new Date(time)
  return choice() === "utc" ? date.setUTCDate(date.getUTCDate() + days) : date.setDate(date.getDate() + days)
}

/** An hour of the day, some days after the day of a time. */
export const hourAfterDays = (time: number, days: number, hour: number): number => {
  const date = new Date(dayAfter(startOfDay(time), days))
  return choice() === "utc" ? date.setUTCHours(hour) : date.setHours(hour)
}

/** The start of the Monday of the week of a time. */
export const weekStart = (time: number): number => {
  const date = new Date(time)
  const weekday = choice() === "utc" ? date.getUTCDay() : date.getDay()
  return dayAfter(startOfDay(time), -((weekday + 6) % 7))
}

/** The start of the month of a time, or of one some months later; of months that come in groups, of the first of its group. */
export const monthStart = (time: number, later = 0, group = 1): number => {
  const date = new Date(startOfDay(time))
  const isUtc = choice() === "utc"
  const month = isUtc ? date.getUTCMonth() : date.getMonth()
  const wanted = month - (month % group) + later
  return isUtc ? date.setUTCMonth(wanted, 1) : date.setMonth(wanted, 1)
}
