import { countHealthChanges } from "@tocsin/domain/adapter"
import { DeliveryQueue } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { DeliveryTables } from "./DeliveryTables.ts"

/** The queue of a memory database. Dispatchers on one queue share its lease and its capacity. */
const make = Effect.map(DeliveryTables, (tables) =>
  DeliveryQueue.of({
    claim: (request) => atNow((now) => tables.claim(request, now)),
    settle: (settlements) =>
      Effect.flatMap(
        atNow((now) => tables.settle(settlements, now)),
        ({ lost, changed }) => Effect.as(countHealthChanges(changed), lost),
      ),
    renew: (leaseMs) => atNow((now) => tables.renew(leaseMs, now)),
    release: (releases) => atNow((now) => tables.release(releases, now)),
    resend: (organization, id) => atNow((now) => Option.fromNullishOr(tables.resend(organization, id, now))),
    logTest: (tested) => atNow((now) => tables.logTest(tested, now)),
    hints: Effect.gen(function* () {
      const hints = yield* Queue.sliding<void>(1)
      yield* Effect.acquireRelease(
        Effect.sync(() => tables.onHint(() => Queue.offerUnsafe(hints, undefined))),
        (unsubscribe) => Effect.andThen(Effect.sync(unsubscribe), Queue.shutdown(hints)),
      )
      return hints
    }),
    setPaused: (isPaused) => Effect.sync(() => tables.setPaused(isPaused)),
    isPaused: Effect.sync(() => tables.isPaused),
    pauseState: Effect.sync(() => tables.pauseState()),
    backlog: atNow((now) => tables.backlog(now)),
  }),
)

export const layer = Layer.effect(DeliveryQueue, make)

const atNow = <A>(operation: (now: number) => A): Effect.Effect<A> =>
  Effect.map(Clock.currentTimeMillis, operation)
