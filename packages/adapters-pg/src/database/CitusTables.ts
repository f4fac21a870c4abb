import * as Effect from "effect/Effect"
import { texts } from "./Parameters.ts"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Whether the tables are distributed, read once: Citus runs a statement that inserts rows of several tables, or inserts what it
 * deletes, not on one node. All servers are stopped while tables are distributed.
 */
export const makeIsDistributed = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError> => {
  let known: boolean | undefined
  return Effect.suspend(() =>
    known === undefined
      ? Effect.tap(isDistributed(sql), (read) => Effect.sync(() => void (known = read)))
      : Effect.succeed(known),
  )
}

/** Whether the tables of the database are distributed by Citus. */
export const isDistributed = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [row] = yield* sql<{ readonly has_citus: boolean }>`
      SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has_citus`
    if (row?.has_citus !== true) return false
    const rows = yield* sql`
      SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(${firstTable}) AND partmethod = 'h'`
    return rows.length > 0
  })

/** The problem that keeps tables from being distributed: a fragment for a message, and what to do; absent: none. */
export const distributionProblem = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const extensions = yield* sql`SELECT FROM pg_extension WHERE extname = 'citus'`
    if (extensions.length === 0) {
      return "the database has no extension `citus`; run `CREATE EXTENSION citus` in this database on every node"
    }
    const [row] = yield* sql<{ readonly group: number; readonly workers: number }>`
      SELECT (SELECT groupid FROM pg_dist_local_group) AS group, count(*)::integer AS workers
      FROM pg_dist_node WHERE isactive AND noderole = 'primary' AND shouldhaveshards`
    if (row?.group !== 0) return "the server is a Citus worker; set DATABASE_URL to the coordinator"
    if (row.workers === 0) {
      return "the Citus coordinator has no worker nodes; add them with `SELECT citus_add_node('host', port)`"
    }
    return undefined
  })

/**
 * Distributes the tables that are not distributed yet; returns their names.
 *
 * Tables with an `organization` are distributed by it, so that the rows of one organization are on one node. The others, which
 * belong to the installation, are copied to every node. Each table is a transaction of its own: after an interruption, call
 * it again.
 */
export const distributeTables = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* sql`
      SELECT create_distributed_function(p.oid::regprocedure) FROM pg_proc p
      WHERE p.pronamespace = current_schema()::regnamespace AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e'
      ) AND NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid)`
    const distributed: Array<string> = []
    const remaining = [...(yield* undistributedTables(sql))]
    while (remaining.length > 0) {
      // A table that others reference comes before them.
      const next = remaining.findIndex(({ needs }) => !remaining.some(({ name }) => needs.includes(name)))
      const [table] = remaining.splice(Math.max(next, 0), 1)
      if (table === undefined) break
      if (yield* distributeTable(sql, table)) distributed.push(table.name)
    }
    // The coordinator keeps the rows that it had until they are removed.
    for (const name of distributed)
      yield* sql`SELECT truncate_local_data_after_distributing_table(${name}::regclass)`
    return distributed
  })

const distributeTable = (sql: SqlClient.SqlClient, { name, isOfOrganizations }: UndistributedTable) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('distribute', 0))`
      // Another process may have distributed it while this one waited.
      const [row] = yield* sql`SELECT FROM pg_dist_partition WHERE logicalrelid = ${name}::regclass`
      if (row !== undefined) return false
      if (!isOfOrganizations) yield* sql`SELECT create_reference_table(${name}::regclass)`
      else {
        const colocated = name === firstTable ? "default" : firstTable
        yield* sql`SELECT create_distributed_table(${name}::regclass, 'organization', colocate_with := ${colocated})`
      }
      return true
    }),
  )

interface UndistributedTable {
  readonly name: string
  readonly isOfOrganizations: boolean
  /** The tables that its foreign keys reference, and `firstTable`, beside which all others are placed. */
  readonly needs: ReadonlyArray<string>
}

const undistributedTables = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{
      readonly name: string
      readonly is_of_organizations: boolean
      readonly referenced: ReadonlyArray<string>
    }>`
      SELECT c.relname AS name, EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'organization' AND NOT attisdropped
      ) AS is_of_organizations, ARRAY(
        SELECT f.relname::text FROM pg_constraint JOIN pg_class f ON f.oid = confrelid
        WHERE conrelid = c.oid AND contype = 'f'
      ) AS referenced
      FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> ALL (${texts(coordinatorTables)})
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
        AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = c.oid)
      ORDER BY c.relname`,
    (rows) =>
      rows.map(({ name, is_of_organizations, referenced }): UndistributedTable => ({
        name,
        isOfOrganizations: is_of_organizations,
        needs: [...referenced, ...(is_of_organizations && name !== firstTable ? [firstTable] : [])],
      })),
  )

/**
 * Tables that stay on the coordinator: a table that is copied to every node cannot be written while one is unavailable.
 */
const coordinatorTables = ["schema_migrations", "queue_processes", "data_imports", "count_conversion"]

/** The table that the shards of all others are placed beside. */
const firstTable = "organizations"
