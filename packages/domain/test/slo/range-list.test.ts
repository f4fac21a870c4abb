import { minuteMs } from "@tocsin/domain/codec"
import { RangeList } from "../../src/codec/MinuteRange.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const latest = Date.UTC(9999, 11, 31)
const range = fc
  .tuple(fc.oneof(fc.nat(40), fc.constant(latest / minuteMs)), fc.integer({ min: -3, max: 40 }))
  .map(([from, length]) => ({ from: from * minuteMs, to: (from + length) * minuteMs }))

describe("a list of ranges", () => {
  it("has each once, in the order in which they were added, and finds each and no other", () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 300, size: "max" }), range, (added, other) => {
        const list = new RangeList(added)
        const texts = [...new Set(added.map((each) => JSON.stringify(each)))]
        expect(list.ranges.map((each) => JSON.stringify(each))).toEqual(texts)
        for (const each of [...added, other]) {
          expect(list.indexOf({ ...each })).toBe(texts.indexOf(JSON.stringify(each)))
        }
      }),
    )
  })
})
