import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** A table that is partitioned by a time in Unix milliseconds, each partition as long as every other. */
export interface PartitionedTable {
  readonly table: string
  readonly partitionMs: number
}

/**
 * Makes the partitions that hold times from ≤ t ≤ to, as far as they are missing.
 *
 * A partition is made aside and then attached, which stops neither readers nor writers of the table. Several processes
 * may do so at once.
 */
export const ensurePartitions = (
  sql: SqlClient.SqlClient,
  { table, partitionMs }: PartitionedTable,
  from: number,
  to: number,
) =>
  Effect.gen(function* () {
    const existing = new Set((yield* listPartitions(sql, table)).map(({ name }) => name))
    for (let start = startOf(from, partitionMs); start <= to; start += partitionMs) {
      const name = partitionName(table, start)
      if (existing.has(name)) continue
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`
          const [row] = yield* sql<{ exists: boolean }>`SELECT to_regclass(${name}) IS NOT NULL AS exists`
          if (row?.exists === true) return
          yield* sql.unsafe(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`)
          yield* sql.unsafe(
            `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${start}) TO (${start + partitionMs})`,
          )
        }),
      )
    }
  })

/** Drops the partitions that hold nothing younger than `before` (Unix milliseconds, exclusive). */
export const dropPartitionsBefore = (
  sql: SqlClient.SqlClient,
  { table, partitionMs }: PartitionedTable,
  before: number,
) =>
  Effect.gen(function* () {
    for (const { name, start } of yield* listPartitions(sql, table)) {
      if (start + partitionMs > before) continue
      // A long reader must not have everybody else wait behind the lock that this needs.
      yield* sql.withTransaction(
        Effect.zipRight(sql`SET LOCAL lock_timeout = '2s'`, sql.unsafe(`DROP TABLE IF EXISTS ${name}`)),
      )
    }
  })

const listPartitions = (sql: SqlClient.SqlClient, table: string) =>
  Effect.map(
    sql<{ name: string }>`
      SELECT child.relname AS name
      FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
      WHERE inhparent = to_regclass(${table})`,
    (rows) => rows.map(({ name }) => ({ name, start: Number(name.slice(table.length + 1)) })),
  )

const startOf = (time: number, partitionMs: number): number => Math.floor(time / partitionMs) * partitionMs

const partitionName = (table: string, start: number): string => `${table}_${start}`
