import type * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { sqlStateOf } from "./PortOperation.ts"

/** A table that is partitioned by a time in Unix milliseconds, each partition as long as every other. */
export interface PartitionedTable {
  readonly table: string
  readonly partitionMs: number
  /** Storage parameters of its partitions, as they stand after `WITH`; absent: those of the server. */
  readonly storage?: string
}

/**
 * Makes the partitions that hold times from ≤ t ≤ to, as far as they are missing.
 *
 * A partition is made aside and then attached, which stops neither readers nor writers of the table. Several processes
 * may do so at once.
 */
export const ensurePartitions = (
  sql: SqlClient.SqlClient,
  { table, partitionMs, storage }: PartitionedTable,
  from: number,
  to: number,
) =>
  Effect.gen(function* () {
    const withStorage = storage === undefined ? "" : ` WITH (${storage})`
    const existing = new Set((yield* listPartitions(sql, table)).map(({ name }) => name))
    for (let start = startOf(from, partitionMs); start <= to; start += partitionMs) {
      const name = partitionName(table, start)
      if (existing.has(name)) continue
      const attach = `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${start}) TO (${start + partitionMs})`
      yield* inTurn(sql, table, name, (exists) =>
        exists
          ? Effect.void
          : Effect.andThen(
              sql.unsafe(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)${withStorage}`),
              Effect.asVoid(sql.unsafe(attach)),
            ),
      )
    }
  })

/** Whether an error says that no partition takes a row, as `check_violation` of PostgreSQL does too. */
export const isPartitionMissing = (error: unknown): error is SqlError =>
  error instanceof SqlError && sqlStateOf(error) === "23514"

/** Drops the partitions that hold nothing younger than `before` (Unix milliseconds, exclusive). */
export const dropPartitionsBefore = (
  sql: SqlClient.SqlClient,
  { table, partitionMs }: PartitionedTable,
  before: number,
) =>
  Effect.gen(function* () {
    for (const { name, start } of yield* listPartitions(sql, table)) {
      if (start + partitionMs > before) continue
      yield* inTurn(sql, table, name, (exists) =>
        exists ? Effect.asVoid(sql.unsafe(`DROP TABLE ${name}`)) : Effect.void,
      )
    }
  })

/**
 * Changes a partition while no other process changes one of the table, told whether the partition exists.
 *
 * A long reader must not have everybody else wait behind the lock that dropping needs: this gives up instead.
 */
const inTurn = (
  sql: SqlClient.SqlClient,
  table: string,
  partition: string,
  change: (exists: boolean) => Effect.Effect<void, SqlError>,
) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${table}, 0))`
      yield* sql`SET LOCAL lock_timeout = '2s'`
      // Read as a row: looking the name up may answer from what was so before the lock was there.
      const rows = yield* sql`
        SELECT FROM pg_class WHERE relname = ${partition} AND relnamespace = current_schema()::regnamespace`
      return yield* change(rows.length > 0)
    }),
  )

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
