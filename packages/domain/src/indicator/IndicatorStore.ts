import { Context, Data, type Effect, type Option } from "effect"
import type { OrganizationId, ProjectKey } from "../definition/Definition.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { Slo } from "../slo/Slo.ts"
import type { IndicatorState } from "./IndicatorState.ts"

/** An SLO whose counts are to be read. */
export interface ClaimedIndicator {
  readonly organization: OrganizationId
  readonly slo: StoredDefinition<Slo>
  readonly state: IndicatorState
}

/** Which polls to claim. */
export interface IndicatorClaim {
  /** In Unix milliseconds. */
  readonly now: number
  readonly leaseMs: number
  /** Servers whose polls are not wanted now. */
  readonly busyServers: ReadonlyArray<string>
  readonly serversMax: number
  readonly pollsPerServerMax: number
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
export class IndicatorStore extends Context.Tag("@tocsin/domain/indicator/IndicatorStore")<
  IndicatorStore,
  {
    /**
     * Claims polls of all organizations that are due, the longest due first, by server (`serverOf`): of each server at
     * most so many, so that none keeps others waiting.
     *
     * A poll is handed to one caller only until its lease is over.
     */
    readonly claim: (
      request: IndicatorClaim,
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<ClaimedIndicator>>, IndicatorStoreIsUnavailable>
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
>() {}

/** The store could not be reached or did not answer. */
export class IndicatorStoreIsUnavailable extends Data.TaggedError("IndicatorStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
