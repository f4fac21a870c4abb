import { type PortFailure, TaggedError } from "@tocsin/domain/adapter"
import { SecretBox } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { opensSealingKey } from "../access/SealedSecrets.ts"
import { layer, type PgConnection } from "../database/PgDatabase.ts"
import { texts } from "../database/Parameters.ts"
import { portOperation } from "../database/PortOperation.ts"
import { ensurePartitions, isPartitionMissing } from "../database/Retention.ts"
import { historyTables } from "../delivery/DeliveryHistory.ts"
import { migrate, migrations, type SchemaCannotBeUsed } from "../migrations/Migrations.ts"
import { countTablesByForm } from "../slo/CountHours.ts"
import { tableNames } from "../slo/ObjectiveTables.ts"
import { installationTables, organizationTables } from "./ExportedTables.ts"
import {
  type ExportChunk,
  type ExportHeader,
  ExportIsInvalid,
  readExport,
  type RunningMac,
} from "./ExportFormat.ts"
import { tableColumns } from "../database/TableColumns.ts"

/** The database failed while data was imported. */
export class ImportFailed extends TaggedError("ImportFailed")<PortFailure> {}

/** An export cannot be imported; `message` says why, and what to do. */
export class ExportCannotBeImported extends TaggedError("ExportCannotBeImported")<{
  readonly message: string
}> {}

/** The database has an import that is not complete. */
export class ImportIsIncomplete extends TaggedError("ImportIsIncomplete")<{
  /** What to do. */
  readonly message: string
}> {}

/** Checks at start that no part of the data is missing. */
export const checkImport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* operation("checkImport", sql`SELECT FROM data_imports WHERE NOT is_complete`)
  if (rows.length === 0) return
  return yield* new ImportIsIncomplete({
    message:
      "the database has an import that is not complete; run `tocsin database import` with the same export again, which continues it",
  })
})

/**
 * Reads an export into an empty database, or goes on with an import of the same export. Returns the rows of each table that
 * this call has written.
 *
 * Each chunk is a transaction, together with how far the import is. No server starts on the database before the import is
 * complete.
 */
export const importData = (
  connection: PgConnection,
  lines: AsyncIterable<string>,
  mac: RunningMac,
): Effect.Effect<
  ReadonlyMap<string, number>,
  ImportFailed | ExportCannotBeImported | SchemaCannotBeUsed,
  SecretBox
> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reading = readExport(lines, mac)
    const next = Effect.map(
      Effect.tryPromise({
        try: () => reading.next(),
        catch: (cause) =>
          new ExportCannotBeImported({
            message: cause instanceof ExportIsInvalid ? cause.message : readProblem(cause),
          }),
      }),
      ({ done, value }) => (done === true ? undefined : value),
    )
    const header = yield* next
    if (header === undefined || !("format" in header)) {
      return yield* new ExportCannotBeImported({ message: "the export is empty" })
    }
    const stored = yield* operation("beginImport", begin(sql, connection, header))
    const counts = new Map<string, number>()
    for (let number = 1; ; number++) {
      const chunk = yield* next
      if (chunk === undefined) break
      if ("format" in chunk || number <= stored) continue
      yield* operation("importChunk", importChunk(sql, header.id, number, chunk))
      counts.set(chunk.table, (counts.get(chunk.table) ?? 0) + chunk.rows.length)
    }
    yield* migrate(connection)
    yield* operation(
      "completeImport",
      sql`UPDATE data_imports SET is_complete = true WHERE export_id = ${header.id}`,
    )
    return counts
  }).pipe(
    Effect.provide(
      layer({ connection, connectionsMax: 2, statementTimeoutMs: 0, applicationName: "tocsin import" }),
    ),
  )

const readProblem = (cause: unknown): string => {
  const { code, path } = cause as { readonly code?: string; readonly path?: string }
  return code === "ENOENT" && path !== undefined
    ? `${path}: no such file; check its path`
    : `cannot read the export: ${String(cause)}`
}

