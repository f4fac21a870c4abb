import { MemoryStores } from "@tocsin/adapters-memory"
import { durationOf } from "@tocsin/domain/codec"
import type { BudgetAdjustment } from "@tocsin/domain/definitions"
import { CountStore, SloStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { tidy } from "../../src/codec/Decimal.ts"
import { groupBy } from "../../src/collections/GroupBy.ts"
import { readCoverage } from "../../src/report/ReadCoverage.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const organization = "acme"
const start = Date.UTC(2026, 2, 2)

const named = (name: string) => ({ project: "shop", name })
const objectives = [{ name: "good", target: 0.9 }]

/** The share of the minutes of a period that is covered, by the rule of spec/reports §3, minute by minute. */
const coveredShare = (
  from: number,
  to: number,
  counted: ReadonlySet<number>,
  excluded: (at: number) => boolean,
  set: (at: number) => boolean,
): number => {
  const all = Array.from({ length: (to - from) / minute }, (_, index) => from + index * minute)
  const wanted = all.filter((at) => !excluded(at))
  const measured = wanted.filter((at) => !set(at))
  const places = measured.flatMap((at, place) => (counted.has(at) ? [place] : []))
  const byDay = groupBy(
    places.map((place, index) => ({ place, next: places[index + 1] })),
    ({ place }) => Math.floor((measured[place] ?? 0) / day),
  )
  const covered = new Set<number>()
  for (const ofDay of byDay.values()) {
    const intervals = ofDay.flatMap(({ place, next }) => (next === undefined ? [] : [next - place]))
    const median = intervals.toSorted((a, b) => a - b)[Math.ceil(intervals.length / 2) - 1] ?? 1
    for (const { place, next = measured.length } of ofDay)
      for (let each = place; each < Math.min(place + Math.min(median, 60), next); each++) covered.add(each)
  }
  return wanted.length === 0 ? 0 : tidy((covered.size + wanted.length - measured.length) / wanted.length)
}

describe("spec/reports §3: coverage", () => {
  const dayOfCounts = fc.record({
    every: fc.constantFrom(1, 1, 2, 5, 15, 60, 240),
    phase: fc.nat({ max: 59 }),
    keeps: fc.constantFrom(1, 1, 0.9, 0.3),
    isEmpty: fc.boolean(),
  })
  const range = fc.tuple(fc.nat({ max: 3 * 1_440 }), fc.integer({ min: 1, max: 300 }))
  const cases = fc.record({
    days: fc.array(dayOfCounts, { minLength: 3, maxLength: 3 }),
    outage: range,
    excluded: fc.option(range, { nil: undefined }),
    set: fc.option(range, { nil: undefined }),
    period: fc.tuple(fc.nat({ max: 2_000 }), fc.integer({ min: 1, max: 2_320 })),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  })
  const isIn = (one: readonly [number, number] | undefined) => (at: number) =>
    one !== undefined && at >= start + one[0] * minute && at < start + (one[0] + one[1]) * minute

  it.effect.prop(
    "is the share of the minutes that counts cover at their usual interval of each day",
    [cases],
    ([{ days, outage, excluded, set, period, seed }]) =>
      Effect.gen(function* () {
        let state = seed
        const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
        const counted = days.flatMap(({ every, phase, keeps }, index) =>
          Array.from({ length: 1_440 }, (_, place) => place)
            .filter((place) => place % every === phase % every && random() < keeps)
            .map((place) => start + index * day + place * minute)
            .filter((at) => !isIn(outage)(at)),
        )
        const adjustment = (name: string, [at, minutes]: readonly [number, number]): BudgetAdjustment => ({
          kind: "BudgetAdjustment",
          metadata: named(name),
          spec: {
            reason: "Move",
            slos: [named("checkout")],
            period: {
              startTime: { text: "", ms: start + at * minute },
              duration: durationOf(`${minutes}m`),
            },
            ...(name === "set" && { set: { good: 1, total: 1 } }),
          },
        })
        yield* TestClock.setTime(start)
        yield* putDefinitions(organization, [
          anSlo(named("checkout"), { objectives }),
          ...(excluded === undefined ? [] : [adjustment("excluded", excluded)]),
          ...(set === undefined ? [] : [adjustment("set", set)]),
        ])
        yield* TestClock.setTime(start + 3 * day)
        const total = (at: number) => (days[Math.floor((at - start) / day)]?.isEmpty === true ? 0 : 1)
        yield* (yield* CountStore).record(organization, [
          {
            slo: named("checkout"),
            counts: counted.map((at) => ({ objective: "good", at, good: total(at), total: total(at) })),
          },
        ])
        const found = yield* (yield* SloStore).findAllForStatus(organization, [named("checkout")])
        const [from, to] = [start + period[0] * minute, start + (period[0] + period[1]) * minute]
        const [coverage] = yield* readCoverage(found, { from, to }, start + 3 * day)
        const expected = coveredShare(
          from,
          to,
          new Set(counted),
          isIn(excluded),
          (at) => isIn(set)(at) && !isIn(excluded)(at),
        )
        expect(coverage?.get("good")).toBe(expected)
      }).pipe(Effect.provide(MemoryStores.layer)),
    { fastCheck: { numRuns: 60 } },
  )

  const coverageOf = (names: ReadonlyArray<string>, counts: (place: number) => ReadonlyArray<number>) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(
        organization,
        names.map((name) => anSlo(named(name), { objectives })),
      )
      yield* TestClock.setTime(start + 4 * day)
      const store = yield* CountStore
      yield* store.record(
        organization,
        names.map((name, place) => ({
          slo: named(name),
          counts: counts(place).map((at) => ({
            objective: "good",
            at: start + at * minute,
            good: 1,
            total: 1,
          })),
        })),
      )
      const statements = { sums: 0, hours: 0, read: 0 }
      const counting = CountStore.of({
        ...store,
        sums: (reads) => {
          statements.sums++
          return store.sums(reads)
        },
        presence: (reads) => {
          statements.hours++
          const hours = reads.map(({ range }) => (range.to - range.from) / hour)
          statements.read = Math.max(
            statements.read,
            hours.reduce((a, b) => a + b, 0),
          )
          return store.presence(reads)
        },
      })
      const found = yield* (yield* SloStore).findAllForStatus(organization, names.map(named))
      const coverage = yield* Effect.provideService(
        readCoverage(found, { from: start, to: start + 4 * day }, start + 4 * day),
        CountStore,
        counting,
      )
      return { coverage: coverage.map((each) => each.get("good")), statements }
    }).pipe(Effect.provide(MemoryStores.layer))

  it.effect("fits jobs that send counts every few minutes, and shows their outages", () =>
    Effect.gen(function* () {
      const every = [1, 5, 15, 60, 1_440]
      const { coverage } = yield* coverageOf(
        every.map((minutes) => `every-${minutes}`),
        (place) =>
          Array.from(
            { length: (4 * 1_440) / (every[place] ?? 1) },
            (_, index) => index * (every[place] ?? 1),
          ),
      )
      expect(coverage).toEqual([1, 1, 1, 1, tidy(181 / 5_760)])
      const outages = yield* coverageOf(
        every.map((minutes) => `every-${minutes}`),
        (place) =>
          Array.from(
            { length: (4 * 1_440) / (every[place] ?? 1) },
            (_, index) => index * (every[place] ?? 1),
          ).filter((at) => at % 1_440 < 720),
      )
      expect(outages.coverage.slice(0, 4)).toEqual([0.5, 0.5, 0.5, 0.5])
    }),
  )

  it.effect("reads the counts of many SLOs together, however many gaps they have", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 100 }, (_, place) => `s-${place}`)
      const { coverage, statements } = yield* coverageOf(names, () =>
        Array.from({ length: 4 * 96 }, (_, index) => index * 15),
      )
      expect(new Set(coverage)).toEqual(new Set([1]))
      // Of 9,600 hours, at most 2,000 at once.
      expect(statements).toEqual({ sums: 1, hours: 5, read: 1_920 })
      const whole = yield* coverageOf(names.slice(0, 10), () =>
        Array.from({ length: 4 * 1_440 }, (_, index) => index),
      )
      expect(whole.statements).toEqual({ sums: 1, hours: 0, read: 0 })
    }),
  )
})
