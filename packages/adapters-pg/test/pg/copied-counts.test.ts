import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { copyCounts, copyStep } from "../../src/slo/CopyCounts.ts"
import { migrations } from "../../src/migrations/Migrations.ts"
import type { Slo } from "@tocsin/domain/definitions"
import type { MinuteRange } from "@tocsin/domain/codec"
import { type Count, CountStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
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

/** One that is copied, and one that has rows of its own from the start. */
const copied = { project: "shop", name: "copied" }
const other = { project: "shop", name: "other" }

/** An SLO whose days have states and a legacy composite, by a rule that can be changed. */
const sloWith = (key: typeof copied, timeSliceTarget: number): Slo =>
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
  | { readonly what: "copy"; readonly steps: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  uniqueCounts.map((counts) => ({ what: "record" as const, counts })),
  fc.constantFrom(0.5, 0.96, 1).map((timeSliceTarget) => ({ what: "judge" as const, timeSliceTarget })),
  fc.integer({ min: 1, max: 3 }).map((steps) => ({ what: "copy" as const, steps })),
  fc.integer({ min: 1, max: 3 }).map((steps) => ({ what: "copy" as const, steps })),
)

const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === "number" ? Number(each.toPrecision(9)) : each,
    ),
  )

const readBoth = (ranges: ReadonlyArray<MinuteRange>) =>
  Effect.gen(function* () {
    const store = yield* CountStore
    const read = (slo: typeof copied) =>
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
        return [rounded(all), hours.toSorted((a, b) => a.at - b.at || (a.track < b.track ? -1 : 1))]
      })
    return [yield* read(copied), yield* read(other)] as const
  })

const rowsOf = (sql: SqlClient.SqlClient, slo: typeof copied) =>
  Effect.all([
    sql`SELECT at, counts FROM slo_hours WHERE slo = ${slo.name} ORDER BY at`,
    sql`SELECT at, sums, hours FROM slo_days WHERE slo = ${slo.name} ORDER BY at`,
    sql`SELECT open_hour, latest_at FROM slos WHERE name = ${slo.name}`,
  ])

const formOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly count_rows: string }>`SELECT count_rows FROM slos WHERE name = ${copied.name}`,
    (rows) => rows[0]?.count_rows,
  )

const leftOf = (sql: SqlClient.SqlClient) => sql`SELECT 1 FROM count_hours UNION ALL SELECT 2 FROM count_days`

const given = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(start + 20 * day)
  yield* putDefinitions(organization, [sloWith(copied, 0.9), sloWith(other, 0.9)])
  yield* sql`UPDATE slos SET count_rows = 'objective' WHERE name = ${copied.name}`
  yield* sql`UPDATE schema_migrations SET applied_at = now() - interval '1 hour'`
  return sql
})

