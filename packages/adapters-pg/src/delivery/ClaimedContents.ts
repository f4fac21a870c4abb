import { type NotificationContent, storedNotificationContent } from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import { inRow, logUnreadableRow } from "../database/StoredRow.ts"
import { type ClaimedRow, readContents } from "./QueueStatements.ts"

/** Most characters of notifications to deliver that a process caches. */
const contentsMaxCharacters = 16_000_000

/** What a cached notification takes besides its characters. */
const contentOverhead = 500

/** Reads notifications, and caches them: most are sent by several deliveries. */
export const makeClaimedContents = (sql: SqlClient.SqlClient) => {
  const known = new LRUCache<string, NotificationContent>({ maxSize: contentsMaxCharacters })

  /** The contents of notifications by their IDs; one that cannot be read is missing, and logged. */
  return (organization: OrganizationId, rows: ReadonlyArray<ClaimedRow>) =>
    Effect.gen(function* () {
      const found = new Map<string, NotificationContent>()
      const unknown = new Map<string, number>()
      for (const { notification, created_at } of rows) {
        const content = known.get(`${organization} ${notification}`)
        if (content === undefined) unknown.set(notification, created_at)
        else found.set(notification, content)
      }
      if (unknown.size === 0) return found
      const times = [...unknown.values()]
      const read = yield* readContents(
        sql,
        organization,
        [...unknown.keys()],
        Math.min(...times),
        Math.max(...times),
      )
      for (const { id, content } of read) {
        const parsed = inRow(`notification ${id}`, storedNotificationContent.read(content, undefined))
        if (Result.isFailure(parsed)) {
          yield* logUnreadableRow(organization, parsed.failure)
          continue
        }
        found.set(id, parsed.success)
        known.set(`${organization} ${id}`, parsed.success, { size: content.length + contentOverhead })
      }
      return found
    })
}
