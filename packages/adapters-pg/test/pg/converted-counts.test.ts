import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { convertStep, renameObjectiveTables } from "../../src/slo/ConvertCounts.ts"
import { CountStore } from "@tocsin/domain/ports"
import { putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { layer } from "./AdapterDatabase.ts"
import { act, given, ofObjectives, ofSlo, organization, range, readBoth, sloWith } from "./CountForms.ts"

const stores = Layer.mergeAll(CountStorePg.layer, DefinitionStorePg.layer, SloStorePg.layer).pipe(
  Layer.provideMerge(layer),
)

/** Renames the tables with rows of objectives until the end of the test. */
const renamed = Effect.acquireRelease(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE schema_migrations SET applied_at = 'epoch'`
    expect(yield* renameObjectiveTables(sql)).toBe(true)
  }),
  () =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.forEach(
        [
          "ALTER TABLE objective_hours RENAME TO count_hours",
          "ALTER TABLE objective_days RENAME TO count_days",
          "ALTER TABLE slos ALTER COLUMN count_rows SET DEFAULT 'slo'",
        ],
        (statement) => sql.unsafe(statement),
      ),
    ).pipe(Effect.orDie),
)

const tables = ["objective_hours", "objective_days", "slo_hours", "slo_days"]

describe("the conversion of the counts of an SLO", () => {
  it.effect("changes nothing that is read, whatever is recorded and judged anew meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* renamed
      const store = yield* CountStore
      const step = fc.integer({ min: 1, max: 20 }).map((rows) => ({ what: "convert" as const, rows }))
      for (const [acts, ranges] of fc.sample(
        fc.tuple(
          fc.array(fc.oneof(act, step, step), { minLength: 8, maxLength: 20 }),
          fc.array(range, { minLength: 3, maxLength: 6 }),
        ),
        8,
      )) {
        yield* given
        const expectSame = Effect.gen(function* () {
          const [a, b] = yield* readBoth(ranges)
          expect(a).toEqual(b)
        })
        for (const each of acts) {
          if (each.what === "record") {
            yield* store.record(organization, [
              { slo: ofObjectives, counts: each.counts },
              { slo: ofSlo, counts: each.counts },
            ])
          } else if (each.what === "judge") {
            yield* putDefinitions(organization, [
              sloWith(ofObjectives, each.timeSliceTarget),
              sloWith(ofSlo, each.timeSliceTarget),
            ])
          } else yield* convertStep(sql, organization, ofObjectives, each.rows)
          yield* expectSame
        }
        while (yield* convertStep(sql, organization, ofObjectives, 50)) yield* expectSame
        yield* expectSame
        for (const table of ["objective_hours", "objective_days"])
          expect(yield* sql`SELECT FROM ${sql(table)}`).toEqual([])
        for (const table of ["slo_hours", "slo_days"]) {
          const rows = (slo: typeof ofSlo) =>
            sql`SELECT * FROM (SELECT to_jsonb(t) - 'slo' AS row FROM ${sql(table)} t WHERE slo = ${slo.name} ORDER BY at) r`
          expect(yield* rows(ofObjectives)).toEqual(yield* rows(ofSlo))
        }
        for (const table of [...tables, "slos", "definitions"]) yield* sql`DELETE FROM ${sql(table)}`
      }
    }).pipe(Effect.provide(stores)),
  )
})
