import * as Schema from "effect/Schema"
import { type Codec, described, mapped, once } from "./Codec.ts"
import { string } from "./Leaves.ts"
import { minuteMs } from "./MinuteInstant.ts"
import { type TimeZoneRules, timeZoneRules } from "./TimeZones.ts"

/** Longest name of a time zone, in characters. */
const timeZoneMaxCharacters = 64

/** A wall-clock time with its original text. */
export interface WallClockTime {
  /** As written, such as `2026-01-31 09:00:00`. */
  readonly text: string
  /** Unix milliseconds, as if it were in UTC. */
  readonly ms: number
}

const parseWallClock = (text: string): number | undefined => {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined
  const written = text.replace(" ", "T")
  const time = Date.parse(`${written}Z`)
  // Where the day is too large for its month, what is written back differs.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(written) ? undefined : time
}

export const wallClockTime: Codec<WallClockTime, unknown, string> = {
  read: (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const ms = parseWallClock(value)
    if (ms === undefined || ms < 0) {
      const message =
        "must be a date from 1970 on with a time, such as 2026-01-01 00:00:00, without a time zone"
      return issues.add(path, "invalid_format", message)
    }
    return ms % minuteMs === 0
      ? { text: value, ms }
      : issues.add(path, "out_of_range", "must be the start of a minute: its seconds must be 00")
  },
  write: ({ text }) => text,
  schema: once(() =>
    Schema.String.annotate({
      description: "Wall-clock time of a whole minute, such as 2026-01-01 00:00:00",
    }).check(Schema.isPattern(/^\d{4}-\d\d-\d\d \d\d:\d\d:00$/u)),
  ),
}

/** An IANA time zone with its original name. */
export interface NamedTimeZone {
  /** As written, such as `Europe/Berlin`. */
  readonly name: string
  /** Its offsets from UTC, as the platform knows them. */
  readonly rules: TimeZoneRules
}

export const timeZone: Codec<NamedTimeZone, unknown, string> = mapped(
  described(string({ max: timeZoneMaxCharacters }), "IANA time zone name, such as Europe/Paris"),
  {
    decode: (name, path, issues) => {
      const rules = timeZoneRules(name)
      const message = "must be an IANA time zone name, such as Europe/Paris or UTC"
      return rules === undefined ? issues.add(path, "not_allowed_value", message) : { name, rules }
    },
    encode: ({ name }) => name,
  },
)
