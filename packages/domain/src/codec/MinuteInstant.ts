import * as Schema from "effect/Schema"
import { type Codec, once } from "./Codec.ts"

/** Length of a minute, in milliseconds. */
export const minuteMs = 60_000

/** The start of a minute; both in Unix milliseconds. */
export const minuteOf = (instant: number): number => Math.floor(instant / minuteMs) * minuteMs

/** Length of an hour, in milliseconds. */
export const hourMs = 60 * minuteMs

/** UTC days. */
export const dayMs = 24 * hourMs

/** The start of an hour of UTC; both in Unix milliseconds. */
export const hourOf = (instant: number): number => Math.floor(instant / hourMs) * hourMs

/** The start of a day of UTC; both in Unix milliseconds. */
export const dayOf = (instant: number): number => Math.floor(instant / dayMs) * dayMs

/**
 * Parses an RFC 3339 date-time in UTC, such as `2026-01-30T12:00:00Z`, into Unix milliseconds.
 *
 * The offset is `Z` or `+00:00`; a space instead of `+` is accepted, since query strings decode `+` as a
 * space. Digits beyond milliseconds are dropped. Days that the month does not have and leap seconds are
 * rejected.
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

/** Reads what `parseUtcInstant` parses, as Unix milliseconds. Writes UTC with milliseconds. */
export const utcInstant: Codec<number, unknown, string> = {
  read: (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const message = "must be a date-time in UTC, such as 2026-01-30T12:00:00Z"
    return parseUtcInstant(value) ?? issues.add(path, "invalid_format", message)
  },
  write: (ms) => new Date(ms).toISOString(),
  schema: /* @__PURE__ */ once(() =>
    Schema.String.annotate({ description: "RFC 3339 date-time in UTC", format: "date-time" }),
  ),
}

const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,32}))?(?:[Zz]|[+ ]00:00)$/

/**
 * Parses an RFC 3339 date-time with any offset, such as `2026-01-30T13:00:00+01:00`, into Unix milliseconds.
 */
export const dateTimeToMs = (text: string): number | undefined => {
  const match = /^(.{19,52}?)(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/.exec(text)
  if (match === null) return undefined
  const [, local = "", sign, hours = "0", minutes = "0"] = match
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  const instant = parseUtcInstant(`${local}Z`)
  return instant === undefined ? undefined : sign === "-" ? instant + offsetMs : instant - offsetMs
}

/** A point in time with its original text. */
export interface Instant {
  /** RFC 3339, with the offset and the fraction that were submitted. */
  readonly text: string
  /** Unix milliseconds. */
  readonly ms: number
}

/** Reads what `dateTimeToMs` parses. Writes the original text. */
export const instant: Codec<Instant, unknown, string> = {
  read: (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const ms = dateTimeToMs(value)
    return ms === undefined
      ? issues.add(path, "invalid_format", "must be a date-time such as 2026-01-30T12:00:00Z")
      : { text: value, ms }
  },
  write: ({ text }) => text,
  schema: /* @__PURE__ */ once(() =>
    Schema.String.annotate({ description: "RFC 3339 date-time with any offset", format: "date-time" }),
  ),
}
