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
import { type Replay, ReplayStore } from "./ReplayStore.ts"

/** Most minutes of counts that one replay replaces, of all objectives together. */
export const replayMinutesMax = 1_000_000

/** The codec of a backfill request. */
export const replayRequest = named(
  object({
    from: described(utcInstant, "Start of the range (inclusive), in UTC"),
    to: described(
      utcInstant,
      "End of the range (exclusive), in UTC; at most `readTo` of the indicator, or `history.recentTo`. Both are rounded down to the minute",
    ),
  }),
  "ReplayRequest",
)

/** Nothing was started. */
export class ReplayIsInvalid extends TaggedError("ReplayIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The SLO has an indicator, and never had a replay with it. */
export class ReplayNotFound extends TaggedError("ReplayNotFound")<ProjectKey> {}

/** The replay is complete, or must be started again. */
export class ReplayIsNotResumable extends TaggedError("ReplayIsNotResumable")<ProjectKey> {}

interface SloOfRequest {
  readonly project?: string | undefined
  readonly name: string
}

/**
 * Starts to read a range of an SLO's indicator again (spec/data-sources §10).
 *
 * Fails with `ReplayIsInvalid`, `ReplayIsRunning`, `SloNotFound` and `IndicatorNotFound`.
 */
export const startReplay = Effect.fnUntraced(function* (
  organization: OrganizationId,
  slo: SloOfRequest,
  body: unknown,
) {
  const readTo = latestReadTo(yield* findIndicator(organization, slo)) ?? 0
  const decoded = decode(replayRequest, body, undefined)
  if (Result.isFailure(decoded)) return yield* new ReplayIsInvalid({ issues: decoded.failure })
  const { from, to } = decoded.success
  return yield* startOver(organization, keyOf(slo), { from: minuteOf(from), to: minuteOf(to) }, readTo)
})

/**
 * Starts to read an SLO's indicator again from `from` to `to` (Unix milliseconds), or to the latest minute that can be read if
 * that is earlier, whether the indicator has been read so far or not; fails as `startReplay`.
 */
export const startReplayFrom = Effect.fnUntraced(function* (
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
  return yield* new ReplayIsInvalid({ issues: [{ path: "from", code: "out_of_range", message }] })
})

/**
 * A replay that is complete, and not stored, of an SLO for which nothing is ever read: its data source is of a type that is not
 * read here, or it has composite objectives only. Without a range, it is of no minute, when the SLO was created. Fails with
 * `IndicatorNotFound` for any other SLO without an indicator.
 */
export const replayNothing = Effect.fnUntraced(function* (
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
  return { range, state: "complete", readTo: range.to, failures: 0, ...times } satisfies Replay
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
  const minutesMax = Math.floor(replayMinutesMax / Math.max(1, objectives))
  const now = yield* Clock.currentTimeMillis
  const issues = rangeIssues(range, readTo, minutesMax, now, yield* CountsRetention)
  if (issues.length > 0) return yield* new ReplayIsInvalid({ issues })
  const started = yield* (yield* ReplayStore).start(organization, key, range, now)
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
    const message = `must be at most ${minutesMax} minutes before to, for the objectives of this SLO; start one replay after the other`
    issues.add("from", "out_of_range", message)
  }
  if (from < now - retentionDays * dayMs) {
    const message = `must be at most ${retentionDays} days ago, as counts are retained for that long`
    issues.add("from", "out_of_range", message)
  }
  return issues.sorted()
}

/** Most replays that a list returns. */
const replaysListedMax = 500

/** The latest replays of an organization's SLOs, by project and name, at most `replaysListedMax`. */
export const listReplays = (organization: OrganizationId) =>
  Effect.flatMap(ReplayStore, (store) => store.list(organization, { limit: replaysListedMax }))

/** Returns the latest replay of an SLO; fails with `ReplayNotFound`, `SloNotFound` and `IndicatorNotFound`. */
export const findReplay = Effect.fnUntraced(function* (organization: OrganizationId, slo: SloOfRequest) {
  yield* findIndicator(organization, slo)
  return yield* existing(slo, yield* (yield* ReplayStore).find(organization, keyOf(slo)))
})

/** Cancels the replay of an SLO if it is running, and returns it in any state; fails as `findReplay`. */
export const cancelReplay = Effect.fnUntraced(function* (organization: OrganizationId, slo: SloOfRequest) {
  yield* findIndicator(organization, slo)
  const now = yield* Clock.currentTimeMillis
  return yield* existing(slo, yield* (yield* ReplayStore).cancel(organization, keyOf(slo), now))
})

/** Whether a replay is waiting: it has read nothing yet, and nothing keeps it from reading. */
export const isQueued = ({ state, readTo, range, failures }: Replay): boolean =>
  state === "running" && readTo === range.from && failures === 0

/** Cancels all replays of an organization that have read nothing yet. SLOs that are deleted meanwhile are left out. */
export const cancelQueuedReplays = Effect.fnUntraced(function* (organization: OrganizationId) {
  const store = yield* ReplayStore
  const now = yield* Clock.currentTimeMillis
  let after: ProjectKey | undefined
  do {
    const page = yield* store.list(organization, {
      limit: replaysListedMax,
      ...(after !== undefined && { after }),
    })
    for (const { slo, replay } of page.items)
      if (isQueued(replay)) yield* store.cancel(organization, slo, now)
    after = page.hasMore ? page.items.at(-1)?.slo : undefined
  } while (after !== undefined)
})

/**
 * Continues a replay that was canceled on request, or whose data source was unavailable; returns one that is running.
 *
 * Fails with `ReplayIsNotResumable`, and as `findReplay`.
 */
export const resumeReplay = Effect.fnUntraced(function* (organization: OrganizationId, slo: SloOfRequest) {
  yield* findIndicator(organization, slo)
  const now = yield* Clock.currentTimeMillis
  const replay = yield* existing(slo, yield* (yield* ReplayStore).resume(organization, keyOf(slo), now))
  return replay.state === "running" ? replay : yield* new ReplayIsNotResumable(keyOf(slo))
})

const existing = (slo: SloOfRequest, replay: Option.Option<Replay>) =>
  Option.isSome(replay) ? Effect.succeed(replay.value) : new ReplayNotFound(keyOf(slo))

/** `findIndicator` rejects a request without a project. */
const keyOf = ({ project = "", name }: SloOfRequest): ProjectKey => ({ project, name })

/** How much of the range has been read, in whole percent; 100 once the minutes are replaced. */
export const replayPercent = ({ state, range, readTo }: Replay): number => {
  if (state === "complete") return 100
  const share = (Math.min(readTo, range.to) - range.from) / (range.to - range.from)
  return Math.min(99, Math.floor(share * 100))
}
