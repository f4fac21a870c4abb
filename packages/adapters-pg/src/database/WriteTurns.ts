import { count, metrics, observeGauge, TaggedError } from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { TurnQueue } from "./TurnQueue.ts"

/** Maximum number of write transactions of an organization's requests that wait for their turn in a process. */
export const writesWaitingMax = 500

/** How long a write transaction of a request waits for its turn, in milliseconds. */
export const writeTurnMs = 15_000

/**
 * Runs the write transactions of requests: fewer at a time than there are connections, in turn by organization.
 *
 * A transaction holds a connection for many statements. Without a bound, the requests of many organizations hold all of
 * them, and whatever takes one short statement waits for them.
 */
export class WriteTurns extends Context.Service<
  WriteTurns,
  {
    /** Runs a transaction of an organization when it is its turn. Must not run within another turn. */
    readonly run: <A, E, R>(
      organization: OrganizationId,
      transaction: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | WritesAreTooMany, R>
  }
>()("@tocsin/adapters-pg/internal/WriteTurns") {}

/** A write transaction got no turn; the same one may get it later. */
export class WritesAreTooMany extends TaggedError("WritesAreTooMany")<{
  readonly reason: "full" | "timeout"
}> {}

/** Runs at most `atOnce` transactions at a time, and of one organization at most half of them. */
export const makeWriteTurns = (atOnce: number) =>
  Effect.gen(function* () {
    const queue = new TurnQueue<Deferred.Deferred<void>>(atOnce, Math.ceil(atOnce / 2))
    yield* observeGauge(metrics.databaseWritesWaiting.of(), () => queue.waiting)

    const start = (): void => {
      for (let next = queue.next(); next !== undefined; next = queue.next()) {
        Deferred.doneUnsafe(next, Effect.void)
      }
    }
    const reject = (reason: WritesAreTooMany["reason"]) =>
      Effect.andThen(
        count(metrics.databaseWritesRejected.of(reason)),
        Effect.fail(new WritesAreTooMany({ reason })),
      )

    return WriteTurns.of({
      run: (organization, transaction) =>
        Effect.suspend(() => {
          if (queue.waitingOf(organization) >= writesWaitingMax) return reject("full")
          const turn = Deferred.makeUnsafe<void>()
          return Effect.acquireUseRelease(
            Effect.sync(() => {
              queue.add(organization, turn)
              start()
            }),
            () =>
              Effect.andThen(
                Deferred.isDoneUnsafe(turn)
                  ? Effect.void
                  : Effect.timeoutOrElse(Deferred.await(turn), {
                      duration: writeTurnMs,
                      orElse: () => reject("timeout"),
                    }),
                transaction,
              ),
            () =>
              Effect.sync(() => {
                if (queue.remove(organization, turn)) return
                queue.end(organization)
                start()
              }),
          )
        }),
    })
  })
