import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import { type BulkResend, type ResendCount, type ResendFilter } from "./BulkResend.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** A bulk resend that starts, with how many deliveries it is about. */
export type NewBulkResend = Pick<BulkResend, "id" | "filter"> & ResendCount

/** How much of a bulk resend is done in one step. */
export interface StepLimits {
  /** Deliveries that become due; at least 1. */
  readonly batchMax: number
  /** Settled deliveries that are read; at least `batchMax`. */
  readonly readMax: number
}

/**
 * Port: the bulk resends of every organization, which resend deliveries of `DeliveryQueue`. Those that have ended may be
 * deleted, oldest first.
 */
export class BulkResendStore extends Context.Service<
  BulkResendStore,
  {
    /** Counts the deliveries that match a filter, among at most `readMax` settled ones. */
    readonly count: (
      organization: OrganizationId,
      filter: ResendFilter,
      readMax: number,
    ) => Effect.Effect<ResendCount, StoreIsUnavailable>
    /** Adds a running bulk resend, unless `bulkResendsRunningMax` of the organization are running; atomic. */
    readonly add: (
      organization: OrganizationId,
      resend: NewBulkResend,
    ) => Effect.Effect<BulkResend, BulkResendsAreTooMany | StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<BulkResend>, StoreIsUnavailable>
    /** Newest first, by ID; the page's key is the ID. */
    readonly list: (
      organization: OrganizationId,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<BulkResend>, StoreIsUnavailable>
    /** Ends a bulk resend that is running, and returns it. Deliveries that it made due stay due. */
    readonly cancel: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<BulkResend>, StoreIsUnavailable>
    /**
     * Takes one atomic step of one due bulk resend of any organization. Returns whether one was due.
     *
     * The step makes the next deliveries due (`resendDelivery`) in the order of their creation, of those that were settled
     * when the bulk resend was added; the last step ends it. A bulk resend makes each delivery due once, however often
     * it is settled meanwhile. While `isNextBatchDelayed`, and after a batch, the next step is due in `bulkResendPollMs`.
     * Running bulk resends take turns.
     */
    readonly step: (limits: StepLimits) => Effect.Effect<boolean, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/resend/BulkResendStore") {}

/** `bulkResendsRunningMax` bulk resends of the organization are running. */
export class BulkResendsAreTooMany extends TaggedError("BulkResendsAreTooMany") {}
