import { Context, Data, type Effect } from "effect"
import type { OrganizationId, ProjectKey } from "../definition/Definition.ts"

/** The good and total events of one objective in one minute. */
export interface Count {
  readonly objective: string
  /** The start of the minute, in Unix milliseconds. */
  readonly at: number
  readonly good: number
  readonly total: number
}

/** The sum of an objective's counts over a range. */
export interface CountSum {
  readonly objective: string
  readonly good: number
  readonly total: number
}

/** The sums of an SLO's objectives, and the state of its counts that they were read from. */
export interface CountSums {
  readonly sums: ReadonlyArray<CountSum>
  /** Changes with every `record` of this SLO; `SloStore.writeStatus` compares it. */
  readonly revision: string
}

/** Keeps good and total counts per objective and minute. */
export class CountStore extends Context.Tag("@tocsin/domain/slo/CountStore")<
  CountStore,
  {
    /**
     * Writes all counts or none; the same objective and minute again replaces. Makes the SLO due for its status at
     * once, in the same transaction. Tells whether the SLO exists: without it nothing is written.
     *
     * Counts older than `countsRetentionMs` may be dropped at any time.
     */
    readonly record: (
      organization: OrganizationId,
      slo: ProjectKey,
      counts: ReadonlyArray<Count>,
    ) => Effect.Effect<boolean, CountStoreIsUnavailable>
    /**
     * Sums the minutes from ≤ at < to (Unix milliseconds, both at the start of a minute); an objective without any
     * minute is left out, and an SLO that does not exist has no sums.
     */
    readonly sums: (
      organization: OrganizationId,
      slo: ProjectKey,
      range: { readonly from: number; readonly to: number },
    ) => Effect.Effect<CountSums, CountStoreIsUnavailable>
  }
>() {}

/** The store could not be reached or did not answer. */
export class CountStoreIsUnavailable extends Data.TaggedError("CountStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
