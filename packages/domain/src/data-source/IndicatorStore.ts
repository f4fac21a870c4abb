import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, object } from "../codec/Containers.ts"
import { anyString, literals, number } from "../codec/Leaves.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { type StoredDefinition, DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { isOwnIndicator, type PolledIndicator } from "../slo/PolledIndicator.ts"
import type { Slo } from "../slo/Slo.ts"
import { type SourceKind, sourceKinds } from "../slo/SourceMetrics.ts"
import { SloNotFound, sloKey } from "../status/FindSlo.ts"
import { metricFailures } from "./MetricSource.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { Kind } from "../definition/Kinds.ts"

/** How far the counts of an indicator are read. Source: spec/data-sources §1. */
export interface IndicatorState {
  /** A changed indicator restarts from its current definition. */
  readonly indicator: PolledIndicator
  /** Every minute before is read, as far back as counts are taken; in Unix milliseconds. 0: nothing is yet. */
  readonly readTo: number
  /** How often in a row reading has failed. */
  readonly failures: number
  /** When it succeeded last, in Unix milliseconds. */
  readonly succeededAt?: number
  /** What was wrong when it was tried last. */
  readonly problem?: IndicatorProblem
  /** Since when its server cannot be read, in Unix milliseconds; absent if it could be when it was tried last. */
  readonly unavailableSince?: number
  /** While minutes from `readTo` on are missing: what is read after them. What else is here is then about new minutes. */
  readonly recent?: RecentMinutes
}

/**
 * Groups that cannot be counted; a negative total, or an infinite or too large value; no good value where there is a total; far more
 * good than total; more bad than total.
 */
export const sampleProblems = [
  "groups_rejected",
  "value_invalid",
  "good_missing",
  "good_above_total",
  "bad_above_total",
] as const

/** Why values of a data source cannot be counted. */
export type SampleProblem = (typeof sampleProblems)[number]

const indicatorProblem = object({
  reason: literals([...metricFailures, ...sampleProblems]),
  detail: anyString,
  at: number({}),
})

/** `at` is in Unix milliseconds. */
export type IndicatorProblem = TypeOf<typeof indicatorProblem>

/** The stored form of a problem. */
export const storedProblem = stored(indicatorProblem, [])

/** How many minutes may be missing before the recent ones are read first, in milliseconds. */
export const recentFirstMs = dayMs

const recentMinutes = object({
  from: number({}),
  /** After `IndicatorState.readTo`. Equals `from` while the first of them are read. */
  to: number({}),
  /** Before, conditions were measured by the counts that there were when recent minutes began to be read. */
  measuredTo: number({}),
  /** How reading the older ones goes. */
  history: object({
    /** How often in a row it has failed. */
    failures: number({}),
    /** What was wrong when it was tried last. */
    problem: exactOptional(indicatorProblem),
  }),
})

/** Minutes that are read before the older ones, so that an SLO has a current status. Times are in Unix milliseconds. */
export type RecentMinutes = TypeOf<typeof recentMinutes>

/** The stored form of recent minutes. */
export const storedRecentMinutes = stored(recentMinutes, [])

/** Which minutes of a data source are read, in Unix milliseconds. */
export interface MinutesRead {
  /** All before are. */
  readonly readTo: number
  /** While some from `readTo` to its start are not: the minutes that are read all the same. */
  readonly recent?: MinuteRange
}

/**
 * Returns which minutes of an indicator are read. Once no older minutes are missing, that is all before the end of the recent ones,
 * even while some of these are read again for gaps that began before them.
 */
export const minutesReadOf = ({ readTo, recent }: Pick<IndicatorState, "readTo" | "recent">): MinutesRead => {
  if (recent === undefined) return { readTo }
  const { from, to } = recent
  return readTo < from ? { readTo, recent: { from, to } } : { readTo: Math.max(readTo, to) }
}

/**
 * Which minutes of components are not read yet: from the first one of any of them to the last one of any; absent if none are missing, or
 * only the latest, as then a component is delayed. `to` is Infinity while one is read from the oldest minutes on, as servers of the
 * version before do: no later window of a composite is complete until the latest are read. Not while its source is unavailable: then it
 * is delayed too.
 */
