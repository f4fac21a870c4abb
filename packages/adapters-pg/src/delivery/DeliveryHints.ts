import { type NotificationContent, withSpan } from "@tocsin/domain/adapter"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { QueueDatabase } from "../database/PgDatabase.ts"

/** A delivery that was enqueued: it is due since it was created. */
export interface EnqueuedDelivery {
  readonly id: string
  readonly alertMethod: ProjectKey
  /** In Unix milliseconds, by the database's clock. */
  readonly createdAt: number
  /** The ID of the notification. */
  readonly notification: string
  readonly content: NotificationContent
  /** The number of characters of the stored notification. */
  readonly size: number
}

/** A transaction that may enqueue deliveries. */
export interface Enqueuing {
  /** Whether the queue of this process takes them over, so that nobody needs to be woken. */
  readonly isHandedOver: boolean
  /** What the transaction has enqueued. */
  deliveries: ReadonlyArray<EnqueuedDelivery>
}

/** The queue of this process, which takes over what is enqueued for organizations that it owns. */
export interface LocalQueue {
  /**
   * Begins to enqueue for an organization; undefined if the queue does not own it. Returns the function that ends it, with what
   * was enqueued; when it is not known to be committed, the transaction may have failed or not, or may not have ended.
   */
  readonly begin: (
    organization: OrganizationId,
  ) => ((enqueued: ReadonlyArray<EnqueuedDelivery>, isCommitted: boolean) => Effect.Effect<void>) | undefined
}

/**
 * Hints that deliveries may have become due: within the process at once, to other processes through `NOTIFY`.
 *
 * Hints only save time: a lost one delays a delivery until the next poll of the queue.
 */
export class DeliveryHints extends Context.Service<
  DeliveryHints,
  {
    /**
     * Sends a hint to every subscriber of every process: about one organization, or about none in particular. Call it
     * after the transaction has committed.
     */
    readonly publish: (organization?: OrganizationId) => Effect.Effect<void>
    /** As `publish`, but only within the process. */
    readonly publishHere: (organization?: OrganizationId) => Effect.Effect<void>
    /**
     * Runs a transaction that may enqueue deliveries of an organization. Once it has committed, the queue of this process takes
     * them over if it owns the organization; otherwise, sends a hint.
     */
    readonly enqueue: <A, E, R>(
      organization: OrganizationId,
      transaction: (enqueuing: Enqueuing) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E, R>
    /** Has a queue take over deliveries until the scope closes. */
    readonly connect: (queue: LocalQueue) => Effect.Effect<void, never, Scope.Scope>
    readonly subscribe: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
    /** Which organizations there have been hints for since the previous call. */
    readonly takeOrganizations: () => ReadonlyArray<OrganizationId>
  }
>()("@tocsin/adapters-pg/internal/DeliveryHints") {}

/** Notifies other processes at most every 25 ms. Listens on a connection of the queue, and again when it is lost. */
export const layer: Layer.Layer<DeliveryHints, never, QueueDatabase> = Layer.effect(
  DeliveryHints,
  Effect.gen(function* () {
    const pg = yield* QueueDatabase
    const process = crypto.randomUUID()
    const subscribers = new Set<Queue.Queue<void>>()
    const queues = new Set<LocalQueue>()
    const hinted = new Set<OrganizationId>()
    const unpublished = new Set<OrganizationId>()
    const publishing = yield* Queue.sliding<void>(1)

    const hint = (organizations: ReadonlyArray<OrganizationId>): void => {
      if (hinted.size > hintedMax) hinted.clear()
      for (const organization of organizations) hinted.add(organization)
      for (const subscriber of subscribers) Queue.offerUnsafe(subscriber, undefined)
    }

    const notify = Effect.suspend(() => {
      const organizations = [...unpublished]
      unpublished.clear()
      const payload = [process, ...organizations].join(" ")
      return payload.length <= payloadMax ? pg.notify(channel, payload) : Effect.void
    })

    yield* Queue.take(publishing).pipe(
      Effect.andThen(notify),
      withSpan("DeliveryHints.notify"),
      // Other processes poll, so a notification that fails needs no retry.
      Effect.ignore,
      Effect.andThen(Effect.sleep(notifyEveryMs)),
      Effect.forever,
      Effect.forkScoped,
    )

    const publishHere = (organization?: OrganizationId) =>
      Effect.sync(() => hint(organization === undefined ? [] : [organization]))

    const publish = (organization?: OrganizationId) =>
      Effect.sync(() => {
        hint(organization === undefined ? [] : [organization])
        if (organization !== undefined) unpublished.add(organization)
        Queue.offerUnsafe(publishing, undefined)
      })

    const begin = (organization: OrganizationId) => {
      for (const queue of queues) {
        const end = queue.begin(organization)
        if (end !== undefined) return end
      }
      return undefined
    }

    return {
      publish,
      publishHere,
      enqueue: (organization, transaction) =>
        Effect.uninterruptibleMask((restore) => {
          const end = begin(organization)
          const enqueuing: Enqueuing = { isHandedOver: end !== undefined, deliveries: [] }
          return Effect.onExit(restore(transaction(enqueuing)), (exit) => {
            const { deliveries } = enqueuing
            if (end !== undefined) return end(deliveries, Exit.isSuccess(exit))
            return Exit.isSuccess(exit) && deliveries.length > 0 ? publish(organization) : Effect.void
          })
        }),
      connect: (queue) =>
        Effect.acquireRelease(
          Effect.sync(() => void queues.add(queue)),
          () => Effect.sync(() => queues.delete(queue)),
        ),
      takeOrganizations: () => {
        const organizations = [...hinted]
        hinted.clear()
        return organizations
      },
      subscribe: Effect.gen(function* () {
        const hints = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
        yield* Effect.acquireRelease(
          Effect.sync(() => subscribers.add(hints)),
          () => Effect.sync(() => subscribers.delete(hints)),
        )
        yield* pg.listen(channel).pipe(
          Effect.flatMap((notifications) =>
            Effect.forever(
              Effect.map(Queue.take(notifications), (notification) => {
                const [from, ...organizations] = notification.payload.split(" ")
                if (from !== process) hint(organizations)
              }),
            ),
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
/** Below the 8,000 bytes that PostgreSQL allows: an organization's ID has no blank. */
const payloadMax = 7_000
/** In a process that delivers nothing, nobody takes them. */
const hintedMax = 10_000
