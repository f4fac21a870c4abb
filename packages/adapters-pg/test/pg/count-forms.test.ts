import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { CountStore } from "@tocsin/domain/ports"
import { putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { layer } from "./AdapterDatabase.ts"
import {
  act,
  day,
  given,
  hour,
  ofObjectives,
  ofSlo,
  organization,
  range,
  readBoth,
  sloWith,
  start,
} from "./CountForms.ts"

const stores = Layer.mergeAll(CountStorePg.layer, DefinitionStorePg.layer, SloStorePg.layer).pipe(
  Layer.provideMerge(layer),
)

const rowsOf = (sql: SqlClient.SqlClient, slo: typeof ofSlo) =>
  Effect.all([
    sql`SELECT at, counts FROM slo_hours WHERE slo = ${slo.name} ORDER BY at`,
    sql`SELECT at, sums, hours FROM slo_days WHERE slo = ${slo.name} ORDER BY at`,
    sql`SELECT open_hour, latest_at FROM slos WHERE name = ${slo.name}`,
  ])

describe("rows of objectives and rows of SLOs", () => {
  it.effect("are read alike, whatever is recorded and judged anew", () =>
    Effect.gen(function* () {
      for (const [acts, ranges] of fc.sample(
        fc.tuple(
          fc.array(act, { minLength: 4, maxLength: 8 }),
          fc.array(range, { minLength: 3, maxLength: 6 }),
        ),
        8,
      )) {
        const sql = yield* given
        const store = yield* CountStore
        for (const each of acts) {
          if (each.what === "record") {
            yield* store.record(organization, [
              { slo: ofObjectives, counts: each.counts },
              { slo: ofSlo, counts: each.counts },
            ])
          } else {
            yield* putDefinitions(organization, [
              sloWith(ofObjectives, each.timeSliceTarget),
              sloWith(ofSlo, each.timeSliceTarget),
            ])
          }
          const [a, b] = yield* readBoth(ranges)
          expect(a).toEqual(b)
        }
        expect(yield* sql`SELECT DISTINCT slo FROM count_hours`).toEqual(
          acts.some(({ what }) => what === "record") ? [{ slo: ofObjectives.name }] : [],
        )
        for (const table of ["count_hours", "count_days", "slo_hours", "slo_days", "slos", "definitions"])
          yield* sql`DELETE FROM ${sql(table)}`
      }
    }).pipe(Effect.provide(stores)),
  )
})

describe("days of SLOs", () => {
  it.effect("are made of their hours where they are missing or cannot be read", () =>
    Effect.gen(function* () {
      const sql = yield* given
      yield* sql`UPDATE slos SET count_rows = 'slo'`
      const [repaired, intact] = [ofObjectives, ofSlo]
      const store = yield* CountStore
      const countsAt = (hours: ReadonlyArray<number>) =>
        hours.flatMap((index) =>
          ["good", "great"].map((objective) => ({
            objective,
            at: start + index * hour,
            good: index + 1,
            total: 30,
          })),
        )
      const record = (slo: typeof ofSlo, hours: ReadonlyArray<number>) =>
        store.record(organization, [{ slo, counts: countsAt(hours) }])
      for (const slo of [repaired, intact]) yield* record(slo, [1, 2, 3, 25, 26, 50])
      yield* sql`DELETE FROM slo_days WHERE slo = ${repaired.name} AND at = ${start}`
      yield* sql`UPDATE slo_days SET hours = '\\x63' WHERE slo = ${repaired.name} AND at = ${start + day}`
      for (const slo of [repaired, intact]) yield* record(slo, [5, 27, 51])
      expect(yield* rowsOf(sql, repaired)).toEqual(yield* rowsOf(sql, intact))
      expect((yield* rowsOf(sql, repaired))[1]).toHaveLength(3)
    }).pipe(Effect.provide(stores)),
  )

  it.effect(
    "can be written of the open hour when a later one is recorded, though their partition is missing",
    () =>
      Effect.gen(function* () {
        const sql = yield* given
        const store = yield* CountStore
        const record = (at: number) =>
          store.record(organization, [{ slo: ofSlo, counts: [{ objective: "good", at, good: 1, total: 2 }] }])
        const later = start + 40 * day
        yield* record(start)
        const partitions = yield* sql<{ readonly name: string }>`
        SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'slo_days'::regclass`
        for (const { name } of partitions) yield* sql`DROP TABLE ${sql(name)}`
        yield* record(later)
        expect(yield* sql`SELECT at FROM slo_days`).toEqual([{ at: start }])
        expect(yield* sql`SELECT open_hour FROM slos WHERE name = ${ofSlo.name}`).toEqual([
          { open_hour: later },
        ])
        const read = { organization, slo: ofSlo, ranges: [{ from: start, to: later + hour }] }
        expect(yield* store.sums([read])).toMatchObject([
          { sums: [[{ objective: "" }, { objective: "good", good: 2, total: 4 }]] },
        ])
      }).pipe(Effect.provide(stores)),
  )

  it.effect("are read for one SLO beside another without ranges", () =>
    Effect.gen(function* () {
      const sql = yield* given
      yield* sql`UPDATE slos SET count_rows = 'slo'`
      const store = yield* CountStore
      const counts = [{ objective: "good", at: start, good: 1, total: 2 }]
      yield* store.record(organization, [{ slo: ofSlo, counts }])
      const ranges = [
        { from: start, to: start + day },
        { from: start, to: start },
      ]
      const found = yield* store.sums([
        { organization, slo: ofObjectives, ranges: [] },
        { organization, slo: ofSlo, ranges },
      ])
      expect(found).toMatchObject([
        { sums: [] },
        { sums: [[{ objective: "" }, { objective: "good", total: 2 }], []] },
      ])
    }).pipe(Effect.provide(stores)),
  )
})
