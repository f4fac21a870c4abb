import { groupBy, historyRetentionMs } from "@tocsin/domain/adapter"
import { dayMs } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { texts } from "../database/Parameters.ts"
import { dropPartitionsBefore, ensurePartitions, isPartitionMissing } from "../database/Retention.ts"

/**
 * The tables that grow with each delivery, with one partition for each day of the delivery's `created_at`.
 *
 * In the order in which partitions are created. They are dropped in the reverse order: what lists deliveries starts from
 * `deliveries`, which is never without the others.
 */
export const historyTables = ["notifications", "delivery_attempts", "deliveries"].map((table) => ({
  table,
  partitionMs: dayMs,
}))

/** Creates the partitions of today and tomorrow, at `now` (Unix milliseconds). */
export const createHistory = (sql: SqlClient.SqlClient, now: number) =>
  Effect.forEach(historyTables, (table) => ensurePartitions(sql, table, now, now + dayMs), { discard: true })

/** Drops the partitions whose retention has ended at `now` (Unix milliseconds), and what belongs to them. */
export const dropExpiredHistory = (sql: SqlClient.SqlClient, now: number) =>
  Effect.gen(function* () {
    for (const table of historyTables.toReversed()) {
      yield* dropPartitionsBefore(sql, table, now - historyRetentionMs)
    }
    yield* dropExpiredSizes(sql, now - historyRetentionMs - dayMs)
    yield* dropExpiredFromQueue(sql, now)
    yield* dropExpiredProcesses(sql, now)
  })

/** Runs a transaction that adds deliveries. Maintenance creates partitions ahead of time; if it did not, this does. */
export const withHistory = <A, E, R>(
  sql: SqlClient.SqlClient,
  transaction: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchIf(transaction, isPartitionMissing, () =>
    Effect.flatMap(sql<{ readonly now: number }>`SELECT now_ms() AS now`, ([row]) =>
      Effect.andThen(
        Effect.forEach(historyTables, (table) => ensurePartitions(sql, table, row?.now ?? 0, row?.now ?? 0), {
          discard: true,
        }),
        transaction,
      ),
    ),
  )

/** Deletes the sizes of partitions that start at or before `latest`: they are gone. */
const dropExpiredSizes = (sql: SqlClient.SqlClient, latest: number) =>
  Effect.flatMap(
    readAcrossOrganizations(
      sql,
      sql<{ readonly organization: OrganizationId }>`
        SELECT DISTINCT organization FROM notification_sizes WHERE at <= ${latest}`,
    ),
    Effect.forEach(
      ({ organization }) => sql`
        DELETE FROM notification_sizes WHERE organization = ${organization} AND at <= ${latest}`,
      { discard: true },
    ),
  )

/**
 * Deletes the deliveries that were paused, or deferred, until their retention ended: their partitions are gone.
 *
 * Reads without locks, as organizations do not wait for one another.
 */
const dropExpiredFromQueue = (sql: SqlClient.SqlClient, now: number) =>
  Effect.gen(function* () {
    const before = Math.floor((now - historyRetentionMs) / dayMs) * dayMs
    for (;;) {
      const rows = yield* sql<{ readonly organization: OrganizationId; readonly id: string }>`
        SELECT organization, id FROM delivery_queue WHERE created_at < ${before} LIMIT ${dropMax}`
      for (const [organization, expired] of groupBy(rows, (row) => row.organization)) {
        yield* sql`
          DELETE FROM delivery_queue
          WHERE organization = ${organization} AND id = ANY (${texts(expired.map(({ id }) => id))})`
      }
      if (rows.length < dropMax) return
    }
  })

/** Deletes the processes that ended a day ago and own nothing: what they owned has been taken over by others. */
const dropExpiredProcesses = (sql: SqlClient.SqlClient, now: number) =>
  Effect.gen(function* () {
    const owners = yield* sql<{ readonly owner: string }>`
      SELECT DISTINCT owner FROM queue_owners WHERE owner IS NOT NULL`
    yield* sql`
      DELETE FROM queue_processes
      WHERE alive_until < ${now - dayMs} AND id <> ALL (${texts(owners.map(({ owner }) => owner))})`
  })

const dropMax = 1_000
