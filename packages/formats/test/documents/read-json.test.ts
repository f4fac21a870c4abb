import { jsonInOnePieceMax, parseJson } from "../../src/documents/ReadJson.ts"
import { jsonDepthMax } from "../../src/documents/JsonSyntax.ts"
import { atOnce } from "@tocsin/domain/adapter"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const parse = (text: string) => atOnce(parseJson(text))
const filler = " ".repeat(jsonInOnePieceMax)

/** In parts, since the text is long. */
const parseLong = (text: string) => parse(text + filler)

describe("a long JSON text", () => {
  it("spec/rate-limits §8: has the value that JSON.parse gives", () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 6 }),
      fc.constantFrom<unknown>(
        { ["__proto__"]: 1 },
        [-0, 1e308, 5e-324],
        { "": { a: [] } },
        "\ud800",
        "é\u2028",
      ),
      fc.json({ noUnicodeString: false }).map((text) => JSON.parse(text) as unknown),
    )
    const written = fc.tuple(value, fc.constantFrom("", " ", "\n\t"))
    fc.assert(
      fc.property(written, ([given, space]) => {
        const text = JSON.stringify(given, undefined, space)
        const parsed = parseLong(text)
        expect(parsed).toStrictEqual(Result.succeed(JSON.parse(text)))
        expect(JSON.stringify(Result.getOrThrow(parsed))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['{"a": 1,}', { _tag: "syntax", error: { line: 1, column: 9 } }],
    ["[1 2]", { _tag: "syntax", error: { line: 1, column: 4 } }],
    ['[{"a":1},{"a":{"b":1,"\\u0062":2}}]', { _tag: "duplicate", issue: { path: "[1].a.b" } }],
    ['{"toString":1,"toString":2}', { _tag: "duplicate", issue: { path: "toString" } }],
    ['{"__proto__":1,"__proto__":2}', { _tag: "duplicate" }],
    ["[".repeat(jsonDepthMax + 1), { _tag: "syntax", error: { line: 1, column: jsonDepthMax + 1 } }],
    ['{"a":1,"a":2', { _tag: "syntax" }],
  ])("spec/errors §2: %s is rejected as a short one is", (text, failure) => {
    expect(parseLong(text)).toMatchObject({ _tag: "Failure", failure })
    expect(parse(text)).toMatchObject({ _tag: "Failure", failure })
    if (failure._tag === "duplicate") expect(parseLong(text)).toEqual(parse(text))
  })

  it("spec/rate-limits §8: is parsed in parts of at most a thousand tokens", () => {
    for (const [text, tokens] of [
      [`[${"0,".repeat(20_000)}0]`, 20_000],
      [`[${"{},".repeat(10_000)}{}]`, 20_000],
      [`[${"[[[]]],".repeat(5_000)}0]`, 30_000],
      [`{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":{}`).join(",")}}`, 10_000],
    ] as const) {
      const parts = parseJson(text)
      let count = 0
      while (parts.next().done !== true) count++
      expect(count).toBeGreaterThanOrEqual(tokens / 1_000)
    }
  })
})
