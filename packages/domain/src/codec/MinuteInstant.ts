import * as Schema from "effect/Schema"
import { type Codec, once } from "./Codec.ts"

/** The length of a minute, in milliseconds. */
export const minuteMs = 60_000

/** The start of the minute that holds this instant, both in Unix milliseconds. */
export const minuteOf = (instant: number): number => Math.floor(instant / minuteMs) * minuteMs

/** The length of an hour, in milliseconds. */
export const hourMs = 60 * minuteMs

/** The length of a day in UTC, in milliseconds. */
export const dayMs = 24 * hourMs

/** The start of the hour of UTC that holds this instant, both in Unix milliseconds. */
export const hourOf = (instant: number): number => Math.floor(instant / hourMs) * hourMs

/** The start of the day of UTC that holds this instant, both in Unix milliseconds. */
export const dayOf = (instant: number): number => Math.floor(instant / dayMs) * dayMs

/**
 * Reads a date-time in UTC, as `2026-01-30T12:00:00Z`, into Unix milliseconds; `undefined` if it is not one.
 *
 * The offset is `Z` or `+00:00`. A query string that leaves the `+` unescaped turns it into a space, so that is
 * taken too. Digits of the fraction beyond the millisecond are dropped. A day that the month does not have and
 * the leap second 60 are refused.
 *
 * Source: RFC 3339 section 5.6; spec/status-api §9.
 */
export const parseUtcInstant = (text: string): number | undefined => {
  const match = dateTime.exec(text)
  if (match === null) return undefined
  const [, date = "", time = "", fraction = ""] = match
  const written = `${date}T${time}`
  const instant = Date.parse(`${written}.${fraction.slice(0, 3).padEnd(3, "0")}Z`)
  if (Number.isNaN(instant)) return undefined
  // Where the day is too large for its month, what is written back differs.
  return new Date(instant).toISOString().startsWith(written) ? instant : undefined
}

/** A date-time in UTC, read as Unix milliseconds. */
export const utcInstant: Codec<number> = {
  read: (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const message = "must be a date-time in UTC, such as 2026-01-30T12:00:00Z"
    return parseUtcInstant(value) ?? issues.add(path, "invalid_format", message)
  },
  write: (ms) => new Date(ms).toISOString(),
  schema: once(() =>
    Schema.String.annotate({ description: "A date-time of RFC 3339 in UTC", format: "date-time" }),
  ),
}

const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,32}))?(?:[Zz]|[+ ]00:00)$/
