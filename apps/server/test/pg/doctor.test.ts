import { databaseLayer as layer, type PgConnection } from "@tocsin/adapters-pg/admin"
import { diagnose } from "../../src/doctor/Doctor.ts"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { describe, expect, it } from "vitest"
import { urlOf } from "../../../../test/crash/CrashDatabase.ts"
import { startTocsin } from "../../../../test/server/child-process.ts"
import { newDatabase, onOneServer } from "../../../../test/pg/TestDatabase.ts"

const masterKey = Buffer.alloc(32, 5).toString("base64")
const otherKey = Buffer.alloc(32, 6).toString("base64")

const checksOf = async (connection: PgConnection, environment: Readonly<Record<string, string>> = {}) => {
  const results = await Effect.runPromise(
    diagnose({ DATABASE_URL: urlOf(connection), TOCSIN_MASTER_KEY: masterKey, PORT: "0", ...environment }),
  )
  return Object.fromEntries(results.map(({ check, status, message }) => [check, `${status}: ${message}`]))
}

const run = (connection: PgConnection, ...statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }),
  ).pipe(Effect.provide(layer({ connection, connectionsMax: 1 })), Effect.runPromise)

/** Changes a setting of all later connections to a database. */
const setForDatabase = (setting: string): string =>
  `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END$$`

describe("tocsin doctor with a database", () => {
  it("finds nothing wrong before the first start, and nothing after it but another master key", async () => {
    const connection = await newDatabase("empty")
    const fine = {
      database: expect.stringMatching(/^ok: reachable as /),
      version: expect.stringMatching(/^ok: PostgreSQL \d+\.\d+$/),
      permissions: expect.stringMatching(/^ok: /),
      clock: "ok: within 1000 ms of the database",
    }
    expect(await checksOf(connection)).toMatchObject({
      ...fine,
      schema: "ok: empty; `tocsin serve` creates the tables",
      "stored secrets": "ok: none yet",
    })
    expect((await checksOf(connection, { TOCSIN_MIGRATE: "off" }))["schema"]).toMatch(
      /^failed: .*tocsin database migrate/,
    )
    const environment = { DATABASE_URL: urlOf(connection), TOCSIN_MASTER_KEY: masterKey, PORT: "0" }
    const server = startTocsin(["serve"], environment)
    await server.until(/listening on/)
    expect(await checksOf(connection)).toMatchObject({
      ...fine,
      schema: expect.stringMatching(/^ok: up to date/),
      "stored secrets": "ok: the master key decrypts them",
    })
    const wrong = (await checksOf(connection, { TOCSIN_MASTER_KEY: otherKey }))["stored secrets"]
    expect(wrong).toMatch(/^failed: .*TOCSIN_PREVIOUS_MASTER_KEY/)
    // It has recorded nothing of the other key.
    const both = { TOCSIN_MASTER_KEY: otherKey, TOCSIN_PREVIOUS_MASTER_KEY: masterKey }
    expect((await checksOf(connection, both))["stored secrets"]).toMatch(/^ok/)
    expect((await checksOf(connection))["stored secrets"]).toMatch(/^ok/)
    server.kill("SIGTERM")
    expect((await server.ended).code).toBe(0)
  })

  it("reports a role that could not migrate", onOneServer, async () => {
    const connection = await newDatabase("schema")
    const role = `limited_${crypto.randomUUID().slice(0, 8)}`
    await run(connection, `CREATE ROLE ${role}`, setForDatabase(`role = ${role}`))
    const { permissions, database } = await checksOf(connection)
    expect(database).toBe(`ok: reachable as ${role}`)
    expect(permissions).toContain(`run GRANT CREATE ON SCHEMA "public" TO "${role}"`)
    expect(permissions).toMatch(/does not own \w+ and \d+ more/)
  })

  it("reports a database that is read-only", onOneServer, async () => {
    const connection = await newDatabase("schema")
    await run(connection, setForDatabase("default_transaction_read_only = on"))
    expect((await checksOf(connection))["database"]).toMatch(/^failed: .*read-only; set DATABASE_URL/)
  })

  it("reports a version that is not supported, and checks the rest", onOneServer, async () => {
    const connection = await newDatabase("empty")
    const pretend = (version: number) =>
      run(
        connection,
        "CREATE SCHEMA IF NOT EXISTS pretended",
        `CREATE OR REPLACE FUNCTION pretended.current_setting(name text) RETURNS text LANGUAGE sql AS $$
          SELECT CASE name WHEN 'server_version_num' THEN '${version}' ELSE pg_catalog.current_setting(name) END $$`,
        setForDatabase("search_path = public, pretended, pg_catalog"),
      )
    await pretend(140_012)
    expect(await checksOf(connection)).toMatchObject({
      version: "failed: PostgreSQL 14.12 is not supported; upgrade PostgreSQL to 15 or later",
      clock: expect.stringMatching(/^ok/),
      schema: "skipped: PostgreSQL is too old",
    })
    await pretend(190_001)
    expect(await checksOf(connection)).toMatchObject({
      version: "warning: PostgreSQL 19.1 is not tested; use PostgreSQL 15 to 18",
      schema: expect.stringMatching(/^ok/),
    })
  })
})
