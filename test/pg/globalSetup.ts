import { migrate } from "@tocsin/adapters-pg/Migrations"
import { layer } from "@tocsin/adapters-pg/database/PgDatabase"
import { runEmbeddedPostgres } from "@tocsin/server/postgres/EmbeddedPostgres"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { TestProject } from "vitest/node"
import { makeDatabaseFolder, removeDatabaseFolder } from "../Watchdog.ts"
import { connectionTo, type TestServer } from "./TestServer.ts"

/**
 * One PostgreSQL for the whole run, however many workers it has: that of `DATABASE_URL` if it is set, else an embedded one, which need not be
 * durable. A database with the schema stands ready, of which each test file takes a copy.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = Scope.makeUnsafe()
  const server = await Effect.runPromise(Scope.provide(start, scope))
  project.provide("postgres", server)
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}

const start = Effect.gen(function* () {
  const prefix = `tocsin_test_${process.pid}`
  const server: TestServer = {
    connection: yield* acquireServer,
    template: `${prefix}_template`,
    prefix,
  }
  const asAdmin = Effect.provide(
    layer({ connection: connectionTo(server, "postgres"), statementTimeoutMs: 60_000 }),
  )
  yield* Effect.acquireRelease(asAdmin(createTemplate(server)), () =>
    Effect.orDie(asAdmin(dropDatabases(server))),
  )
  yield* migrate(connectionTo(server, server.template))
  return server
})

const acquireServer = Effect.gen(function* () {
  const url = process.env["DATABASE_URL"]
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

const dropDatabases = ({ prefix }: TestServer) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ datname: string }>`
      SELECT datname FROM pg_database WHERE starts_with(datname, ${prefix})`
    for (const { datname } of rows) yield* sql.unsafe(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
  })
