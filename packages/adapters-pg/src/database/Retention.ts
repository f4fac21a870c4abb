import type * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { sqlStateOf } from "./PortOperation.ts"
import type { Fragment } from "effect/sql/Statement"

/** A table that is partitioned by a time in Unix milliseconds, in partitions of equal length. */
export interface PartitionedTable {
  readonly table: string
  readonly partitionMs: number
  /** Storage parameters of the partitions, as in `WITH (…)`; absent: the defaults. */
  readonly storage?: string
}

/**
 * Creates the missing partitions for the times from ≤ t ≤ to.
 *
 * Creates each partition as a table and then attaches it, which blocks neither readers nor writers. Any number of
 * processes may do so at once.
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

export const isPartitionMissing = (error: unknown): error is SqlError =>
  error instanceof SqlError && sqlStateOf(error) === "23514"

/** Drops the partitions that end at or before `before`, in Unix milliseconds. */
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
 * Changes a partition while no other process changes a partition of the table; `change` gets whether it exists.
 *
 * Gives up after 2 s without the table's lock: behind a long-running reader, every other statement would queue up.
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
      // From pg_class rather than to_regclass, which may answer from before the lock was held.
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

/** Deletes the rows that meet a condition, in batches, so that no statement takes long. Any number of processes may. */
export const dropOldRows = (sql: SqlClient.SqlClient, table: string, condition: Fragment) =>
  sql<{ readonly count: number }>`
    WITH old AS (
      DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${sql(table)} WHERE ${condition} LIMIT ${dropMax} FOR UPDATE SKIP LOCKED))
      RETURNING 1
    )
    SELECT count(*)::integer AS count FROM old`.pipe(
    Effect.repeat({ while: ([row]) => row !== undefined && row.count >= dropMax }),
    Effect.asVoid,
  )

const dropMax = 1_000
