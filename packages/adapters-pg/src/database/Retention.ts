import type * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { sqlStateOf } from "./PortOperation.ts"
import type { Fragment } from "effect/sql/Statement"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { texts } from "./Parameters.ts"
import { readAcrossOrganizations } from "./AcrossOrganizations.ts"
import { forEachOrganization } from "./ForEachOrganization.ts"

/** A table that is partitioned by a time in Unix milliseconds, in partitions of equal length. */
export interface PartitionedTable {
  /** Its partitions keep this name, too. */
  readonly table: string
  /** The name that the table may have been given meanwhile, by who locks the changes of its partitions (`lockPartitions`). */
  readonly renamedTo?: string
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
  partitioned: PartitionedTable,
  from: number,
  to: number,
) =>
  Effect.gen(function* () {
    const { table, partitionMs, storage } = partitioned
    const withStorage = storage === undefined ? "" : ` WITH (${storage})`
    const existing = new Set((yield* listPartitions(sql, partitioned)).map(({ name }) => name))
    for (let start = startOf(from, partitionMs); start <= to; start += partitionMs) {
      const name = partitionName(table, start)
      if (existing.has(name)) continue
      const bounds = `FROM (${start}) TO (${start + partitionMs})`
      yield* inTurn(sql, partitioned, name, (parent, exists) =>
        exists
          ? Effect.void
          : Effect.andThen(
              sql.unsafe(`CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL)${withStorage}`),
              Effect.asVoid(
                sql.unsafe(`ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES ${bounds}`),
              ),
            ),
      )
    }
  })

export const isPartitionMissing = (error: unknown): error is SqlError =>
  error instanceof SqlError && sqlStateOf(error) === "23514"

/** Drops the partitions that end at or before `before`, in Unix milliseconds. */
export const dropPartitionsBefore = (
  sql: SqlClient.SqlClient,
  partitioned: PartitionedTable,
  before: number,
) =>
  Effect.gen(function* () {
    for (const { name, start } of yield* listPartitions(sql, partitioned)) {
      if (start + partitioned.partitionMs > before) continue
      yield* inTurn(sql, partitioned, name, (_, exists) =>
        exists ? Effect.asVoid(sql.unsafe(`DROP TABLE ${name}`)) : Effect.void,
      )
    }
  })

/** Waits until no other process changes partitions of a table, and lets none do so before the end of the transaction. */
export const lockPartitions = (sql: SqlClient.SqlClient, { table }: PartitionedTable) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${table}, 0))`

/**
 * Changes a partition while no other process changes a partition of the table; `change` gets the present name of the table, and whether the
 * partition exists.
 *
 * Gives up after 2 s without the table's lock: behind a long-running reader, every other statement would queue up.
 */
const inTurn = (
  sql: SqlClient.SqlClient,
  partitioned: PartitionedTable,
  partition: string,
  change: (table: string, exists: boolean) => Effect.Effect<void, SqlError>,
) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* lockPartitions(sql, partitioned)
      yield* sql`SET LOCAL lock_timeout = '2s'`
      // From pg_class rather than to_regclass, which may answer from before the lock was held.
      const { table, renamedTo = table } = partitioned
      const found = yield* sql<{ readonly name: string }>`
        SELECT relname::text AS name FROM pg_class
        WHERE relname = ANY(${texts([partition, renamedTo])}) AND relnamespace = current_schema()::regnamespace`
      const names = new Set(found.map(({ name }) => name))
      return yield* change(names.has(renamedTo) ? renamedTo : table, names.has(partition))
    }),
  )

export const listPartitions = (sql: SqlClient.SqlClient, { table, renamedTo = table }: PartitionedTable) =>
  Effect.map(
    sql<{ name: string }>`
      SELECT child.relname AS name
      FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
      WHERE inhparent IN (to_regclass(${table}), to_regclass(${renamedTo}))`,
    (rows) => rows.map(({ name }) => ({ name, start: Number(name.slice(table.length + 1)) })),
  )

const startOf = (time: number, partitionMs: number): number => Math.floor(time / partitionMs) * partitionMs

const partitionName = (table: string, start: number): string => `${table}_${start}`

/**
 * Deletes the rows of all organizations that meet a condition, in batches, so that no statement takes long. Any number of
 * processes may.
 *
 * The condition may name the table `old`. Finds the rows without locking them. Each statement that deletes is of one organization, and checks the condition again.
 * `andThen` runs for the rows of each organization.
 */
export const dropOldRows = (
  sql: SqlClient.SqlClient,
  table: keyof typeof keyColumns,
  condition: Fragment,
  andThen: (
    organization: OrganizationId,
    rows: ReadonlyArray<OldRow>,
  ) => Effect.Effect<unknown, SqlError> = () => Effect.void,
) => {
  const columns = keyColumns[table]
  const keys = sql.literal(columns.join())
  const drop = (organization: OrganizationId, rows: ReadonlyArray<OldRow>) => sql`
    DELETE FROM ${sql(table)} AS old WHERE organization = ${organization} AND (${keys}) IN (
      SELECT * FROM unnest(${sql.csv(columns.map((column) => sql`${texts(rows.map((row) => row[column] ?? ""))}`))})
    ) AND ${condition}`
  const dropBatch = Effect.gen(function* () {
    const rows = yield* readAcrossOrganizations(
      sql,
      sql<OldRow>`SELECT organization, ${keys} FROM ${sql(table)} AS old WHERE ${condition} LIMIT ${dropMax}`,
    )
    yield* forEachOrganization(rows, (organization, some) =>
      Effect.as(Effect.andThen(drop(organization, some), andThen(organization, some)), []),
    )
    return rows.length
  })
  return Effect.asVoid(Effect.repeat(dropBatch, { while: (count) => count >= dropMax }))
}

/** The organization and the key columns. */
export type OldRow = Readonly<Record<string, string>> & { readonly organization: OrganizationId }

/** The tables with rows that expire, and the columns that identify a row within its organization. */
const keyColumns = {
  alerts: ["id", "subject"],
  annotations: ["project", "slo", "id"],
  alert_receipts: ["key"],
  bulk_resends: ["id"],
  closed_sessions: ["session_id"],
  rate_limit_windows: ["policy", "subject"],
} as const

const dropMax = 1_000
