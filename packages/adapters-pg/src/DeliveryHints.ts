import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer, Queue, type Scope } from "effect"
import type pg from "pg"

/**
 * Hints that deliveries may have become due: within the process at once, to other processes through `NOTIFY`.
 *
 * Hints are for speed only: one that is lost costs the time until the next look at the queue.
 *
 * Source: delivery design, "The queue" 8.
 */
export class DeliveryHints extends Context.Tag("@tocsin/adapters-pg/DeliveryHints")<
  DeliveryHints,
  {
    /** Tells everybody; to be called once the transaction is over. */
    readonly tell: Effect.Effect<void>
    /** Listens until the scope closes. */
    readonly subscribe: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
  }
>() {}

/** Tells other processes at most every 25 ms, and listens on a connection of the pool, anew when it is lost. */
export const layer: Layer.Layer<DeliveryHints, never, SqlClient.SqlClient> = Layer.scoped(
  DeliveryHints,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const subscribers = new Set<Queue.Queue<void>>()
    const untold = yield* Queue.sliding<void>(1)
    const tellHere = (): void => {
      for (const subscriber of subscribers) subscriber.unsafeOffer(undefined)
    }

    yield* Queue.take(untold).pipe(
      Effect.zipRight(sql`SELECT pg_notify(${channel}, '')`),
      Effect.withTracerEnabled(false),
      // Others find what is due when they look.
      Effect.ignore,
      Effect.zipRight(Effect.sleep(tellEveryMs)),
      Effect.forever,
      Effect.forkScoped,
    )

    return {
      tell: Effect.sync(() => {
        tellHere()
        untold.unsafeOffer(undefined)
      }),
      subscribe: Effect.gen(function* () {
        const hints = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
        yield* Effect.acquireRelease(
          Effect.sync(() => subscribers.add(hints)),
          () => Effect.sync(() => subscribers.delete(hints)),
        )
        yield* Effect.scoped(listen(sql, () => hints.unsafeOffer(undefined))).pipe(
          Effect.ignore,
          Effect.zipRight(Effect.sleep(listenAgainMs)),
          Effect.forever,
          Effect.forkScoped,
        )
        return hints
      }),
    }
  }),
)

/** Listens until the connection ends. */
const listen = (sql: SqlClient.SqlClient, onHint: () => void) =>
  Effect.gen(function* () {
    const connection = yield* sql.reserve
    // The driver's own client: notifications come to it alone.
    const { pg } = connection as unknown as { readonly pg: pg.PoolClient }
    yield* Effect.acquireRelease(
      Effect.sync(() => pg.on("notification", onHint)),
      () => Effect.sync(() => pg.off("notification", onHint)),
    )
    yield* Effect.acquireRelease(connection.executeRaw(`LISTEN ${channel}`, []), () =>
      Effect.ignore(connection.executeRaw(`UNLISTEN ${channel}`, [])),
    )
    return yield* Effect.async<never, SqlError>((resume) => {
      const onEnd = (): void =>
        resume(Effect.fail(new SqlError({ cause: undefined, message: "The connection ended" })))
      pg.once("end", onEnd)
      return Effect.sync(() => pg.off("end", onEnd))
    })
  })

const channel = "tocsin_deliveries"
const tellEveryMs = 25
const listenAgainMs = 1_000
