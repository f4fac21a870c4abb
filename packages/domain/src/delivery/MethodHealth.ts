import * as Effect from "effect/Effect"
import { findAlertMethod } from "../notification/AlertMethodNotFound.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { DeliveryQueue, type PauseState } from "./DeliveryQueue.ts"
import type { EndpointHealth } from "./EndpointHealth.ts"

/** What keeps an alert method's deliveries from going out, or does not. */
export interface MethodHealth {
  readonly endpoint: EndpointHealth
  /** Whether an editor paused it, and how many of its deliveries are being sent. */
  readonly pause: PauseState
  /** Whether the operator paused all deliveries. */
  readonly isAllPaused: boolean
}

/** How an alert method is, in one word. */
export type MethodState = (typeof methodStates)[number]

/** The states of alert methods, from the one that keeps most from going out. */
export const methodStates = ["disabled", "paused", "failing", "unused", "healthy"] as const

/** The state that a person should know of first; `unused`: nothing was sent to the receiver yet. Source: decision 0707. */
export const methodState = ({ endpoint, pause, isAllPaused }: MethodHealth): MethodState => {
  if (endpoint.disabled !== undefined) return "disabled"
  if (pause.isPaused || isAllPaused) return "paused"
  if (endpoint.failures > 0) return "failing"
  return endpoint.lastSuccessAt === undefined ? "unused" : "healthy"
}

/**
 * How the receiver of an alert method has answered, and what is paused; fails with `AlertMethodNotFound`.
 *
 * Source: decisions 0308 and 0604.
 */
export const findMethodHealth = (organization: OrganizationId, key: ProjectKey) =>
  Effect.andThen(findAlertMethod(organization, key), healthOf(organization, key))

/**
 * Enables an alert method that was disabled for its failures; fails with `AlertMethodNotFound`.
 *
 * Deliveries that failed meanwhile are not sent by this: each can be resent.
 *
 * Source: decision 0308.
 */
export const enableMethod = (organization: OrganizationId, key: ProjectKey) =>
  Effect.gen(function* () {
    yield* findAlertMethod(organization, key)
    yield* (yield* DeliveryQueue).enable(organization, key)
    return yield* healthOf(organization, key)
  })

/**
 * Pauses or resumes the deliveries of an alert method; fails with `AlertMethodNotFound`.
 *
 * What is being sent is finished: the method is drained once `pause.sending` is 0.
 *
 * Source: decision 0604.
 */
export const pauseMethod = (organization: OrganizationId, alertMethod: ProjectKey, isPaused: boolean) =>
  Effect.gen(function* () {
    yield* findAlertMethod(organization, alertMethod)
    yield* (yield* DeliveryQueue).setPaused({ organization, alertMethod }, isPaused)
    return yield* healthOf(organization, alertMethod)
  })

const healthOf = (organization: OrganizationId, alertMethod: ProjectKey) =>
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const endpoint = yield* queue.health(organization, alertMethod)
    const pause = yield* queue.pauseState({ organization, alertMethod })
    const { isPaused: isAllPaused } = yield* queue.pauseState("all")
    const health: MethodHealth = { endpoint, pause, isAllPaused }
    return health
  })
