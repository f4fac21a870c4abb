import { cachedRegexesMax, compileRegex } from "../../src/LabelRegex.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

/** Patterns that mean the same in RE2 and in JavaScript. */
const pattern: fc.Arbitrary<string> = fc.letrec<{ expression: string }>((tie) => {
  const atom = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom("a", "b", "c", ".", "\\d", "\\w", "[ab]", "[^a]", "[a-c1-3]", "\\.", "1"),
    },
    tie("expression").map((inner) => `(${inner})`),
    tie("expression").map((inner) => `(?:${inner})`),
    fc.constantFrom("^", "$"),
  )
  const repeated = fc
    .tuple(atom, fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?"))
    .map(([text, times]) => (text === "^" || text === "$" ? text : text + times))
  const sequence = fc.array(repeated, { maxLength: 4 }).map((parts) => parts.join(""))
  return {
    expression: fc
      .array(sequence, { minLength: 1, maxLength: 2, depthIdentifier: "regex" })
      .map((all) => all.join("|")),
  }
}).expression

describe("compileRegex", () => {
  it("spec/promql §2: matches whole texts as JavaScript does, and finds the same groups", () => {
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom("a", "b", "c", "1", "."), maxLength: 6 }),
        (text, subject) => {
          const expected = new RegExp(`^(?:${text})$`, "s").exec(subject)
          const regex = compileRegex(text)
          expect(regex.matches(subject)).toBe(expected !== null)
          // Which of repeated groups is remembered differs where one is empty.
          if (/[*+?{]/.test(text)) return
          expect(regex.groups(subject)).toEqual(expected === null ? undefined : [...expected])
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it("spec/promql §7: matches plain text in one step for each character, as the expression does", () => {
    const plain = fc
      .array(fc.constantFrom("a", "b", "c", "|", "|", "\\.", "\\|", "é"), { maxLength: 6 })
      .map((parts) => parts.join(""))
    const open = fc.constantFrom("", "", ".*", ".+")
    const wrapped = fc.oneof(
      plain,
      plain.map((text) => `(${text})`),
      plain.map((text) => `(?:${text})`),
      fc.tuple(open, plain, open).map((parts) => parts.join("")),
    )
    const subject = fc.string({
      unit: fc.constantFrom("a", "b", "c", ".", "|", "-", "é", "\n", "😀"),
      maxLength: 6,
    })
    fc.assert(
      fc.property(wrapped, subject, (text, of) => {
        const regex = compileRegex(text)
        expect(regex.matches(of)).toBe(regex.groups(of) !== undefined)
        expect(regex.matches(of)).toBe(new RegExp(`^(?:${text})$`, "su").test(of))
      }),
      { numRuns: 3_000 },
    )
    for (const text of [
      "checkout|search",
      "(a|b\\.c)",
      "(?:a|)",
      ".*shop.*",
      ".+",
      "eu-.*",
      ".*\\.com",
      "a\\-b",
    ])
      expect([text, compileRegex(text).matchSize]).toEqual([text, 1])
    for (const text of ["a|b.*", "(a)|(b)", "(?i)a", "a+", "a\\.*", "\\d", "😀.*", ".+.+"])
      expect([text, compileRegex(text).matchSize]).not.toEqual([text, 1])
  })

  it("spec/promql §2: has the flags, classes and quotes of RE2", () => {
    for (const [text, subject, isMatch] of [
      ["(?i)checkout", "CheckOut", true],
      ["(?i:c)heckout", "CHeckout", false],
      ["[[:alpha:]]+", "abc", true],
      ["[[:^digit:]]+", "a1", false],
      ["\\Qa.b\\E", "a.b", true],
      ["\\Qa.b\\E", "axb", false],
      ["a.b", "a\nb", true],
      ["\\x41\\x{1F600}", "A😀", true],
      [".", "😀", true],
      ["", "", true],
      ["a{,2}", "a{,2}", true],
      ["\\bshop\\b.*", "shop-eu", true],
      ["[]a]+", "]a", true],
      ["[a-]+", "a-", true],
      ["\\pL+", "größe", true],
      ["(?m)a$\n^b", "a\nb", true],
      ["a|ab", "ab", true],
    ] as const) {
      expect([text, compileRegex(text).matches(subject)]).toEqual([text, isMatch])
    }
    const named = compileRegex("(?P<team>[a-z]+)-(?<zone>\\w+)")
    expect(named.groups("shop-eu1")?.[named.names.get("zone") ?? 0]).toBe("eu1")
  })

  it("spec/promql §2: rejects what RE2 rejects, and what is too large", () => {
    for (const text of [
      "(",
      ")",
      "[a",
      "*a",
      "a**",
      "a{1001}",
      "(?P<a>b)(?P<a>c)",
      "\\",
      "[b-a]",
      "(?=a)",
      "\\1",
      "\\p{Foo}",
    ]) {
      expect(() => compileRegex(text), text).toThrow(SyntaxError)
    }
    expect(() => compileRegex("(a{1000}){1000}")).toThrow(SyntaxError)
    expect(() => compileRegex("a{1000}".repeat(3))).toThrow(/too large/)
    expect(() => compileRegex("(a{30}){30}".repeat(3))).toThrow(/too large/)
    expect(() => compileRegex("(a")).toThrow(/^missing closing \): `\(a`$/)
    expect(() => compileRegex("a".repeat(2_001))).toThrow(/longer than/)
  })

  it("spec/promql §7: compiles only expressions that stand for few characters", () => {
    for (const text of [
      "(?i)[B-\\x{1E900}]",
      "(?i)[\\x42-\u{1E900}]",
      "(?s-m:(?mi:[\\102-\u{1E900}]))",
      "(?i)[\\^-\u{1E900}]",
      "(?i)[\\x{f}-\\x{10ffff}]",
      "\\pL".repeat(10),
      "[^\\P{Greek}]".repeat(10),
      "a.*".repeat(334),
    ])
      expect(() => compileRegex(text), text).toThrow(/too large: it has more than 1000 characters/)
    // These are cheap, or not compiled.
    for (const text of [
      "[B-\\x{1E900}]",
      "(?i)[а-яё]+",
      "(?i)[a-z0-9_-]+[^-a]",
      "\\pL\\pN+",
      "abc|".repeat(499),
      ".*" + "a\\.".repeat(600),
    ])
      expect(() => compileRegex(text), text).not.toThrow()
  })

  it("keeps the expressions used last compiled, and no more than its bound", () => {
    const [kept, dropped] = [compileRegex("kept"), compileRegex("dropped")]
    for (let index = 0; index < cachedRegexesMax - 1; index++) {
      compileRegex(`other-${index}`)
      expect(compileRegex("kept")).toBe(kept)
    }
    expect(compileRegex("dropped")).not.toBe(dropped)
  })

  it("spec/promql §7: takes no longer for expressions on which others take forever", () => {
    const regex = compileRegex("(a*)*(a|aa)+(.*.*)*b")
    expect(regex.matches("a".repeat(1_000))).toBe(false)
  })
})
