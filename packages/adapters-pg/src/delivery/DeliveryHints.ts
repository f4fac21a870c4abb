import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

/**
 * Hints that deliveries may have become due: within the process at once, to other processes through `NOTIFY`.
 *
 * Hints are for speed only: one that is lost costs the time until the next look at the queue.
 *
 * Source: delivery design, "The queue" 8.
 */
export class DeliveryHints extends Context.Service<
  DeliveryHints,
  {
    /** Tells everybody; to be called once the transaction is over. */
    readonly tell: Effect.Effect<void>
    /** Listens until the scope closes. */
    readonly subscribe: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
  }
>()("@tocsin/adapters-pg/DeliveryHints") {}

/** Tells other processes at most every 25 ms, and listens on a connection of the pool, anew when it is lost. */
export const layer: Layer.Layer<DeliveryHints, never, PgClient.PgClient> = Layer.effect(
  DeliveryHints,
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const subscribers = new Set<Queue.Queue<void>>()
    const untold = yield* Queue.sliding<void>(1)
    const tellHere = (): void => {
      for (const subscriber of subscribers) Queue.offerUnsafe(subscriber, undefined)
    }

    yield* Queue.take(untold).pipe(
      Effect.andThen(pg.notify(channel, "")),
      Effect.withTracerEnabled(false),
      // Others find what is due when they look.
      Effect.ignore,
      Effect.andThen(Effect.sleep(logEveryMs)),
      Effect.forever,
      Effect.forkScoped,
    )

    return {
      tell: Effect.sync(() => {
        tellHere()
        Queue.offerUnsafe(untold, undefined)
      }),
      subscribe: Effect.gen(function* () {
        const hints = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
        yield* Effect.acquireRelease(
          Effect.sync(() => subscribers.add(hints)),
          () => Effect.sync(() => subscribers.delete(hints)),
        )
        yield* pg.listen(channel).pipe(
          Effect.flatMap((notifications) =>
            Effect.forever(Effect.andThen(Queue.take(notifications), Queue.offer(hints, undefined))),
          ),
          Effect.scoped,
          Effect.ignore,
          Effect.andThen(Effect.sleep(listenAgainMs)),
          Effect.forever,
          Effect.forkScoped,
        )
        return hints
      }),
    }
  }),
)

const channel = "tocsin_deliveries"
const logEveryMs = 25
const listenAgainMs = 1_000
