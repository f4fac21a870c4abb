import { type NotificationContent, storedNotificationContent } from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import { inRow, logUnreadableRow } from "../database/StoredRow.ts"
import type { Waiting } from "./OwnedQueue.ts"
import type { ClaimedRow, WantedContents } from "./QueueStatements.ts"

/** Most characters of notifications to deliver that a process caches. */
const contentsMaxCharacters = 16_000_000

/** What a cached notification takes besides its characters. */
const contentOverhead = 500

/** The notifications that the process has read or enqueued last: most are sent by several deliveries. */
export class ClaimedContents {
  readonly #known = new LRUCache<string, NotificationContent>({ maxSize: contentsMaxCharacters })

  /** Keeps a notification of so many characters. */
  put(organization: OrganizationId, id: string, content: NotificationContent, size: number): void {
    this.#known.set(`${organization} ${id}`, content, { size: size + contentOverhead })
  }

  /** The contents of the notifications of deliveries as far as they are known, and which of them are to be read. */
  find(organization: OrganizationId, deliveries: ReadonlyArray<Waiting>): FoundContents {
    const known = new Map<string, NotificationContent>()
    const unknown = new Set<string>()
    let [from, to] = [Number.MAX_SAFE_INTEGER, 0]
    for (const { notification, createdAt } of deliveries) {
      const content = this.#known.get(`${organization} ${notification}`)
      if (content !== undefined) {
        known.set(notification, content)
        continue
      }
      unknown.add(notification)
      from = Math.min(from, createdAt)
      to = Math.max(to, createdAt)
    }
    return { known, wanted: { notifications: [...unknown], from, to } }
  }

  /** The known contents with those that were read, by the IDs of notifications; what cannot be read is missing, and logged. */
  read(organization: OrganizationId, { known }: FoundContents, rows: ReadonlyArray<ClaimedRow>) {
    return Effect.gen({ self: this }, function* () {
      const contents = new Map(known)
      for (const { notification, content } of rows) {
        if (content === null) continue
        const read = inRow(`notification ${notification}`, storedNotificationContent.read(content, undefined))
        if (Result.isFailure(read)) {
          yield* logUnreadableRow(organization, read.failure)
          continue
        }
        contents.set(notification, read.success)
        this.put(organization, notification, read.success, content.length)
      }
      return contents
    })
  }
}

export interface FoundContents {
  readonly known: ReadonlyMap<string, NotificationContent>
  readonly wanted: WantedContents
}
