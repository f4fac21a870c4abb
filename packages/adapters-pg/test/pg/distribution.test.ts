import { dropOldAlerts } from "../../src/alerting/AlertStorePg.ts"
import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import { resealSecrets } from "../../src/access/SealedSecrets.ts"
import { readAvailableShards } from "../../src/database/AcrossOrganizations.ts"
import { ensurePartitions, dropPartitionsBefore } from "../../src/database/Retention.ts"
import { distribute, databaseLayer, migrate, type PgConnection } from "@tocsin/adapters-pg/admin"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import { migrations } from "../../src/migrations/Migrations.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import { makeSecretBox } from "@tocsin/adapters-http/server"
import { AlertStore, CountStore, DefinitionStore, SecretBox } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { describe, expect, inject } from "vitest"
import { alertOf, aMethod, anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { it } from "@tocsin/testing/vitest"
import { expectStatementsOfOneOrganization, recordStatements } from "../../../../test/pg/Statements.ts"
import { newDatabase, testBox } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const isCluster = inject("postgres").workers.length > 0

const organizations = ["acme", "globex", "initech", "umbrella"]
const slo = { project: "shop", name: "checkout" }
const method = { project: "shop", name: "pager" }
const day = 86_400_000

const stores = Layer.mergeAll(AlertStorePg.layer, CountStorePg.layer, DefinitionStorePg.layer).pipe(
  Layer.provide(DeliveryHints.layer),
)

const on = (connection: PgConnection) => Effect.provide(databaseLayer({ connection, connectionsMax: 2 }))

const storesOn = (connection: PgConnection) =>
  stores.pipe(
    Layer.provideMerge(databaseLayer({ connection, connectionsMax: 2 })),
    Layer.provide(Layer.succeed(SecretBox, testBox)),
  )

/** A definition with a secret, counts and a resolved alert of each organization. */
const fill = Effect.forEach(
  organizations,
  (organization) =>
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(slo), aMethod(method)])
      yield* (yield* CountStore).record(organization, [
        { slo, counts: [{ objective: "good", at: 60_000, good: 9, total: 10 }] },
      ])
      const alert = alertOf("a", { status: "resolved", resolvedAt: 1 })
      yield* (yield* AlertStore).change(organization, { subject: alert.subject, id: "a" }, undefined, () =>
        Result.succeed({
          put: alert,
          receipt: { alertId: "a", isChanged: true, deliveries: [] },
        }),
      )
    }),
  { discard: true },
)

const isComplete = Effect.gen(function* () {
  const [definitions, counts, alerts] = [yield* DefinitionStore, yield* CountStore, yield* AlertStore]
  for (const organization of organizations) {
    expect(Option.isSome(yield* definitions.find(organization, "AlertMethod", method))).toBe(true)
    const [read] = yield* counts.sums([{ organization, slo, ranges: [{ from: 0, to: day }] }])
    expect(read?.sums[0]?.[0]).toMatchObject({ good: 9, total: 10 })
    const { withId } = yield* alerts.find(organization, { subject: alertOf("a").subject, id: "a" })
    expect(withId?.status).toBe("resolved")
  }
})

