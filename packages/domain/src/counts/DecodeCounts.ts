import { TaggedError } from "../TaggedError.ts"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Codec, described, mapped, named, once } from "../codec/Codec.ts"
import {
  type Fields,
  list,
  object,
  type ObjectPlace,
  optional,
  readListInParts,
} from "../codec/Containers.ts"
import { type Issue, type IssueCode, IssueList } from "../codec/Issue.ts"
import { number } from "../codec/Leaves.ts"
import { dayMs, minuteMs, minuteOf, parseUtcInstant } from "../codec/MinuteInstant.ts"
import { sloName } from "../metadata/Metadata.ts"
import { objectiveNameRule } from "../slo/ObjectiveNameRule.ts"
import type { Parts } from "../work/Parts.ts"
import type { Count } from "./CountStore.ts"

/** Longest time that counts may be in the future, in milliseconds. */
export const countsMaxAheadMs = 300_000

/** Most entries of one list of counts. */
export const countsPerRequestMax = 10_000

/** A list of counts is invalid; nothing was written. */
export class CountsAreInvalid extends TaggedError("CountsAreInvalid")<{
  /** Every issue, sorted by path; a path starts with the entry's index, as `[0].good`. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** When counts are decoded. */
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

const eventsMax = Number.MAX_SAFE_INTEGER

const events = number({ min: 0, max: eventsMax })

const good = described(events, "Good events. Default: total minus bad")
const bad = described(events, "Bad events. Default: total minus good")
const total = described(events, "All events. Default: good plus bad")

/** Two of `good`, `bad` and `total` are required. */
export const countFields = {
  at: recentMinute,
  good: optional(good),
  bad: optional(bad),
  total: optional(total),
}

/** Describes which properties of `countFields` are required in an object that has them beside `others`. */
export const describingEvents = <A, C>(codec: Codec<A, C>, others: Fields): Codec<A, C> => ({
  ...codec,
  schema: once(() =>
    Schema.Union([
      object({ ...others, ...countFields, good, total }).schema(),
      object({ ...others, ...countFields, good, bad }).schema(),
      object({ ...others, ...countFields, bad, total }).schema(),
    ]),
  ),
})

/** The events of a minute as submitted. */
export interface SubmittedEvents {
  readonly good?: number
  readonly bad?: number
  readonly total?: number
}

/** Reports events that are missing, too many or contradictory. */
export const checkEvents = ({
  value,
  has,
  at,
  issues,
}: Pick<ObjectPlace<SubmittedEvents, unknown>, "value" | "has" | "at" | "issues">): void => {
  if (!has("total") && !(has("good") && has("bad"))) {
    issues.add(at("total"), "required", "is required, unless both good and bad are specified")
  }
  if (!has("good") && !has("bad")) {
    issues.add(at("good"), "required", "is required, unless bad is specified")
  }
  for (const { name, code, message } of contradictionsOf(value)) issues.add(at(name), code, message)
}

const contradictionsOf = ({
  good,
  bad,
  total,
}: SubmittedEvents): ReadonlyArray<Omit<Issue, "path"> & { readonly name: keyof SubmittedEvents }> => {
  const issue = (name: keyof SubmittedEvents, code: IssueCode, message: string) => [{ name, code, message }]
  const aboveTotal = ([name, part]: readonly [keyof SubmittedEvents, number | undefined]) =>
    exceeds(part, total) ? issue(name, "out_of_range", "must be at most total") : []
  const above = [...aboveTotal(["good", good]), ...aboveTotal(["bad", bad])]
  if (above.length > 0 || good === undefined || bad === undefined) return above
  const sum = good + bad
  if (exceeds(sum, total) || exceeds(total, sum)) {
    return issue("total", "not_allowed_value", "must be the sum of good and bad")
  }
  return sum > eventsMax ? issue("bad", "out_of_range", `and good must be at most ${eventsMax} together`) : []
}

/** Compared at 12 digits: 0.1 + 0.2 is above 0.3 as a binary fraction. */
const exceeds = (part: number | undefined, whole: number | undefined): boolean =>
  part !== undefined && whole !== undefined && part - whole > whole * 1e-12

/** A count whose properties can be read; `undefined` if `checkEvents` reports its events. */
export const countOf = ({
  objective,
  at,
  ...events
}: Pick<Count, "objective" | "at"> & SubmittedEvents): Count | undefined => {
  const { good, bad, total = (good ?? Number.NaN) + (bad ?? Number.NaN) } = events
  const part = good ?? total - (bad ?? Number.NaN)
  if (Number.isNaN(part) || Number.isNaN(total) || contradictionsOf(events).length > 0) return undefined
  // JSON can say -0, which is no count of its own.
  return { objective, at, good: Math.max(0, Math.min(part, total)) + 0, total: total + 0 }
}

/** What the counts of an SLO are decoded with. */
export interface CountsContext extends NowContext {
  /** The objectives that take counts. */
  readonly objectives: ReadonlySet<string>
  /** The paths of the counts that were read, by their minute and objective. */
  readonly paths: Map<string, string>
}

const knownObjective: Codec<string, CountsContext> = {
  ...sloName,
  read: (value, path, issues, { objectives }) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    return objectives.has(value) ? value : issues.add(path, "not_found", objectiveNameRule(objectives))
  },
}

const countObject = describingEvents(
  object({ objective: knownObjective, ...countFields }, { rules: checkEvents }),
  { objective: knownObjective },
)

const count = mapped(countObject, {
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
  encode: ({ objective, at, good, total }: Count) => ({ objective, at, good, total }),
})

const namedCount = named(count, "Count")

/** The codec of a list of counts of one SLO, at most `countsPerRequestMax`. */
export const countList = list(namedCount, { max: countsPerRequestMax })

/**
 * Decodes a list of `{objective, at, good, bad, total}` in parts; fails with every issue of every entry.
 *
 * `objective` is one of the SLO's. `at` is the start of a minute in UTC: an instant within a minute is rejected,
 * because two counts of one minute would replace each other unnoticed. It is at most `retentionDays` before and 5 minutes
 * after `now` (Unix milliseconds). Two of `good`, `bad` and `total` are given, or three that agree. 0 ≤ good ≤ total ≤ 2⁵³ − 1, so
 * that no sum overflows; they need not be whole numbers. An objective and minute occurs once.
 */
export function* decodeCounts(
  body: unknown,
  objectives: ReadonlySet<string>,
  { now, retentionDays }: NowContext,
): Parts<Result.Result<ReadonlyArray<Count>, CountsAreInvalid>> {
  const issues = new IssueList()
  const context: CountsContext = { now, retentionDays, objectives, paths: new Map() }
  const counts = yield* readListInParts(namedCount, countsPerRequestMax, body, issues, context)
  return issues.isEmpty
    ? Result.succeed(counts)
    : Result.fail(new CountsAreInvalid({ issues: issues.sorted() }))
}
