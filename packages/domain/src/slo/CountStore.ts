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

/** Keeps good and total counts per objective and minute. */
export class CountStore extends Context.Tag("@tocsin/domain/slo/CountStore")<
  CountStore,
  {
    /** Writes all counts or none; the same objective and minute again replaces. Makes the SLO due for its status. */
    readonly record: (
      organization: OrganizationId,
      slo: ProjectKey,
      counts: ReadonlyArray<Count>,
    ) => Effect.Effect<void, CountStoreIsUnavailable>
    /** Sums the minutes from ≤ at < to (Unix milliseconds); an objective without any minute is left out. */
    readonly sums: (
      organization: OrganizationId,
      slo: ProjectKey,
      range: { readonly from: number; readonly to: number },
    ) => Effect.Effect<ReadonlyArray<CountSum>, CountStoreIsUnavailable>
  }
>() {}

/** The store could not be reached or did not answer. */
export class CountStoreIsUnavailable extends Data.TaggedError("CountStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
