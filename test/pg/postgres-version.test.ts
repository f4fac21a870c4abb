import { migrate, postgresSupport } from "@tocsin/adapters-pg/admin"
import { Migrations, PgDatabase } from "@tocsin/adapters-pg"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { urlOf } from "../crash/CrashDatabase.ts"
import { tocsin } from "../server/child-process.ts"
import { newDatabase, onOneServer } from "./TestDatabase.ts"

describe("the version of PostgreSQL", () => {
  it.each([
    [140_012, "too old"],
    [150_000, "supported"],
    [180_004, "supported"],
    [190_000, "untested"],
  ] as const)("%d is %s", (number, support) => expect(postgresSupport(number)).toBe(support))

  /** A database whose server says to be of another version. */
  const databaseOf = async (versionNumber: number) => {
    const connection = await newDatabase("empty")
    const statements = [
      "CREATE SCHEMA pretended",
      `CREATE FUNCTION pretended.current_setting(text) RETURNS text LANGUAGE sql AS $$SELECT '${versionNumber}'$$`,
      `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = pretended, pg_catalog, public', current_database()); END$$`,
    ]
    await Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }),
    ).pipe(Effect.provide(PgDatabase.layer({ connection, connectionsMax: 1 })), Effect.runPromise)
    return connection
  }

  it("is refused before the schema is touched if it is too old", onOneServer, async () => {
    const error = await Effect.runPromise(Effect.flip(migrate(await databaseOf(140_012))))
    expect(error).toMatchObject({ _tag: "PostgresIsTooOld", version: "14.12" })
  })

  it("is logged if it is newer than all that are tested", onOneServer, async () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    const version = Effect.provide(
      Migrations.requireSchema(await databaseOf(190_001)),
      Logger.layer([logger]),
    )
    const error = await Effect.runPromise(Effect.flip(version))
    expect(error).toMatchObject({ _tag: "SchemaIsOlder", version: 0, known: Migrations.migrations.length })
    expect(lines).toEqual([["PostgreSQL is newer than the versions that are tested"]])
  })

  it("is not logged where a command prints", onOneServer, async () => {
    const environment = { DATABASE_URL: urlOf(await databaseOf(190_001)) }
    const { code, stdout, stderr } = await tocsin(["database", "migrate", "--dry-run"], environment)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^-- Version 1\n/)
    expect(stderr).toMatch(/^\S+ WARNING PostgreSQL is newer than the versions that are tested version=19\.1/)
  })
})
