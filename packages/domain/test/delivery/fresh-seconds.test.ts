import {
  freshSecondRequestsMax,
  freshSecondWaitMaxSeconds,
  makeFreshSeconds,
} from "../../src/notification/FreshSeconds.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("a second for each request", () => {
  it("spec/signatures §15: is the present one, unless the same request has it; then the next that is free", () => {
    const second = makeFreshSeconds()
    expect([second("a", 100), second("b", 100), second("a", 100), second("a", 100)]).toEqual([
      100, 100, 101, 102,
    ])
    expect([second("b", 101), second("a", 101), second("a", 200)]).toEqual([101, 103, 200])
  })

  it("spec/signatures §15: is the present one when the wait would be longer than 10 s", () => {
    const second = makeFreshSeconds()
    const given = Array.from({ length: freshSecondWaitMaxSeconds + 3 }, () => second("a", 50))
    expect(given.slice(0, -2)).toEqual(
      Array.from({ length: freshSecondWaitMaxSeconds + 1 }, (_, n) => 50 + n),
    )
    expect(given.slice(-2)).toEqual([50, 50])
  })

  it("spec/signatures §15: remembers a bounded number of requests, and none of past seconds", () => {
    const second = makeFreshSeconds()
    for (let n = 0; n < freshSecondRequestsMax; n++) second(`r-${n}`, 7)
    expect([second("r-0", 7), second("late", 7), second("late", 7)]).toEqual([8, 7, 7])
    expect(second("r-0", 9)).toBe(9)
    // The clock is set back.
    expect([second("r-0", 7), second("r-0", 7)]).toEqual([7, 8])
  })

  it("spec/signatures §15: is never given twice to the same request while waits are short, nor in the past", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 3 })), { maxLength: 60 }),
        (steps) => {
          const second = makeFreshSeconds()
          const given = new Set<string>()
          let now = 1_000
          for (const [request, passed] of steps) {
            now += passed
            // Two at once in at least a second: nobody waits for long.
            for (const at of [second(request, now), passed > 1 ? second(request, now) : now + 0.5]) {
              expect(at).toBeGreaterThanOrEqual(now)
              if (!Number.isInteger(at)) continue
              expect(given.has(`${request} ${at}`)).toBe(false)
              given.add(`${request} ${at}`)
            }
          }
        },
      ),
    )
  })
})
