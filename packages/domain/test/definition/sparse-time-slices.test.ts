import { describe, expect, it } from "vitest"
import { anSlo } from "@tocsin/testing/fixtures"
import { timeSlicesAreSparse } from "../../src/definition/SparseTimeSlices.ts"

const now = Date.UTC(2026, 0, 30, 12)
const minute = 60_000
const hour = 60 * minute

const slo = anSlo(
  { project: "shop", name: "sparse" },
  {
    budgetingMethod: "Timeslices",
    objectives: [{ name: "good", target: 0.99, timeSliceTarget: 0.9 }],
  },
)

describe("the warning sparse_time_slices", () => {
  const hours = Array.from({ length: 24 }, (_, index) => ({
    from: now - (24 - index) * hour,
    to: now - (23 - index) * hour,
  }))
  const warned = (minutes: ReadonlyArray<number | undefined>, latest: number) =>
    timeSlicesAreSparse(slo, {
      find: () => undefined,
      isListed: () => false,
      slosOf: () => [],
      minutesWithEvents: () => ({
        parts: hours.map((range, index) => {
          const count = minutes[index]
          return { range, byObjective: new Map(count === undefined ? [] : [["good", count]]) }
        }),
        latestAt: new Map([["good", latest]]),
        now,
      }),
    }).length > 0

  it.each([
    ["half of the minutes", [60, 30, 30], now - 21 * hour - minute, false],
    ["under half", [60, 29, 30], now - 21 * hour - minute, true],
    ["gaps between counts", [1, undefined, undefined, 40], now - 20 * hour - minute, true],
    ["less than an hour that is known", [1, 1], now - 22 * hour - 2 * minute, false],
    ["no counts in the time window", [], now - 48 * hour, false],
    ["counts ahead", [1, ...Array.from({ length: 23 }, () => 30)], now + 5 * minute, true],
  ])("spec/definitions §14: with %s", (_, minutes, latest, expected) => {
    expect(warned(minutes, latest)).toBe(expected)
  })
})
