import { writeYamlItems } from "@tocsin/formats/yaml"
import { readDocuments } from "@tocsin/formats/documents"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { cpuTimeMs } from "../../../../test/CpuTime.ts"
import { aProject, anAlertMethod, anSlo } from "../../../../test/definition/valid-definitions.ts"

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."-?:,[]{}#&*!|>'\"%@`~<=aZ019._/ \n\t\r\\\u007f\u0085\u00a0\u2028\ufeff\u{1f514}".split(/(?:)/u),
      ),
      fc.constantFrom("---", "...", ": ", " #", "\n\n", "\n  ", "yes", "null", "0x1", "1e3", "a b"),
      fc.string({ unit: "binary", maxLength: 2 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""))

const key = fc
  .oneof(
    text,
    text.map((start) => start + "k".repeat(1_100)),
  )
  .filter((name) => name !== "__proto__" && name !== "<<")

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(
      "y",
      "No",
      "ON",
      "True",
      "NULL",
      "1_000",
      "12:30:00",
      "2026-01-30",
      ".nan",
      "e1",
      "a:",
      "a :b",
    ),
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
}))

describe("the YAML that is written", () => {
  it("reads back as the same values, with YAML 1.2 and 1.1", () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(key, value, { maxKeys: 3 }), { minLength: 1, maxLength: 3 }),
        (items) => {
          const written = writeYamlItems(items)
          expect(readDocuments(written, "application/yaml")).toEqual(Result.succeed(items))
          for (const version of ["1.1", "1.2"] as const) expect(parse(written, { version })).toEqual(items)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it("has one property per line, lines of text as they are, and few quotes", () => {
    const list = { a: [], b: {}, c: [[1, 2], { d: "yes" }], e: undefined, f: "one\n  two\n", g: "x\n\ny" }
    expect(writeYamlItems([aProject(), list])).toBe(`- apiVersion: tocsin/v1alpha
  kind: Project
  metadata:
    name: shop
    displayName: The Shop
    labels:
      team:
        - payments
  spec:
    description: Everything that sells.
- a: []
  b: {}
  c:
    -
      - 1
      - 2
    - d: "yes"
  f: |
    one
      two
  g: |-
    x

    y
`)
  })

  it("spec/rate-limits §8: takes little processor time for a whole page", () => {
    const page = Array.from({ length: 250 }, () => [anSlo(), anAlertMethod()]).flat()
    const write = () => expect(writeYamlItems(page).length).toBeGreaterThan(200_000)
    // The fastest of three, as cores may be shared.
    const takenMs = Math.min(cpuTimeMs(write), cpuTimeMs(write), cpuTimeMs(write))
    // A general writer takes more than five times as long.
    expect(takenMs).toBeLessThan(150)
  })
})
