import { type PortFailure, TaggedError, withSpan } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { layer, type PgConnection } from "../database/PgDatabase.ts"
import { migrations, SchemaIsNewer } from "../migrations/Migrations.ts"
import { installationTables, organizationTables } from "./ExportedTables.ts"
import {
  chunkLengthMax,
  chunkRowsMax,
  type ExportChunk,
  type RunningMac,
  exportWriter,
  formatVersion,
} from "./ExportFormat.ts"
import { tableNames } from "../slo/ObjectiveTables.ts"
import { tableColumns } from "../database/TableColumns.ts"
import { rowText } from "./RowText.ts"

/** The database failed while data was exported. */
export class ExportFailed extends TaggedError("ExportFailed")<PortFailure> {}

/** The database has nothing that can be exported; `message` says why, and what to do. */
export class DatabaseCannotBeExported extends TaggedError("DatabaseCannotBeExported")<{
  readonly message: string
}> {}

/**
 * Writes all data of a database, as one snapshot, while servers may run. Holds a chunk in memory. Returns the rows of each
 * table.
 */
export const exportData = <E>(
  connection: PgConnection,
  id: string,
  mac: RunningMac,
  write: (text: string) => Effect.Effect<void, E>,
): Effect.Effect<ReadonlyMap<string, number>, E | ExportFailed | DatabaseCannotBeExported | SchemaIsNewer> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(exportSnapshot(sql, id, mac, write))
  }).pipe(
    // Not `portOperation`: an export that has begun to write must not be tried again.
    Effect.catchIf((error) => error instanceof SqlError, failed),
    // A rollback that fails is raised as a defect.
    Effect.catchDefect((defect) => (defect instanceof SqlError ? failed(defect) : Effect.die(defect))),
    withSpan("ExportData"),
    Effect.provide(
      layer({ connection, connectionsMax: 1, statementTimeoutMs: 0, applicationName: "tocsin export" }),
    ),
  )

const exportSnapshot = <E>(
  sql: SqlClient.SqlClient,
  id: string,
  mac: RunningMac,
  write: (text: string) => Effect.Effect<void, E>,
) =>
  Effect.gen(function* () {
    yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`
    // Whoever reads the export may be slow. The text form of values must not depend on settings of the database.
    for (const setting of [
      "idle_in_transaction_session_timeout = 0",
      "bytea_output = 'hex'",
      "extra_float_digits = 1",
    ])
      yield* sql.unsafe(`SET LOCAL ${setting}`)
    const schemaVersion = yield* exportableSchema(sql)
    // Tables of counts keep their names as long as a transaction uses the SLOs.
    yield* sql`LOCK TABLE slos IN ACCESS SHARE MODE`
    const sealingKeys = yield* sql<{ keyId: string; sealed: string }>`
      SELECT key_id AS "keyId", encode(sealed, 'hex') AS sealed FROM sealing_keys ORDER BY key_id`
    const writer = exportWriter(mac)
    const exportedAt = new Date(
      (yield* sql<{ now: number }>`SELECT now_ms() AS now`)[0]?.now ?? 0,
    ).toISOString()
    yield* write(
      writer.header({ format: "tocsin-export", formatVersion, schemaVersion, id, exportedAt, sealingKeys }),
    )
    const nameOf = yield* tableNames(sql)
    const counts = new Map<string, number>()
    const exportRows = (table: string, organization: string | undefined) =>
      Effect.gen(function* () {
        const columns = (yield* tableColumns(sql, nameOf(table))).map(({ name }) => name)
        const rows = sql<{ row: string }>`
          SELECT ${rowText(sql, table, columns)} AS row FROM ${sql(nameOf(table))}
          ${organization === undefined ? sql`` : sql`WHERE organization = ${organization}`}`
        const start = { table, ...(organization !== undefined && { organization }), columns }
        let chunk: Array<string> = []
        let length = 0
        const flush = Effect.suspend(() => {
          const full: ExportChunk = { ...start, rows: chunk }
          counts.set(table, (counts.get(table) ?? 0) + chunk.length)
          chunk = []
          length = 0
          return write(writer.chunk(full))
        })
        yield* Stream.runForEachArray(rows.stream, (some) =>
          Effect.gen(function* () {
            for (const { row } of some) {
              chunk.push(row)
              length += row.length
              if (chunk.length >= chunkRowsMax || length > chunkLengthMax) yield* flush
            }
          }),
        )
        if (chunk.length > 0) yield* flush
      })
    for (const table of installationTables) yield* exportRows(table, undefined)
    for (const organization of yield* organizationsOf(sql, nameOf))
      for (const table of organizationTables) yield* exportRows(table, organization)
    yield* write(writer.end())
    return counts
  })

const exportableSchema = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [table] = yield* sql<{
      exists: boolean
    }>`SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`
    const [row] =
      table?.exists === true
        ? yield* sql<{ version: number }>`SELECT coalesce(max(version), 0) AS version FROM schema_migrations`
        : []
    const version = row?.version ?? 0
    if (version > migrations.length) return yield* new SchemaIsNewer({ version, known: migrations.length })
    if (version < migrations.length) {
      return yield* new DatabaseCannotBeExported({
        message:
          version === 0
            ? "the database has no tables of Tocsin; check DATABASE_URL"
            : "the schema of the database is older than this version of Tocsin; start a server once, which upgrades it",
      })
    }
    if ((yield* sql`SELECT FROM data_imports WHERE NOT is_complete`).length > 0) {
      return yield* new DatabaseCannotBeExported({
        message: "the database has an import that is not complete; run `tocsin database import` again first",
      })
    }
    return version
  })

const organizationsOf = (sql: SqlClient.SqlClient, nameOf: (table: string) => string) =>
  Effect.gen(function* () {
    const all = new Set<string>()
    for (const table of organizationTables) {
      const rows = yield* sql<{
        organization: string
      }>`SELECT DISTINCT organization FROM ${sql(nameOf(table))}`
      for (const { organization } of rows) all.add(organization)
    }
    return [...all].toSorted()
  })

const failed = (cause: SqlError) =>
  Effect.fail(new ExportFailed({ operation: "export", isRetryable: cause.isRetryable, cause }))
