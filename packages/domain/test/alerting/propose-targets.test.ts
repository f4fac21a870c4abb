import { MemoryStores } from "@tocsin/adapters-memory"
import type { BudgetAdjustment } from "@tocsin/domain/definitions"
import { proposalMetShare, proposeTargets } from "@tocsin/domain/features/backtest"
import { CountStore } from "@tocsin/domain/ports"
import {
  type MeasuredWindows,
  proposalOf,
  proposalWindowsMin,
  proposedTargets,
} from "../../src/backtest/ProposeTargets.ts"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const hour = 3_600_000
const day = 24 * hour
const now = Date.UTC(2026, 0, 30, 12)

/** Counts every hour of the last days: of 100 events, as many are good as it says for an hour before now. */
const record = (days: number, goodOf: (hoursAgo: number) => number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const counts = Array.from({ length: days * 24 }, (_, n) => ({
      objective: "good",
      at: now - (n + 1) * hour,
      good: goodOf(n + 1),
      total: 100,
    }))
    yield* (yield* CountStore).record(organization, [{ slo: key, counts }])
  })

const anSloOf = (spec: Parameters<typeof anSlo>[1] = {}) =>
  anSlo(key, { objectives: [{ name: "good", target: 0.98 }], ...spec })

const byDays = Effect.map(proposeTargets(organization, key), ({ history, objectives }) => ({
  history,
  proposals: new Map(
    objectives[0]?.proposals.map(({ lengthMs, windows, measured }) => [
      lengthMs / day,
      { windows, ...measured },
    ]),
  ),
}))

/** The same as `proposalOf`, by definition. */
const naive = (present: number, reliabilities: ReadonlyArray<number>): MeasuredWindows => {
  const met = (target: number): number =>
    reliabilities.reduce((count, each) => count + (each >= target ? 1 : 0), 0) / reliabilities.length
  const atMost = (share: number): number =>
    reliabilities.find((candidate) => {
      const below = reliabilities.filter((each) => each < candidate).length
      const upTo = reliabilities.filter((each) => each <= candidate).length
      const place = Math.floor(share * (reliabilities.length - 1))
      return below <= place && place < upTo
    }) ?? Number.NaN
  const target = Math.max(...proposedTargets.filter((each) => met(each) >= proposalMetShare))
  return {
    worst: Math.min(...reliabilities),
    fifthPercentile: atMost(0.05),
    median: atMost(0.5),
    metShare: met(present),
    ...(target > 0 && { target }),
  }
}

describe("proposed targets", () => {
  it.effect("spec/backtests §5: are the highest that the time windows of the history would have met", () =>
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSloOf()])
      // Bad for a day, 10 days ago, with a tenth of the events.
      yield* record(40, (hoursAgo) => (hoursAgo > 240 && hoursAgo <= 264 ? 90 : 100))
      const { history, proposals } = yield* byDays
      // The step of 6 hours in which the first counts are.
      expect(history).toEqual({ from: now - 40 * day, to: now })
      expect([...proposals.keys()]).toEqual([7, 28, 30])
      const week = proposals.get(7)
      expect(week).toMatchObject({ windows: 33 * 4 + 1, median: 1, worst: 1 - 0.1 / 7 })
      // The bad day is wholly in a quarter of the windows of 7 days, and in all of 28 days.
      expect(week?.target).toBe(0.98)
      expect(proposals.get(28)).toMatchObject({ windows: 12 * 4 + 1, target: 0.995, metShare: 1 })
      expect(proposals.get(28)?.median).toBeCloseTo(1 - 0.1 / 28, 12)
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("spec/backtests §5: need a history that is longer than the time window", () =>
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSloOf({ timeWindow: { unit: "Hour", count: 12 } })])
      yield* TestClock.setTime(now)
      expect((yield* byDays).history).toEqual({ from: now, to: now })
      yield* record(8, () => 99)
      const { proposals } = yield* byDays
      expect(proposals.get(28)).toEqual({ windows: 0 })
      expect(proposals.get(7)).toMatchObject({ windows: 5, target: 0.99 })
      expect(proposals.get(0.5)).toMatchObject({ windows: 8 * 4 - 1, target: 0.99, metShare: 1 })
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("spec/backtests §5: leave out minutes that budget adjustments exclude", () =>
    Effect.gen(function* () {
      const at = (ms: number) => ({ ms, text: new Date(ms).toISOString() })
      const adjustment: BudgetAdjustment = {
        kind: "BudgetAdjustment",
        metadata: { project: "shop", name: "outage" },
        spec: {
          reason: "outage",
          slos: [key],
          period: { startTime: at(now - 264 * hour), endTime: at(now - 240 * hour) },
        },
      } as never
      yield* putDefinitions(organization, [anSloOf(), adjustment])
      yield* record(40, (hoursAgo) => (hoursAgo > 240 && hoursAgo <= 264 ? 0 : 100))
      expect((yield* byDays).proposals.get(7)).toMatchObject({ worst: 1, target: 0.99999 })
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it("spec/backtests §5: are those of a count by definition", () => {
    const reliability = fc.oneof(
      fc.constantFrom(...proposedTargets, 0, 1),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    fc.assert(
      fc.property(
        fc.array(reliability, { maxLength: 60 }),
        fc.constantFrom(...proposedTargets),
        (all, present) => {
          const { windows, measured } = proposalOf(day, present, all)
          expect(windows).toBe(all.length)
          if (all.length < proposalWindowsMin) expect(measured).toBeUndefined()
          else expect(measured).toEqual(naive(present, all))
        },
      ),
    )
  })
})
