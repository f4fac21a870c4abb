import { make as makeSecretBox } from "@tocsin/adapters-http/crypto/SecretBoxNode"
import * as PgDatabase from "@tocsin/adapters-pg/database/PgDatabase"
import { SecretBox } from "@tocsin/domain/secret/SecretBox"
import type { PgClient } from "@effect/sql-pg/PgClient"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { inject } from "vitest"
import { runScript } from "./RunScript.ts"
import { connectionTo } from "./TestServer.ts"

/** Makes a database of its own: a copy of the schema, or an empty one. It goes with the run. */
export const newDatabase = (from: "schema" | "empty"): Promise<PgDatabase.PgConnection> => {
  const server = inject("postgres")
  const name = `${server.prefix}_${crypto.randomUUID().replaceAll("-", "")}`
  const template = from === "schema" ? server.template : "template0"
  const admin = { connection: connectionTo(server, "postgres"), statementTimeoutMs: 60_000 }
  return Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`),
  ).pipe(Effect.as(connectionTo(server, name)), Effect.provide(PgDatabase.layer(admin)), Effect.runPromise)
}

/** How to connect to the database of this test file. */
export const connection = await newDatabase("schema")

/** One pool for the whole file; it ends with the file's process. */
const pool = await Effect.runPromise(
  Layer.buildWithScope(
    // Tables are filled in one go, which a busy machine takes its time for.
    PgDatabase.layer({ connection, connectTimeoutMs: 20_000, statementTimeoutMs: 60_000 }),
    Scope.makeUnsafe(),
  ),
)

const onPool = Effect.provide(pool)

/** Seals the secrets of tests. */
export const testBox = makeSecretBox({ current: Redacted.make(new Uint8Array(32).fill(1)), previous: [] })

/** Has the database's clock stand still, as `TestClock` does, until `passTime` moves both. */
const stopClock = runScript(`
  CREATE TABLE IF NOT EXISTS test_clock (now bigint NOT NULL);
  CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE
    RETURN (SELECT now FROM test_clock);
  CREATE OR REPLACE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
    RETURN (SELECT now FROM test_clock)`)

const emptyTables = await Effect.runPromise(
  Effect.gen(function* () {
    yield* stopClock
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ name: string }>`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname NOT IN ('schema_migrations', 'test_clock')`
    const deletes = tables.map(({ name }) => `DELETE FROM ${name};`)
    const script = `DO $$ BEGIN ${deletes.join("")} DELETE FROM test_clock; INSERT INTO test_clock VALUES (0); END $$`
    yield* sql.unsafe(script)
    return script
  }).pipe(onPool),
)

/** The database of this test file, emptied whenever the layer is built, and with its clock at 0. */
export const layer: Layer.Layer<SqlClient.SqlClient | PgClient | SecretBox> = Layer.mergeAll(
  Layer.effectDiscard(
    Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(emptyTables))),
  ).pipe(Layer.provideMerge(Layer.succeedContext(pool))),
  Layer.succeed(SecretBox, testBox),
)

/** Lets time pass, in milliseconds: on the clock of the test and on that of the database. */
export const passTime = (milliseconds: number): Effect.Effect<void> =>
  Effect.andThen(
    Effect.orDie(
      onPool(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE test_clock SET now = now + ${milliseconds}`),
      ),
    ),
    TestClock.adjust(milliseconds),
  )