export const unreadOfComponents = (
  components: ReadonlyArray<Pick<IndicatorState, "readTo" | "recent" | "succeededAt" | "unavailableSince">>,
): MinuteRange | undefined => {
  const unread = components.flatMap(
    ({ succeededAt, unavailableSince, ...state }): ReadonlyArray<MinuteRange> => {
      const { readTo, recent } = minutesReadOf(state)
      if (recent !== undefined) return [{ from: readTo, to: recent.from }]
      if (succeededAt === undefined || unavailableSince !== undefined) return []
      return succeededAt - readTo > catchingUpMs ? [{ from: readTo, to: Infinity }] : []
    },
  )
  return unread.length === 0
    ? undefined
    : { from: Math.min(...unread.map(({ from }) => from)), to: Math.max(...unread.map(({ to }) => to)) }
}

/** How far behind an indicator must be for that, when it is read; some are read with a delay. */
const catchingUpMs = 2 * dayMs

/**
 * What an indicator is read from, which groups polls: `https://prometheus.example.com:9090/prefix`, or `shop/mimir` for a data
 * source. Paths of one host can be servers of their own behind a proxy, and one can hang.
 */
export const serverOf = (indicator: PolledIndicator): string => {
  if (isOwnIndicator(indicator)) return dataSourceServer(indicator.source)
  const { url, dataSource } = indicator.prometheus
  if (url === undefined) return dataSource === undefined ? "" : dataSourceServer(dataSource)
  const { protocol, host, pathname } = new URL(url.href)
  return `${protocol}//${host}${pathname.replace(/\/+$/, "")}`
}

/** Also of an Agent or Direct, which a data source of the same name replaces. */
export const dataSourceServer = (key: ProjectKey): string => projectKeyText(key)

/** Whether a change of a definition of a kind can change what indicators are read from. */
export const isSourceKind = (kind: Kind): kind is "DataSource" | SourceKind =>
  kind === "DataSource" || sourceKinds.some((each) => each === kind)

/** Most SLOs that are listed with a data source that cannot be read; all are counted. */
export const affectedSlosMax = 100

/** What the SLOs of a data source have come to. Times are in Unix milliseconds. */
export interface SourceReading {
  /** How many SLOs name it. */
  readonly slos: number
  /** How many of them it was queried for. */
  readonly queried: number
  /** When one of them was last read successfully. */
  readonly succeededAt?: number
  /** Those for which it could not be read when it was tried last. */
  readonly affected: number
  /** The first of them, by project and name. */
  readonly affectedSlos: ReadonlyArray<ProjectKey>
  /** The problem of the one whose failures began last. */
  readonly problem?: IndicatorProblem
  /** The first failure of one of them after `succeededAt`; without one, the first. */
  readonly unavailableSince?: number
}

/** An indicator that could not be read when that was tried last, or whose values could not be counted. */
export interface FailedIndicator {
  /** The SLO whose indicator it is. */
  readonly slo: ProjectKey
  /** What it is read from, as `serverOf` names it. */
  readonly server: string
  /** What was wrong when it was tried last. */
  readonly problem: IndicatorProblem
  /** Whether its server could not be read, rather than its values not be counted. */
  readonly isUnavailable: boolean
}

/** An indicator that only this process may read. */
export interface ClaimedIndicator {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The SLO whose indicator it is. */
  readonly slo: StoredDefinition<Slo>
  /** How far it has been read. */
  readonly state: IndicatorState
}

/** Polls of one organization at one server, the longest due first. */
export interface IndicatorBatch {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The server that all of them are read from. */
  readonly server: string
  /** In the order of their due times. */
  readonly polls: ReadonlyArray<ClaimedIndicator>
  /** When their lease expires, in Unix milliseconds. */
  readonly leasedTo: number
}

/** How many indicators a process claims. */
export interface IndicatorClaim {
  /** In Unix milliseconds. */
  readonly now: number
  /** For how long other processes leave them alone. */
  readonly leaseMs: number
  /** The servers with a batch in flight, by organization; they get no further batch. */
  readonly inFlight: ReadonlyMap<OrganizationId, ReadonlySet<string>>
  /** Most batches, at least 1. */
  readonly batchesMax: number
  /** Including those in flight. */
  readonly batchesPerOrganizationMax: number
  /** Most indicators of a batch, at least 1. */
  readonly pollsPerBatchMax: number
}

/** What a poll has come to, for a state that was claimed. */
export interface PollSettled extends Omit<IndicatorState, "indicator"> {
  /** When to poll next, in Unix milliseconds. */
  readonly dueAt: number
}

/** The parts of a state by which a store finds out what has happened to it since a claim. */
export type ClaimedProgress = Pick<IndicatorState, "indicator" | "readTo" | "recent">

