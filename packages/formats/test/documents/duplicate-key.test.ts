import { findDuplicateKey } from "../../src/documents/DuplicateKey.ts"
import { entryPath, propertyPath } from "@tocsin/domain/codec"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cpuTimeMs } from "../../../../test/CpuTime.ts"

/** A JSON value as a tree, whose objects can have a key twice. */
type Tree = string | number | null | ReadonlyArray<Tree> | { readonly entries: ReadonlyArray<Entry> }
/** Of each key: its characters, and which of them are written as an escape. */
type Entry = readonly [key: string, escapes: ReadonlyArray<boolean>, value: Tree]

const key = fc.oneof(
  fc.constantFrom("a", "b", "Aa", "BB", "__proto__", "toString", "length"),
  fc.stringMatching(/^[a-c]{1,2}$/),
)
const tree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("{", '"', "\\", '\\"', "},{", ":"), fc.double()),
    fc.constant(null),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.record({
      entries: fc.array(
        fc.tuple(key, fc.array(fc.boolean(), { maxLength: 3 }), tie("tree")) as fc.Arbitrary<Entry>,
        {
          maxLength: 20,
        },
      ),
    }),
  ),
})).tree

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
const isList = (value: Tree): value is ReadonlyArray<Tree> => Array.isArray(value)

const write = (value: Tree, space: string): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (isList(value)) return `[${space}${value.map((each) => write(each, space)).join(`${space},`)}${space}]`
  const entries = value.entries.map(([name, escapes, each]) => {
    const written = Array.from(name, (character, at) =>
      escapes[at] === true ? escaped(character) : character,
    )
    return `"${written.join("")}"${space}:${space}${write(each, space)}`
  })
  return `{${space}${entries.join(`${space},${space}`)}${space}}`
}

const duplicatesOf = (value: Tree, path: string): ReadonlyArray<string> => {
  if (value === null || typeof value !== "object") return []
  if (isList(value)) return value.flatMap((each, index) => duplicatesOf(each, entryPath(path, index)))
  return value.entries.flatMap(([name, , each], index) => {
    const at = propertyPath(path, name)
    const isDuplicate = value.entries.slice(0, index).some(([earlier]) => earlier === name)
    return [...(isDuplicate ? [at] : []), ...duplicatesOf(each, at)]
  })
}

describe("duplicate keys of JSON", () => {
  it("spec/errors §2: a duplicate key is found wherever it is and however it is escaped, and nothing else is", () => {
    let duplicates = 0
    fc.assert(
      fc.property(tree, fc.constantFrom("", " ", "\n\t"), (value, space) => {
        const text = write(value, space)
        JSON.parse(text)
        const expected = duplicatesOf(value, "")
        const found = findDuplicateKey(text)
        if (found === undefined) expect(expected).toEqual([])
        else {
          duplicates += 1
          expect(expected).toContain(found.path)
          expect(found.code).toBe("duplicate")
        }
      }),
      { numRuns: 2_000 },
    )
    expect(duplicates).toBeGreaterThan(100)
  })

  it.each([
    ['{"a":1,"b":{"a":1},"a":2}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"é":1,"\\u00e9":2}', ""],
    ['[[],{"a":[0,{"b":"}","b":1}]}]', "[1].a[1].b"],
    [`{${Array.from({ length: 40 }, (_, index) => `"k${index}":0`).join(",")},"k0":1}`, "k0"],
  ])("%j has one at %j", (text, path) => {
    expect(findDuplicateKey(text)).toMatchObject({ path, code: "duplicate" })
  })

  it("a key that could be a misplaced secret is not repeated", () => {
    const issue = findDuplicateKey('{"spec":{"url:https://hooks.example/secret":{"a":1,"a":2}}}')
    expect(issue).toMatchObject({ path: "spec", code: "duplicate" })
    expect(JSON.stringify(issue)).not.toContain("secret")
  })

  it("nesting neither overflows the stack nor makes the path long", () => {
    const depth = 200_000
    const deep = `${"[".repeat(depth)}{"a":1,"a":2}${"]".repeat(depth)}`
    expect(findDuplicateKey(deep)?.path).toBe("[0]".repeat(64))
    const objects = `${'{"a":'.repeat(depth)}{"b":1,"b":2}${"}".repeat(depth)}`
    expect(findDuplicateKey(objects)?.path).toBe(Array.from({ length: 64 }, () => "a").join("."))
  })

  it("keys with equal hashes cost no more than linear time", () => {
    const parts = ["Aa", "BB"]
    const keys = Array.from({ length: 2 ** 13 }, (_, bits) =>
      Array.from({ length: 13 }, (_part, at) => parts[(bits >> at) & 1]).join(""),
    )
    const text = `{${keys.map((name) => `"${name}":0`).join(",")}}`
    const takenMs = cpuTimeMs(() => expect(findDuplicateKey(text)).toBeUndefined())
    expect(takenMs).toBeLessThan(500)
  })
})
