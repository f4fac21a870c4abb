import { objectiveStatus } from "@tocsin/domain/slo"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const day = 86_400_000
const fourWeeks = 28 * day

describe("the status of an objective", () => {
  it.each([
    [1_000, 1, 1, 24_192],
    [995, 0.995, 0.5, 12_096],
    [990, 0.99, 0, 0],
    [980, 0.98, -1, -24_192],
    [0, 0, -99, -2_395_008],
  ])("spec/slos §3: target 0.99 over 28 days, %i good of 1,000", (good, reliability, percentage, seconds) => {
    const status = objectiveStatus(0.99, fourWeeks, { good, total: 1_000 }, undefined)
    expect(status).toEqual({
      reliability,
      errorBudgetRemainingPercentage: percentage,
      errorBudgetRemaining: seconds,
    })
  })

  it.each([
    [2_880, 1, 1, 8_640],
    [2_736, 0.95, 0, 0],
    [2_735, 0.949652777778, -0.006944444444, -60],
    [2_730, 0.947916666667, -0.041666666667, -360],
  ])(
    "spec/slos §3: target 0.95 over 2 days, %i good of 2,880 minutes",
    (good, reliability, percentage, seconds) => {
      const status = objectiveStatus(0.95, 2 * day, { good, total: 2_880 }, undefined)
      expect(status.reliability).toBeCloseTo(reliability, 12)
      expect(status.errorBudgetRemainingPercentage).toBe(percentage)
      expect(status.errorBudgetRemaining).toBe(seconds)
    },
  )

  it("spec/slos §3: returns whole seconds for whole bad minutes, whatever the target and the window", () => {
    const targets = fc.integer({ min: 0, max: 99_999 }).map((hundredThousandths) => hundredThousandths / 1e5)
    fc.assert(
      fc.property(targets, fc.integer({ min: 1, max: 366 }), fc.nat(1_440), (target, days, badMinutes) => {
        const total = days * 1_440
        const status = objectiveStatus(target, days * day, { good: total - badMinutes, total }, undefined)
        // In units of 1/100,000 of a second all is whole.
        const budget = (100_000 - Math.round(target * 1e5)) * days * 86_400
        expect(status.errorBudgetRemaining).toBe((budget - badMinutes * 60 * 1e5) / 1e5)
      }),
    )
  })

  it("spec/slos §3: the burn rate is the recent share of bad events over the budget", () => {
    const status = objectiveStatus(0.9, fourWeeks, { good: 99, total: 100 }, { good: 6, total: 10 })
    expect(status.burnRate).toBe(4)
  })

  it("spec/slos §3: without data every metric is left out", () => {
    expect(objectiveStatus(0.99, fourWeeks, undefined, undefined)).toEqual({})
    expect(objectiveStatus(0.99, fourWeeks, { good: 0, total: 0 }, { good: 0, total: 0 })).toEqual({})
  })

  it("spec/slos §3: with target 0 the budget is every event", () => {
    const status = objectiveStatus(0, fourWeeks, { good: 1, total: 4 }, { good: 1, total: 2 })
    expect(status).toEqual({
      burnRate: 0.5,
      errorBudgetRemaining: 28 * 86_400 * 0.25,
      errorBudgetRemainingPercentage: 0.25,
      reliability: 0.25,
    })
  })

  it("spec/slos §3: with target 1 there is no budget to be a fraction of", () => {
    const whole = { good: 4, total: 4 }
    expect(objectiveStatus(1, fourWeeks, whole, whole)).toEqual({ errorBudgetRemaining: 0, reliability: 1 })
    const overspent = objectiveStatus(1, fourWeeks, { good: 3, total: 4 }, whole)
    expect(overspent).toEqual({ errorBudgetRemaining: -28 * 86_400 * 0.25, reliability: 0.75 })
  })

  it("agrees with counting event by event, and every metric is a finite number", () => {
    const counts = fc
      .record({ total: fc.nat(60), bad: fc.nat(60) })
      .map(({ total, bad }) => ({ total, good: Math.max(0, total - bad) }))
    const targets = fc.constantFrom(0, 0.5, 0.9, 0.99, 0.999, 1)
    fc.assert(
      fc.property(targets, counts, counts, fc.integer({ min: 1, max: 31 }), (target, all, recent, days) => {
        const status = objectiveStatus(target, days * day, all, recent)
        for (const metric of Object.values(status)) expect(Number.isFinite(metric)).toBe(true)
        expect(status.reliability).toBe(all.total === 0 ? undefined : all.good / all.total)
        const expected = slowModel(target, days * 86_400, all)
        expectClose(status.errorBudgetRemaining, expected?.seconds)
        expectClose(status.errorBudgetRemainingPercentage, target === 1 ? undefined : expected?.fraction)
        // What burns at rate 1 for the whole window spends exactly the budget.
        const spent = slowModel(target, 1, recent)
        expectClose(status.burnRate, target === 1 || spent === undefined ? undefined : 1 - spent.fraction)
      }),
    )
  })

  it("never returns a metric that is not a number, for any doubles", () => {
    const target = fc.double({ min: 0, max: 1, noNaN: true })
    const counts = fc
      .tuple(fc.double({ min: 0, max: 2 ** 53, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([total, share]) => ({ total, good: Math.min(total, total * share) }))
    fc.assert(
      fc.property(target, counts, counts, (target, all, recent) => {
        const status = objectiveStatus(target, fourWeeks, all, recent)
        for (const metric of Object.values(status)) expect(Number.isFinite(metric)).toBe(true)
      }),
    )
  })
})

/** Spends the budget event by event: each bad one takes its share of the window's seconds away. */
const slowModel = (
  target: number,
  windowSeconds: number,
  counts: { readonly good: number; readonly total: number },
): { readonly seconds: number; readonly fraction: number } | undefined => {
  if (counts.total === 0) return undefined
  const budget = (1 - target) * windowSeconds
  let left = budget
  for (let event = counts.good; event < counts.total; event++) left -= windowSeconds / counts.total
  return { seconds: left, fraction: left / budget }
}

const expectClose = (actual: number | undefined, expected: number | undefined): void => {
  if (expected === undefined) expect(actual).toBeUndefined()
  else
    expect(Math.abs((actual ?? Number.NaN) - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)))
}
