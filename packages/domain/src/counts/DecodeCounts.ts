import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Codec, decode, mapped, named, once } from "../codec/Codec.ts"
import { list, object, type ObjectPlace } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { number } from "../codec/Leaves.ts"
import { dayMs, minuteMs, minuteOf, parseUtcInstant } from "../codec/MinuteInstant.ts"
import { sloName } from "../metadata/Metadata.ts"
import type { Count } from "./CountStore.ts"

/** Longest time that counts may be in the future, in milliseconds. */
export const countsMaxAheadMs = 300_000

/** Most entries of one list of counts. */
export const countsPerRequestMax = 10_000

/** A list of counts is invalid; nothing was written. */
export class CountsAreInvalid extends Data.TaggedError("CountsAreInvalid")<{
  /** Every issue, sorted by path; a path starts with the entry's index, as `[0].good`. */
  readonly issues: ReadonlyArray<Issue>
}> {}

export interface NowContext {
  /** In Unix milliseconds. */
  readonly now: number
  /** The retention of counts: how old counts may be, in days. */
  readonly retentionDays: number
}

const recentMinute: Codec<number, NowContext> = {
  read: (value, path, issues, { now, retentionDays }) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const at = parseUtcInstant(value)
    if (at === undefined || at !== minuteOf(at)) {
      const message = "must be the start of a minute in UTC, such as 2026-01-30T12:00:00Z"
      return issues.add(path, "invalid_format", message)
    }
    if (at > now + countsMaxAheadMs) {
      const message = `must be at most ${countsMaxAheadMs / minuteMs} minutes in the future`
      return issues.add(path, "out_of_range", message)
    }
    if (at < now - retentionDays * dayMs) {
      const message = `must be at most ${retentionDays} days in the past, the retention of counts`
      return issues.add(path, "out_of_range", message)
    }
    return at
  },
  write: (ms) => new Date(ms).toISOString(),
  schema: once(() =>
    Schema.String.annotate({ description: "Start of a minute, in UTC", format: "date-time" }),
  ),
}

const events = number({ min: 0, max: Number.MAX_SAFE_INTEGER })

export const countFields = { at: recentMinute, good: events, total: events }

export const checkGood = ({
  value: { good, total },
  at,
  issues,
}: Pick<ObjectPlace<Pick<Count, "good" | "total">, unknown>, "value" | "at" | "issues">): void => {
  if (hasTooManyGood(good, total)) issues.add(at("good"), "out_of_range", "must be at most total")
}

/** Compared at 12 digits: 0.1 + 0.2 is above 0.3 as a binary fraction. */
const hasTooManyGood = (good: number | undefined, total: number | undefined): boolean =>
  good !== undefined && total !== undefined && good - total > total * 1e-12

/** A count whose properties can be read; `undefined` if it has more good events than events. */
export const countOf = ({ objective, at, good, total }: Count): Count | undefined =>
  hasTooManyGood(good, total)
    ? undefined
    : // JSON can say -0, which is no count of its own.
      { objective, at, good: Math.min(good, total) + 0, total: total + 0 }

export interface CountsContext extends NowContext {
  readonly objectives: ReadonlySet<string>
  /** The paths of the counts that were read, by their minute and objective. */
  readonly paths: Map<string, string>
}

const knownObjective: Codec<string, CountsContext> = {
  ...sloName,
  read: (value, path, issues, { objectives }) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    return objectives.has(value)
      ? value
      : issues.add(path, "not_found", "must be the name of an objective of the SLO")
  },
}

const count = mapped(object({ objective: knownObjective, ...countFields }, { rules: checkGood }), {
  decode: (read, path, issues, { paths }: CountsContext) => {
    const valid = countOf(read)
    if (valid === undefined) return undefined
    const minute = `${valid.at} ${valid.objective}`
    const earlier = paths.get(minute)
    if (earlier !== undefined)
      return issues.add(path, "duplicate", `has the objective and minute of ${earlier}`)
    paths.set(minute, path)
    return valid
  },
  encode: (value: Count) => value,
})

export const countList = list(named(count, "Count"), { max: countsPerRequestMax })

/**
 * Decodes a list of `{objective, at, good, total}`; fails with every issue of every entry.
 *
 * `objective` is one of the SLO's. `at` is the start of a minute in UTC: an instant within a minute is rejected,
 * because two counts of one minute would replace each other unnoticed. It is at most `retentionDays` before and 5 minutes
 * after `now` (Unix milliseconds). 0 ≤ good ≤ total ≤ 2⁵³ − 1, so that no sum overflows; they need not be whole
 * numbers. An objective and minute occurs once.
 */
export const decodeCounts = (
  body: unknown,
  objectives: ReadonlySet<string>,
  { now, retentionDays }: NowContext,
): Result.Result<ReadonlyArray<Count>, CountsAreInvalid> =>
  Result.mapError(
    decode(countList, body, { now, retentionDays, objectives, paths: new Map() }),
    (issues) => new CountsAreInvalid({ issues }),
  )
