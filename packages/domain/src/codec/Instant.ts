import * as Schema from "effect/Schema"
import { type Codec, once } from "./Codec.ts"
import { dateTimeToMs, parseUtcInstant } from "./MinuteInstant.ts"

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
