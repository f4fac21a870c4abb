import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { MinuteSums } from "./HourOfCounts.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"

/** The good and total events of one objective in one minute. */
export interface Count {
  readonly objective: string
  /** The start of the minute, in Unix milliseconds. */
  readonly at: number
  readonly good: number
  readonly total: number
}

/** The counts of one SLO that are recorded together. */
export interface Recording {
  readonly slo: ProjectKey
  readonly counts: ReadonlyArray<Count>
}

/** Which sums to read: those of one SLO over any number of ranges. */
export interface CountRead {
  readonly organization: OrganizationId
  readonly slo: ProjectKey
  readonly ranges: ReadonlyArray<MinuteRange>
  /** The tracks that are looked at; others may be found too. Absent: all. */
  readonly tracks?: ReadonlySet<string>
}

/** The sums of one track over a range: of an objective by its name, or of `overallTrack`. */
export interface CountSum extends MinuteSums {
  readonly objective: string
}

/** What one read found. */
export interface CountSumsRead {
  /** One list for each range, in their order; a track without any count in the range is left out. */
  readonly sums: ReadonlyArray<ReadonlyArray<CountSum>>
  /** By objective: the start of the latest minute that it ever had a count of, in Unix milliseconds. */
  readonly latestAt: ReadonlyMap<string, number>
}

/**
 * Keeps good and total counts per objective and minute, as old as the operator says (39 days at least, 400 unless
 * said otherwise).
 */
export class CountStore extends Context.Service<
  CountStore,
  {
    /**
     * Writes the counts of all SLOs or none; the same objective and minute again replaces, and of two in one call the
     * last one holds. In the same transaction each SLO, and each that has an objective of it as a component, becomes
     * due for its status at once and changes its revision.
     *
     * Answers the SLOs that do not exist: if there are any, nothing was written.
     */
    readonly record: (
      organization: OrganizationId,
      recordings: ReadonlyArray<Recording>,
    ) => Effect.Effect<ReadonlyArray<ProjectKey>, CountStoreIsUnavailable>
    /**
     * Sums the minutes from ≤ at < to of each range, in one round trip; an SLO that does not exist has no sums.
     *
     * Minutes are good or bad by the rules (`sliceRulesOf`) of the SLO's definition as it is now.
     */
    readonly sums: (
      reads: ReadonlyArray<CountRead>,
    ) => Effect.Effect<ReadonlyArray<CountSumsRead>, CountStoreIsUnavailable>
  }
>()("@tocsin/domain/counts/CountStore") {}

/** The store could not be reached or did not answer. */
export class CountStoreIsUnavailable extends Data.TaggedError("CountStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
