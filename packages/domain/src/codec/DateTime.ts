import { parseUtcInstant } from "./MinuteInstant.ts"
import type { Rule } from "./Rule.ts"

/**
 * Reads a date-time with any offset, as `2026-01-30T13:00:00+01:00`, into Unix milliseconds; `undefined` when it is
 * none.
 *
 * Everything but the offset is as `parseUtcInstant` has it.
 *
 * Source: RFC 3339 section 5.6.
 */
export const dateTimeToMs = (text: string): number | undefined => {
  const match = /^(.{19,52}?)(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/.exec(text)
  if (match === null) return undefined
  const [, local = "", sign, hours = "0", minutes = "0"] = match
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  const instant = parseUtcInstant(`${local}Z`)
  return instant === undefined ? undefined : sign === "-" ? instant + offsetMs : instant - offsetMs
}

/** A date-time with any offset, in Unix milliseconds. */
export const dateTime: Rule<number> = (value, path, issues) => {
  if (typeof value !== "string") return issues.add(path, "wrong_type", "must be text")
  const message = "must be a date-time such as 2026-01-30T12:00:00Z"
  return dateTimeToMs(value) ?? issues.add(path, "invalid_format", message)
}

/** A date-time with any offset, kept as it is written. */
export const dateTimeText: Rule<string> = (value, path, issues) =>
  dateTime(value, path, issues) === undefined ? undefined : String(value)
