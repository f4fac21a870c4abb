import { parseUtcInstant } from "./MinuteInstant.ts"
import * as Schema from "effect/Schema"
import { type Codec, once } from "./Codec.ts"

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

/** A point in time with the text it was written as. */
export interface Instant {
  /** A date-time of RFC 3339 as written, with any offset. */
  readonly text: string
  /** In Unix milliseconds. */
  readonly ms: number
}

/** A date-time with any offset. */
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
