import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { decode, described, named } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { utcInstant } from "../codec/Instant.ts"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { unsupportedSourceOf } from "../slo/PolledIndicator.ts"
import { SloNotFound } from "../status/FindSlo.ts"
import { latestReadTo } from "../status/SloStore.ts"
import { findSource } from "./FindSource.ts"
import { findIndicator, IndicatorNotFound } from "./IndicatorStore.ts"
import { indicatorSettleMs } from "./PollPlan.ts"
import { type Backfill, BackfillStore } from "./BackfillStore.ts"

/** Most minutes of counts that one backfill replaces, of all objectives together. */
export const backfillMinutesMax = 1_000_000

/** The codec of a backfill request. */
export const backfillRequest = named(
  object({
    from: described(utcInstant, "Start of the range (inclusive), in UTC"),
    to: described(
      utcInstant,
      "End of the range (exclusive), in UTC; at most `readTo` of the indicator, or `history.recentTo`. Both are rounded down to the minute",
    ),
  }),
  "BackfillRequest",
)

/** Nothing was started. */
export class BackfillIsInvalid extends TaggedError("BackfillIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The SLO has an indicator, and never had a backfill with it. */
export class BackfillNotFound extends TaggedError("BackfillNotFound")<ProjectKey> {}

/** The backfill is complete, or must be started again. */
export class BackfillIsNotResumable extends TaggedError("BackfillIsNotResumable")<ProjectKey> {}

interface SloOfRequest {
  readonly project?: string | undefined
  readonly name: string
}

/**
 * Starts to read a range of an SLO's indicator again (spec/data-sources §10).
 *
 * Fails with `BackfillIsInvalid`, `BackfillIsRunning`, `SloNotFound` and `IndicatorNotFound`.
 */
export const startBackfill = Effect.fnUntraced(function* (
  organization: OrganizationId,
  slo: SloOfRequest,
  body: unknown,
) {
  const readTo = latestReadTo(yield* findIndicator(organization, slo)) ?? 0
  const decoded = decode(backfillRequest, body, undefined)
  if (Result.isFailure(decoded)) return yield* new BackfillIsInvalid({ issues: decoded.failure })
  const { from, to } = decoded.success
  return yield* startOver(organization, keyOf(slo), { from: minuteOf(from), to: minuteOf(to) }, readTo)
})

/**
 * Starts to read an SLO's indicator again from `from` to `to` (Unix milliseconds), or to the latest minute that can be read if
 * that is earlier, whether the indicator has been read so far or not; fails as `startBackfill`.
 */
export const startBackfillFrom = Effect.fnUntraced(function* (
  organization: OrganizationId,
  slo: SloOfRequest,
  from: number,
  to = Infinity,
) {
  const state = yield* findIndicator(organization, slo)
  const now = yield* Clock.currentTimeMillis
  const source = yield* findSource(organization, state.indicator)
  const settled = minuteOf(now - Math.max(source?.queryDelay?.ms ?? 0, indicatorSettleMs))
  const latest = Math.max(latestReadTo(state) ?? 0, settled)
  const range = { from: minuteOf(from), to: minuteOf(Math.min(to, latest)) }
  if (range.from < range.to) return yield* startOver(organization, keyOf(slo), range, latest)
  const message = `must be before ${new Date(latest).toISOString()}, up to which the indicator can be read`
  return yield* new BackfillIsInvalid({ issues: [{ path: "from", code: "out_of_range", message }] })
})

/**
 * A backfill that is complete, and not stored, of an SLO for which nothing is ever read: its data source is of a type that is not
 * read here, or it has composite objectives only. Without a range, it is of no minute, when the SLO was created. Fails with
 * `IndicatorNotFound` for any other SLO without an indicator.
 */
export const backfillNothing = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { project, name }: ProjectKey,
  requested?: MinuteRange,
) {
  const found = yield* (yield* DefinitionStore).find(organization, "SLO", { project, name })
  if (Option.isNone(found)) return yield* new SloNotFound({ project, name })
  const slo = found.value.definition
  if (unsupportedSourceOf(slo) === undefined && plainObjectivesOf(slo).length > 0)
    return yield* new IndicatorNotFound({ project, name })
  const at = requested === undefined ? found.value.createdAt : yield* Clock.currentTimeMillis
  const range = requested ?? { from: minuteOf(at), to: minuteOf(at) }
  const times = { startedAt: at, readAt: at, endedAt: at }
  return { range, state: "complete", readTo: range.to, failures: 0, ...times } satisfies Backfill
})