describe("distributing the tables", () => {
  it.effect(
    isCluster
      ? "spreads a filled database over the nodes, once; reads can do without a node, and migrations add tables"
      : "is rejected on a server that is no Citus coordinator, and changes nothing",
    () =>
      Effect.gen(function* () {
        const connection = yield* Effect.promise(() => newDatabase("empty"))
        if (!isCluster) {
          const refused = yield* Effect.flip(distribute(connection))
          expect(refused).toMatchObject({
            _tag: "DatabaseIsNoCoordinator",
            message: expect.stringContaining("CREATE EXTENSION citus"),
          })
          const tables = yield* on(connection)(
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) => sql`SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace`,
            ),
          )
          expect(tables).toEqual([])
          return
        }
        yield* migrate(connection)
        yield* Effect.provide(Effect.andThen(fill, isComplete), storesOn(connection))
        const distributed = yield* distribute(connection)
        expect(distributed).toContain("signing_keys")
        expect(yield* distribute(connection)).toEqual([])
        yield* Effect.provide(isComplete, storesOn(connection))

        const read = yield* on(connection)(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const all = sql`
              SELECT s.organization, d.name FROM slos s JOIN definitions d ON d.organization = s.organization
              WHERE d.kind = ${"SLO"} AND s.version < ${1_000} ORDER BY s.organization LIMIT ${10}`
            return { all: yield* all, shards: yield* readAvailableShards(sql, all) }
          }),
        )
        expect(read.all).toEqual(organizations.map((organization) => ({ organization, name: "checkout" })))
        expect(new Set(read.shards)).toEqual(new Set(read.all))

        yield* migrate(connection, [
          ...migrations,
          [
            'CREATE TABLE later (organization text COLLATE "C" PRIMARY KEY, n int)',
            "ALTER TABLE alerts ADD COLUMN n int",
          ],
        ])
        const tables = yield* on(connection)(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql<{ readonly name: string; readonly kind: string; readonly group: number }>`
              SELECT logicalrelid::text AS name, partmethod::text AS kind, colocationid AS group
              FROM pg_dist_partition JOIN pg_class c ON c.oid = logicalrelid WHERE NOT c.relispartition`,
          ),
        )
        expect(tables.map(({ name }) => name).toSorted()).toEqual([...distributed, "later"].toSorted())
        const ofOrganizations = tables.filter(({ kind }) => kind === "h")
        expect(ofOrganizations.map(({ name }) => name)).toContain("later")
        expect(new Set(ofOrganizations.map(({ group }) => group)).size).toBe(1)
        yield* Effect.provide(Effect.andThen(fill, isComplete), storesOn(connection))
      }),
  )
})

const unrecorded = Effect.provideService(Statement.CurrentTransformer, undefined)

describe("maintenance", () => {
  it.effect("finds rows of all organizations, and changes those of one after the other", () =>
    Effect.gen(function* () {
      yield* fill
      const sql = yield* SqlClient.SqlClient
      const other = makeSecretBox({
        current: Redacted.make(new Uint8Array(32).fill(2)),
        previous: [Redacted.make(new Uint8Array(32).fill(1))],
      })
      expect(yield* Effect.provideService(resealSecrets, SecretBox, other)).toBe(organizations.length)
      expect(yield* Effect.provideService(resealSecrets, SecretBox, other)).toBe(0)
      yield* dropOldAlerts(sql, 30 * day)
      expect(yield* unrecorded(sql`SELECT FROM alerts`)).toHaveLength(organizations.length)
      // Their reports are made.
      yield* unrecorded(sql`UPDATE report_schedules SET period_from = 1`)
      yield* dropOldAlerts(sql, 31 * day)
      expect(yield* unrecorded(sql`SELECT 1 FROM alerts UNION ALL SELECT 1 FROM alert_subjects`)).toEqual([])
      yield* expectStatementsOfOneOrganization
    }).pipe(Effect.provide(stores.pipe(Layer.provideMerge(layer), Layer.provideMerge(recordStatements)))),
  )

  it.effect("creates and drops partitions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const table = { table: "count_days", partitionMs: 28 * day }
      yield* ensurePartitions(sql, table, 1_000 * 28 * day, 1_001 * 28 * day)
      const partitions = sql`
        SELECT FROM pg_inherits WHERE inhparent = 'count_days'::regclass AND inhrelid::regclass::text >= 'count_days_2'`
      expect(yield* partitions).toHaveLength(2)
      yield* dropPartitionsBefore(sql, table, 1_002 * 28 * day)
      expect(yield* partitions).toEqual([])
    }).pipe(Effect.provide(layer)),
  )
})
