import * as Effect from "effect/Effect"
import { findAlertMethod } from "../notification/FindAlertMethod.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { type EndpointState, EndpointStore } from "./EndpointStore.ts"

/** The health of an alert method, and every pause that applies to it. */
export interface MethodHealth extends EndpointState {
  /** Whether the operator paused all deliveries. */
  readonly isAllPaused: boolean
}

/** The status of an alert method, in one word. */
export type MethodState = (typeof methodStates)[number]

/** The statuses of alert methods, the one that blocks most deliveries first. */
export const methodStates = ["disabled", "paused", "failing", "unused", "healthy"] as const

/** The status that matters most to a person; `unused`: nothing was sent to the receiver yet. */
export const methodState = ({ health, pause, isAllPaused }: MethodHealth): MethodState => {
  if (health.disabled !== undefined) return "disabled"
  if (pause.isPaused || isAllPaused) return "paused"
  if (health.failures > 0) return "failing"
  return health.lastSuccessAt === undefined ? "unused" : "healthy"
}

/** Finds the health of an alert method, and what is paused; fails with `AlertMethodNotFound`. */
export const findMethodHealth = (organization: OrganizationId, key: ProjectKey) =>
  Effect.andThen(findAlertMethod(organization, key), healthOf(organization, key))

/**
 * Enables an alert method that was disabled after failures; fails with `AlertMethodNotFound`.
 *
 * Deliveries that failed meanwhile are not resent.
 */
export const enableMethod = (organization: OrganizationId, key: ProjectKey) =>
  Effect.gen(function* () {
    yield* findAlertMethod(organization, key)
    yield* (yield* EndpointStore).enable(organization, key)
    return yield* healthOf(organization, key)
  })

/**
 * Pauses or resumes the deliveries of an alert method; fails with `AlertMethodNotFound`.
 *
 * Deliveries in flight are finished: the method is drained once `pause.inFlight` is 0.
 */
export const pauseMethod = (organization: OrganizationId, key: ProjectKey, isPaused: boolean) =>
  Effect.gen(function* () {
    yield* findAlertMethod(organization, key)
    yield* (yield* EndpointStore).setPaused(organization, key, isPaused)
    return yield* healthOf(organization, key)
  })

const healthOf = (organization: OrganizationId, key: ProjectKey) =>
  Effect.gen(function* () {
    const endpoint = yield* (yield* EndpointStore).find(organization, key)
    const { isPaused: isAllPaused } = yield* (yield* DeliveryQueue).pauseState
    const health: MethodHealth = { ...endpoint, isAllPaused }
    return health
  })
