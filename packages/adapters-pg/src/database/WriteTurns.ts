import {
  count,
  type GatheringOptions,
  makeGathering,
  metrics,
  observeGauge,
  TaggedError,
} from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
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
    /**
     * Runs a transaction of an organization, of one request or of several, when it is its turn. Must not run within another
     * turn.
     */
    readonly run: <A, E, R>(
      organization: OrganizationId,
      transaction: Effect.Effect<A, E, R>,
      requests?: number,
    ) => Effect.Effect<A, E | WritesAreTooMany, R>
    /**
     * Makes a function that runs the writes of requests of an organization that arrive at the same time in one transaction, in
     * one turn that counts as all of them. Each request has its own result; one that makes the transaction fail fails alone.
     */
    readonly together: <Item, A, E, F>(
      options: TogetherOptions<Item, A, E, F>,
    ) => (organization: OrganizationId, item: Item) => Effect.Effect<A, F>
  }
>()("@tocsin/adapters-pg/internal/WriteTurns") {}

/** A write transaction got no turn; the same one may get it later. */
export class WritesAreTooMany extends TaggedError("WritesAreTooMany")<{
  readonly reason: "full" | "timeout"
}> {}

/** Writes of requests that can share a transaction. */
export interface TogetherOptions<Item, A, E, F> extends Pick<
  GatheringOptions<Item, A, F, never>,
  "sizeMax" | "sizeOf" | "subjectsOf" | "isShared" | "running"
> {
  /** The transaction. Returns the result of each item, in their order. */
  readonly transaction: (
    organization: OrganizationId,
    items: ReadonlyArray<Item>,
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<A, F>>, E>
  /** Makes an operation of a turn with its transaction, and of getting none: of all items at once, as each would cost as much. */
  readonly operation: <B>(turn: Effect.Effect<B, E | WritesAreTooMany>) => Effect.Effect<B, F>
}

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

    const run = <A, E, R>(
      organization: OrganizationId,
      transaction: Effect.Effect<A, E, R>,
      requests = 1,
    ): Effect.Effect<A, E | WritesAreTooMany, R> =>
      Effect.suspend(() => {
        if (queue.waitingOf(organization) >= writesWaitingMax) return reject("full")
        const turn = Deferred.makeUnsafe<void>()
        return Effect.acquireUseRelease(
          Effect.sync(() => {
            queue.add(organization, turn, requests)
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
      })

    const together = <Item, A, E, F>({
      transaction,
      operation,
      ...options
    }: TogetherOptions<Item, A, E, F>) => {
      return makeGathering<Item, A, F>({
        ...options,
        run: (organization, items) =>
          operation(run(organization, transaction(organization, items), items.length)),
        waiting: {
          max: writesWaitingMax,
          full: operation(reject("full")),
          maxMs: writeTurnMs,
          late: operation(reject("timeout")),
        },
      })
    }

    return WriteTurns.of({ run, together })
  })
