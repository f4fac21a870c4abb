import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

/**
 * Hints that deliveries may have become due: within the process at once, to other processes through `NOTIFY`.
 *
 * Hints only save time: a lost one delays a delivery until the next poll of the queue.
 */
export class DeliveryHints extends Context.Service<
  DeliveryHints,
  {
    /** Sends a hint to every subscriber of every process. Call it after the transaction has committed. */
    readonly publish: Effect.Effect<void>
    readonly subscribe: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
  }
>()("@tocsin/adapters-pg/DeliveryHints") {}

/** Notifies other processes at most every 25 ms. Listens on a connection of the pool, and again when it is lost. */
export const layer: Layer.Layer<DeliveryHints, never, PgClient.PgClient> = Layer.effect(
  DeliveryHints,
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const subscribers = new Set<Queue.Queue<void>>()
    const unpublished = yield* Queue.sliding<void>(1)

    yield* Queue.take(unpublished).pipe(
      Effect.andThen(pg.notify(channel, "")),
      Effect.withTracerEnabled(false),
      // Other processes poll, so a notification that fails needs no retry.
      Effect.ignore,
      Effect.andThen(Effect.sleep(notifyEveryMs)),
      Effect.forever,
      Effect.forkScoped,
    )

    return {
      publish: Effect.sync(() => {
        for (const subscriber of subscribers) Queue.offerUnsafe(subscriber, undefined)
        Queue.offerUnsafe(unpublished, undefined)
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
const notifyEveryMs = 25
const listenAgainMs = 1_000
