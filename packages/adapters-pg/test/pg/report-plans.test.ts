import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as ReportStorePg from "../../src/slo/ReportStorePg.ts"
import { definitionToStored } from "@tocsin/domain/adapter"
import { type DefinitionStore, ReportStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { statementsOf } from "../../../../test/pg/Statements.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(ReportStorePg.layer, DefinitionStorePg.layer).pipe(Layer.provideMerge(layer))

const organization = "acme"
const key = { project: "p-50", name: "o-20050" }

describe("on 20,000 SLOs with 100,000 reports", () => {
  it.effect(
    "spec/reports §5: no query of theirs reads a whole table",
    () =>
      Effect.gen(function* () {
        yield* fill
        const store = yield* ReportStore
        const [claimed] = yield* store.claim(1, 1, 60_000)
        if (claimed === undefined) return yield* Effect.die(new Error("nothing is due"))
        const next = { period: { from: 1, to: 2 }, dueAt: 5_000 }
        const report = {
          id: "new",
          slo: key,
          period: claimed.period,
          createdAt: 0,
          document: "{}",
          keyId: "k",
          signature: "s",
        }
        const page = { limit: 50 }
        const after = { ...page, after: { from: 2, id: "r-50" } }
        const operations: Record<string, Effect.Effect<unknown, unknown, DefinitionStore>> = {
          "a claim": store.claim(100, 50, 60_000),
          "a report": store.settle(claimed, next, report),
          "a report on demand": store.add(organization, { ...report, id: "newer" }, 100),
          "a look-up by period": store.findByPeriod(organization, key, { from: 3, to: 4 }),
          "a look-up": store.find(organization, "r-5"),
          "a list": store.list(organization, {}, after),
          "a list of a project": store.list(organization, { project: "p-7" }, after),
          "a list of an SLO": store.list(organization, { project: key.project, slo: key.name }, page),
          "a list of a period": store.list(organization, { from: 3, to: 4 }, page),
          "an SLO": putDefinitions(organization, [anSlo(key)]),
        }
        for (const [what, operation] of Object.entries(operations)) {
          const statements = yield* statementsOf(operation)
          expect(statements.length, what).toBeGreaterThan(0)
          for (const { text, plan } of statements) {
            expect(plan, `${what}: ${text}\n${plan}`).not.toMatch(
              /Seq Scan on (?:reports|report_schedules|definitions|slos)\b|Sort Key: period_from/,
            )
          }
        }
      }).pipe(Effect.provide(stores)),
    120_000,
  )

  it.effect(
    "spec/reports §2: callers that claim at once are handed each SLO once",
    () =>
      Effect.gen(function* () {
        yield* fill
        const store = yield* ReportStore
        const claims = yield* Effect.all(
          Array.from({ length: 6 }, () => store.claim(10_000, 200, 60_000)),
          { concurrency: "unbounded" },
        )
        const names = claims.flat().map(({ slo }) => slo.name)
        expect(names.length).toBeGreaterThan(0)
        expect(new Set(names).size).toBe(names.length)
      }).pipe(Effect.provide(stores)),
    120_000,
  )
})

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = [
    "INSERT INTO organizations VALUES ('acme', 1)",
    `INSERT INTO definitions (organization, kind, project, name, definition, labels, version, created_at, updated_at)
     SELECT 'acme', 'SLO', 'p-' || n % 100, 'o-' || n,
       replace('${definitionToStored(anSlo({ project: "p", name: "NAME" })).json}', 'NAME', 'o-' || n), '{}', 1, 0, 0
     FROM generate_series(1, 20050) AS n`,
    `INSERT INTO slos (organization, project, name, service, version)
     SELECT 'acme', project, name, 'web', 1 FROM definitions`,
    `INSERT INTO report_schedules
     SELECT 'acme', 'p-' || n % 100, 'o-' || n, 0, 1, n % 2000 FROM generate_series(1, 20050) AS n`,
    `INSERT INTO reports
     SELECT 'acme', 'r-' || n, 'p-' || n % 100, 'o-' || n % 20000, n / 20000, 1 + n / 20000, 0, '{}', 'k', 's'
     FROM generate_series(1, 100000) AS n`,
    "ANALYZE",
  ]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
}).pipe(Effect.orDie)
