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
      const hint = /\d\s*d/.test(String(value)) ? "; there is no unit for days: write 24h" : ""
      return issues.add(path, code, `must be a duration such as 90s, 5m or 1h30m${hint}`)
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
