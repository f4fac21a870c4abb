import { DeliveryQueue } from "@tocsin/domain/delivery/DeliveryQueue"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { DeliveryTables } from "./DeliveryTables.ts"

/**
 * Queues deliveries in memory. Leases and claims are real: two dispatchers on one queue never send the same delivery
 * at once. What is queued ends with the process; of settled deliveries the latest
 * `Limits.settledDeliveriesInMemoryMax` are kept.
 */
export const make = Effect.map(DeliveryTables, (tables) =>
  DeliveryQueue.of({
    claim: (request) => atNow((now) => tables.claim(request, now)),
    settle: (settlements) => atNow((now) => tables.settle(settlements, now)),
    renew: (claimIds, leaseMs) => atNow((now) => tables.renew(claimIds, now + leaseMs)),
    release: (releases) => atNow((now) => tables.release(releases, now)),
    hints: Effect.gen(function* () {
      const hints = yield* Queue.sliding<void>(1)
      yield* Effect.acquireRelease(
        Effect.sync(() => tables.onHint(() => Queue.offerUnsafe(hints, undefined))),
        (unsubscribe) => Effect.andThen(Effect.sync(unsubscribe), Queue.shutdown(hints)),
      )
      return hints
    }),
    find: (organization, id) => Effect.sync(() => Option.fromNullishOr(tables.find(organization, id))),
    list: (organization, query, page) => Effect.sync(() => tables.list(organization, query, page)),
    resend: (organization, id) => atNow((now) => Option.fromNullishOr(tables.resend(organization, id, now))),
    health: (organization, alertMethod) => Effect.sync(() => tables.health(organization, alertMethod)),
    activities: (organization, alertMethods) =>
      Effect.sync(() => tables.activities(organization, alertMethods)),
    enable: (organization, alertMethod) => atNow((now) => tables.enable(organization, alertMethod, now)),
    setPaused: (scope, isPaused) => atNow((now) => tables.setPaused(scope, isPaused, now)),
    pauseState: (scope) => Effect.sync(() => tables.pauseState(scope)),
  }),
)

/** The queue on top of the deliveries that it shares with the alerts. */
export const layer = Layer.effect(DeliveryQueue, make)

const atNow = <A>(operation: (now: number) => A): Effect.Effect<A> =>
  Effect.map(Clock.currentTimeMillis, operation)
