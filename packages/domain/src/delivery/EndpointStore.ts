import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Delivery } from "./Delivery.ts"
import type { PauseState } from "./DeliveryQueue.ts"
import type { EndpointHealth } from "./EndpointHealth.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Whether an alert method can be reached, and whether it is paused. */
export interface EndpointState {
  /** `unknownHealth` before the first attempt. */
  readonly health: EndpointHealth
  /** The pause of the alert method itself, and how many of its deliveries are in flight. */
  readonly pause: PauseState
}

/** An alert method that is paused, or to which the latest attempt has failed. */
export interface TroubledEndpoint {
  /** The alert method, which may have been deleted since. */
  readonly alertMethod: ProjectKey
  /** `unknownHealth` if it is paused and had no attempt. */
  readonly health: EndpointHealth
  /** Whether the alert method itself is paused; a pause of all deliveries does not count. */
  readonly isPaused: boolean
}

/** Whether an alert method is paused or disabled, or its latest attempt failed. */
export const isTroubled = ({ health, isPaused }: Omit<TroubledEndpoint, "alertMethod">): boolean =>
  isPaused || health.failures > 0 || health.disabled !== undefined

/** The state of an alert method with its latest delivery. */
export interface EndpointActivity extends EndpointState {
  /** The newest by ID; absent if there was none, or its retention has ended. */
  readonly latestDelivery?: Delivery
}

/**
 * Port: the endpoints of alert methods, their health and pauses.
 *
 * `DeliveryQueue` writes the health as it settles deliveries, and claims nothing for paused endpoints. A method that is
 * deleted, or gets another URL, starts again with `unknownHealth`, which earlier claims do not change. Deleting a method
 * also ends its pause.
 */
export class EndpointStore extends Context.Service<
  EndpointStore,
  {
    readonly find: (
      organization: OrganizationId,
      alertMethod: ProjectKey,
    ) => Effect.Effect<EndpointState, StoreIsUnavailable>
    /**
     * The endpoints of several alert methods, in the order asked for, in one round trip.
     */
    readonly activities: (
      organization: OrganizationId,
      alertMethods: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<EndpointActivity>, StoreIsUnavailable>
    /**
     * The first alert methods that are disabled, paused or failing, by project and name in the order of code points; subscribers
     * of status pages are not among them.
     */
    readonly troubled: (
      organization: OrganizationId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<TroubledEndpoint>, StoreIsUnavailable>
    /** Those of several alert methods that are disabled or paused, in no particular order, in one round trip. */
    readonly stopped: (
      organization: OrganizationId,
      alertMethods: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<ProjectKey>, StoreIsUnavailable>
    /** Enables a disabled alert method (`enabledHealth`); one that is not disabled is unchanged. */
    readonly enable: (
      organization: OrganizationId,
      alertMethod: ProjectKey,
    ) => Effect.Effect<EndpointHealth, StoreIsUnavailable>
    /** Pauses or resumes an alert method. Deliveries in flight are finished, and new ones are added. */
    readonly setPaused: (
      organization: OrganizationId,
      alertMethod: ProjectKey,
      isPaused: boolean,
    ) => Effect.Effect<void, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/delivery/EndpointStore") {}
