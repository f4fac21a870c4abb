import * as Result from "effect/Result"
import * as Data from "effect/Data"
import { entryPath, type Issue } from "../codec/Issue.ts"
import { objectOf, type ObjectReader } from "../codec/ObjectRule.ts"
import { decodeBy, listOf, number, type Rule } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import type { Count } from "./CountStore.ts"
import { minuteMs, minuteOf, parseUtcInstant } from "../codec/MinuteInstant.ts"

/** A list of counts breaks rules; nothing of it was written. */
export class CountsAreInvalid extends Data.TaggedError("CountsAreInvalid")<{
  /** Every issue, sorted by path; a path starts with the entry's index, as `[0].good`. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Reads a list of `{objective, at, good, total}`, parsed from JSON, and tells every issue of every entry.
 *
 * `objective` is one of the SLO's. `at` is a date-time in UTC at the start of a minute: an instant within a minute
 * is refused rather than cut, since two counts of one minute replace each other and one would be lost unseen. It
 * is neither more than 31 days old nor more than 5 minutes ahead of `now` (Unix milliseconds). `good` and
 * `total` are finite with 0 ≤ good ≤ total ≤ 2⁵³ - 1, so that no sum overflows; they need not be whole. No two
 * entries are of the same objective and minute.
 *
 * Source: spec/counts §1.
 */
export const decodeCounts = (
  body: unknown,
  objectives: ReadonlySet<string>,
  now: number,
): Result.Result<ReadonlyArray<Count>, CountsAreInvalid> => {
  const indexByMinute = new Map<string, number>()
  let index = 0
  const count: Rule<Count> = (value, path, issues) => {
    const read = readCount(objectives, now)(value, path, issues)
    const minute = read && `${read.at} ${read.objective}`
    const earlier = minute === undefined ? undefined : indexByMinute.get(minute)
    if (minute !== undefined) indexByMinute.set(minute, earlier ?? index)
    index++
    if (earlier === undefined) return read
    return issues.add(path, "duplicate", `has the objective and minute of ${entryPath("", earlier)}`)
  }
  return Result.mapError(
    decodeBy(listOf(count, { max: Limits.countsPerRequestMax }), body),
    (issues) => new CountsAreInvalid({ issues }),
  )
}

const readCount = (objectives: ReadonlySet<string>, now: number): Rule<Count> =>
  objectOf((reader) => countOf(reader, objectiveOf(objectives), now))

/** Reads the properties of a count; `objective` judges the one of that name. */
export const countOf = (
  reader: ObjectReader,
  objectiveRule: Rule<string>,
  now: number,
): Count | undefined => {
  const objective = reader.required("objective", objectiveRule)
  const at = reader.required("at", recentMinute(now))
  const good = reader.required("good", events)
  const total = reader.required("total", events)
  if (good !== undefined && total !== undefined && good > total) {
    return reader.issues.add(reader.at("good"), "out_of_range", "must be at most total")
  }
  return objective === undefined || at === undefined || good === undefined || total === undefined
    ? undefined
    : // JSON can say -0, which is no count of its own.
      { objective, at, good: good + 0, total: total + 0 }
}

const objectiveOf =
  (objectives: ReadonlySet<string>): Rule<string> =>
  (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be text")
    return objectives.has(value)
      ? value
      : issues.add(path, "not_found", "must be the name of an objective of the SLO")
  }

const recentMinute =
  (now: number): Rule<number> =>
  (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be text")
    const at = parseUtcInstant(value)
    if (at === undefined || at !== minuteOf(at)) {
      const message = "must be the start of a minute in UTC, such as 2026-01-30T12:00:00Z"
      return issues.add(path, "invalid_format", message)
    }
    if (at > now + Limits.countsMaxAheadMs) {
      const message = `must be at most ${Limits.countsMaxAheadMs / minuteMs} minutes in the future`
      return issues.add(path, "out_of_range", message)
    }
    if (at < now - Limits.countsMaxAgeMs) {
      const message = `must be at most ${Limits.countsMaxAgeMs / 86_400_000} days in the past`
      return issues.add(path, "out_of_range", message)
    }
    return at
  }

const events = number(
  (value) => value >= 0 && value <= Number.MAX_SAFE_INTEGER,
  `must be from 0 to ${Number.MAX_SAFE_INTEGER}`,
)
