import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import { type BulkResend, type ResendCount, type ResendFilter } from "./BulkResend.ts"

/** A bulk resend to begin. */
export interface NewBulkResend extends ResendCount {
  readonly id: string
  readonly filter: ResendFilter
}

/** How much one step does at most. */
export interface StepLimits {
  /** Deliveries that become due; at least 1. */
  readonly batchMax: number
  /** Settled deliveries that are read; at least `batchMax`. */
  readonly readMax: number
}

/**
 * Keeps the bulk resends of every organization, and carries them out on the deliveries of `DeliveryQueue`.
 *
 * Those that have ended may be dropped, the oldest first.
 */
export class BulkResendStore extends Context.Service<
  BulkResendStore,
  {
    /** Counts the settled deliveries that a filter lets through now, of at most `readMax` that it reads. */
    readonly count: (
      organization: OrganizationId,
      filter: ResendFilter,
      readMax: number,
    ) => Effect.Effect<ResendCount, BulkResendStoreIsUnavailable>
    /**
     * Adds a bulk resend that is running, unless `bulkResendsRunningMax` of the organization do, however many
     * callers add at once.
     */
    readonly add: (
      organization: OrganizationId,
      resend: NewBulkResend,
    ) => Effect.Effect<BulkResend, BulkResendsAreTooMany | BulkResendStoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<BulkResend>, BulkResendStoreIsUnavailable>
    /** Newest first, by ID; the page's key is the ID. */
    readonly list: (
      organization: OrganizationId,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<BulkResend>, BulkResendStoreIsUnavailable>
    /** Ends a bulk resend that is running; one that has ended is left as it is. What it made due stays due. */
    readonly cancel: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<BulkResend>, BulkResendStoreIsUnavailable>
    /**
     * Takes one atomic step of one due bulk resend of any organization. Returns whether one was due.
     *
     * The step makes the next deliveries due as `resendDelivery` does, in the order of their creation, of those that
     * were settled when the bulk resend was added; the last step ends it. A delivery is made due once by a bulk resend,
     * however often it is settled meanwhile. While `isNextBatchHeld`, and after a batch, the next check is in
     * `bulkResendPollMs`; those that run take turns.
     */
    readonly step: (limits: StepLimits) => Effect.Effect<boolean, BulkResendStoreIsUnavailable>
  }
>()("@tocsin/domain/resend/BulkResendStore") {}

/** As many bulk resends of the organization run as may. */
export class BulkResendsAreTooMany extends Data.TaggedError("BulkResendsAreTooMany") {}

/** The store could not be reached or did not answer. */
export class BulkResendStoreIsUnavailable extends Data.TaggedError("BulkResendStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
