import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { dayMs, hourMs, hourOf, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { Count } from "../counts/CountStore.ts"
import { emptyHour, type HourOfCounts } from "../counts/HourOfCounts.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Slo } from "../slo/Slo.ts"
import type { IndicatorProblem, IndicatorState } from "./IndicatorStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** The states of a backfill; `canceled` and `failed` have a reason. */
export const backfillStates = ["running", "complete", "canceled", "failed"] as const

/** How a backfill is going. */
export type BackfillState = (typeof backfillStates)[number]

/**
 * Why a backfill was canceled (`requested`, `indicator_changed`) or has failed (`no_values`: the data source has no values of
 * the range; `source_unavailable`: for longer than `backfillOutageMaxMs`).
 */
export const backfillReasons = ["requested", "indicator_changed", "no_values", "source_unavailable"] as const

/** Why a backfill ended before its range was read. */
export type BackfillReason = (typeof backfillReasons)[number]

/** The latest backfill of an SLO: minutes that are read from its data source again. Times are in Unix milliseconds. */
export interface Backfill {
  /** The minutes that are read again. */
  readonly range: MinuteRange
  /** Whether it goes on. */
  readonly state: BackfillState
  /** Of a backfill that was canceled or has failed. */
  readonly reason?: BackfillReason
  /** Every minute of the range before is read; behind the range, up to where gaps that began in it may end. */
  readonly readTo: number
  /** The start of the first minute that the data source has values of. */
  readonly firstAt?: number
  /** How often in a row reading has failed. */
  readonly failures: number
  /** What was wrong when it was tried last, or with the values that were read last. */
  readonly problem?: IndicatorProblem
  /** Unix milliseconds. */
  readonly startedAt: number
  /** When it was started, resumed, or last read a part. */
  readonly readAt: number
  /** When it was complete, canceled or failed. */
  readonly endedAt?: number
}

/** A backfill, and the SLO that it belongs to. */
export interface BackfillOfSlo {
  /** The SLO whose minutes are read again. */
  readonly slo: ProjectKey
  /** Its latest backfill. */
  readonly backfill: Backfill
}

/** A backfill that only this process may continue. */
export interface ClaimedBackfill {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The SLO whose indicator is read again. */
  readonly slo: StoredDefinition<Slo>
  /** How far the indicator has been read. */
  readonly indicator: IndicatorState
  /** How far the backfill has come. */
  readonly backfill: Backfill
  /** Differs for every start of a backfill. */
  readonly run: number
  /** Until when other processes leave it alone, in Unix milliseconds. */
  readonly leasedTo: number
}

/** How many backfills a process claims. */
export interface BackfillClaim {
  /** In Unix milliseconds. */
  readonly now: number
  /** For how long other processes leave them alone. */
  readonly leaseMs: number
  /** The organizations with a backfill in flight; they get no other. */
  readonly inFlight: ReadonlySet<OrganizationId>
  /** Most organizations, at least 1. */
  readonly organizationsMax: number
  /** Most backfills of one organization, at least 1. */
  readonly backfillsPerOrganizationMax: number
}

/** What a step has come to: the state that replaces the claimed one. */
export interface BackfillSettled extends Omit<Backfill, "range" | "startedAt"> {
  /** Counts of the range to keep until it is complete; a later count of the same minute replaces an earlier one. */
  readonly counts: ReadonlyArray<Count>
  /** When the next step is due while the backfill is running, in Unix milliseconds. */
  readonly dueAt: number
}

/**
 * Port: the latest backfill of each SLO with an indicator, and the counts that it has read, which are used once it is complete.
 *
 * A change of the indicator cancels the backfill in its own transaction, and deletes what it has read; removing the indicator
 * or the SLO deletes the backfill.
 */
export class BackfillStore extends Context.Service<
  BackfillStore,
  {
    /**
     * Starts a backfill, due at `now`, in place of one that has ended. Fails with `BackfillIsRunning`; returns nothing for an SLO
     * without an indicator.
     */
    readonly start: (
      organization: OrganizationId,
      slo: ProjectKey,
      range: MinuteRange,
      now: number,
    ) => Effect.Effect<Option.Option<Backfill>, BackfillIsRunning | StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      slo: ProjectKey,
    ) => Effect.Effect<Option.Option<Backfill>, StoreIsUnavailable>
    /** The latest backfill of each SLO, by project and name. */
    readonly list: (
      organization: OrganizationId,
      page: PageRequest<ProjectKey>,
    ) => Effect.Effect<Page<BackfillOfSlo>, StoreIsUnavailable>
    /** Cancels a backfill that is running, with the reason `requested`; returns the backfill in any state. */
    readonly cancel: (
      organization: OrganizationId,
      slo: ProjectKey,
      now: number,
    ) => Effect.Effect<Option.Option<Backfill>, StoreIsUnavailable>
    /**
     * Continues a backfill that was canceled on request or whose data source was unavailable, due at `now`, from the minutes that
     * it has read; returns the backfill in any state.
     */
    readonly resume: (
      organization: OrganizationId,
      slo: ProjectKey,
      now: number,
    ) => Effect.Effect<Option.Option<Backfill>, StoreIsUnavailable>
    /**
     * Claims running backfills that are due, until their lease expires: of the organizations with the longest due ones, the longest due one
     * and others that are read from the same server. Those of an organization follow one another, the longest due first.
     */
    readonly claim: (
      request: BackfillClaim,
    ) => Effect.Effect<ReadonlyArray<ClaimedBackfill>, StoreIsUnavailable>
    /** Makes claimed backfills of one organization due at `dueAt` that were not settled since, so that another process continues. */
    readonly release: (
      organization: OrganizationId,
      claimed: ReadonlyArray<ClaimedBackfill>,
      dueAt: number,
    ) => Effect.Effect<void, StoreIsUnavailable>
    /** Makes every running backfill due at `now` whose due time is more than `waitMs` later, as of `IndicatorStore`. */
    readonly makeDue: (now: number, waitMs: number) => Effect.Effect<void, StoreIsUnavailable>
    /**
     * Keeps the counts of a step and replaces the state, unless the backfill has ended or another caller has advanced it, or, if nothing
     * was read, claimed it. Returns whether it did.
     */
    readonly settle: (
      claimed: ClaimedBackfill,
      settled: BackfillSettled,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    /**
     * In one transaction, replaces the minutes of the objectives by those that were read (`replacedRange`), completes the
     * backfill, and notes which have changed (`PastChanges`), so that they trigger no alert. Returns whether it did: not
     * if the backfill has ended or another caller has advanced it.
     */
    readonly complete: (
      claimed: ClaimedBackfill,
      objectives: ReadonlyArray<string>,
      now: number,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/data-source/BackfillStore") {}

/** The SLO has a backfill that has not ended. */
export class BackfillIsRunning extends TaggedError("BackfillIsRunning")<{
  /** The project of the SLO. */
  readonly project: string
  /** The name of the SLO. */
  readonly name: string
}> {}

/** The reasons after which a backfill can continue where it stopped. */
export const resumableReasons: ReadonlyArray<BackfillReason> = ["requested", "source_unavailable"]

/**
 * The minutes that a complete backfill replaces: those from the first one that the data source has values of. It may not
 * retain the earlier ones any more, so they stay as they are.
 */
export const replacedRange = ({ range, firstAt = range.to }: Backfill): MinuteRange => ({
  from: firstAt,
  to: range.to,
})

/** Parts of a range of at most a week, which one step of a transaction replaces. */
export const replacedParts = ({ from, to }: MinuteRange): ReadonlyArray<MinuteRange> => {
  const starts = Array.from(
    { length: Math.ceil((to - hourOf(from)) / weekMs) },
    (_, index) => hourOf(from) + index * weekMs,
  )
  return starts.map((start) => ({ from: Math.max(from, start), to: Math.min(to, start + weekMs) }))
}

const weekMs = 7 * dayMs

/** The starts of the hours that overlap a range, in Unix milliseconds. */
export const replacedHours = ({ from, to }: MinuteRange): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil((to - hourOf(from)) / hourMs) }, (_, index) => hourOf(from) + index * hourMs)

/** The hour from `at` with its minutes in a range as they were read: without a count where there was no value. */
export const replacedHour = (
  at: number,
  { from, to }: MinuteRange,
  before: HourOfCounts | undefined,
  read: HourOfCounts | undefined,
): HourOfCounts => {
  const first = Math.max(0, (from - at) / minuteMs)
  const end = Math.min(60, (to - at) / minuteMs)
  const replace = (of: (hour: HourOfCounts) => ReadonlyArray<number>) => [
    ...of(before ?? emptyHour).slice(0, first),
    ...of(read ?? emptyHour).slice(first, end),
    ...of(before ?? emptyHour).slice(end),
  ]
  return { good: replace(({ good }) => good), total: replace(({ total }) => total) }
}

/** The start of the latest minute of an hour that has a count, in Unix milliseconds. */
export const latestMinute = (at: number, { total }: HourOfCounts): number | undefined => {
  const minute = total.findLastIndex((value) => !Number.isNaN(value))
  return minute < 0 ? undefined : at + minute * minuteMs
}
