import { parseUtcInstant } from "./MinuteInstant.ts"
import * as Schema from "effect/Schema"
import { type Codec, once } from "./Codec.ts"

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
  readonly text: string
  /** Unix milliseconds. */
  readonly ms: number
}

export const instant: Codec<Instant> = {
  read: (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const ms = dateTimeToMs(value)
    return ms === undefined
      ? issues.add(path, "invalid_format", "must be a date-time such as 2026-01-30T12:00:00Z")
      : { text: value, ms }
  },
  write: ({ text }) => text,
  schema: once(() =>
    Schema.String.annotate({ description: "A date-time of RFC 3339, with any offset", format: "date-time" }),
  ),
}
