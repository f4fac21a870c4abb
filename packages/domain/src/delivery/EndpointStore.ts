import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Delivery } from "./Delivery.ts"
import type { PauseState } from "./DeliveryQueue.ts"
import type { EndpointHealth } from "./EndpointHealth.ts"

/** What is known of the endpoint of an alert method. */
export interface EndpointState {
  /** `unknownHealth` when no attempt was made yet. */
  readonly health: EndpointHealth
  /** Whether the alert method is paused itself, and how many of its deliveries are being sent. */
  readonly pause: PauseState
}

/** An endpoint, and what was last sent to it. */
export interface EndpointActivity extends EndpointState {
  /** The newest by its ID, settled or not; absent: there was none, or its retention has ended. */
  readonly latestDelivery?: Delivery
}

/**
 * The endpoints of alert methods: their health, and whether they are paused.
 *
 * `DeliveryQueue` writes the health as it settles deliveries, and claims nothing for endpoints that are paused. A method
 * that is deleted, or given another URL, starts again with `unknownHealth`: an attempt that was claimed before does not
 * change it any more. Deleting a method also ends its pause.
 */
export class EndpointStore extends Context.Service<
  EndpointStore,
  {
    readonly find: (
      organization: OrganizationId,
      alertMethod: ProjectKey,
    ) => Effect.Effect<EndpointState, EndpointStoreIsUnavailable>
    /**
     * The endpoints of several alert methods, in the order asked for, in one round trip.
     *
     * Only the newest `unsettledActivityMax` of the organization's unsettled deliveries need be read: for a
     * method that has none among them, `latestDelivery` may be its newest settled one.
     */
    readonly activities: (
      organization: OrganizationId,
      alertMethods: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<EndpointActivity>, EndpointStoreIsUnavailable>
    /** Enables a disabled alert method (`enabledHealth`); one that is not disabled is unchanged. */
    readonly enable: (
      organization: OrganizationId,
      alertMethod: ProjectKey,
    ) => Effect.Effect<EndpointHealth, EndpointStoreIsUnavailable>
    /** Pauses or resumes an alert method. Deliveries in flight are finished, and new ones are added. */
    readonly setPaused: (
      organization: OrganizationId,
      alertMethod: ProjectKey,
      isPaused: boolean,
    ) => Effect.Effect<void, EndpointStoreIsUnavailable>
  }
>()("@tocsin/domain/delivery/EndpointStore") {}

/** The store could not be reached or did not respond. */
export class EndpointStoreIsUnavailable extends Data.TaggedError("EndpointStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
