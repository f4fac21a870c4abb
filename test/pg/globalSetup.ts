import { databaseLayer as layer, migrate } from "@tocsin/adapters-pg/admin"
import { runEmbeddedPostgres } from "@tocsin/server/postgres/EmbeddedPostgres"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { TestProject } from "vitest/node"
import { makeDatabaseFolder, removeDatabaseFolder } from "../Watchdog.ts"
import { type ClusterNode, connectionTo, connectionToNode, type TestServer } from "./TestServer.ts"

/**
 * One PostgreSQL for the whole run, however many workers it has: that of `TOCSIN_TEST_DATABASE_URL` if it is set, else an
 * embedded one, which need not be durable. A database with the schema is created, of which each test file takes a copy.
 *
 * The URL may be that of the coordinator of a Citus cluster, in a database that has the extension and the worker nodes.
 * Databases are then created on each node, and their tables are distributed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = Scope.makeUnsafe()
  const server = await Effect.runPromise(Scope.provide(start, scope))
  project.provide("postgres", server)
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}

const start = Effect.gen(function* () {
  const prefix = `tocsin_test_${process.pid}`
  const connection = yield* acquireServer
  const server: TestServer = {
    connection,
    template: `${prefix}_template`,
    prefix,
    workers: yield* findWorkers(connection),
  }
  const asAdmin = Effect.provide(
    layer({ connection: connectionTo(server, "postgres"), statementTimeoutMs: 0 }),
  )
  yield* Effect.acquireRelease(asAdmin(createTemplate(server)), () => Effect.orDie(dropDatabases(server)))
  yield* migrate(connectionTo(server, server.template))
  return server
})

/** None, unless the database of the URL has the extension and the nodes. */
const findWorkers = (connection: TestServer["connection"]) =>
  Effect.gen(function* () {
    if (!("url" in connection)) return []
    const sql = yield* SqlClient.SqlClient
    const extensions = yield* sql`SELECT FROM pg_extension WHERE extname = 'citus'`
    if (extensions.length === 0) return []
    return yield* sql<ClusterNode>`
      SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0 ORDER BY nodeport`
  }).pipe(
    Effect.provide(
      layer({ connection: "url" in connection ? { url: Redacted.make(connection.url) } : connection }),
    ),
  )

const acquireServer = Effect.gen(function* () {
  const url = process.env["TOCSIN_TEST_DATABASE_URL"]
  if (url !== undefined && url !== "") return { url }
  const dataDirectory = yield* Effect.acquireRelease(Effect.sync(makeDatabaseFolder), (made) =>
    Effect.sync(() => removeDatabaseFolder(made)),
  )
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: "300",
    autovacuum_naptime: "1min",
  }
  const connection = yield* runEmbeddedPostgres({ dataDirectory, settings })
  return "url" in connection ? yield* Effect.die(new Error("an embedded PostgreSQL has no URL")) : connection
})

const createTemplate = ({ template }: TestServer) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`CREATE DATABASE ${template} TEMPLATE template0`))

const dropDatabases = (server: TestServer) =>
  Effect.forEach(
    [
      connectionTo(server, "postgres"),
      ...server.workers.map((node) => connectionToNode(server, node, "postgres")),
    ],
    (connection) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ datname: string }>`
          SELECT datname FROM pg_database WHERE starts_with(datname, ${server.prefix})`
        for (const { datname } of rows) yield* sql.unsafe(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
      }).pipe(Effect.provide(layer({ connection, statementTimeoutMs: 0 }))),
    { discard: true },
  )
