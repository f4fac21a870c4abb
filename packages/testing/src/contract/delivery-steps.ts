import { it } from "./EffectTest.ts"
import type { Attempt } from "@tocsin/domain"
import type { AttemptOutcome } from "@tocsin/domain/adapter"
import {
  type AlertStore,
  type ClaimedDelivery,
  type DefinitionStore,
  DeliveryLog,
  DeliveryQueue,
  EndpointStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { aMethod } from "./deliveries.ts"
import { putDefinitions } from "./slo-definitions.ts"

/** What the contracts of deliveries run on. */
export type DeliveryStores = DeliveryQueue | DeliveryLog | EndpointStore | AlertStore | DefinitionStore

export const organization = "acme"
export const hook = { project: "shop", name: "hook" }
export const other = { project: "shop", name: "other" }
export const start = Date.UTC(2026, 0, 30)
export const leaseMs = 30_000

export const claim = (limit: number) =>
  Effect.flatMap(DeliveryQueue, (queue) => queue.claim({ limit, leaseMs }))

export const settle = (claimed: ReadonlyArray<ClaimedDelivery>, outcome: AttemptOutcome) =>
  Effect.flatMap(DeliveryQueue, (queue) =>
    queue.settle(
      claimed.map(({ claimId, delivery }) => ({
        claimId,
        attempt: attemptOf(delivery.attempt),
        outcome,
        random: 0.5,
      })),
    ),
  )

export const attemptOf = (number: number): Attempt => ({
  number,
  startedAt: start,
  durationMs: 3,
  headMs: 2,
  status: 500,
})

export const idsOf = (claimed: ReadonlyArray<ClaimedDelivery>) =>
  claimed.map(({ delivery }) => delivery.notification.id)

export const find = (id: string, of = organization) => Effect.flatMap(DeliveryLog, (log) => log.find(of, id))

export const stateOf = (id: string) =>
  Effect.map(find(id), (found) => Option.getOrThrow(found).delivery.state)

export const healthOf = (alertMethod: typeof hook) =>
  Effect.flatMap(EndpointStore, (endpoints) =>
    Effect.map(endpoints.find(organization, alertMethod), ({ health }) => health),
  )

/** Gives the function that declares a test on empty stores that have both alert methods. */
export const makeTest =
  <E>(layer: Layer.Layer<DeliveryStores, E>, passTime: (milliseconds: number) => Effect.Effect<void>) =>
  (name: string, effect: Effect.Effect<void, unknown, DeliveryStores>): void =>
    it.effect(name, () =>
      passTime(start).pipe(
        Effect.andThen(putDefinitions(organization, [aMethod(hook), aMethod(other)])),
        Effect.andThen(effect),
        Effect.provide(layer),
      ),
    )
