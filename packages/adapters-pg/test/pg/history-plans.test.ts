import * as DefinitionHistoryPg from "../../src/definition/DefinitionHistoryPg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import { Quotas } from "@tocsin/domain"
import { changeDefinitions, type Definition, definitionKey } from "@tocsin/domain/adapter"
import type { DefinitionKey } from "@tocsin/domain/kernel"
import { DefinitionHistory, type DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { statementsOf } from "../../../../test/pg/Statements.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(DefinitionHistoryPg.layer, DefinitionStorePg.layer).pipe(
  Layer.provideMerge(layer),
)

const organization = "acme"
const key: DefinitionKey = { kind: "Service", project: "p-50", name: "o-50" }
const service: Definition = { kind: "Service", metadata: key, spec: { description: "new" } }

const write = (bytesOver: number) =>
  changeDefinitions(organization, [definitionKey(service)], "ci", () =>
    Result.succeed({ put: [{ definition: service, references: [] }], remove: [] }),
  ).pipe(Effect.provideService(Quotas, { ...Quotas.defaultValue(), historyBytes: 100_000 * 300 - bytesOver }))

describe("on 100,000 revisions of 20,000 definitions", () => {
  it.effect(
    "spec/definitions §13: no query of theirs reads a whole table",
    () =>
      Effect.gen(function* () {
        yield* fill
        const history = yield* DefinitionHistory
        const page = { limit: 50 }
        const place = { kind: "Service", project: "p-7", name: "o-7", number: 90_000 } as const
        const operations: Record<string, Effect.Effect<unknown, unknown, DefinitionStore>> = {
          "a list": history.list(organization, key, { ...page, after: 4 }),
          "a look-up": history.find(organization, key, 3),
          "deleted ones": history.listDeleted(organization, {}, page),
          "deleted ones of a project": history.listDeleted(organization, { project: "p-7" }, page),
          "more deleted ones": history.listDeleted(organization, {}, { ...page, after: place }),
          "a change": write(-1_000),
          "a change beyond the quota": write(10_000),
        }
        for (const [what, operation] of Object.entries(operations)) {
          const statements = yield* statementsOf(operation)
          expect(statements.length, what).toBeGreaterThan(0)
          for (const { text, plan } of statements) {
            expect(plan, `${what}: ${text}\n${plan}`).not.toMatch(
              /Seq Scan on (?:definition_revisions|definitions)\b/,
            )
          }
        }
      }).pipe(Effect.provide(stores)),
    120_000,
  )
})

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = [
    `INSERT INTO organizations VALUES ('acme', 100000, ${100_000 * 300}), ('globex', 100000, ${100_000 * 300})`,
    ...["acme", "globex"].map(
      (each) => `INSERT INTO definition_revisions
        SELECT '${each}', 'Service', 'p-' || n % 100, 'o-' || n % 20000, n, n, 'ci',
          CASE WHEN n % 50 = 0 THEN 'deleted' ELSE 'updated' END, false, NULL, '{"kind":"Service"}', 300
        FROM generate_series(1, 100000) AS n`,
    ),
    "ANALYZE",
  ]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
}).pipe(Effect.orDie)
