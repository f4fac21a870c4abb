import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { ClaimedContents } from "./ClaimedContents.ts"
import type { DeliveryHints, EnqueuedDelivery, LocalQueue } from "./DeliveryHints.ts"
import { wakeEndpoints } from "./EnqueueDeliveries.ts"
import type { OwnedQueue } from "./OwnedQueue.ts"
import type { QueueOwnership } from "./QueueOwnership.ts"

/**
 * Takes over what this process enqueues for organizations that it owns: into the schedule, without a look at the database.
 *
 * Nothing depends on it. What a process that was killed has enqueued is found by whoever takes the organization after that;
 * if another process has taken it before the transaction ended, then when it reads the queue once more.
 */
export const makeLocalQueue = (
  sql: SqlClient.SqlClient,
  hints: DeliveryHints["Service"],
  { ownership, contents }: { readonly ownership: QueueOwnership; readonly contents: ClaimedContents },
): LocalQueue => {
  /** Puts deliveries into the schedule. Returns whether some must be read, as their endpoint is not known. */
  const place = (queue: OwnedQueue, enqueued: ReadonlyArray<EnqueuedDelivery>): boolean => {
    const { organization } = queue
    let isUnplaced = false
    for (const { id, alertMethod, createdAt, notification, content, size } of enqueued) {
      ownership.sawTime(createdAt)
      contents.put(organization, notification, content, size)
      const row = {
        id,
        due_at: createdAt,
        scheduled_at: createdAt,
        created_at: createdAt,
        notification,
      }
      if (queue.handOver(alertMethod, row, ownership.now())) continue
      queue.addUnplaced(alertMethod, createdAt)
      isUnplaced = true
    }
    return isUnplaced
  }

  /** Wakes the process that owns the organization now. */
  const wakeOwner = (queue: OwnedQueue, enqueued: ReadonlyArray<EnqueuedDelivery>) =>
    wakeEndpoints(
      sql,
      queue.organization,
      enqueued.map(({ alertMethod }) => alertMethod),
      enqueued.reduce((first, { createdAt }) => Math.min(first, createdAt), Number.MAX_SAFE_INTEGER),
    ).pipe(
      Effect.catchCause((cause) =>
        Effect.annotateLogs(Effect.logWarning("Waking the owner of a queue failed", cause), {
          organization: queue.organization,
        }),
      ),
      Effect.andThen(hints.publish(queue.organization)),
    )

  return {
    begin: (organization) => {
      const queue = ownership.find(organization)
      if (queue === undefined || ownership.hasLapsed()) return undefined
      queue.enqueuing++
      return (enqueued, isCommitted) =>
        Effect.suspend(() => {
          queue.enqueuing--
          if (enqueued.length === 0) return Effect.void
          const owned = ownership.find(organization)
          if (owned === undefined || ownership.hasLapsed()) return wakeOwner(queue, enqueued)
          if (!isCommitted) {
            owned.readTwice(ownership.now())
            return Effect.void
          }
          return hints.publishHere(place(owned, enqueued) ? organization : undefined)
        })
    },
  }
}
