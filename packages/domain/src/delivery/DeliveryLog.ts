import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Attempt } from "../notification/Attempt.ts"
import type { DeliveredEvent } from "../notification/Notification.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Delivery, DeliveryState } from "./Delivery.ts"

/** A delivery with the latest `attemptsKeptMax` of its attempts, oldest first. */
export interface LoggedDelivery {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}

/** Which deliveries to list. */
export interface DeliveryQuery {
  readonly alertMethod?: Partial<ProjectKey>
  readonly states?: ReadonlyArray<DeliveryState>
  readonly events?: ReadonlyArray<DeliveredEvent>
  /** Deliveries of one alert. An ID names one alert of the organization, even if an external evaluator chose it. */
  readonly alertId?: string
  /** Created at from ≤ t < to, in Unix milliseconds. */
  readonly from?: number
  readonly to?: number
}

/**
 * Reads deliveries, queued and settled, and the attempts that were made.
 *
 * `DeliveryQueue` writes what it reads. Settled deliveries may be dropped, oldest first.
 */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<LoggedDelivery>, DeliveryLogIsUnavailable>
    /** Newest first, by ID; the page's key is the ID. */
    readonly list: (
      organization: OrganizationId,
      query: DeliveryQuery,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<Delivery>, DeliveryLogIsUnavailable>
  }
>()("@tocsin/domain/delivery/DeliveryLog") {}

/** The log could not be reached or did not respond. */
export class DeliveryLogIsUnavailable extends Data.TaggedError("DeliveryLogIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
