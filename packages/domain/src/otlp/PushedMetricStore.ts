import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { stored } from "../codec/Codec.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { type OtlpIndicator, otlpIndicator } from "../slo/OtlpIndicator.ts"
import type { PushedPoint } from "./CountsOfSeries.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Most series that count for one SLO, counting one twice that counts for two parts of its events. */
export const pushedSeriesMax = 2_000

/** An SLO whose events are counted by metrics that are pushed. */
export interface PushedIndicator {
  /** The SLO that the metrics are counted for. */
  readonly slo: ProjectKey
  /** Which metrics those are. */
  readonly indicator: OtlpIndicator
}

/** Points that were pushed for one SLO. */
export interface PointsOfSlo extends PushedIndicator {
  /** In the order in which they were received. */
  readonly points: ReadonlyArray<PushedPoint>
}

/** What has arrived for an SLO. */
export interface PushedState {
  /** When points that count for it last arrived, in Unix milliseconds. */
  readonly receivedAt?: number
}

/** The stored form of an indicator whose metrics are pushed. Contains no secret. */
export const storedOtlpIndicator = stored(otlpIndicator, [])

/**
 * Keeps what must be remembered of metrics that are pushed, and adds their events to the counts of SLOs.
 *
 * It follows the definitions in their own transactions: a changed indicator begins anew.
 */
export class PushedMetricStore extends Context.Service<
  PushedMetricStore,
  {
    /** The SLOs of an organization with an indicator that has one of these metrics. */
    readonly indicators: (
      organization: OrganizationId,
      metrics: ReadonlySet<string>,
    ) => Effect.Effect<ReadonlyArray<PushedIndicator>, StoreIsUnavailable>
    /**
     * Counts points by `addPoints`, of all SLOs or of none, for each objective that is not composite, as `CountStore.record` does.
     * Leaves out an SLO whose indicator is another by now. An SLO has at most `pushedSeriesMax` series.
     *
     * Returns how many points were left out as there was no room for their series.
     */
    readonly record: (
      organization: OrganizationId,
      pushed: ReadonlyArray<PointsOfSlo>,
      now: number,
    ) => Effect.Effect<number, StoreIsUnavailable>
    /** `None` for an SLO without an indicator whose metrics are pushed. */
    readonly find: (
      organization: OrganizationId,
      slo: ProjectKey,
    ) => Effect.Effect<Option.Option<PushedState>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/otlp/PushedMetricStore") {}
