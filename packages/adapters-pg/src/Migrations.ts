import * as SqlClient from "effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { baseline } from "./migrations/Baseline.ts"
import { layer, type PgConnection } from "./database/PgDatabase.ts"
import { portOperation } from "./database/PortOperation.ts"

/** One step of the schema: its statements, in their order. */
export type Migration = ReadonlyArray<string>

/** The steps of the schema, from an empty database; version n is what the first n of them make. */
export const migrations: ReadonlyArray<Migration> = [baseline]

/** The database has a schema of a newer program. */
export class SchemaIsNewer extends Data.TaggedError("SchemaIsNewer")<{
  readonly version: number
  readonly known: number
}> {}

/** The schema could not be brought up to date; a step that fails changes nothing. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}

/**
 * Brings the schema up to date; gives its version. Of several processes that start at once, one carries out each step
 * while the others wait.
 *
 * Each step is a transaction of its own. A step may take long, so it runs on a connection without time limits.
 *
 * Source: decision 0006.
 */
export const migrate = (
  connection: PgConnection,
  steps: ReadonlyArray<Migration> = migrations,
): Effect.Effect<number, SchemaIsNewer | MigrationFailed> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (;;) {
      const version = yield* sql.withTransaction(stepUp(sql, steps))
      if (version === steps.length) return version
    }
  }).pipe(
    (effect) => operation("migrate", effect),
    Effect.provide(
      layer({ connection, connectionsMax: 1, statementTimeoutMs: 0, applicationName: "tocsin migrate" }),
    ),
  )

/** Carries out the next step, if there is one; gives the version that the schema has then. */
const stepUp = (sql: SqlClient.SqlClient, steps: ReadonlyArray<Migration>) =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(${lockKey})`
    yield* sql`CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`
    const [row] = yield* sql<{ version: number }>`
      SELECT coalesce(max(version), 0) AS version FROM schema_migrations`
    const version = row?.version ?? 0
    if (version > steps.length) return yield* new SchemaIsNewer({ version, known: steps.length })
    const step = steps[version]
    if (step === undefined) return version
    for (const statement of step) yield* sql.unsafe(statement)
    yield* sql`INSERT INTO schema_migrations (version) VALUES (${version + 1})`
    return version + 1
  })

const operation = portOperation((failure) => new MigrationFailed(failure))

/** "tocsin" in ASCII. */
const lockKey = 0x746f6373696e
