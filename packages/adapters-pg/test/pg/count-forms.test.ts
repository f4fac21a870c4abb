import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import type { Slo } from "@tocsin/domain/definitions"
import type { MinuteRange } from "@tocsin/domain/codec"
import { type Count, CountStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(CountStorePg.layer, DefinitionStorePg.layer, SloStorePg.layer).pipe(
  Layer.provideMerge(layer),
)

const organization = "acme"
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.UTC(2026, 0, 20)

/** One with rows of its objectives, as in databases of earlier versions, and one with rows of its own. */
const ofObjectives = { project: "shop", name: "of-objectives" }
const ofSlo = { project: "shop", name: "of-slo" }

/** An SLO whose days have states and a legacy composite, by a rule that can be changed. */
const sloWith = (key: typeof ofSlo, timeSliceTarget: number): Slo =>
  anSlo(key, {
    budgetingMethod: "Timeslices",
    emptyTimeSlices: "lastState",
    objectives: [
      { name: "good", target: 0.9, timeSliceTarget },
      { name: "great", target: 0.99, timeSliceTarget: 0.95 },
    ],
    composite: { target: 0.9 },
  })

const tracks = new Set(["good", "great", ""])

const count: fc.Arbitrary<Count> = fc
  .record({
    objective: fc.constantFrom("good", "great"),
    minutes: fc.oneof(
      fc.nat(20 * 24 * 60 - 1),
      fc.nat(120),
      fc.integer({ min: 19 * 24 * 60, max: 20 * 24 * 60 - 1 }),
    ),
    total: fc.oneof(
      fc.nat(5_000),
      fc.constant(0),
      fc.integer({ min: 1, max: 999 }).map((n) => n / 8),
    ),
    share: fc.constantFrom(1, 1, 0.96, 0.5, 0),
  })
  .map(({ objective, minutes, total, share }) => ({
    objective,
    at: start + minutes * minute,
    total,
    good: Number.isInteger(total) ? Math.round(total * share) : total * share,
  }))

const uniqueCounts = fc.uniqueArray(count, {
  selector: ({ objective, at }) => `${objective} ${at}`,
  minLength: 1,
  maxLength: 60,
})

const range: fc.Arbitrary<MinuteRange> = fc
  .tuple(fc.nat(20 * 24 * 60), fc.oneof(fc.nat(60), fc.nat(20 * 24 * 60)))
  .map(([from, length]) => ({ from: start + from * minute, to: start + (from + length) * minute }))

type Act =
  | { readonly what: "record"; readonly counts: ReadonlyArray<Count> }
  | { readonly what: "judge"; readonly timeSliceTarget: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  uniqueCounts.map((counts) => ({ what: "record" as const, counts })),
  fc.constantFrom(0.5, 0.96, 1).map((timeSliceTarget) => ({ what: "judge" as const, timeSliceTarget })),
)

/** `value` with numbers of `expected` where its own differ by rounding only, as sums do that are added up in another order. */
const withRoundingOf = (expected: unknown, value: unknown): unknown => {
  if (typeof value === "number" && typeof expected === "number")
    return Math.abs(value - expected) <= 1e-12 * Math.max(Math.abs(value), Math.abs(expected))
      ? expected
      : value
  if (Array.isArray(value) && Array.isArray(expected))
    return value.map((each: unknown, index) => withRoundingOf(expected[index], each))
  if (typeof value === "object" && value !== null && typeof expected === "object" && expected !== null) {
    const others = new Map<string, unknown>(Object.entries(expected))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, withRoundingOf(others.get(key), each)]),
    )
  }
  return value
}

const readBoth = (ranges: ReadonlyArray<MinuteRange>) =>
  Effect.gen(function* () {
    const store = yield* CountStore
    const read = (slo: typeof ofSlo) =>
      Effect.gen(function* () {
        const sorted = (sums: ReadonlyArray<{ readonly objective: string }>) =>
          sums.toSorted((a, b) => (a.objective < b.objective ? -1 : 1))
        const all: Array<unknown> = []
        for (const hasStates of [false, true]) {
          for (const some of [ranges.slice(0, 3), Array.from({ length: 20 }, () => ranges).flat()]) {
            const [found] = yield* store.sums([{ organization, slo, ranges: some, hasStates }])
            // Without being asked for, states may be there or not.
            all.push(
              found?.sums.map((sums) =>
                sorted(sums).map((each) => (hasStates ? each : { ...each, states: undefined })),
              ),
              [...(found?.latestAt ?? [])],
            )
          }
        }
        const hours = yield* store.hours({
          organization,
          slo,
          range: { from: start, to: start + 20 * day },
          tracks,
        })
        return [all, hours.toSorted((a, b) => a.at - b.at || (a.track < b.track ? -1 : 1))]
      })
    const expected = yield* read(ofSlo)
    return [withRoundingOf(expected, yield* read(ofObjectives)), expected] as const
  })

const rowsOf = (sql: SqlClient.SqlClient, slo: typeof ofSlo) =>
  Effect.all([
    sql`SELECT at, counts FROM slo_hours WHERE slo = ${slo.name} ORDER BY at`,
    sql`SELECT at, sums, hours FROM slo_days WHERE slo = ${slo.name} ORDER BY at`,
    sql`SELECT open_hour, latest_at FROM slos WHERE name = ${slo.name}`,
  ])

const given = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(start + 20 * day)
  yield* putDefinitions(organization, [sloWith(ofObjectives, 0.9), sloWith(ofSlo, 0.9)])
  yield* sql`UPDATE slos SET count_rows = 'objective' WHERE name = ${ofObjectives.name}`
  return sql
})

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
