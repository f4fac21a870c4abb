import * as SqlClient from "effect/sql/SqlClient"
import { type PortFailure, TaggedError } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { alertIndexes, withoutAlertIndexes } from "./AlertIndexes.ts"
import { alertEvidence } from "./AlertEvidence.ts"
import { baseline } from "./Baseline.ts"
import { countConversion } from "./CountConversion.ts"
import { minuteStates } from "./MinuteStates.ts"
import { heldReasons } from "./HeldReasons.ts"
import { historyBacklog } from "./HistoryBacklog.ts"
import { heldSlos } from "./HeldSlos.ts"
import { incidents } from "./Incidents.ts"
import { packedMinutes } from "./PackedMinutes.ts"
import { sloHours } from "./SloHours.ts"
import { pastChanges } from "./PastChanges.ts"
import { recentMinutes } from "./RecentMinutes.ts"
import { reviews } from "./Reviews.ts"
import { signingKeyEnds } from "./SigningKeyEnds.ts"
import { sourcePaths } from "./SourcePaths.ts"
import { statusPageSubscriptions } from "./StatusPageSubscriptions.ts"
import { unsupportedDocuments } from "./UnsupportedDocuments.ts"
import { distributeTables, isDistributed } from "../database/CitusTables.ts"
import { layer, type PgConnection } from "../database/PgDatabase.ts"
import { checkPostgresVersion, type PostgresIsTooOld } from "../database/PostgresVersion.ts"
import { isLockUnavailable, portOperation } from "../database/PortOperation.ts"

/** The statements that bring the schema from one version to the next. */
export type Migration = ReadonlyArray<string>

/** All migrations, from an empty database: version n of the schema is what the first n of them create. */
export const migrations: ReadonlyArray<Migration> = [
  baseline,
  pastChanges,
  sourcePaths,
  minuteStates,
  heldSlos,
  unsupportedDocuments,
  heldReasons,
  packedMinutes,
  alertIndexes,
  withoutAlertIndexes,
  sloHours,
  recentMinutes,
  historyBacklog,
  countConversion,
  alertEvidence,
  incidents,
  reviews,
  statusPageSubscriptions,
  signingKeyEnds,
]

/** The schema of the database was written by a newer program. */
export class SchemaIsNewer extends TaggedError("SchemaIsNewer")<{
  /** The version of the schema in the database. */
  readonly version: number
  /** The newest version that this program knows. */
  readonly known: number
}> {}

/** The schema of the database is older than this program, which may not change it. */
export class SchemaIsOlder extends TaggedError("SchemaIsOlder")<{
  /** The version of the schema in the database. */
  readonly version: number
  /** The version that this program needs. */
  readonly known: number
}> {}

/** A migration failed; it has changed nothing. */
export class MigrationFailed extends TaggedError("MigrationFailed")<PortFailure> {}

/** Why there is no schema of this program's version. */
export type SchemaCannotBeUsed = SchemaIsNewer | MigrationFailed | PostgresIsTooOld

/**
 * Brings the schema up to date and returns its version. When several processes start at once, one of them runs each
 * migration while the others wait.
 *
 * Each migration is a transaction of its own, on a connection without a statement timeout; those of an empty database are one, so that
 * no server of an earlier version finds its schema in between. One that does not get a lock soon is tried again: behind a
 * migration that waits for a long-running reader, every other statement would queue up. If the tables are distributed by Citus, new ones are distributed too.
 */
export const migrate = (
  connection: PgConnection,
  all: ReadonlyArray<Migration> = migrations,
): Effect.Effect<number, SchemaCannotBeUsed> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* checkPostgresVersion(sql)
    for (;;) {
      const version = yield* sql.withTransaction(runNext(sql, all)).pipe(
        Effect.retry({
          while: isLockUnavailable,
          schedule: Schedule.spaced("2 seconds"),
          times: lockRetries,
        }),
      )
      if (version < all.length) continue
      if (yield* isDistributed(sql)) yield* distributeTables(sql)
      return version
    }
  }).pipe(
    (effect) => operation("migrate", effect),
    Effect.provide(
      layer({ connection, connectionsMax: 1, statementTimeoutMs: 0, applicationName: "tocsin migrate" }),
    ),
  )

/** The version of the database's schema, and the migrations after it in order. Changes nothing. */
export const pendingMigrations = (
  connection: PgConnection,
  all: ReadonlyArray<Migration> = migrations,
): Effect.Effect<
  { readonly version: number; readonly pending: ReadonlyArray<Migration> },
  SchemaCannotBeUsed
> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* checkPostgresVersion(sql)
    const [table] = yield* sql<{ exists: boolean }>`
      SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`
    const version = table?.exists === true ? yield* schemaVersion(sql) : 0
    if (version > all.length) return yield* new SchemaIsNewer({ version, known: all.length })
    return { version, pending: all.slice(version) }
  }).pipe(
    (effect) => operation("pending migrations", effect),
    Effect.provide(layer({ connection, connectionsMax: 1, applicationName: "tocsin migrate" })),
  )

/** Like `migrate`, but fails if there is something to migrate. */
export const requireSchema = (
  connection: PgConnection,
): Effect.Effect<number, SchemaCannotBeUsed | SchemaIsOlder> =>
  Effect.flatMap(pendingMigrations(connection), ({ version, pending }) =>
    pending.length === 0
      ? Effect.succeed(version)
      : new SchemaIsOlder({ version, known: version + pending.length }),
  )

const schemaVersion = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ version: number }>`SELECT coalesce(max(version), 0) AS version FROM schema_migrations`,
    ([row]) => row?.version ?? 0,
  )

const runNext = (sql: SqlClient.SqlClient, all: ReadonlyArray<Migration>) =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(${lockKey})`
    yield* sql`CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`
    const version = yield* schemaVersion(sql)
    if (version > all.length) return yield* new SchemaIsNewer({ version, known: all.length })
    // Not before: another process may run a long migration.
    yield* sql`SELECT set_config('lock_timeout', (least(setting::integer, ${deadlockTimeoutMaxMs}) + ${lockTimeoutMs})::text, true)
      FROM pg_settings WHERE name = 'deadlock_timeout'`
    const next = version === 0 ? all.length : Math.min(version + 1, all.length)
    for (let number = version + 1; number <= next; number++) {
      for (const statement of all[number - 1] ?? []) yield* sql.unsafe(statement)
      yield* sql`INSERT INTO schema_migrations (version) VALUES (${number})`
    }
    return next
  })

/**
 * How long a migration waits for each lock of a table after `deadlock_timeout`, when PostgreSQL cancels an autovacuum that holds it. What
 * comes after the migration waits, too.
 */
const lockTimeoutMs = 1_000

/** The longest `deadlock_timeout` that a migration waits for, in milliseconds. */
const deadlockTimeoutMaxMs = 5_000

/** Tries for more than ten minutes. */
const lockRetries = 200

const operation = portOperation("Migration", (failure) => new MigrationFailed(failure))

/** "tocsin" in ASCII. */
const lockKey = 0x746f6373696e
