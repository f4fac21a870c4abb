import { describe, expect, it } from "@tocsin/testing/vitest"
import * as fc from "fast-check"
import { atOnce } from "../../src/work/Parts.ts"
import { utf8Bytes, utf8Length } from "../../src/work/Utf8Bytes.ts"

describe("the bytes of a text in UTF-8", () => {
  it("are the same in parts, whatever characters are at their ends", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
        fc.integer({ min: 131_060, max: 131_075 }),
        (text, before) => {
          const whole = `${"a".repeat(before)}${text.repeat(3)}`
          const bytes = new TextEncoder().encode(whole)
          expect(utf8Length(whole)).toBe(bytes.length)
          expect(Buffer.compare(atOnce(utf8Bytes(whole)), bytes)).toBe(0)
        },
      ),
      { numRuns: 50 },
    )
  })
})
