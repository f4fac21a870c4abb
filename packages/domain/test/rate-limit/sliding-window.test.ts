import { clockToleranceMs, type RateLimitDecision } from "@tocsin/domain/adapter"
import { emptyWindow, type SlidingWindow, takeFromWindow } from "@tocsin/domain/ports"
import { listSlosPolicy, listSlosV1Policy, type RateLimitPolicy } from "@tocsin/domain/rate-limit"
import { accessTokenPolicy } from "../../src/rate-limit/RateLimitPolicy.ts"
import { windowIsEmptyAt } from "../../src/rate-limit/SlidingWindow.ts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as fc from "fast-check"

const takeAll = (policy: RateLimitPolicy, times: ReadonlyArray<number>): ReadonlyArray<RateLimitDecision> => {
  let window: SlidingWindow = emptyWindow
  return times.map((now) => {
    const taken = takeFromWindow(window, policy, now)
    window = taken.window
    return taken.decision
  })
}

const acceptedOf = (policy: RateLimitPolicy, times: ReadonlyArray<number>): ReadonlyArray<boolean> =>
  takeAll(policy, times).map(({ isAccepted }) => isAccepted)

describe("the sliding window", () => {
  it("spec/rate-limits §1: 10 requests per second to the list of version 2, and of version 1", () => {
    const times = [...Array.from({ length: 11 }, (_, index) => index * 90), 999, 1_000, 1_001, 1_090]
    const accepted = [...Array.from({ length: 10 }, () => true), false, false, true, false, true]
    expect(acceptedOf(listSlosPolicy, times)).toEqual(accepted)
    expect(acceptedOf(listSlosV1Policy, times)).toEqual(accepted)
  })

  it("spec/rate-limits §1: 1 request per 3 seconds to the access token", () => {
    expect(takeAll(accessTokenPolicy, [0, 0, 2_999, 3_000, 5_999, 6_000])).toEqual([
      { isAccepted: true, remaining: 0, retryAfterMs: 3_000 },
      { isAccepted: false, remaining: 0, retryAfterMs: 3_000 },
      { isAccepted: false, remaining: 0, retryAfterMs: 1 },
      { isAccepted: true, remaining: 0, retryAfterMs: 3_000 },
      { isAccepted: false, remaining: 0, retryAfterMs: 1 },
      { isAccepted: true, remaining: 0, retryAfterMs: 3_000 },
    ])
  })

  it("spec/rate-limits §1: a burst at the boundary of a second does not pass twice the limit", () => {
    const burst = [...Array.from({ length: 10 }, () => 999), ...Array.from({ length: 10 }, () => 1_001)]
    expect(acceptedOf(listSlosPolicy, burst).filter((isAccepted) => isAccepted)).toHaveLength(10)
  })

  it("spec/rate-limits §6: a request from the future does not count, except within the tolerance", () => {
    expect(acceptedOf(accessTokenPolicy, [10_000, 9_900, 9_899, 9_900, 12_898, 12_899])).toEqual([
      true,
      false,
      true,
      false,
      false,
      true,
    ])
  })

  it("spec/rate-limits §6: after any jump of the clock, no window is full for longer than its own length", () => {
    const jumps = fc.array(
      fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -4e6, max: 4e6 })),
      {
        maxLength: 60,
      },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), jumps, (limit, steps) => {
        const policy = { name: "any", limit, windowMs: 3_000 }
        let window: SlidingWindow = emptyWindow
        let now = 4e8
        for (const step of steps) {
          now += step
          const taken = takeFromWindow(window, policy, now)
          window = taken.window
          expect(window).toEqual(window.toSorted((a, b) => a - b))
          expect(taken.decision.retryAfterMs).toBeLessThanOrEqual(policy.windowMs + clockToleranceMs)
          const later = acceptedFrom(window, policy, now + policy.windowMs + clockToleranceMs, limit)
          expect(later).not.toContain(false)
        }
      }),
    )
  })

  it("spec/rate-limits §1: a limit that is lowered holds at once for a window filled under the higher one", () => {
    const window = [0, 100, 200, 300]
    const lowered = { name: "any", limit: 2, windowMs: 1_000 }
    expect(takeFromWindow(window, lowered, 400).decision).toEqual({
      isAccepted: false,
      remaining: 0,
      retryAfterMs: 800,
    })
    expect(takeFromWindow(window, lowered, 1_199).decision.isAccepted).toBe(false)
    expect(takeFromWindow(window, lowered, 1_200).decision.isAccepted).toBe(true)
  })

  const arrivals = fc.record({
    policy: fc.record({
      name: fc.constant("any"),
      limit: fc.integer({ min: 1, max: 8 }),
      windowMs: fc.integer({ min: 1, max: 60 }),
    }),
    times: fc
      .array(fc.integer({ min: 0, max: 25 }), { maxLength: 120 })
      .map((gaps) => gaps.reduce<ReadonlyArray<number>>((all, gap) => [...all, (all.at(-1) ?? 0) + gap], [])),
  })

  it("spec/rate-limits §1: no window ever holds more than its limit, and none is rejected that would have had room", () => {
    fc.assert(
      fc.property(arrivals, ({ policy, times }) => {
        const accepted: Array<number> = []
        for (const [index, decision] of takeAll(policy, times).entries()) {
          const now = times[index] ?? 0
          const inWindow = accepted.filter((time) => time > now - policy.windowMs).length
          expect(decision.isAccepted).toBe(inWindow < policy.limit)
          if (decision.isAccepted) accepted.push(now)
        }
        for (const start of accepted) {
          const held = accepted.filter((time) => time >= start && time < start + policy.windowMs)
          expect(held.length).toBeLessThanOrEqual(policy.limit)
        }
      }),
    )
  })

  it("spec/rate-limits §1: the wait is exact to the millisecond, and the remaining quota to the request", () => {
    fc.assert(
      fc.property(arrivals, ({ policy, times }) => {
        let window: SlidingWindow = emptyWindow
        for (const now of times) {
          const taken = takeFromWindow(window, policy, now)
          window = taken.window
          const { remaining, retryAfterMs } = taken.decision
          expect(window.length).toBeLessThanOrEqual(policy.limit)
          const burst = acceptedFrom(window, policy, now, remaining + 1)
          expect(burst.filter((isAccepted) => isAccepted)).toHaveLength(remaining)
          if (retryAfterMs === 0) continue
          expect(takeFromWindow(window, policy, now + retryAfterMs - 1).decision.isAccepted).toBe(false)
          expect(takeFromWindow(window, policy, now + retryAfterMs).decision.isAccepted).toBe(true)
        }
      }),
    )
  })

  it("spec/rate-limits §1: a window is empty exactly from the moment it says", () => {
    fc.assert(
      fc.property(arrivals, ({ policy, times }) => {
        let window: SlidingWindow = emptyWindow
        for (const now of times) window = takeFromWindow(window, policy, now).window
        if (window.length === 0) return
        const emptyAt = windowIsEmptyAt(window, policy)
        const [oldest = 0] = takeFromWindow(window, policy, emptyAt - 1).window
        expect(oldest).toBeLessThanOrEqual(emptyAt - policy.windowMs)
        expect(takeFromWindow(window, policy, emptyAt).window).toEqual([emptyAt])
      }),
    )
  })
})

const acceptedFrom = (
  from: SlidingWindow,
  policy: RateLimitPolicy,
  now: number,
  requests: number,
): ReadonlyArray<boolean> => {
  let window = from
  return Array.from({ length: requests }, () => {
    const taken = takeFromWindow(window, policy, now)
    window = taken.window
    return taken.decision.isAccepted
  })
}
