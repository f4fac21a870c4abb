import { readYaml, yamlIndicatorsMax, yamlIndicatorsOfOneMax } from "../../src/documents/ReadYaml.ts"
import { atOnce } from "@tocsin/domain/adapter"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const read = (text: string) => atOnce(readYaml(text, yamlIndicatorsMax))
/** An end of the document keeps the text in one piece. */
const readWhole = (text: string) => read(`${text}\n...\n`)

/** Long enough that the text is read in pieces, and without a line break at its end. */
const filler = `# ${"x".repeat(2_500)}`

const lines = [
  [
    "- a",
    "- b: 1",
    "  c: 2",
    "- - d",
    "  - e",
    "- |",
    "  text",
    "  - text",
    "",
    "# comment",
    "- [f,",
    "  g]",
  ],
  ["---", "--- # comment", "- 'h", "  i'", "- x: &anchor 1", "- *anchor", "- {j: [1, 2]}", "k: 1", "- ? l"],
  ["- >-", "   m", "--- |", "-", "- -1", "-n", "--- - o", "- !!str 1", '- "p: - q"', "-\tr"],
].flat()

describe("YAML in pieces", () => {
  it("spec/rate-limits §8: has the values of the text in one piece", () => {
    const line = fc.constantFrom(...lines)
    const text = fc.array(line, { maxLength: 30 }).map((chosen) => chosen.join("\n"))
    const numRuns = 1_000
    fc.assert(
      fc.property(text, (chosen) => {
        const [pieces, whole] = [read(`${filler}\n${chosen}`), readWhole(`${filler}\n${chosen}`)]
        expect(Result.isSuccess(pieces)).toBe(Result.isSuccess(whole))
        if (Result.isSuccess(pieces) && Result.isSuccess(whole)) {
          const values = (read: ReadonlyArray<unknown>) => read.filter((value) => value !== null)
          expect(values(pieces.success)).toEqual(values(whole.success))
        }
      }),
      { numRuns },
    )
  })

  it("spec/rate-limits §8: long lists and many documents are read in many pieces", () => {
    const entries = Array.from({ length: 3_000 }, (_, index) => `- name: s-${index}\n  labels: {a: b}\n`)
    const documents = Array.from({ length: 500 }, (_, index) => `---\nname: s-${index}\n`)
    for (const [text, fewest] of [
      [entries.join(""), 10],
      [documents.join(""), 500],
    ] as const) {
      const pieces = readYaml(text, yamlIndicatorsMax)
      let parts = 0
      while (pieces.next().done !== true) parts++
      expect(parts).toBeGreaterThanOrEqual(fewest)
      expect(read(text)).toEqual(readWhole(text))
    }
  })

  it("the place of an error is that in the whole text", () => {
    const text = `${"- name: a\n".repeat(2_000)}- {b: [1, 2}\n`
    const failure = read(text)
    expect(failure).toMatchObject({ _tag: "Failure", failure: { message: expect.stringContaining("comma") } })
    expect(failure).toEqual(readWhole(text))
  })

  it("spec/rate-limits §8: a document with more punctuation than can be read in one piece is rejected", () => {
    const large = `a:\n${"- b: 1\n".repeat(yamlIndicatorsOfOneMax / 3 + 1)}`
    expect(read(large)).toMatchObject({
      failure: { message: expect.stringContaining("the document has more than 30,000") },
    })
    expect(read(`- c: 1\n---\n${large}`)).toMatchObject({ failure: { at: 7 } })
  })
})
