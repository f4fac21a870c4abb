import {
  databaseLayer as layer,
  migrate,
  pendingMigrations,
  type PgConnection,
} from "@tocsin/adapters-pg/admin"
import { migrations, SchemaIsNewer } from "../../src/migrations/Migrations.ts"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { newDatabase } from "../../../../test/pg/TestDatabase.ts"

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

  it("leave no trace of a step that fails, and continue from there", async () => {
    const connection = await newDatabase("empty")
    const broken = [...migrations, ["CREATE TABLE half (id int)", "SELECT 1 / 0"]]
    const failed = await Effect.runPromise(Effect.flip(migrate(connection, broken)))
    expect(failed).toMatchObject({ _tag: "MigrationFailed", isRetryable: false })
    expect(await query(connection, "SELECT 1 FROM pg_class WHERE relname = 'half'")).toEqual([])
    expect(
      await Effect.runPromise(migrate(connection, [...migrations, ["CREATE TABLE half (id int)"]])),
    ).toBe(migrations.length + 1)
  })

  it("do not hold up the statements behind them while they wait for a reader", async () => {
    const connection = await newDatabase("empty")
    const change = ["ALTER TABLE alerts ADD COLUMN later text"]
    await Effect.runPromise(migrate(connection))
    const migrated = await Effect.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT FROM alerts`
            const migrating = yield* Effect.forkDetach(migrate(connection, [...migrations, change]))
            const waiting = sql`SELECT FROM pg_locks WHERE relation = 'alerts'::regclass AND NOT granted`
            yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
            // Of another session, which waits behind the migration for as long as that waits.
            yield* Effect.promise(() => query(connection, "SELECT FROM alerts"))
            return migrating
          }),
        )
      }).pipe(
        Effect.flatMap((migrating) => Fiber.join(migrating)),
        Effect.provide(layer({ connection, connectionsMax: 1, statementTimeoutMs: 0 })),
      ),
    )
    expect(migrated).toBe(migrations.length + 1)
  })

  it("give indicators of a path of a host a server of their own", async () => {
    const connection = await newDatabase("empty")
    // The version before.
    await Effect.runPromise(migrate(connection, migrations.slice(0, 2)))
    const urls = [
      "https://a.example.com:9090/x/y/",
      "https://a.example.com:9090/",
      "https://a.example.com:9090",
    ]
    const rows = urls.map((url, index) => {
      const indicator = JSON.stringify({
        version: 1,
        document: { prometheus: { url, good: "g", total: "t" } },
      })
      return `('acme', 'shop', 'slo-${index}', '${indicator}', 'https://a.example.com:9090', 0)`
    })
    rows.push(`('acme', 'shop', 'slo-3', '{"version":1,"document":{"source":{}}}', 'shop/mimir', 0)`)
    await query(
      connection,
      `SET session_replication_role = replica;
      INSERT INTO indicator_polls (organization, project, slo, indicator, server, due_at) VALUES ${rows.join()}`,
    )
    await Effect.runPromise(migrate(connection))
    const found = await query(connection, "SELECT slo, server FROM indicator_polls ORDER BY slo")
    expect(found.map(({ server }) => server)).toEqual([
      "https://a.example.com:9090/x/y",
      "https://a.example.com:9090",
      "https://a.example.com:9090",
      "shop/mimir",
    ])
    const servers = await query(connection, "SELECT server FROM indicator_servers ORDER BY server")
    expect(servers.map(({ server }) => server)).toContain("https://a.example.com:9090/x/y")
  })

  it("let SLOs pack their counts only in a database without data, which no server of the version before uses", async () => {
    const before = migrations.findIndex((each) => each.some((statement) => statement.includes("packed")))
    const defaults = async (prepare: (connection: PgConnection) => Promise<unknown>) => {
      const connection = await newDatabase("empty")
      await Effect.runPromise(migrate(connection, migrations.slice(0, before)))
      await prepare(connection)
      await Effect.runPromise(migrate(connection))
      return query(
        connection,
        `SELECT pg_get_expr(adbin, adrelid) AS value FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE adrelid = 'slos'::regclass AND attname = 'packs_counts'`,
      )
    }
    expect(await defaults(() => Promise.resolve())).toEqual([{ value: "true" }])
    for (const row of [
      "organizations (organization, revision) VALUES ('acme', 1)",
      "credentials (organization, client_id, role, secret_hash, is_disabled, created_at) VALUES ('acme', 'a', 'viewer', '', false, 0)",
      "sealing_keys (key_id, sealed) VALUES ('a', '')",
      "public_keys (key_id, public_key) VALUES ('a', '')",
      "queue_processes (id, alive_until) VALUES ('a', 0)",
    ]) {
      const found = await defaults((connection) => query(connection, `INSERT INTO ${row}`))
      expect(found, row).toEqual([{ value: "false" }])
    }
  })

  it("give SLOs rows of their own only in a database in which no server of an earlier version can have started", async () => {
    const earlier = migrations.slice(
      0,
      migrations.findIndex((each) => each.some((statement) => statement.includes("ADD COLUMN count_rows"))),
    )
    const rowsOf = async (connection: PgConnection) => {
      const found = await query(
        connection,
        `SELECT pg_get_expr(adbin, adrelid) AS value FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE adrelid = 'slos'::regclass AND attname = 'count_rows'`,
      )
      return found.map(({ value }) => value)
    }
    const existing = await newDatabase("empty")
    await Effect.runPromise(migrate(existing, earlier))
    await Effect.runPromise(migrate(existing))
    expect(await rowsOf(existing)).toEqual(["'objective'::text"])
    for (let round = 0; round < 6; round++) {
      const connection = await newDatabase("empty")
      const starts = [migrate(connection, earlier), migrate(connection)]
      const [first, second] = await Promise.all(
        (round % 2 === 0 ? starts : starts.toReversed()).map((each) => Effect.runPromise(Effect.exit(each))),
      )
      const [ofEarlier, ofThis] = round % 2 === 0 ? [first, second] : [second, first]
      expect(ofThis?._tag).toBe("Success")
      expect(await rowsOf(connection)).toEqual([
        ofEarlier?._tag === "Success" ? "'objective'::text" : "'slo'::text",
      ])
    }
  })

  it("reject a schema that is newer than the program", async () => {
    const connection = await newDatabase("empty")
    await Effect.runPromise(migrate(connection, [...migrations, ["SELECT 1"]]))
    const refused = await Effect.runPromise(Effect.flip(migrate(connection)))
    expect(refused).toEqual(new SchemaIsNewer({ version: migrations.length + 1, known: migrations.length }))
  })

  it("are listed without being applied", async () => {
    const connection = await newDatabase("empty")
    const next = ["CREATE TABLE next (id int)"]
    const all = [...migrations, next]
    expect(await Effect.runPromise(pendingMigrations(connection, all))).toEqual({ version: 0, pending: all })
    expect(await schemaOf(connection)).toEqual([])
    await Effect.runPromise(migrate(connection))
    const version = migrations.length
    expect(await Effect.runPromise(pendingMigrations(connection, all))).toEqual({ version, pending: [next] })
    expect(await Effect.runPromise(pendingMigrations(connection))).toEqual({ version, pending: [] })
    await Effect.runPromise(migrate(connection, all))
    expect(await Effect.runPromise(Effect.flip(pendingMigrations(connection)))).toEqual(
      new SchemaIsNewer({ version: version + 1, known: version }),
    )
  })

  it("have the organization in every key, but for what belongs to the instance", async () => {
    const connection = await newDatabase("schema")
    const rows = await query(
      connection,
      `SELECT conrelid::regclass::text AS table, attname AS first
       FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
       WHERE contype IN ('p', 'f') AND connamespace = 'public'::regnamespace`,
    )
    const others = rows.filter(({ first }) => first !== "organization").map(({ table }) => table)
    expect(others.toSorted()).toEqual([
      "count_conversion",
      "data_imports",
      // Its key begins with the ID, so that a held snapshot does not slow down claims.
      "delivery_queue",
      "public_keys",
      "queue_processes",
      "schema_migrations",
      "sealing_keys",
      "signing_key_owners",
      "signing_keys",
    ])
  })
})

/** Runs the statements of a script, and gives the rows of the last. */
const query = (connection: PgConnection, script: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let rows: ReadonlyArray<Record<string, unknown>> = []
    for (const statement of script.split(";\n")) rows = yield* sql.unsafe<Record<string, unknown>>(statement)
    return rows
  }).pipe(Effect.provide(layer({ connection, connectionsMax: 1 })), Effect.runPromise)

/** Every column and every index. */
const schemaOf = (connection: PgConnection) =>
  query(
    connection,
    `SELECT attrelid::regclass::text AS relation, attname AS name, format_type(atttypid, atttypmod) AS type,
       attnotnull AS required, relkind::text AS kind, coalesce(pg_get_indexdef(c.oid), '') AS index
     FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped AND NOT relispartition
     ORDER BY 1, 2`,
  )
