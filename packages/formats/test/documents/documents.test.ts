import * as Result from "effect/Result"
import { jsonFormat, readDocuments, writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import {
  yamlAliasesMax,
  yamlAliasedValuesMax,
  yamlIndicatorsMax,
  yamlIndicatorsOfOneMax,
} from "../../src/documents/ReadYaml.ts"
import { jsonDepthMax } from "../../src/documents/JsonSyntax.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { cpuTimeMs } from "../../../../test/CpuTime.ts"
import { anAlertMethod } from "../../../../test/definition/valid-definitions.ts"
import { definitionsMax, requestBodyMaxBytes } from "@tocsin/domain/limits"

const yaml = (text: string) => readDocuments(text, "application/yaml")
const json = (text: string) => readDocuments(text, "application/json")
const messageOf = (read: ReturnType<typeof yaml>): string =>
  Result.isSuccess(read) ? "" : read.failure.message

describe("documents of definitions", () => {
  it("spec/definitions §9: a JSON object is one document, an array is its entries", () => {
    expect(json('{"a":1}')).toEqual(Result.succeed([{ a: 1 }]))
    expect(json(' [{"a":1}, 2] ')).toEqual(Result.succeed([{ a: 1 }, 2]))
    expect(json("[]")).toEqual(Result.succeed([]))
  })

  it("spec/definitions §9: a duplicate key of JSON is an issue at the key", () => {
    const failure = { path: "[1].a.b", code: "duplicate" }
    expect(json('[{"a":1},{"a":{"b":1,"b":2}}]')).toMatchObject({ _tag: "Failure", failure })
  })

  it("spec/definitions §9: YAML has several documents, each an object or a list, and empty ones do not count", () => {
    expect(yaml("a: 1\n---\n- b: 2\n- c: 3\n---\n\n---\n# nothing\n...\n")).toEqual(
      Result.succeed([{ a: 1 }, { b: 2 }, { c: 3 }]),
    )
    expect(yaml("")).toEqual(Result.succeed([]))
    expect(yaml("\ufeffa: 1")).toEqual(Result.succeed([{ a: 1 }]))
    expect(yaml('{"a": [1, "x"]}')).toEqual(Result.succeed([{ a: [1, "x"] }]))
  })

  it("YAML is 1.2 with the core schema, whatever version the text names", () => {
    const text = "yes: no\ndate: 2026-01-30\nport: 0o10\n'<<': {a: 1}\nold: 010\nnone: ~\n"
    const value = [{ yes: "no", date: "2026-01-30", port: 8, "<<": { a: 1 }, old: 10, none: null }]
    expect(yaml(text)).toEqual(Result.succeed(value))
    expect(yaml(`%YAML 1.1\n---\n${text}`)).toEqual(Result.succeed(value))
  })

  it.each([
    ["a: 1\nb:\n\t- c", "line 3, column 1: "],
    ["a: [1, 2", "line 1, column 9: "],
    ["a: 1\nb: 2\na: 3", "line 3, column 1: the key is duplicated in its map; remove one of the two"],
    ["x:\n  - {k: 1, k: 2}", "line 2, column 12: the key is duplicated in its map; remove one of the two"],
    ["a: 1\n---\nb: *nope", "line 3, column 4: the alias refers to no earlier anchor"],
    ["a: &x [1, [*x]]", "line 1, column 12: the alias is inside the value that it refers to"],
    ["a: &x 1\nb: &x {c: *x}", "line 2, column 11: the alias is inside the value that it refers to"],
    ["a: &m 1\nc:\n  <<: *m", "line 3, column 3: the value of a merge key (<<) must be a map"],
    ["[{<< : [{a: 1}, b]}]", "line 1, column 3: the value of a merge key (<<) must be a map"],
    ["a:\n  <<: null", "line 2, column 3: the value of a merge key (<<) must be a map"],
    [
      "a: {<<: {b: 1}, <<: {c: 1}}",
      "line 1, column 17: the key is duplicated in its map; remove one of the two",
    ],
    ["a: &a {<<: *a}", "line 1, column 12: the alias is inside the value that it refers to"],
    ["a: !!binary aGk=", "line 1, column 4: tags such as !name are not supported"],
    ["a: !secret x", "line 1, column 4: tags such as !name are not supported"],
    [
      "? [a]\n: b",
      "line 1, column 3: keys must be strings; put this one in quotes, and fill in templates such as {{ name }} first",
    ],
    ['a: "\\q"', "line 1, column 6: unknown escape sequence in double quotes"],
    ["a: b: c", "line 1, column 5: wrong indentation, or a string with a colon"],
    ["*a : b", "line 1, column 1: keys must be strings"],
    ["a: !!int x", "line 1, column 4: the value does not have the type of its tag"],
    ["a: !!map x", "line 1, column 4: the value does not have the type of its tag"],
  ])("%j is refused: %s", (text, message) => {
    const read = yaml(text)
    expect(read).toMatchObject({ _tag: "Failure", failure: { path: "", code: "document_invalid" } })
    expect(messageOf(read).startsWith(message)).toBe(true)
  })

  it("text that is not JSON is rejected, with the position where known", () => {
    expect(json('{\n  "a": 1,\n}')).toMatchObject({
      _tag: "Failure",
      failure: { path: "", code: "document_invalid" },
    })
    expect(messageOf(json('{"a": 1\n "b"'))).toBe("line 2, column 2: invalid JSON: expected a comma or }")
    expect(json("")).toMatchObject({ _tag: "Failure" })
  })

  it("spec/definitions §8: a message never repeats the text, which holds secrets", () => {
    const secret = "https://hooks.example.com/secret"
    for (const text of [
      `"${secret}`,
      `{"url": ${secret}`,
      `url: !${secret} x`,
      `a: *${secret}`,
      `- ${secret}\nb: c`,
    ]) {
      for (const read of [yaml(text), json(text)]) {
        expect(Result.isSuccess(read)).toBe(false)
        expect(messageOf(read)).not.toContain("secret")
        expect(messageOf(read)).not.toContain("https")
      }
    }
  })

  it("aliases repeat what their anchors mark, and are bounded", () => {
    expect(yaml("a: &x {n: 1}\nb: *x")).toEqual(Result.succeed([{ a: { n: 1 }, b: { n: 1 } }]))
    expect(yaml("a: &x [&x 1, *x]")).toEqual(Result.succeed([{ a: [1, 1] }]))
    const many = `a: &x 1\nb: [${Array.from({ length: yamlAliasesMax }, () => "*x").join(",")}]`
    expect(Result.isSuccess(yaml(many))).toBe(true)
    expect(messageOf(yaml(many.replace("]", ",*x]")))).toMatch(
      /^line 2, column \d+: there are more than 100 aliases$/,
    )
    const bomb = Array.from({ length: 12 }, (_, level) =>
      level === 0 ? "a0: &a0 [x,x]" : `a${level}: &a${level} [*a${level - 1},*a${level - 1}]`,
    ).join("\n")
    expect(yaml(bomb)).toMatchObject({ _tag: "Failure", failure: { code: "document_invalid" } })
  })

  it.each<readonly [text: string, value: unknown]>([
    ["a: &m {x: 1, y: 2}\nb: {<<: *m, y: 3}", { a: { x: 1, y: 2 }, b: { x: 1, y: 3 } }],
    ["a: &m {x: 1, y: 2}\nb: {y: 3, <<: *m}", { a: { x: 1, y: 2 }, b: { x: 1, y: 3 } }],
    ["b:\n  <<:\n  - {x: 1}\n  - {x: 2, y: 2}\n  z: 3", { b: { x: 1, y: 2, z: 3 } }],
    ["a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: [*b, *a]}", "merged twice"],
    ["a: {<<: []}", { a: {} }],
    ["a: {<<: {<<: {x: 1}, y: 2}}", { a: { x: 1, y: 2 } }],
    ["a: {<<: {__proto__: 1, x: 2}}", "an own property"],
    ["a: {'<<': 1, <<: {x: 2}}", { a: { "<<": 1, x: 2 } }],
    ["a: {!!str <<: {x: 2}}", { a: { "<<": { x: 2 } } }],
    ["- &a {x: {deep: 1}}\n- {<<: *a, x: {other: 2}}", "lists"],
  ])("spec/definitions §9: merge keys are read as in YAML 1.1: %j", (text, value) => {
    const expected = typeof value === "string" ? parse(text, { merge: true }) : value
    const items = Array.isArray(expected) ? expected : [expected]
    expect(yaml(text)).toEqual(Result.succeed(items))
  })

  it("spec/definitions §9: merge keys give what another program reads, whatever is merged", () => {
    const map = fc.dictionary(fc.constantFrom("x", "y", "z", "constructor"), fc.integer(), { maxKeys: 3 })
    fc.assert(
      fc.property(
        fc.array(map, { minLength: 1, maxLength: 4 }),
        map,
        fc.boolean(),
        (merged, own, isFirst) => {
          const maps = merged.map((each, index) => `m${index}: &m${index} ${JSON.stringify(each)}`)
          const aliases = merged.map((_, index) => `*m${index}`)
          const merge = `<<: ${aliases.length === 1 ? aliases[0] : `[${aliases.join(", ")}]`}`
          const pairs = Object.entries(own).map(([key, value]) => `${key}: ${value}`)
          const text = [
            ...maps,
            `all: {${(isFirst ? [merge, ...pairs] : [...pairs, merge]).join(", ")}}`,
          ].join("\n")
          expect(yaml(text)).toEqual(Result.succeed([parse(text, { merge: true })]))
        },
      ),
    )
  })

  it("merge keys are bounded, by what aliases repeat and by the keys that are copied", () => {
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: 1`).join(", ")
    const nested = (levels: number, count: number) =>
      `a: ${"{<<: ".repeat(levels)}{${keys(count)}}${"}".repeat(levels)}`
    expect(Result.isSuccess(yaml(nested(5, 2_000)))).toBe(true)
    expect(messageOf(yaml(nested(6, 2_000)))).toMatch(/: the merge keys \(<<\) copy more than 10000 keys$/)
    const levels = Array.from({ length: 30 }, (_, level) => {
      const below = level === 0 ? "{x: [1, 1, 1]}" : `[*a${level - 1}, {l${level}: *a${level - 1}}]`
      return `a${level}: &a${level} {<<: ${below}}`
    })
    expect(messageOf(yaml(levels.join("\n")))).toMatch(/: the aliases expand to too many values$/)
  })

  it("text that nests deeper than any definition is rejected, not a crash", () => {
    for (const text of [
      "[".repeat(50_000),
      `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
      "- ".repeat(50_000),
    ]) {
      expect(yaml(text)).toMatchObject({ _tag: "Failure", failure: { code: "document_invalid" } })
    }
    for (const text of ["[".repeat(500_000), `{"a":`.repeat(20_000)]) {
      expect(messageOf(json(text))).toMatch(
        /^line 1, column \d+: arrays and objects are nested more than 64 deep$/,
      )
    }
    const nested = (depth: number): string => `${"[".repeat(depth)}"[\\"["${"]".repeat(depth)}`
    expect(Result.isSuccess(json(nested(jsonDepthMax)))).toBe(true)
    expect(Result.isSuccess(json(nested(jsonDepthMax + 1)))).toBe(false)
  })

  it("a text of the largest size is read or rejected, whatever it is full of", () => {
    const full = (part: string): string => part.repeat(requestBodyMaxBytes / part.length)
    expect(yaml(full(`- ${"a".repeat(61)}\n`))).toMatchObject({ _tag: "Success" })
    expect(yaml(`a: "${full("x")}"`)).toMatchObject({ _tag: "Success" })
    for (const part of ["? ", "{a: ", "- a\n", "[", ","])
      expect(Result.isSuccess(yaml(full(part)))).toBe(false)
  })

  it("spec/definitions §9, spec/alert-methods §8: a text has at most 150,000 line breaks and punctuation characters, enough for a thousand ordinary definitions", () => {
    const entries = (count: number): string => "- a\n".repeat(count)
    expect(Result.isSuccess(yaml(entries(yamlIndicatorsMax / 2)))).toBe(true)
    expect(yaml(entries(yamlIndicatorsMax / 2 + 1))).toEqual(
      Result.fail({
        path: "",
        code: "document_invalid",
        message:
          "the text has more than 150,000 line breaks and punctuation characters; split it, or send it as JSON",
      }),
    )
    const one = readDocuments(
      "- a\n".repeat(yamlIndicatorsOfOneMax / 2 + 1),
      "text/yaml",
      yamlIndicatorsOfOneMax,
    )
    expect(messageOf(one)).toContain("more than 30,000 line breaks")
    const written = writeDocuments(
      yamlFormat,
      Array.from({ length: definitionsMax }, () => anAlertMethod()),
    )
    expect(Result.isSuccess(yaml(written))).toBe(true)
  })

  it("spec/definitions §9: aliases repeat at most 10,000 values", () => {
    const list = (length: number): string => `a: &x [${"1,".repeat(length - 1)}]\nb: [*x, *x]`
    expect(Result.isSuccess(yaml(list(yamlAliasedValuesMax / 2)))).toBe(true)
    expect(messageOf(yaml(list(yamlAliasedValuesMax / 2 + 1)))).toBe(
      "line 2, column 9: the aliases expand to too many values",
    )
  })

  it.each(["[,", ",", "- ", "? ", ": ", "- &a\n", "- !a\n", "---\n", "a: b\n", "[[],", "{a: {", "'' ", "\n"])(
    "a text full of %j takes no more processor time than a legal one",
    (part) => {
      const full = part.repeat(190_000 / part.length)
      expect(cpuTimeMs(() => yaml(full))).toBeLessThan(1_000)
    },
  )

  it("keys that every object of the language has are keys like any other", () => {
    for (const read of [
      yaml('"__proto__": {x: 1}\n"constructor": 2'),
      json('{"__proto__":{"x":1},"constructor":2}'),
    ]) {
      const value = Result.isSuccess(read) ? (read.success[0] as object) : {}
      expect(Object.keys(value)).toEqual(["__proto__", "constructor"])
      expect("x" in value).toBe(false)
    }
  })

  it("every text is read or rejected", () => {
    const part = fc.constantFrom(
      ..."-?:,[]{}#&*!|>'\"%@`~<=a1 \n\t\\".split(""),
      "---\n",
      "...\n",
      "\n  ",
      "&a",
      "*a",
      "!!str ",
      "? ",
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const read = yaml(parts.join(""))
        if (Result.isFailure(read)) expect(read.failure.message).toMatch(/^(line \d+, column \d+: |aliases)/)
      }),
      { numRuns: 2_000 },
    )
  })

  it("what is written reads back, in both formats, whole and in parts", () => {
    const document = fc.dictionary(
      fc.string({ unit: "grapheme", minLength: 1 }).filter((key) => key !== "__proto__"),
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("yes", "1", "null", "2026-01-30", "a: b", "- x", ""),
      ),
    )
    fc.assert(
      fc.property(
        fc.array(document, { maxLength: 4 }),
        fc.array(document, { maxLength: 4 }),
        (first, second) => {
          for (const [format, read] of [
            [jsonFormat, json],
            [yamlFormat, yaml],
          ] as const) {
            const all = [...first, ...second]
            expect(read(writeDocuments(format, all))).toEqual(Result.succeed(all))
            if (first.length === 0) continue
            const parts = format.part(first, true) + format.part(second, false) + format.end(false)
            expect(read(parts)).toEqual(Result.succeed(all))
          }
        },
      ),
    )
  })
})