/** Returns how many chunks of the export are stored. */
const begin = (sql: SqlClient.SqlClient, connection: PgConnection, header: ExportHeader) =>
  Effect.gen(function* () {
    const refuse = (message: string) => new ExportCannotBeImported({ message })
    if (header.schemaVersion > migrations.length) {
      return yield* refuse(
        `the export has schema version ${header.schemaVersion}, but this version of Tocsin supports up to ${migrations.length}; upgrade Tocsin`,
      )
    }
    const box = yield* SecretBox
    const isUnknown = header.sealingKeys.some(
      ({ keyId, sealed }) => !opensSealingKey(box, { key_id: keyId, sealed: Buffer.from(sealed, "hex") }),
    )
    if (isUnknown) {
      return yield* refuse(
        "the secrets in the export are encrypted with another master key; set TOCSIN_MASTER_KEY to the master key of the exported database",
      )
    }
    // Of this export, it is once all rows are stored.
    const isNewer = yield* migrate(connection, migrations.slice(0, header.schemaVersion)).pipe(
      Effect.as(false),
      Effect.catchTag("SchemaIsNewer", () => Effect.succeed(true)),
    )
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`LOCK TABLE data_imports IN SHARE ROW EXCLUSIVE MODE`
        const [found] = yield* sql<{ export_id: string; chunks: number; is_complete: boolean }>`
          SELECT export_id, chunks, is_complete FROM data_imports`
        if (isNewer && found?.export_id !== header.id) {
          return yield* refuse(
            "the schema of the database is newer than the export; import into a new database",
          )
        }
        const servers = yield* sql`SELECT FROM queue_processes WHERE alive_until > now_ms()`
        if (servers.length > 0) {
          return yield* refuse(
            "a server is using the database; stop all servers, and import into an empty database",
          )
        }
        if (found !== undefined && !found.is_complete) {
          if (found.export_id === header.id) return found.chunks
          return yield* refuse(
            "the database has an import of another export that is not complete; continue with that export, or use an empty database",
          )
        }
        // Tables that the schema of the export has not are created when it is complete.
        const names = [...installationTables, ...organizationTables].map(yield* tableNames(sql))
        const existing = yield* sql<{ readonly name: string }>`
          SELECT name FROM unnest(${texts(names)}) AS name WHERE to_regclass(name) IS NOT NULL`
        for (const { name: table } of existing) {
          if ((yield* sql`SELECT FROM ${sql(table)} LIMIT 1`).length === 0) continue
          return yield* refuse(
            found?.export_id === header.id
              ? "this file is already imported completely; run `tocsin doctor`"
              : `the database is not empty: the table ${table} has rows; import into an empty database`,
          )
        }
        if (found !== undefined) yield* sql`DELETE FROM data_imports`
        yield* sql`INSERT INTO data_imports (export_id, chunks, is_complete) VALUES (${header.id}, 0, false)`
        return 0
      }),
    )
  })

const importChunk = (sql: SqlClient.SqlClient, id: string, number: number, chunk: ExportChunk) => {
  const { table, organization, columns, rows } = chunk
  // Hours need the partitions of their days, too. The schema of the export may not have the tables of the other form yet.
  const ofCounts = Object.values(countTablesByForm).find((some) => some.some((each) => each.table === table))
  const together = ofCounts ?? historyTables.filter((each) => each.table === table)
  const [partitioned] = together
  const invalid = new ExportCannotBeImported({
    message: `chunk ${number} does not fit the schema of the database: table ${table}`,
  })
  return Effect.gen(function* () {
    const stored = (yield* tableNames(sql))(table)
    const types = new Map((yield* tableColumns(sql, stored)).map(({ name, type }) => [name, type]))
    const tables: ReadonlyArray<string> = organization === undefined ? installationTables : organizationTables
    if (!tables.includes(table) || columns.some((name) => !types.has(name))) return yield* invalid
    const store = sql.withTransaction(
      Effect.gen(function* () {
        const progress = yield* sql`
          UPDATE data_imports SET chunks = ${number}
          WHERE export_id = ${id} AND chunks = ${number - 1} AND NOT is_complete RETURNING chunks`
        if (progress.length === 0) {
          return yield* new ExportCannotBeImported({
            message: "another process is importing the same export; wait until it finishes",
          })
        }
        yield* insertRows(sql, { ...chunk, table: stored }, types)
      }),
    )
    if (partitioned === undefined) return yield* store
    const key = ofCounts === undefined ? "created_at" : "at"
    yield* Effect.catchIf(store, isPartitionMissing, () =>
      Effect.gen(function* () {
        const index = columns.indexOf(key)
        const times = new Set(
          rows.map((row) => {
            const at = Number((JSON.parse(row) as ReadonlyArray<unknown>)[index])
            return Math.floor(at / partitioned.partitionMs) * partitioned.partitionMs
          }),
        )
        for (const each of together) for (const time of times) yield* ensurePartitions(sql, each, time, time)
        yield* store
      }),
    )
  })
}

/** Inserts rows of an export into a table with columns of these types, as SQL writes them. */
export const insertRows = (
  sql: SqlClient.SqlClient,
  { table, organization, columns, rows }: ExportChunk,
  types: ReadonlyMap<string, string>,
) => {
  // The organization is a parameter: the rows of a chunk cannot be of another one.
  const values = columns.map((name, index) =>
    name === "organization" && organization !== undefined
      ? sql`${organization}::text`
      : sql.literal(`(value->>${index})::${types.get(name) ?? "text"}`),
  )
  return sql`
    INSERT INTO ${sql(table)} (${sql.csv(columns.map((name) => sql`${sql(name)}`))})
    SELECT ${sql.csv(values)}
    FROM unnest(${texts(rows)}) AS line, LATERAL (SELECT line::jsonb AS value OFFSET 0) AS parsed`
}

const operation = portOperation("Import", (failure) => new ImportFailed(failure))