describe("rows of objectives", () => {
  it.effect(
    "are rewritten as they would have been written, and are read alike meanwhile, whatever is recorded and judged anew",
    () =>
      Effect.gen(function* () {
        for (const [acts, ranges] of fc.sample(
          fc.tuple(
            fc.array(act, { minLength: 6, maxLength: 14 }),
            fc.array(range, { minLength: 3, maxLength: 6 }),
          ),
          8,
        )) {
          const sql = yield* given
          const store = yield* CountStore
          for (const each of acts) {
            if (each.what === "record") {
              yield* store.record(organization, [
                { slo: copied, counts: each.counts },
                { slo: other, counts: each.counts },
              ])
            } else if (each.what === "judge") {
              yield* putDefinitions(organization, [
                sloWith(copied, each.timeSliceTarget),
                sloWith(other, each.timeSliceTarget),
              ])
            } else {
              for (let step = 0; step < each.steps; step++) yield* copyStep(sql, organization, copied)
            }
            const [a, b] = yield* readBoth(ranges)
            expect(a).toEqual(b)
          }
          for (let step = 0; step < 100 && (yield* copyStep(sql, organization, copied)) === "more"; step++);
          expect(yield* formOf(sql)).toBe("slo")
          expect(yield* leftOf(sql)).toEqual([])
          expect(yield* rowsOf(sql, copied)).toEqual(yield* rowsOf(sql, other))
          const [a, b] = yield* readBoth(ranges)
          expect(a).toEqual(b)
          yield* sql`DELETE FROM slo_hours`
          yield* sql`DELETE FROM slo_days`
          yield* sql`DELETE FROM slos`
          yield* sql`DELETE FROM definitions`
        }
      }).pipe(Effect.provide(stores)),
  )

  it.effect("are rewritten once no server of a version before has been alive for ten minutes", () =>
    Effect.gen(function* () {
      const sql = yield* given
      const counts = Array.from({ length: 30 }, (_, index) => ({
        objective: "good",
        at: start + index * 7 * hour,
        good: 1,
        total: 2,
      }))
      yield* (yield* CountStore).record(organization, [{ slo: copied, counts }])
      const now = Number((yield* sql<{ readonly now: number }>`SELECT now_ms() AS now`)[0]?.now)
      yield* sql`INSERT INTO queue_processes (id, alive_until, schema_version) VALUES ('new', ${now + day}, ${migrations.length})`
      yield* sql`INSERT INTO queue_processes (id, alive_until) VALUES ('old', ${now - 5 * minute})`
      expect(yield* copyCounts).toBe(false)
      expect(yield* formOf(sql)).toBe("objective")
      yield* sql`DELETE FROM queue_processes WHERE id = 'old'`
      yield* sql`UPDATE schema_migrations SET applied_at = now() - interval '5 minutes'`
      expect(yield* copyCounts).toBe(false)
      expect(yield* formOf(sql)).toBe("objective")
      yield* sql`UPDATE schema_migrations SET applied_at = now() - interval '1 hour'`
      yield* sql`INSERT INTO queue_processes (id, alive_until) VALUES ('old', ${now - 5 * minute})`
      expect(yield* copyStep(sql, organization, copied)).toBe("wait")
      yield* sql`UPDATE queue_processes SET alive_until = ${now - 11 * minute} WHERE id = 'old'`
      const copying = yield* Effect.forkChild(copyCounts)
      while (copying.pollUnsafe() === undefined) {
        yield* TestClock.adjust(minute)
        yield* Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))
      }
      expect(yield* Fiber.join(copying)).toBe(true)
      expect(yield* formOf(sql)).toBe("slo")
      expect(yield* leftOf(sql)).toEqual([])
      const { hours } = yield* Effect.map(
        (yield* CountStore).hours({
          organization,
          slo: copied,
          range: { from: start, to: start + 20 * day },
          tracks,
        }),
        (hours) => ({ hours: hours.filter(({ track }) => track === "good") }),
      )
      expect(hours).toHaveLength(30)
    }).pipe(Effect.provide(stores)),
  )

  it.effect("that cannot be read stay as they are, and keep those of no other SLO from being rewritten", () =>
    Effect.gen(function* () {
      const sql = yield* given
      const counts = [{ objective: "good", at: start, good: 1, total: 2 }]
      yield* sql`UPDATE slos SET count_rows = 'objective'`
      yield* (yield* CountStore).record(organization, [
        { slo: copied, counts },
        { slo: other, counts },
      ])
      yield* sql`UPDATE count_hours SET packed = '\\x02' WHERE slo = ${copied.name}`
      expect(
        yield* Effect.raceFirst(
          copyCounts,
          Effect.forever(Effect.andThen(TestClock.adjust(minute), Effect.yieldNow)),
        ),
      ).toBe(true)
      expect(yield* sql`SELECT name, count_rows FROM slos ORDER BY name`).toEqual([
        { name: copied.name, count_rows: "copying" },
        { name: other.name, count_rows: "slo" },
      ])
      expect(yield* sql`SELECT slo FROM count_hours GROUP BY slo`).toEqual([{ slo: copied.name }])
    }).pipe(Effect.provide(stores)),
  )

  it.effect("are read of the days of a step only, and those of the latest day in the last step", () =>
    Effect.gen(function* () {
      const sql = yield* given
      const store = yield* CountStore
      const daily = Array.from({ length: 20 }, (_, index) => ({
        objective: "good",
        at: start + index * day,
        good: 1,
        total: 2,
      }))
      yield* store.record(organization, [{ slo: copied, counts: daily }])
      const copiedDays = Effect.map(
        sql<{ readonly at: number }>`SELECT at FROM slo_hours ORDER BY at`,
        (rows) => rows.map(({ at }) => (at - start) / day),
      )
      expect(yield* copyStep(sql, organization, copied)).toBe("more")
      expect(yield* copyStep(sql, organization, copied)).toBe("more")
      expect(yield* copiedDays).toEqual([12, 13, 14, 15, 16, 17, 18])
      yield* store.record(organization, [
        { slo: copied, counts: [{ objective: "good", at: start + 18 * day, good: 2, total: 2 }] },
      ])
      // A step that read these would fail.
      yield* sql`UPDATE count_hours SET packed = '\\x02' WHERE at >= ${start + 12 * day} AND at < ${start + 18 * day}`
      expect(yield* copyStep(sql, organization, copied)).toBe("more")
      expect(yield* copiedDays).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18])
      for (let step = 0; step < 10 && (yield* copyStep(sql, organization, copied)) === "more"; step++);
      expect(yield* formOf(sql)).toBe("slo")
      expect(yield* copiedDays).toEqual(Array.from({ length: 20 }, (_, index) => index))
    }).pipe(Effect.provide(stores)),
  )

  it.effect("of days without hours end the rewriting", () =>
    Effect.gen(function* () {
      const sql = yield* given
      const counts = Array.from({ length: 20 }, (_, index) => ({
        objective: "good",
        at: start + index * day,
        good: 1,
        total: 2,
      }))
      yield* (yield* CountStore).record(organization, [{ slo: copied, counts }])
      yield* sql`DELETE FROM count_hours WHERE at >= ${start + 2 * day}`
      for (let step = 0; step < 10 && (yield* copyStep(sql, organization, copied)) === "more"; step++);
      expect(yield* formOf(sql)).toBe("slo")
      expect(yield* sql`SELECT at FROM slo_days ORDER BY at`).toEqual([{ at: start }])
    }).pipe(Effect.provide(stores)),
  )

  it.effect("are rewritten by one process at a time", () =>
    Effect.gen(function* () {
      const sql = yield* given
      const isHeld = yield* Deferred.make<void>()
      const mayEnd = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('copy counts', 0))`
            yield* Deferred.succeed(isHeld, undefined)
            yield* Deferred.await(mayEnd)
          }),
        ),
      )
      yield* Deferred.await(isHeld)
      expect(yield* copyStep(sql, organization, copied)).toBe("wait")
      expect(yield* copyCounts).toBe(false)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(holder)
      expect(yield* copyStep(sql, organization, copied)).toBe("more")
    }).pipe(Effect.provide(stores)),
  )
})

describe("days of SLOs", () => {
  it.effect("are made of their hours where they are missing or cannot be read", () =>
    Effect.gen(function* () {
      const sql = yield* given
      yield* sql`UPDATE slos SET count_rows = 'slo'`
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
      const record = (slo: typeof copied, hours: ReadonlyArray<number>) =>
        store.record(organization, [{ slo, counts: countsAt(hours) }])
      for (const slo of [copied, other]) yield* record(slo, [1, 2, 3, 25, 26, 50])
      yield* sql`DELETE FROM slo_days WHERE slo = ${copied.name} AND at = ${start}`
      yield* sql`UPDATE slo_days SET hours = '\\x63' WHERE slo = ${copied.name} AND at = ${start + day}`
      for (const slo of [copied, other]) yield* record(slo, [5, 27, 51])
      expect(yield* rowsOf(sql, copied)).toEqual(yield* rowsOf(sql, other))
      expect((yield* rowsOf(sql, copied))[1]).toHaveLength(3)
    }).pipe(Effect.provide(stores)),
  )
})
