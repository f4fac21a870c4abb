import { makeSecretBox } from "@tocsin/adapters-http/server"
import { distribute } from "@tocsin/adapters-pg/admin"
import { PgDatabase } from "@tocsin/adapters-pg"
import { SecretBox } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { inject } from "vitest"
import { runScript } from "./RunScript.ts"
import { connectionTo, connectionToNode, type TestServer } from "./TestServer.ts"

/** Makes a database of its own: a copy of the schema, or an empty one. It goes with the run. */
export const newDatabase = (from: "schema" | "empty"): Promise<PgDatabase.PgConnection> => {
  const server = inject("postgres")
  const name = `${server.prefix}_${crypto.randomUUID().replaceAll("-", "")}`
  if (server.workers.length > 0) return newClusterDatabase(server, name, from)
  const template = from === "schema" ? server.template : "template0"
  const admin = { connection: connectionTo(server, "postgres"), statementTimeoutMs: 0 }
  return Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`),
  ).pipe(Effect.as(connectionTo(server, name)), Effect.provide(PgDatabase.layer(admin)), Effect.runPromise)
}

/** A database on each node of the cluster. A copy of a distributed one would be of one node only, so its schema is created. */
const newClusterDatabase = async (server: TestServer, name: string, from: "schema" | "empty") => {
  const nodes = [
    (database: string) => connectionTo(server, database),
    ...server.workers.map((node) => (database: string) => connectionToNode(server, node, database)),
  ]
  const run = (connection: PgDatabase.PgConnection, ...statements: ReadonlyArray<string>) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }),
    ).pipe(
      Effect.provide(PgDatabase.layer({ connection, connectionsMax: 1, statementTimeoutMs: 0 })),
      Effect.runPromise,
    )
  for (const connectionOf of nodes) {
    await run(connectionOf("postgres"), `CREATE DATABASE ${name} TEMPLATE template0`)
    await run(connectionOf(name), "CREATE EXTENSION citus")
  }
  const connection = connectionTo(server, name)
  await run(
    connection,
    ...server.workers.map(({ host, port }) => `SELECT citus_add_node('${host}', ${port})`),
  )
  if (from === "schema") await Effect.runPromise(distribute(connection))
  return connection
}

/** For tests of how one PostgreSQL server plans statements and locks rows: the nodes of a cluster do so out of their sight. */
export const onOneServer = { skip: inject("postgres").workers.length > 0 }

/** How to connect to the database of this test file. */
export const connection = await newDatabase("schema")

/** One pool for the whole file; it ends with the file's process. */
const pool = await Effect.runPromise(
  Layer.buildWithScope(
    // Tables are filled in one go, which a busy machine takes its time for.
    PgDatabase.layer({ connection, connectTimeoutMs: 20_000, statementTimeoutMs: 0 }),
    Scope.makeUnsafe(),
  ),
)

const onPool = Effect.provide(pool)

/** Seals the secrets of tests. */
export const testBox = makeSecretBox({ current: Redacted.make(new Uint8Array(32).fill(1)), previous: [] })

/** Runs a script on the node that this file connects to, and on the workers of a cluster, each by itself. */
const onEachNode = (script: string) =>
  inject("postgres").workers.length === 0
    ? runScript(script)
    : Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const failed = yield* sql<{ readonly result: string }>`
          SELECT result FROM run_command_on_all_nodes(${`SET citus.enable_ddl_propagation TO off; ${script}`})
          WHERE NOT success`
        if (failed.length > 0)
          return yield* Effect.die(new Error(failed.map(({ result }) => result).join("\n")))
      })

/** Has the database's clock stand still, as `TestClock` does, until `passTime` moves both. */
const stopClock = onEachNode(`
  CREATE TABLE IF NOT EXISTS test_clock (now bigint NOT NULL);
  CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE
    RETURN (SELECT now FROM test_clock)`)

/** Row by row, tables with many rows take minutes; to truncate all tables takes longer than to delete the few rows of most tests. */
const truncateLarge = `
  EXECUTE (
    SELECT coalesce('TRUNCATE ' || string_agg(c.oid::regclass::text, ', ') || ' CASCADE', 'SELECT')
    FROM pg_class AS c
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(c.oid) > 1048576
      AND relname NOT IN ('schema_migrations', 'test_clock'));`

/** Longer than any statement that goes on after its test was interrupted, so that only a transaction that never ends fails. */
const lockTimeout = "60s"

/** Fails with the last statements of the transactions that a test has left open, which would otherwise be waited for without end. */
const orNameOpenTransactions = `
  EXCEPTION WHEN lock_not_available THEN
    RAISE EXCEPTION 'transactions of an earlier test have not ended; their last statements: %', (
      SELECT string_agg(left(query, 500), '; ') FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL)`

const emptyTables = await Effect.runPromise(
  Effect.gen(function* () {
    yield* stopClock
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ name: string }>`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname NOT IN ('schema_migrations', 'test_clock')`
    const deletes = tables.map(({ name }) => `DELETE FROM ${name};`)
    const emptyTables = Effect.andThen(
      sql.unsafe(`DO $$ BEGIN
        SET LOCAL lock_timeout = '${lockTimeout}';
        ${truncateLarge} ${deletes.join("")} ${orNameOpenTransactions};
      END $$`),
      onEachNode("DELETE FROM test_clock;\nINSERT INTO test_clock VALUES (0)"),
    )
    yield* emptyTables
    return emptyTables
  }).pipe(onPool),
)

/** The database of this test file, emptied whenever the layer is built, and with its clock at 0. */
export const layer: Layer.Layer<PgDatabase.Database | SecretBox> = Layer.succeed(SecretBox, testBox).pipe(
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(emptyTables))),
  Layer.provideMerge(Layer.succeedContext(pool)),
)

/** Lets time pass, in milliseconds: on the clock of the test and on that of the database. */
export const passTime = (milliseconds: number): Effect.Effect<void> =>
  Effect.andThen(
    Effect.orDie(onPool(onEachNode(`UPDATE test_clock SET now = now + ${milliseconds}`))),
    TestClock.adjust(milliseconds),
  )
