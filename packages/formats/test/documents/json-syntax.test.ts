import { findJsonSyntaxError } from "../../src/documents/JsonSyntax.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("the position of an error in JSON", () => {
  it.each([
    ["", 1, 1, "the text is empty"],
    ["{", 1, 2, "the text ends before the value is complete"],
    ['{"a": 1,}', 1, 9, "expected a key in double quotes after the comma"],
    ["[1, 2,\n]", 2, 1, "expected a value"],
    ["[1 2]", 1, 4, "expected a comma or ]"],
    ['{"a" 1}', 1, 6, "expected a colon"],
    ["{a: 1}", 1, 2, "expected a key in double quotes or }"],
    ["'a'", 1, 1, "expected a value"],
    ["{} {}", 1, 4, "unexpected text after the value"],
    ["[01]", 1, 3, "expected a comma or ]"],
    ["[1.]", 1, 3, "expected a comma or ]"],
    ["[NaN]", 1, 2, "expected a value or ]"],
    ['{\n  "a": "b\n"}', 2, 10, "control characters in strings must be escaped"],
    ['["a\\x"]', 1, 4, "unknown escape sequence"],
    ['["a\\u00g0"]', 1, 4, "unknown escape sequence"],
    ['["abc', 1, 2, "the string is not closed"],
  ])("of %j is line %d, column %d: %s", (text, line, column, message) => {
    expect(isJson(text)).toBe(false)
    expect(findJsonSyntaxError(text)).toEqual({ line, column, message })
  })

  it("is found exactly where JSON.parse rejects a text", () => {
    const token = fc.constantFrom(
      ...'{}[],:"\\ \n\t0123e+-.',
      "true",
      "null",
      '"a"',
      '"\\u0041"',
      "\u0000",
      "é",
    )
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.nat(3), token).map(([text, at, removed, inserted]) => {
      const from = at % (text.length + 1)
      return text.slice(0, from) + inserted + text.slice(from + removed)
    })
    const texts = fc.oneof(
      fc.json(),
      damaged,
      fc.array(token, { maxLength: 12 }).map((parts) => parts.join("")),
    )
    fc.assert(
      fc.property(texts, (text) => {
        expect(findJsonSyntaxError(text) === undefined).toBe(isJson(text))
      }),
      { numRuns: 1_000 },
    )
  })

  it("needs no stack and linear time", () => {
    const depth = 500_000
    expect(findJsonSyntaxError("[".repeat(depth))?.column).toBe(depth + 1)
    expect(findJsonSyntaxError(`"${"\\n".repeat(depth)}`)?.message).toBe("the string is not closed")
  })
})
