import * as CountStorePg from "@tocsin/adapters-pg/slo/CountStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/delivery/DeliveryHints"
import * as DeliveryQueuePg from "@tocsin/adapters-pg/delivery/DeliveryQueuePg"
import { migrate, migrations, SchemaIsNewer } from "@tocsin/adapters-pg/Migrations"
import { layer, type PgConnection } from "@tocsin/adapters-pg/database/PgDatabase"
import * as SqlClient from "effect/sql/SqlClient"
import { DeliveryQueue } from "@tocsin/domain/delivery/DeliveryQueue"
import { SecretBox } from "@tocsin/domain/secret/SecretBox"
import { CountStore } from "@tocsin/domain/counts/CountStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { aNotification } from "../contract/deliveries.ts"
import { newDatabase, testBox } from "./TestDatabase.ts"

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
      await query(connection, version < 4 ? countsOfVersion1 : countsOfVersion4)
      await Effect.runPromise(migrate(connection))
      expect(await schemaOf(connection)).toEqual(expected)
      for (const table of ["definitions", "slos", "credentials", "signing_keys", "organizations"]) {
        expect(
          await query(connection, `SELECT 1 FROM ${table}`),
          `${table} of version ${version}`,
        ).toHaveLength(1)
      }
      expect(await query(connection, "SELECT good, total, minutes FROM count_days")).toEqual([
        { good: 1, total: 2, minutes: 1 },
      ])
    }
  })

  it("carry the counts of version 3 over, by minute, hour and day", async () => {
    const connection = await newDatabase("empty")
    await Effect.runPromise(migrate(connection, migrations.slice(0, 3)))
    await query(connection, dataOfVersion1)
    const [hour, day] = [3_600_000, 86_400_000]
    const minutes = [
      { objective: "good", at: 0, good: 0, total: 0 },
      { objective: "good", at: 59 * 60_000, good: 1, total: 4 },
      { objective: "good", at: hour, good: 3, total: 3 },
      { objective: "good", at: 28 * day - 60_000, good: 0.5, total: 1 },
      { objective: "good", at: 28 * day, good: 5, total: 10 },
      { objective: "great", at: 60_000, good: 7, total: 7 },
    ]
    for (const start of new Set(minutes.map(({ at }) => Math.floor(at / day) * day))) {
      await query(
        connection,
        `CREATE TABLE count_minutes_${start} PARTITION OF count_minutes FOR VALUES FROM (${start}) TO (${start + day})`,
      )
    }
    for (const { objective, at, good, total } of minutes) {
      await query(
        connection,
        `INSERT INTO count_minutes VALUES ('acme', 'shop', 'checkout', ${at}, '${objective}', ${good}, ${total})`,
      )
    }
    await Effect.runPromise(migrate(connection))

    const slo = { project: "shop", name: "checkout" }
    const ranges = [
      { from: 0, to: 60_000 },
      { from: 60_000, to: hour + 60_000 },
      { from: 0, to: 28 * day },
      { from: 0, to: 29 * day },
    ]
    const [found] = await Effect.flatMap(CountStore, (store) =>
      store.sums([{ organization: "acme", slo, ranges }]),
    ).pipe(Effect.provide(Layer.provide(CountStorePg.layer, layer({ connection }))), Effect.runPromise)
    const great = { objective: "great", good: 7, total: 7, minutes: 1, goodShares: 1, goodMinutes: 1 }
    expect(found?.sums.map((sums) => sums.toSorted((a, b) => (a.objective < b.objective ? -1 : 1)))).toEqual([
      [{ objective: "good", good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }],
      [{ objective: "good", good: 4, total: 7, minutes: 2, goodShares: 1.25, goodMinutes: 2 }, great],
      [{ objective: "good", good: 4.5, total: 8, minutes: 3, goodShares: 1.75, goodMinutes: 3 }, great],
      [{ objective: "good", good: 9.5, total: 18, minutes: 4, goodShares: 2.25, goodMinutes: 4 }, great],
    ])
    expect(found?.latestAt).toEqual(
      new Map([
        ["good", 28 * day],
        ["great", 60_000],
      ]),
    )
    expect(await query(connection, "SELECT 1 FROM count_hours")).toHaveLength(5)
  })

  it("7.7: let SLOs of version 5 be found by their names and display names", async () => {
    const connection = await newDatabase("empty")
    await Effect.runPromise(migrate(connection, migrations.slice(0, 5)))
    const tails = {
      checkout: '"name":"checkout","displayName":"Pay \\"NOW\\" \'1\'","description":""}',
      search: '"name":"search"}',
    }
    for (const [name, tail] of Object.entries(tails)) {
      await query(
        connection,
        `INSERT INTO slos (organization, project, name, service, tail_json, version)
         VALUES ('acme', 'shop', '${name}', 'web', '${tail.replaceAll("'", "''")}', 1)`,
      )
    }
    await Effect.runPromise(migrate(connection))
    expect(await query(connection, "SELECT search_text FROM slos ORDER BY name")).toEqual([
      { search_text: "checkout\npay \"now\" '1'" },
      { search_text: "search\n" },
    ])
  })

  it("carry the alerts of version 4 over, with what they are listed by", async () => {
    const connection = await newDatabase("empty")
    await Effect.runPromise(migrate(connection, migrations.slice(0, 4)))
    const slo = { project: "shop", name: "checkout" }
    const alerts = [
      { id: "a-1", subject: { slo }, status: "triggered", conditions: ["50% \" '"], triggeredAt: 7 },
      {
        id: "a-2",
        subject: { slo, objective: "good", alertPolicy: { project: "ops", name: "fast-burn" } },
        status: "resolved",
        conditions: [],
        triggeredAt: 1_769_774_400_000,
      },
    ]
    for (const alert of alerts) {
      const text = JSON.stringify(alert).replaceAll("'", "''")
      await query(
        connection,
        `INSERT INTO alerts (organization, id, subject, project, alert, resolved_at)
         VALUES ('acme', '${alert.id}', 'key', 'shop', '${text}', ${alert.status === "resolved" ? 9 : "NULL"})`,
      )
    }
    await Effect.runPromise(migrate(connection))
    const columns = "id, slo, objective, alert_policy, status, triggered_at, alert, resolved_at"
    const rows = await query(connection, `SELECT ${columns} FROM alerts ORDER BY id`)
    const [first, second] = alerts
    expect(rows).toEqual([
      {
        id: "a-1",
        slo: "checkout",
        objective: null,
        alert_policy: null,
        status: "triggered",
        triggered_at: 7,
        alert: JSON.stringify(first),
        resolved_at: null,
      },
      {
        id: "a-2",
        slo: "checkout",
        objective: "good",
        alert_policy: "fast-burn",
        status: "resolved",
        triggered_at: 1_769_774_400_000,
        alert: JSON.stringify(second),
        resolved_at: 9,
      },
    ])
  })

  it("6.0: let the deliveries of version 7 be found by their alert, those settled and those not", async () => {
    const connection = await newDatabase("empty")
    await Effect.runPromise(migrate(connection, migrations.slice(0, 7)))
    const columns = "organization, id, project, name, notification, attempt, spent, created_at, due_at"
    const rowOf = (id: string, alertId: string): string => {
      const notification = JSON.stringify({ ...aNotification("acme", id), alertId })
      return `'acme', '${id}', 'shop', 'hook', '${notification.replaceAll("'", "''")}', 1, 1, 0, 0`
    }
    await query(
      connection,
      `CREATE TABLE settled_deliveries_0 PARTITION OF settled_deliveries FOR VALUES FROM (0) TO (86400000);
       INSERT INTO settled_deliveries (${columns}, state, settled_at) VALUES
         (${rowOf("d-1", "burn")}, 'delivered', 7), (${rowOf("d-2", 'it\'s "so"')}, 'failed', 8);
       INSERT INTO deliveries (${columns}) VALUES (${rowOf("d-3", "burn")}), (${rowOf("d-4", "burn-2")})`,
    )
    await Effect.runPromise(migrate(connection))
    const queueLayer = DeliveryQueuePg.layer.pipe(
      Layer.provide(DeliveryHints.layer),
      Layer.provide(Layer.merge(layer({ connection }), Layer.succeed(SecretBox, testBox))),
    )
    const idsOf = (alertId: string) =>
      Effect.flatMap(DeliveryQueue, (queue) => queue.list("acme", { alertId }, { limit: 10 })).pipe(
        Effect.map(({ items }) => items.map(({ notification }) => notification.id)),
        Effect.provide(queueLayer),
        Effect.runPromise,
      )
    expect(await idsOf("burn")).toEqual(["d-3", "d-1"])
    expect(await idsOf('it\'s "so"')).toEqual(["d-2"])
    expect(await idsOf("burn-2")).toEqual(["d-4"])
  })

  it("leave no trace of a step that fails, and go on from there", async () => {
    const connection = await newDatabase("empty")
    const broken = [...migrations, ["CREATE TABLE half (id int)", "SELECT 1 / 0"]]
    const failed = await Effect.runPromise(Effect.flip(migrate(connection, broken)))
    expect(failed).toMatchObject({ _tag: "MigrationFailed", isRetryable: false })
    expect(await query(connection, "SELECT 1 FROM pg_class WHERE relname = 'half'")).toEqual([])
    expect(
      await Effect.runPromise(migrate(connection, [...migrations, ["CREATE TABLE half (id int)"]])),
    ).toBe(migrations.length + 1)
  })

  it("refuse a schema that is newer than the program", async () => {
    const connection = await newDatabase("empty")
    await Effect.runPromise(migrate(connection, [...migrations, ["SELECT 1"]]))
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

/** Runs the statements of a script, and gives the rows of the last. */
const query = (connection: PgConnection, script: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let rows: ReadonlyArray<Record<string, unknown>> = []
    for (const statement of script.split(";\n")) rows = yield* sql.unsafe<Record<string, unknown>>(statement)
    return rows
  }).pipe(Effect.provide(layer({ connection, connectionsMax: 1 })), Effect.runPromise)

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
  INSERT INTO credentials VALUES ('acme', 'ci', 'viewer', 'hash', false, 1);
  INSERT INTO signing_keys VALUES ('key', 1, '', '', 'box', 1, 1);
  INSERT INTO sealing_keys VALUES ('box', '');`

const countsOfVersion1 = `
  CREATE TABLE count_minutes_0 PARTITION OF count_minutes FOR VALUES FROM (0) TO (86400000);
  INSERT INTO count_minutes VALUES ('acme', 'shop', 'checkout', 60000, 'good', 1, 2)`

const countsOfVersion4 = `
  CREATE TABLE count_days_0 PARTITION OF count_days FOR VALUES FROM (0) TO (2419200000);
  INSERT INTO count_days VALUES ('acme', 'shop', 'checkout', 0, 'good', 1, 2, 1, 0.5, 1)`
