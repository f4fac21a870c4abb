import * as Schema from "effect/Schema"
import { type Codec, once } from "./Codec.ts"
import { type Duration, durationToMs, wholeDuration } from "./Duration.ts"
import { unicodePattern } from "./Leaves.ts"

/** A duration that `isAllowed` accepts, in milliseconds; `message` is the rule. */
export const duration = (
  isAllowed: (ms: number) => boolean,
  message: string,
): Codec<Duration, unknown, string> => ({
  read: (value, path, issues) => {
    const ms = typeof value === "string" ? durationToMs(value) : undefined
    if (typeof value !== "string" || ms === undefined) {
      const code = typeof value === "string" ? "invalid_format" : "wrong_type"
      return issues.add(path, code, `must be a duration such as 90s, 5m or 1h30m${unitHint(value)}`)
    }
    return isAllowed(ms) ? { text: value, ms } : issues.add(path, "out_of_range", message)
  },
  write: ({ text }) => text,
  schema: once(() =>
    Schema.String.annotate({ description: `A duration such as 90s, 5m or 1h30m; ${message}` }).check(
      unicodePattern(wholeDuration),
    ),
  ),
})

/** How to write a number of days or weeks, for which there is no unit. */
const unitHint = (value: unknown): string => {
  const [, count, unit = ""] = /^(\d{1,4}) ?(day|week|d|w)s?$/.exec(String(value)) ?? []
  if (count === undefined)
    return /\d\s*[dw]/.test(String(value)) ? "; there are no units for days and weeks: write hours" : ""
  const [name, hours] = unit.startsWith("d") ? ["days", 24] : ["weeks", 168]
  return `; there is no unit for ${name}: write ${Number(count) * hours}h`
}
