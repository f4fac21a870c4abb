import { allParticipants } from "@tocsin/domain/features"
import * as PgDatabase from "../../src/database/PgDatabase.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as AnnotationStorePg from "../../src/slo/AnnotationStorePg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { organizationTables } from "../../src/transfer/ExportedTables.ts"
import { applyDefinitions, deleteDefinitions, moveSlos } from "@tocsin/domain"
import { expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { anAnnotation, storedDocuments } from "../../../../test/contract/mixed-batches.ts"
import {
  aBudgetAdjustment,
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  anSlo,
  decodeOptions,
} from "../../../../test/definition/valid-definitions.ts"
import { connection, onOneServer } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = allParticipants.pipe(
  Layer.provideMerge(
    Layer.mergeAll(SloStorePg.layer, CountStorePg.layer, DefinitionStorePg.layer, AnnotationStorePg.layer),
  ),
  Layer.provide(DeliveryHints.layer),
  Layer.provideMerge(layer),
)

type Change = (
  organization: string,
) => Effect.Effect<Exit.Exit<unknown, unknown>, never, Layer.Success<typeof stores>>

const documents = [
  aProject(),
  aService(),
  anAlertMethod(),
  anAlertPolicy(),
  anSlo("checkout"),
  anAnnotation("n1", "checkout"),
]

/** Locks a table against writes until the effect ends. */
const whileLocked = <A, E, R>(table: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const [isLocked, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const lock = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE ${sql(table)} IN EXCLUSIVE MODE`
          yield* Deferred.succeed(isLocked, undefined)
          yield* Deferred.await(isOver)
        }),
      ),
    ).pipe(Effect.provide(Layer.fresh(PgDatabase.layer({ connection, connectionsMax: 1 }))))
    const locking = yield* Effect.forkChild(lock)
    yield* Deferred.await(isLocked)
    const result = yield* effect
    yield* Deferred.succeed(isOver, undefined)
    yield* Fiber.join(locking)
    return result
  })

it.effect(
  "spec/definitions §9: a request whose connection is killed before its last write stores nothing",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const done = yield* whileLocked(
        "annotations",
        Effect.gen(function* () {
          const request = yield* Effect.forkChild(
            Effect.exit(applyDefinitions("acme", documents, decodeOptions)),
          )
          const kill = sql`
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND query LIKE '%INSERT INTO annotations%'`
          yield* Effect.repeat(kill, { until: (killed) => killed.length > 0 })
          return yield* Fiber.join(request)
        }),
      )
      expect(Exit.isFailure(done)).toBe(true)
      expect((yield* storedDocuments).size).toBe(0)
      yield* applyDefinitions("acme", documents, decodeOptions)
      expect((yield* storedDocuments).size).toBe(documents.length)
    }).pipe(Effect.provide(stores)),
  onOneServer,
)

const written = [...documents, aBudgetAdjustment(), anAnnotation("n2", "checkout")]

const moved = { sloNames: ["checkout"], oldProject: "shop", newProject: "store", detachAlertPolicies: true }

/** Changes of several kinds of documents at once, each from what is stored before it. */
const changes: ReadonlyArray<readonly [name: string, before: ReadonlyArray<unknown>, change: Change]> = [
  [
    "an apply",
    [],
    (organization: string) => Effect.exit(applyDefinitions(organization, written, decodeOptions)),
  ],
  [
    "a deletion",
    written,
    (organization: string) => Effect.exit(deleteDefinitions(organization, written, decodeOptions)),
  ],
  ["a move", written, (organization: string) => Effect.exit(moveSlos(organization, moved))],
]

/** All rows of an organization, by table. */
const rowsOf = (organization: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(organizationTables, (table) =>
      Effect.map(
        sql<{ row: string }>`
          SELECT t::text AS row FROM ${sql(table)} t WHERE organization = ${organization} ORDER BY 1`,
        (rows): [string, ReadonlyArray<string>] => [table, rows.map(({ row }) => row)],
      ),
    ),
  )

it.effect.each(changes)(
  "spec/definitions §9, §11: %s whose connection is killed before any of its writes changes nothing",
  ([name, before, change]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const killedBefore: Array<string> = []
      for (const table of organizationTables) {
        const organization = `${name.replaceAll(" ", "-")}-${table}`
        if (before.length > 0) yield* applyDefinitions(organization, before, decodeOptions)
        const rows = yield* rowsOf(organization)
        const done = yield* whileLocked(
          table,
          Effect.gen(function* () {
            const request = yield* Effect.forkChild(change(organization))
            const kill = sql`
              SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND wait_event_type = 'Lock'`
            yield* Effect.repeat(kill, {
              until: (killed) => killed.length > 0 || request.pollUnsafe() !== undefined,
            })
            return yield* Fiber.join(request)
          }),
        )
        if (Exit.isSuccess(done)) continue
        killedBefore.push(table)
        expect([table, yield* rowsOf(organization)]).toEqual([table, rows])
      }
      expect(killedBefore).toEqual(expect.arrayContaining(["definitions", "slos", "annotations"]))
    }).pipe(Effect.provide(stores)),
  onOneServer,
)
