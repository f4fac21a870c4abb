import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { installationTables, omittedTables, organizationTables } from "./transfer/ExportedTables.ts"
import { texts } from "./database/Parameters.ts"
import { renamedTables } from "./slo/ObjectiveTables.ts"
import { layer, type PgConnection } from "./database/PgDatabase.ts"
import { storeOperation } from "./database/PortOperation.ts"
import type { StoreIsUnavailable } from "@tocsin/domain/ports"

/** What an operator should know of a database before a server uses it. */
export interface DatabaseFacts {
  /** The `server_version_num`, such as 180004. */
  readonly versionNumber: number
  /** For example `UTF8`. */
  readonly encoding: string
  /** Whether it accepts no writes, as a standby does. */
  readonly isReadOnly: boolean
  /** The role of the connection. */
  readonly role: string
  /** Where tables are created; null if no schema of the `search_path` exists. */
  readonly schema: string | null
  /** Whether the role may create tables in the schema. */
  readonly mayCreate: boolean
  /** Tables of Tocsin that the role does not own, so that it cannot migrate them. */
  readonly tablesOfOthers: ReadonlyArray<string>
  /** How far the clock of the database is ahead of the one of this process, in milliseconds; negative if it is behind. */
  readonly clockAheadMs: number
}

/** Reads the facts of a database, of any version. Changes nothing. */
export const readDatabaseFacts = (
  connection: PgConnection,
): Effect.Effect<DatabaseFacts, StoreIsUnavailable> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = [
      ...installationTables,
      ...organizationTables,
      ...Object.keys(omittedTables),
      ...renamedTables.values(),
    ]
    const [facts] = yield* sql<Omit<DatabaseFacts, "clockAheadMs">>`
      SELECT current_setting('server_version_num')::integer AS "versionNumber",
        current_setting('server_encoding') AS encoding,
        current_setting('transaction_read_only')::boolean AS "isReadOnly",
        current_user::text AS role,
        current_schema()::text AS schema,
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
        ARRAY(
          SELECT relname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
          WHERE nspname = current_schema() AND relname::text = ANY(${texts(tables)}) AND relkind IN ('r', 'p')
            AND NOT pg_has_role(relowner, 'USAGE')
          ORDER BY 1) AS "tablesOfOthers"`
    const askedAt = yield* Clock.currentTimeMillis
    const [clock] = yield* sql<{ now: number }>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`
    const answeredAt = yield* Clock.currentTimeMillis
    if (facts === undefined || clock === undefined)
      return yield* Effect.die(new Error("a SELECT without a row"))
    return { ...facts, clockAheadMs: Math.round(clock.now - (askedAt + answeredAt) / 2) }
  }).pipe(
    (effect) => operation("facts", effect),
    Effect.provide(layer({ connection, connectionsMax: 1, applicationName: "tocsin doctor" })),
  )

const operation = storeOperation("DatabaseFacts")
