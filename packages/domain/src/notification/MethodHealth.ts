import { Effect } from "effect"
import { findAlertMethod } from "../alert-method/AlertMethodNotFound.ts"
import type { OrganizationId, ProjectKey } from "../definition/Definition.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"

/** How the receiver of an alert method has answered; fails with `AlertMethodNotFound`. Source: decision 0308. */
export const findMethodHealth = (organization: OrganizationId, key: ProjectKey) =>
  Effect.gen(function* () {
    yield* findAlertMethod(organization, key)
    return yield* (yield* DeliveryQueue).health(organization, key)
  })

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
    return yield* (yield* DeliveryQueue).enable(organization, key)
  })
