import { makeFirstAttemptShare } from "@tocsin/domain/delivery/FirstAttemptShare"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const sharesOf = (...limits: ReadonlyArray<number>) => limits.map(makeFirstAttemptShare())

describe("the share of first attempts", () => {
  it("spec/delivery §8: is half of all claims together, whatever their sizes, to within one delivery", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 256 }), { minLength: 1 }), (limits) => {
        const share = makeFirstAttemptShare()
        let [asked, reserved] = [0, 0]
        for (const limit of limits) {
          asked += limit
          reserved += share(limit).reserved
          expect(Math.abs(reserved - asked / 2)).toBeLessThan(1)
        }
      }),
    )
  })

  it("spec/delivery §8: lets the sides take turns in claims of one", () => {
    expect(sharesOf(1, 1, 1, 1).map(({ reserved }) => reserved)).toEqual([1, 0, 1, 0])
  })

  it("spec/delivery §8: lets the sides take turns where an endpoint has room for one, with the side that has more of a claim", () => {
    const preferences = (...limits: ReadonlyArray<number>) =>
      sharesOf(...limits).map(({ prefersFirst }) => prefersFirst)
    expect(preferences(2, 2, 2, 2)).toEqual([true, false, true, false])
    expect(preferences(1, 1, 1, 1)).toEqual([true, false, true, false])
    expect(preferences(3, 2, 3, 2)).toEqual([true, false, false, true])
  })
})
