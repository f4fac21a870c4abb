import { retryDelaysSeconds, retryDelayMs } from "../../src/delivery/RetryPolicy.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe("retryDelayMs", () => {
  it("spec/delivery §5: waits 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h and 24 h, then no more", () => {
    const seconds = Array.from({ length: 11 }, (_, index) => {
      const delayMs = retryDelayMs(index + 1, 0.5)
      return delayMs === undefined ? undefined : delayMs / 1000
    })
    expect(seconds).toEqual([5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, undefined])
    const hours = retryDelaysSeconds.reduce<number>((sum, each) => sum + each, 0) / 3600
    expect(retryDelaysSeconds.length).toBe(11)
    expect(Math.round(hours)).toBe(47)
  })

  it("spec/delivery §5: strays by at most 20%", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), random, (attemptsUsed, jitter) => {
        const nominalMs = (retryDelaysSeconds[attemptsUsed] ?? 0) * 1000
        const delayMs = retryDelayMs(attemptsUsed, jitter) ?? Number.NaN
        expect(delayMs).toBeGreaterThanOrEqual(nominalMs * 0.8)
        expect(delayMs).toBeLessThanOrEqual(nominalMs * 1.2)
      }),
    )
  })

  it("spec/delivery §5: Retry-After lengthens a wait to at most 24 h and never shortens it", () => {
    const retryAfter = fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.double({ min: 0, noNaN: true }))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), random, retryAfter, (attemptsUsed, jitter, seconds) => {
        const without = retryDelayMs(attemptsUsed, jitter) ?? Number.NaN
        const delayMs = retryDelayMs(attemptsUsed, jitter, seconds) ?? Number.NaN
        expect(delayMs).toBeGreaterThanOrEqual(without)
        expect(delayMs).toBeLessThanOrEqual(Math.max(without, 86_400_000))
        if (seconds <= 86_400) expect(delayMs).toBeGreaterThanOrEqual(Math.round(seconds * 1000))
      }),
    )
    expect(retryDelayMs(11, 0.5, 60)).toBeUndefined()
  })
})
