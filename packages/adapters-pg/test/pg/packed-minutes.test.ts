import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import type { MinuteRange } from "@tocsin/domain/codec"
import { type Count, CountStore, type StoreIsUnavailable } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(CountStorePg.layer, DefinitionStorePg.layer, SloStorePg.layer).pipe(
  Layer.provideMerge(layer),
)

const organization = "acme"
const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 0, 30)
const key = { project: "shop", name: "checkout" }

/** Whole and fractional events, and no counts in some minutes. */
const counts = Array.from({ length: 300 }, (_, index): Count => ({
  objective: index % 2 === 0 ? "good" : "great",
  at: start + Math.floor(index / 2) * minute + (index > 200 ? 7 * minute : 0),
  good: index % 7 === 0 ? 0.3 * index : index,
  total: index % 7 === 0 ? 0.4 * index : index + (index % 5),
}))

/** A few ranges, and as many as a series has. */
const few = [
  { from: start + 3 * minute, to: start + 130 * minute },
  { from: start + 65 * minute, to: start + 70 * minute },
]
const many = Array.from({ length: 40 }, (_, index) => ({
  from: start + index * minute,
  to: start + (index + 90) * minute,
}))

const readAll = Effect.gen(function* () {
  const store = yield* CountStore
  const slo = { organization, slo: key }
  const range = { from: start, to: start + 4 * hour }
  const hours = yield* store.hours([{ ...slo, range, tracks: new Set(["good", "great"]) }])
  const sums = yield* store.sums([few, many].map((ranges) => ({ ...slo, ranges })))
  return { sums, hours: hours.flat().toSorted((a, b) => a.at - b.at || (a.track < b.track ? -1 : 1)) }
})

const given = Effect.gen(function* () {
  yield* TestClock.setTime(start + 6 * hour)
  yield* putDefinitions(organization, [anSlo(key)])
  yield* (yield* CountStore).record(organization, [{ slo: key, counts }])
})

describe("the minutes of an hour", () => {
  it.effect(
    "are read as well from arrays, which are packed when a count changes and the SLO packs its counts",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* putDefinitions(organization, [anSlo(key)])
        yield* sql`UPDATE slos SET count_rows = 'objective'`
        yield* given
        const expected = yield* readAll
        expect(expected.hours).toHaveLength(6)
        expect(yield* sql`SELECT FROM count_hours WHERE minute_good IS NOT NULL OR packed IS NULL`).toEqual(
          [],
        )
        yield* sql`DELETE FROM count_hours`
        yield* sql`UPDATE slos SET packs_counts = false`
        yield* (yield* CountStore).record(organization, [{ slo: key, counts }])
        expect(yield* sql`SELECT FROM count_hours WHERE minute_good IS NULL OR packed IS NOT NULL`).toEqual(
          [],
        )
        expect(yield* readAll).toEqual(expected)
        yield* sql`UPDATE slos SET packs_counts = true`
        const changed = { objective: "good", at: start + minute, good: 5, total: 6 }
        yield* (yield* CountStore).record(organization, [{ slo: key, counts: [changed] }])
        const packed = yield* sql`SELECT at, objective FROM count_hours WHERE packed IS NOT NULL`
        expect(packed).toEqual([{ at: start, objective: "good" }])
        const { hours } = yield* readAll
        expect(hours[0]?.counts.good.slice(0, 4)).toEqual([
          0,
          5,
          ...(expected.hours[0]?.counts.good.slice(2, 4) ?? []),
        ])
        expect(hours.slice(1)).toEqual(expected.hours.slice(1))
      }).pipe(Effect.provide(stores)),
  )

  it.effect("fail what reads them when they have another version, and are named", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* given
      const store = yield* CountStore
      const read = { organization, slo: key }
      const range = { from: start, to: start + hour }
      const sums = (ranges: ReadonlyArray<MinuteRange>) => store.sums([{ ...read, ranges }])
      const hours = store.hours([{ ...read, range, tracks: new Set(["good"]) }])
      const late = store.record(organization, [
        { slo: key, counts: counts.slice(1, 2).map((each) => ({ ...each, good: 0, total: 9 })) },
      ])
      const fails = (effect: Effect.Effect<unknown, StoreIsUnavailable>, row: string) =>
        Effect.map(Effect.flip(effect), (failure) => {
          expect(failure).toMatchObject({ isRetryable: false })
          expect(failure.cause).toMatchObject({ row })
        })
      yield* sql`UPDATE slo_days SET sums = '\\x02'`
      const whole = { from: start, to: start + 24 * hour }
      yield* fails(sums([whole]), "sums of day 2026-01-30T00:00:00.000Z of SLO shop/checkout")
      expect(yield* sums(few)).toHaveLength(1)
      yield* sql`UPDATE slo_days SET hours = '\\x02'`
      yield* fails(
        sums([{ from: start, to: start + 2 * hour }]),
        "sums of the hours of day 2026-01-30T00:00:00.000Z of SLO shop/checkout",
      )
      // A change makes the day of its hours.
      expect(yield* late).toEqual([])
      expect(yield* sums([whole, { from: start, to: start + 2 * hour }])).toHaveLength(1)
      yield* sql`UPDATE slo_hours SET counts = '\\x01' WHERE at = ${start}`
      yield* fails(
        sums([{ from: start, to: start + 5 * minute }]),
        "hour 2026-01-30T00:00:00.000Z of SLO shop/checkout",
      )
      yield* fails(hours, "hour 2026-01-30T00:00:00.000Z of SLO shop/checkout")
      yield* fails(late, "hour 2026-01-30T00:00:00.000Z of SLO shop/checkout")
      yield* sql`UPDATE slos SET count_rows = 'objective'`
      yield* (yield* CountStore).record(organization, [{ slo: key, counts }])
      yield* sql`UPDATE count_hours SET packed = '\\x02' WHERE organization = ${organization}`
      for (const ranges of [few, many]) yield* fails(sums(ranges), "hour of counts")
      yield* fails(hours, "hour of counts")
      yield* fails(late, "hour of counts")
    }).pipe(Effect.provide(stores)),
  )
})