/**
 * Returns what to store for an indicator that is still the claimed one; `undefined` if another caller has read the same minutes. One that
 * has only read new minutes meanwhile, as history may take longer than a lease, keeps what these have come to.
 */
export const mergeSettled = (
  current: IndicatorState,
  claimed: Omit<ClaimedProgress, "indicator">,
  settled: PollSettled,
): PollSettled | undefined => {
  const [before, now] = [claimed.recent, current.recent]
  if (current.readTo !== claimed.readTo) return undefined
  if (before?.from !== now?.from || before?.measuredTo !== now?.measuredTo) return undefined
  if (before === undefined || now === undefined || now.to <= before.to) return settled
  const { indicator: _indicator, readTo: _readTo, recent: _recent, ...ofNewMinutes } = current
  const { dueAt, readTo, recent, succeededAt } = settled
  return {
    ...ofNewMinutes,
    ...(succeededAt !== undefined && { succeededAt: Math.max(succeededAt, current.succeededAt ?? 0) }),
    ...(recent === undefined
      ? { readTo: Math.max(readTo, now.to) }
      : { readTo, recent: { ...recent, to: Math.max(recent.to, now.to) } }),
    dueAt,
  }
}

/**
 * Stores the polling progress of SLO indicators.
 *
 * Changes of definitions update it in their own transaction: a new or changed indicator is due at once from the
 * start; removing the indicator or the SLO deletes it.
 */
export class IndicatorStore extends Context.Service<
  IndicatorStore,
  {
    /**
     * Claims due polls in batches. The organization with the fewest batches, including those in flight, is first;
     * among equals the longest due.
     *
     * A poll is claimed by one caller until its lease expires.
     */
    readonly claim: (
      request: IndicatorClaim,
    ) => Effect.Effect<ReadonlyArray<IndicatorBatch>, StoreIsUnavailable>
    /**
     * Makes every indicator due at `now` (Unix milliseconds) whose due time is more than `waitMs` later: the clock may have
     * been ahead when it was set.
     */
    readonly makeDue: (now: number, waitMs: number) => Effect.Effect<void, StoreIsUnavailable>
    /**
     * Replaces the state of an indicator by `mergeSettled`, unless it has changed since the claim or another caller has advanced it.
     * Returns whether the state was replaced.
     */
    readonly settle: (
      organization: OrganizationId,
      slo: ProjectKey,
      claimed: ClaimedProgress,
      settled: PollSettled,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    /**
     * Makes the polls of a batch, or some of them, due at `dueAt` (Unix milliseconds) without having read them. Polls that no longer have
     * the lease of the batch stay as they are: they were settled or changed, or another caller has claimed them.
     */
    readonly release: (batch: IndicatorBatch, dueAt: number) => Effect.Effect<void, StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      slo: ProjectKey,
    ) => Effect.Effect<Option.Option<IndicatorState>, StoreIsUnavailable>
    /** Returns what the SLOs of data sources have come to, in the order of `sources`. */
    readonly readings: (
      organization: OrganizationId,
      sources: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<SourceReading>, StoreIsUnavailable>
    /** How many indicators of all organizations have older minutes that are not read yet, including those of which nothing is. */
    readonly historyBacklog: Effect.Effect<number, StoreIsUnavailable>
    /** The first indicators with a problem, by project and name in the order of code points. */
    readonly failed: (
      organization: OrganizationId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<FailedIndicator>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/data-source/IndicatorStore") {}

/** The SLO does not exist, or has no indicator that is read. */
export class IndicatorNotFound extends TaggedError("IndicatorNotFound")<{
  /** The project of the SLO. */
  readonly project: string
  /** The name of the SLO. */
  readonly name: string
}> {}

/** Returns the polling progress of an SLO's indicator that is read from Prometheus, and its current problem. */
export const findIndicator = (
  organization: OrganizationId,
  slo: { readonly project?: string | undefined; readonly name: string },
): Effect.Effect<
  IndicatorState,
  IndicatorNotFound | ParameterIsInvalid | SloNotFound | StoreIsUnavailable,
  DefinitionStore | IndicatorStore
> =>
  Effect.gen(function* () {
    const key = yield* Effect.fromResult(sloKey(slo.project, slo.name))
    const found = yield* (yield* IndicatorStore).find(organization, key)
    if (Option.isSome(found)) return found.value
    const definition = yield* (yield* DefinitionStore).find(organization, "SLO", key)
    return yield* Option.isSome(definition) ? new IndicatorNotFound(key) : new SloNotFound(key)
  })
