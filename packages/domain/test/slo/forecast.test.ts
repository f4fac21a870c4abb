import { MemoryStores } from "@tocsin/adapters-memory"
import { type BudgetForecast, findSloForecast } from "@tocsin/domain"
import type { Slo } from "@tocsin/domain/definitions"
import { CountStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { anSlo, calendarOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { type ModelWorld, modelStatus } from "../../../../test/slo/StatusModel.ts"

const minute = 60_000
const hour = 60 * minute
const organization = "acme"
const key = { project: "shop", name: "checkout" }
const start = Date.UTC(2026, 0, 30, 12)

interface Minute {
  readonly at: number
  readonly good: number
  readonly total: number
}

/** The forecast for the counts of `good`, at the end of the last of their minutes. */
const forecastOf = (slo: Slo, minutes: ReadonlyArray<Minute>, asOf: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(asOf - 1)
    yield* putDefinitions(organization, [slo])
    const counts = minutes.map((each) => ({ objective: "good", ...each }))
    yield* (yield* CountStore).record(organization, [{ slo: key, counts }])
    return yield* findSloForecast(organization, key)
  })

const minutesOf = (from: number, to: number, good: (at: number) => number, total = 100): Array<Minute> =>
  Array.from({ length: (to - from) / minute }, (_, index) => {
    const at = from + index * minute
    return { at, good: good(at), total }
  })

const oneObjective = [{ name: "good", target: 0.99 }]

/** What remains by the plain model at the end of a minute, of the objective or, as `""`, of the legacy composite. */
const remainingAt = (slo: Slo, minutes: ReadonlyArray<Minute>, end: number, track: string): number => {
  const world: ModelWorld = {
    slo,
    createdAt: 0,
    components: new Map(),
    counts: new Map(minutes.map(({ at, ...count }) => [`checkout good ${at}`, count])),
  }
  return modelStatus(world, end - minute).get(track)?.["errorBudgetRemainingPercentage"] ?? Number.NaN
}

describe("the forecast of an error budget", () => {
  it("spec/slos §12: is the minute at which nothing remains by the plain model, if all goes on as in the last hour", () => {
    const seen = new Set<string | undefined>()
    return fc
      .assert(
        fc.asyncProperty(
          fc.constantFrom("Occurrences" as const, "Timeslices" as const),
          fc.constantFrom(0.5, 0.9, 0.99),
          fc.integer({ min: 61, max: 23 * 60 }),
          fc.array(fc.constantFrom(0, 90, 95, 99, 100), { minLength: 3, maxLength: 3 }),
          fc.constantFrom(0, 50, 90, 97, 98.5, 100),
          fc.constantFrom(5, 100, 370),
          (budgetingMethod, target, elapsed, before, recent, recentTotal) =>
            Effect.gen(function* () {
              const isTimeslices = budgetingMethod === "Timeslices"
              const from = Date.UTC(2026, 0, 30)
              const asOf = from + elapsed * minute
              const slo = anSlo(key, {
                budgetingMethod,
                timeWindow: {
                  unit: "Day",
                  count: 1,
                  calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "UTC" }),
                },
                objectives: [
                  { name: "good", target, ...(isTimeslices && { timeSliceTarget: 0.95 }) },
                  { name: "other", target, ...(isTimeslices && { timeSliceTarget: 0.95 }) },
                ],
                composite: {
                  target,
                  ...(!isTimeslices && { burnRateCondition: { value: 2, op: "gte" as const } }),
                },
              })
              const history = minutesOf(from, asOf - hour, (at) => before[(at / minute) % 3] ?? 0)
              const pace = (start: number, end: number) =>
                minutesOf(start, end, () => (recent / 100) * recentTotal, recentTotal)
              const minutes = [...history, ...pace(asOf - hour, asOf)]
              const all = [...minutes, ...pace(asOf, from + 24 * hour)]
              const { objectives, composite, asOf: until } = yield* forecastOf(slo, minutes, asOf)
              expect(until).toBe(asOf)
              const forecasts: ReadonlyArray<readonly [string, BudgetForecast | undefined]> = [
                ["good", objectives[0]],
                ["", composite],
              ]
              expect(objectives[1]).toEqual({ name: "other" })
              for (const [track, forecast] of forecasts) {
                seen.add(forecast?.outlook)
                const { outlook, exhaustedAt, earliestAt = Infinity, latestAt } = forecast ?? {}
                expect(outlook === "Exhausting").toBe(exhaustedAt !== undefined)
                if (outlook === "Exhausted") expect(remainingAt(slo, all, asOf, track)).toBeLessThan(1e-9)
                else if (exhaustedAt === undefined) {
                  expect(outlook).toBe("Sufficient")
                  expect(remainingAt(slo, all, from + 24 * hour, track)).toBeGreaterThan(-1e-9)
                  expect(latestAt).toBeUndefined()
                } else {
                  expect(remainingAt(slo, all, exhaustedAt, track)).toBeLessThan(1e-9)
                  expect(remainingAt(slo, all, exhaustedAt - minute, track)).toBeGreaterThan(0)
                  expect(earliestAt).toBeLessThanOrEqual(exhaustedAt)
                  expect(latestAt ?? Infinity).toBeGreaterThanOrEqual(exhaustedAt)
                }
              }
            }).pipe(Effect.provide(Layer.merge(MemoryStores.layer, TestClock.layer())), Effect.runPromise),
        ),
        { numRuns: 60 },
      )
      .then(() => expect(seen).toEqual(new Set(["Exhausted", "Exhausting", "Sufficient"])))
  })

  it.effect("spec/slos §12: lets the average of a rolling window leave it", () =>
    Effect.gen(function* () {
      const slo = anSlo(key, { objectives: oneObjective, timeWindow: { unit: "Day", count: 2 } })
      const minutes = minutesOf(start - 48 * hour, start, (at) => (at < start - hour ? 99.5 : 98))
      const { objectives } = yield* forecastOf(slo, minutes, start)
      // Of 288,000 events 2,880 may be bad.
      const remaining = 2_880 - 47 * 60 * 0.5 - 60 * 2
      const exhaustedAt = start + Math.ceil(remaining / (2 - 1 + remaining / 2_880)) * minute
      expect(objectives).toEqual([
        { name: "good", outlook: "Exhausting", exhaustedAt, earliestAt: exhaustedAt },
      ])
      // What leaves is in truth bad by 0.5 a minute.
      const all = [...minutes, ...minutesOf(start, start + 24 * hour, () => 98)]
      const exact = start + Math.ceil(remaining / 1.5) * minute
      expect(remainingAt(slo, all, exact, "good")).toBeLessThan(1e-9)
      expect(Math.abs(exhaustedAt - exact)).toBeLessThan((exact - start) * 0.05)
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("spec/slos §12: has the range of the last day, and leaves out the hours without data", () =>
    Effect.gen(function* () {
      const slo = anSlo(key, { objectives: oneObjective, timeWindow: { unit: "Day", count: 28 } })
      const good = (at: number) => (at < start - 4 * hour ? 96 : at < start - 3 * hour ? 97 : 98)
      const minutes = minutesOf(start - 5 * hour, start, good).filter(
        ({ at }) => at < start - 3 * hour || at >= start - hour,
      )
      // So that the five hours leave a budget.
      const old = minutesOf(start - 20 * 24 * hour, start - 19 * 24 * hour, () => 100)
      const { objectives } = yield* forecastOf(slo, [...old, ...minutes], start)
      const remaining = (144_000 + 18_000) * 0.01 - 60 * (4 + 3 + 2)
      const at = (bad: number) =>
        start + Math.ceil(remaining / (bad - 1 + remaining / (28 * 24 * 60))) * minute
      expect(objectives).toEqual([
        { name: "good", outlook: "Exhausting", exhaustedAt: at(2), earliestAt: at(4), latestAt: at(2) },
      ])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect(
    "spec/slos §12: needs data of the last hour for an outlook, and none once the budget is exhausted",
    () =>
      Effect.gen(function* () {
        const slo = anSlo(key, { objectives: oneObjective, timeWindow: { unit: "Day", count: 1 } })
        const none = yield* forecastOf(slo, [], start)
        expect(none.objectives).toEqual([{ name: "good" }])
        const old = yield* forecastOf(
          slo,
          minutesOf(start - 3 * hour, start - 2 * hour, () => 100),
          start,
        )
        expect(old.objectives).toEqual([{ name: "good" }])
        const spent = yield* forecastOf(
          slo,
          minutesOf(start - 3 * hour, start - 2 * hour, () => 50),
          start,
        )
        expect(spent.objectives).toEqual([{ name: "good", outlook: "Exhausted" }])
      }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
