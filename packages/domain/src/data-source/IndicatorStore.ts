import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { Slo } from "../slo/Slo.ts"
import type { IndicatorState } from "./IndicatorState.ts"

/** An SLO whose counts are to be read. */
export interface ClaimedIndicator {
  readonly organization: OrganizationId
  readonly slo: StoredDefinition<Slo>
  readonly state: IndicatorState
}

/** Polls of one organization at one server, the longest due first. */
export interface IndicatorBatch {
  readonly organization: OrganizationId
  /** As `serverOf` tells servers apart. */
  readonly server: string
  readonly polls: ReadonlyArray<ClaimedIndicator>
}

/** Which polls to claim. */
export interface IndicatorClaim {
  /** In Unix milliseconds. */
  readonly now: number
  readonly leaseMs: number
  /** By organization the servers at which a batch of it is under way: of them none is wanted now. */
  readonly inFlight: ReadonlyMap<OrganizationId, ReadonlySet<string>>
  readonly batchesMax: number
  /** Of one organization, with those under way. */
  readonly batchesPerOrganizationMax: number
  readonly pollsPerBatchMax: number
}

/** What a poll has come to, for a state that was claimed. */
export interface PollSettled extends Omit<IndicatorState, "indicator"> {
  /** When to poll next, in Unix milliseconds. */
  readonly dueAt: number
}

/**
 * Keeps how far the indicators of SLOs are read.
 *
 * It follows the definitions, in their transactions: an SLO with an indicator is due at once when it comes, and when
 * its indicator changes, which begins anew; without one, or removed, it is forgotten. Any other change leaves the state.
 */
export class IndicatorStore extends Context.Service<
  IndicatorStore,
  {
    /**
     * Claims polls that are due, in batches. Organizations take turns: first comes who has the fewest batches, with
     * those under way; of several the longest due.
     *
     * A poll is handed to one caller only until its lease is over.
     *
     * Source: decision 0617.
     */
    readonly claim: (
      request: IndicatorClaim,
    ) => Effect.Effect<ReadonlyArray<IndicatorBatch>, IndicatorStoreIsUnavailable>
    /**
     * Replaces the state of an SLO's indicator, unless the indicator has changed since it was claimed, or somebody else
     * has read on; tells whether it did.
     */
    readonly settle: (
      organization: OrganizationId,
      slo: ProjectKey,
      claimed: Pick<IndicatorState, "indicator" | "readTo">,
      settled: PollSettled,
    ) => Effect.Effect<boolean, IndicatorStoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      slo: ProjectKey,
    ) => Effect.Effect<Option.Option<IndicatorState>, IndicatorStoreIsUnavailable>
  }
>()("@tocsin/domain/data-source/IndicatorStore") {}

/** The store could not be reached or did not answer. */
export class IndicatorStoreIsUnavailable extends Data.TaggedError("IndicatorStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
