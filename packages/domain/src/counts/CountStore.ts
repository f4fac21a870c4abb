import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { HourOfCounts, MinuteSums } from "./HourOfCounts.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { PortFailure } from "../PortFailure.ts"

/** The good and total events of one objective in one minute. */
export interface Count {
  readonly objective: string
  /** The start of the minute, in Unix milliseconds. */
  readonly at: number
  readonly good: number
  readonly total: number
}

export interface Recording {
  readonly slo: ProjectKey
  readonly counts: ReadonlyArray<Count>
}

export interface CountRead {
  readonly organization: OrganizationId
  readonly slo: ProjectKey
  readonly ranges: ReadonlyArray<MinuteRange>
  /** The required tracks; more may be returned. Absent: all. */
  readonly tracks?: ReadonlySet<string>
}

export interface CountSum extends MinuteSums {
  readonly objective: string
}

export interface CountSumsRead {
  /** One list for each range, in their order; a track without any count in the range is left out. */
  readonly sums: ReadonlyArray<ReadonlyArray<CountSum>>
  /** By objective: the start of the latest minute that it ever had a count of, in Unix milliseconds. */
  readonly latestAt: ReadonlyMap<string, number>
}

export interface HoursRead {
  readonly organization: OrganizationId
  readonly slo: ProjectKey
  readonly range: MinuteRange
  readonly tracks: ReadonlySet<string>
}

export interface TrackHour {
  readonly track: string
  /** The start of the hour, in Unix milliseconds. */
  readonly at: number
  readonly counts: HourOfCounts
}

/**
 * Keeps good and total counts per objective and minute, as old as the operator says (39 days at least, 408 unless
 * said otherwise).
 */
export class CountStore extends Context.Service<
  CountStore,
  {
    /**
     * Writes the counts of all SLOs or of none; a later count of the same objective and minute replaces an earlier
     * one. In the same transaction, each SLO, and each SLO with a component among them, becomes due and changes its
     * revision.
     *
     * Returns the SLOs that do not exist; if there are any, nothing was written.
     */
    readonly record: (
      organization: OrganizationId,
      recordings: ReadonlyArray<Recording>,
    ) => Effect.Effect<ReadonlyArray<ProjectKey>, CountStoreIsUnavailable>
    /**
     * Sums the minutes from ≤ at < to of each range in one round trip, by the current rules (`sliceRulesOf`) of the
     * SLO. An SLO that does not exist has no sums.
     */
    readonly sums: (
      reads: ReadonlyArray<CountRead>,
    ) => Effect.Effect<ReadonlyArray<CountSumsRead>, CountStoreIsUnavailable>
    /** The minutes of every hour with counts that overlaps the range, unordered. Callers read a month at a time. */
    readonly hours: (read: HoursRead) => Effect.Effect<ReadonlyArray<TrackHour>, CountStoreIsUnavailable>
  }
>()("@tocsin/domain/internal/counts/CountStore") {}

export class CountStoreIsUnavailable extends Data.TaggedError("CountStoreIsUnavailable")<PortFailure> {}
