import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { HourOfCounts, MinuteSums } from "./HourOfCounts.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { PresentMinutes } from "./PresentMinutes.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import { count, observe } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"

/** The good and total events of one objective in one minute. */
export interface Count {
  /** The name of the objective. */
  readonly objective: string
  /** The start of the minute, in Unix milliseconds. */
  readonly at: number
  /** Good events of the minute, at least 0. */
  readonly good: number
  /** All events of the minute, at least `good`. */
  readonly total: number
}

/** Counts to record of one SLO. */
export interface Recording {
  /** The SLO that they are of. */
  readonly slo: ProjectKey
  /** At most one for each objective and minute. */
  readonly counts: ReadonlyArray<Count>
  /** Minutes that no condition has measured before: if they had no counts, they are no changes of the past. */
  readonly unmeasured?: MinuteRange | undefined
  /**
   * Whether minutes before them are not read yet: statuses and alerts that are being computed without knowing that are not stored, those
   * of composite SLOs that have the SLO as a component included.
   */
  readonly isFirstRecent?: boolean | undefined
}

/** Which counts of one SLO are read. */
export interface CountRead {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The SLO whose counts are read. */
  readonly slo: ProjectKey
  /** In whole minutes; they may overlap. */
  readonly ranges: ReadonlyArray<MinuteRange>
  /** The required tracks; more may be returned. Absent: all. */
  readonly tracks?: ReadonlySet<string>
  /** Whether the sums need `states`, where the rules of the SLO ask for them. */
  readonly hasStates?: boolean
}

/** The counts of one track, summed over a range. */
export interface CountSum extends MinuteSums {
  /** The track: the name of an objective. */
  readonly objective: string
}

/** The sums of the ranges of a `CountRead`. */
export interface CountSumsRead {
  /** One list for each range, in their order; a track without any count in the range is left out. */
  readonly sums: ReadonlyArray<ReadonlyArray<CountSum>>
  /** By objective: the start of the latest minute that it ever had a count of, in Unix milliseconds. */
  readonly latestAt: ReadonlyMap<string, number>
}

/** Which hours of one SLO are read. */
export interface HoursRead {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The SLO whose hours are read. */
  readonly slo: ProjectKey
  /** In whole minutes; hours at its ends are returned whole. */
  readonly range: MinuteRange
  /** The tracks that are read. */
  readonly tracks: ReadonlySet<string>
}

/** An hour of one track, of which this is read: its counts, or which minutes have any. */
export interface TrackHour<Minutes extends HourOfCounts | PresentMinutes = HourOfCounts> {
  /** The name of an objective. */
  readonly track: string
  /** The start of the hour, in Unix milliseconds. */
  readonly at: number
  /** Its minutes. */
  readonly counts: Minutes
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
     * What records (`currentTraceparent`) is stored for the evaluation, as `DueSlo.traceparent`.
     *
     * Returns the SLOs that do not exist; if there are any, nothing was written.
     */
    readonly record: (
      organization: OrganizationId,
      recordings: ReadonlyArray<Recording>,
    ) => Effect.Effect<ReadonlyArray<ProjectKey>, StoreIsUnavailable>
    /**
     * Sums the minutes from ≤ at < to of each range in one round trip, by the current rules (`sliceRulesOf`) of the
     * SLO. An SLO that does not exist has no sums.
     */
    readonly sums: (
      reads: ReadonlyArray<CountRead>,
    ) => Effect.Effect<ReadonlyArray<CountSumsRead>, StoreIsUnavailable>
    /**
     * The minutes of every hour with counts that overlaps the range of a read, unordered, of each read in one round trip. Callers read
     * some thousand hours at a time.
     */
    readonly hours: (
      reads: ReadonlyArray<HoursRead>,
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<TrackHour>>, StoreIsUnavailable>
    /** As `hours`, but only which minutes have counts, which costs a fraction of it. */
    readonly presence: (
      reads: ReadonlyArray<HoursRead>,
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<TrackHour<PresentMinutes>>>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/counts/CountStore") {}

/** `CountStore.record`, measured. */
export const storeCounts = (
  organization: OrganizationId,
  recordings: ReadonlyArray<Recording>,
  source: "api" | "indicator",
): Effect.Effect<ReadonlyArray<ProjectKey>, StoreIsUnavailable, CountStore> =>
  Effect.gen(function* () {
    const missing = yield* (yield* CountStore).record(organization, recordings)
    yield* measureCounts(
      source,
      recordings.flatMap(({ counts }) => counts.map(({ at }) => at)),
    )
    return missing
  })

/** Measures counts that were recorded, by the start of their minutes. */
export const measureCounts = (
  source: "api" | "indicator" | "otlp",
  minutes: ReadonlyArray<number>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* count(metrics.countsRecorded.of(source), minutes.length)
    const latest = minutes.reduce((latest, at) => Math.max(latest, at), Number.NEGATIVE_INFINITY)
    const lagMs = (yield* Clock.currentTimeMillis) - (latest + minuteMs)
    yield* observe(metrics.countsLag.of(source), Math.max(0, lagMs) / 1_000)
  })
