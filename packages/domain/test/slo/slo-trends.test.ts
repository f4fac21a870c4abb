import { MemoryStores } from "@tocsin/adapters-memory"
import { findSloTrends } from "@tocsin/domain"
import { trendPoints, trendSlosMax } from "@tocsin/domain/limits"
import { CountStore } from "@tocsin/domain/ports"
import { anSlo, calendarOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { type ModelWorld, modelStatus } from "../../../../test/slo/StatusModel.ts"

const minute = 60_000
const hour = 60 * minute
const organization = "acme"
const now = Date.UTC(2026, 0, 21, 12, 34)
const key = { project: "shop", name: "checkout" }

describe("the trends of error budgets", () => {
  it.effect(
    "spec/console §12: are what remained at times that divide the time window, by the plain model",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now + 17_000)
        const calendar = calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "UTC" })
        const slos = [
          anSlo(key),
          anSlo({ project: "shop", name: "short" }, { timeWindow: { unit: "Hour", count: 2 } }),
          anSlo(
            { project: "shop", name: "month" },
            {
              timeWindow: { unit: "Month", count: 1, calendar },
              composite: { target: 0.5, burnRateCondition: { value: 2, op: "gte" } },
            },
          ),
        ]
        yield* putDefinitions(organization, slos)
        const counts = Array.from({ length: 900 }, (_, index) => ({
          objective: index % 3 === 0 ? "great" : "good",
          at: now - index * 47 * minute,
          good: index % 7 === 0 ? 8 : 10,
          total: 10,
        }))
        const store = yield* CountStore
        yield* store.record(
          organization,
          slos.map(({ metadata }) => ({ slo: metadata, counts })),
        )
        const trends = yield* findSloTrends(
          organization,
          slos.map(({ metadata: { project, name } }) => ({ project, name })),
        )
        expect(trends.map(({ slo }) => slo.name)).toEqual(["checkout", "short", "month"])
        const endsOf = (from: number, lengthMs: number, unit: number) =>
          Array.from(
            { length: trendPoints },
            (_, index) => Math.floor((from + ((index + 1) * lengthMs) / trendPoints) / unit) * unit,
          )
        const days = 24 * hour
        const ends = [
          endsOf(now + minute - 28 * days, 28 * days, hour),
          endsOf(now + minute - 2 * hour, 2 * hour, minute),
          endsOf(Date.UTC(2026, 0, 1), 31 * days, hour),
        ]
        for (const [index, slo] of slos.entries()) {
          const world: ModelWorld = {
            slo,
            createdAt: 0,
            components: new Map(),
            counts: new Map(
              counts.map(({ objective, at, ...count }) => [`${slo.metadata.name} ${objective} ${at}`, count]),
            ),
          }
          const trend = trends[index]
          const series = [
            ...(trend?.objectives ?? []),
            ...(trend?.composite === undefined ? [] : [{ name: "", errorBudgetRemaining: trend.composite }]),
          ]
          expect(series.length).toBe(slo.spec.composite === undefined ? 2 : 3)
          for (const { name, errorBudgetRemaining } of series) {
            expect(errorBudgetRemaining.length).toBe(trendPoints)
            const isCalendar = index === 2
            const last = isCalendar ? 19 : trendPoints - 1
            for (const [point, budget] of errorBudgetRemaining.entries()) {
              if (point > last) {
                expect(budget).toBe(null)
                continue
              }
              const end = point === last ? now + minute : (ends[index]?.[point] ?? 0)
              const expected = modelStatus(world, end - minute).get(name)?.["errorBudgetRemainingPercentage"]
              const at = `${slo.metadata.name} ${name} ${point}`
              if (expected === undefined) expect([at, budget]).toEqual([at, null])
              else expect(budget, at).toBeCloseTo(expected, 9)
            }
          }
        }
      }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("spec/console §12: leave out SLOs of other organizations, and are of a limited number", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      yield* putDefinitions("other", [anSlo(key)])
      expect(yield* findSloTrends(organization, [key])).toEqual([])
      expect(yield* findSloTrends(organization, [])).toEqual([])
      const many = Array.from({ length: trendSlosMax + 1 }, (_, index) => ({
        project: "shop",
        name: `n-${index}`,
      }))
      expect(yield* Effect.flip(findSloTrends(organization, many))).toMatchObject({
        _tag: "ParameterIsInvalid",
        code: "slo_invalid",
      })
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
