import { migrate, migrations, SchemaIsNewer } from "@tocsin/adapters-pg/Migrations"
import { layer, type PgConnection } from "@tocsin/adapters-pg/PgDatabase"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { newDatabase } from "./TestDatabase.ts"

describe("migrations", () => {
  it("bring an empty database up to date, and change nothing when they run again", async () => {
    const connection = await newDatabase("empty")
    expect(await Effect.runPromise(migrate(connection))).toBe(migrations.length)
    const before = await schemaOf(connection)
    expect(await Effect.runPromise(migrate(connection))).toBe(migrations.length)
    expect(await schemaOf(connection)).toEqual(before)
    expect(before.length).toBeGreaterThan(50)
  })

  it("run once when several processes start at the same time", async () => {
    const connection = await newDatabase("empty")
    const versions = await Promise.all(
      Array.from({ length: 6 }, () => Effect.runPromise(migrate(connection))),
    )
    expect(new Set(versions)).toEqual(new Set([migrations.length]))
    const rows = await query(connection, "SELECT version FROM schema_migrations ORDER BY version")
    expect(rows.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
  })

  it("keep the data of each earlier version, and end with the same schema", async () => {
    const fresh = await newDatabase("empty")
    await Effect.runPromise(migrate(fresh))
    const expected = await schemaOf(fresh)
    for (let version = 1; version <= migrations.length; version++) {
      const connection = await newDatabase("empty")
      await Effect.runPromise(migrate(connection, migrations.slice(0, version)))
      await query(connection, dataOfVersion1)
      await Effect.runPromise(migrate(connection))
      expect(await schemaOf(connection)).toEqual(expected)
      for (const table of ["definitions", "slos", "credentials", "signing_keys", "organizations"]) {
        expect(
          await query(connection, `SELECT 1 FROM ${table}`),
          `${table} of version ${version}`,
        ).toHaveLength(1)
      }
    }
  })

  it("leave no trace of a step that fails, and go on from there", async () => {
    const connection = await newDatabase("empty")
    const broken = [...migrations, "CREATE TABLE half (id int); SELECT 1 / 0"]
    const failed = await Effect.runPromise(Effect.flip(migrate(connection, broken)))
    expect(failed).toMatchObject({ _tag: "MigrationFailed", isRetryable: false })
    expect(await query(connection, "SELECT 1 FROM pg_class WHERE relname = 'half'")).toEqual([])
    expect(await Effect.runPromise(migrate(connection, [...migrations, "CREATE TABLE half (id int)"]))).toBe(
      migrations.length + 1,
    )
  })

  it("refuse a schema that is newer than the program", async () => {
    const connection = await newDatabase("empty")
    await Effect.runPromise(migrate(connection, [...migrations, "SELECT 1"]))
    const refused = await Effect.runPromise(Effect.flip(migrate(connection)))
    expect(refused).toEqual(new SchemaIsNewer({ version: migrations.length + 1, known: migrations.length }))
  })

  it("lead every key with the organization, but for what belongs to the instance", async () => {
    const connection = await newDatabase("schema")
    const rows = await query(
      connection,
      `SELECT conrelid::regclass::text AS table, attname AS first
       FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
       WHERE contype IN ('p', 'f') AND connamespace = 'public'::regnamespace`,
    )
    const others = rows.filter(({ first }) => first !== "organization").map(({ table }) => table)
    expect(others.toSorted()).toEqual(["schema_migrations", "sealing_keys", "signing_keys"])
  })
})

const query = (connection: PgConnection, text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(text)).pipe(
    Effect.provide(layer({ connection, connectionsMax: 1 })),
    Effect.runPromise,
  )

/** Every column and index, which is what statements depend on. */
const schemaOf = (connection: PgConnection) =>
  query(
    connection,
    `SELECT attrelid::regclass::text AS relation, attname AS name, format_type(atttypid, atttypmod) AS type,
       attnotnull AS required, relkind::text AS kind, coalesce(pg_get_indexdef(c.oid), '') AS index
     FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped AND NOT relispartition
     ORDER BY 1, 2`,
  )

const dataOfVersion1 = `
  INSERT INTO organizations VALUES ('acme', 7);
  INSERT INTO definitions (organization, kind, project, name, definition, labels, version, created_at, updated_at)
  VALUES ('acme', 'SLO', 'shop', 'checkout', '{}', '{}', 7, 1, 2);
  INSERT INTO definition_references VALUES ('acme', 'SLO', 'shop', 'checkout', 'Service', 'shop', 'web');
  INSERT INTO slos (organization, project, name, service, tail_json, version, due_at)
  VALUES ('acme', 'shop', 'checkout', 'web', '}', 7, 3);
  CREATE TABLE count_minutes_0 PARTITION OF count_minutes FOR VALUES FROM (0) TO (86400000);
  INSERT INTO count_minutes VALUES ('acme', 'shop', 'checkout', 60000, 'good', 1, 2);
  INSERT INTO credentials VALUES ('acme', 'ci', 'viewer', 'hash', false, 1);
  INSERT INTO signing_keys VALUES ('key', 1, '', '', 'box', 1, 1);
  INSERT INTO sealing_keys VALUES ('box', '');`