const startOver = Effect.fnUntraced(function* (
  organization: OrganizationId,
  key: ProjectKey,
  range: MinuteRange,
  readTo: number,
) {
  const definition = yield* (yield* DefinitionStore).find(organization, "SLO", key)
  if (Option.isNone(definition)) return yield* new SloNotFound(key)
  const objectives = plainObjectivesOf(definition.value.definition).length
  const minutesMax = Math.floor(backfillMinutesMax / Math.max(1, objectives))
  const now = yield* Clock.currentTimeMillis
  const issues = rangeIssues(range, readTo, minutesMax, now, yield* CountsRetention)
  if (issues.length > 0) return yield* new BackfillIsInvalid({ issues })
  const started = yield* (yield* BackfillStore).start(organization, key, range, now)
  return Option.isSome(started) ? started.value : yield* new IndicatorNotFound(key)
})

const rangeIssues = (
  { from, to }: MinuteRange,
  readTo: number,
  minutesMax: number,
  now: number,
  retentionDays: number,
): ReadonlyArray<Issue> => {
  const issues = new IssueList()
  if (to > readTo) {
    const message =
      readTo === 0
        ? "must not be after the latest minute that was read; the indicator has not been read yet"
        : `must be at most ${new Date(readTo).toISOString()}, up to which the indicator has been read`
    issues.add("to", "out_of_range", message)
  }
  if (from > to - minuteMs) issues.add("from", "out_of_range", "must be at least a minute before to")
  if (to - from > minutesMax * minuteMs) {
    const message = `must be at most ${minutesMax} minutes before to, for the objectives of this SLO; start one backfill after the other`
    issues.add("from", "out_of_range", message)
  }
  if (from < now - retentionDays * dayMs) {
    const message = `must be at most ${retentionDays} days ago, as counts are retained for that long`
    issues.add("from", "out_of_range", message)
  }
  return issues.sorted()
}

/** Most backfills that a list returns. */
const backfillsListedMax = 500

/** The latest backfills of an organization's SLOs, by project and name, at most `backfillsListedMax`. */
export const listBackfills = (organization: OrganizationId) =>
  Effect.flatMap(BackfillStore, (store) => store.list(organization, { limit: backfillsListedMax }))

/** Returns the latest backfill of an SLO; fails with `BackfillNotFound`, `SloNotFound` and `IndicatorNotFound`. */
export const findBackfill = Effect.fnUntraced(function* (organization: OrganizationId, slo: SloOfRequest) {
  yield* findIndicator(organization, slo)
  return yield* existing(slo, yield* (yield* BackfillStore).find(organization, keyOf(slo)))
})

/** Cancels the backfill of an SLO if it is running, and returns it in any state; fails as `findBackfill`. */
export const cancelBackfill = Effect.fnUntraced(function* (organization: OrganizationId, slo: SloOfRequest) {
  yield* findIndicator(organization, slo)
  const now = yield* Clock.currentTimeMillis
  return yield* existing(slo, yield* (yield* BackfillStore).cancel(organization, keyOf(slo), now))
})

/** Whether a backfill is waiting: it has read nothing yet, and nothing keeps it from reading. */
export const isQueued = ({ state, readTo, range, failures }: Backfill): boolean =>
  state === "running" && readTo === range.from && failures === 0

/** Cancels all backfills of an organization that have read nothing yet. SLOs that are deleted meanwhile are left out. */
export const cancelQueuedBackfills = Effect.fnUntraced(function* (organization: OrganizationId) {
  const store = yield* BackfillStore
  const now = yield* Clock.currentTimeMillis
  let after: ProjectKey | undefined
  do {
    const page = yield* store.list(organization, {
      limit: backfillsListedMax,
      ...(after !== undefined && { after }),
    })
    for (const { slo, backfill } of page.items)
      if (isQueued(backfill)) yield* store.cancel(organization, slo, now)
    after = page.hasMore ? page.items.at(-1)?.slo : undefined
  } while (after !== undefined)
})

/**
 * Continues a backfill that was canceled on request, or whose data source was unavailable; returns one that is running.
 *
 * Fails with `BackfillIsNotResumable`, and as `findBackfill`.
 */
export const resumeBackfill = Effect.fnUntraced(function* (organization: OrganizationId, slo: SloOfRequest) {
  yield* findIndicator(organization, slo)
  const now = yield* Clock.currentTimeMillis
  const backfill = yield* existing(slo, yield* (yield* BackfillStore).resume(organization, keyOf(slo), now))
  return backfill.state === "running" ? backfill : yield* new BackfillIsNotResumable(keyOf(slo))
})

const existing = (slo: SloOfRequest, backfill: Option.Option<Backfill>) =>
  Option.isSome(backfill) ? Effect.succeed(backfill.value) : new BackfillNotFound(keyOf(slo))

/** `findIndicator` rejects a request without a project. */
const keyOf = ({ project = "", name }: SloOfRequest): ProjectKey => ({ project, name })

/** How much of the range has been read, in whole percent; 100 once the minutes are replaced. */
export const backfillPercent = ({ state, range, readTo }: Backfill): number => {
  if (state === "complete") return 100
  const share = (Math.min(readTo, range.to) - range.from) / (range.to - range.from)
  return Math.min(99, Math.floor(share * 100))
}
