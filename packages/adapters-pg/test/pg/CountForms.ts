import { renameObjectiveTables } from "../../src/slo/ConvertCounts.ts"
import type { Slo } from "@tocsin/domain/definitions"
import type { MinuteRange } from "@tocsin/domain/codec"
import { type Count, CountStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"

export const organization = "acme"
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const start = Date.UTC(2026, 0, 20)
/** The days that have counts, more than those of a partition. */
const days = 45

/** One with rows of its objectives, as in databases of earlier versions, and one with rows of its own. */
export const ofObjectives = { project: "shop", name: "of-objectives" }
export const ofSlo = { project: "shop", name: "of-slo" }

/** An SLO whose days have states and a legacy composite, by a rule that can be changed. */
export const sloWith = (key: typeof ofSlo, timeSliceTarget: number): Slo =>
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
      fc.nat(days * 24 * 60 - 1),
      fc.nat(120),
      fc.integer({ min: (days - 1) * 24 * 60, max: days * 24 * 60 - 1 }),
    ),
    total: fc.oneof(
      fc.nat(5_000),
      fc.constant(0),
      fc.constant(2 ** 53 + 2),
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

export const range: fc.Arbitrary<MinuteRange> = fc
  .tuple(fc.nat(days * 24 * 60), fc.oneof(fc.nat(60), fc.nat(days * 24 * 60)))
  .map(([from, length]) => ({ from: start + from * minute, to: start + (from + length) * minute }))

export type Act =
  | { readonly what: "record"; readonly counts: ReadonlyArray<Count> }
  | { readonly what: "judge"; readonly timeSliceTarget: number }

export const act: fc.Arbitrary<Act> = fc.oneof(
  uniqueCounts.map((counts) => ({ what: "record" as const, counts })),
  fc.constantFrom(0.5, 0.96, 1).map((timeSliceTarget) => ({ what: "judge" as const, timeSliceTarget })),
)

/** `value` with numbers of `expected` where its own differ by rounding only, as sums do that are added up in another order. */
export const withRoundingOf = (expected: unknown, value: unknown): unknown => {
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

export const readBoth = (ranges: ReadonlyArray<MinuteRange>) =>
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
        const range = { from: start, to: start + days * day }
        const reads = [{ organization, slo, range, tracks }]
        const hours = [...(yield* store.hours(reads)).flat(), ...(yield* store.presence(reads)).flat()]
        return [all, hours.toSorted((a, b) => a.at - b.at || (a.track < b.track ? -1 : 1))]
      })
    const expected = yield* read(ofSlo)
    return [withRoundingOf(expected, yield* read(ofObjectives)), expected] as const
  })

export const given = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(start + days * day)
  yield* putDefinitions(organization, [sloWith(ofObjectives, 0.9), sloWith(ofSlo, 0.9)])
  yield* sql`UPDATE slos SET count_rows = 'objective' WHERE name = ${ofObjectives.name}`
  return sql
})

/** Renames the tables with rows of objectives until the end of the test. */
export const renamed = Effect.acquireRelease(
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
