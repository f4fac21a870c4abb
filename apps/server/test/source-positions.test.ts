import { transformSync } from "esbuild"
import { mkdirSync, writeFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { withSourcePositions } from "../src/terminal/SourcePositions.ts"
import { dataDirectory, startTocsin } from "../../../test/server/child-process.ts"
import { moduleOf } from "../../../test/server/stores-module-file.ts"

const source = `interface A { readonly a: number }

export const first = (given: A): number => { return given.a + 1 }
export const second = <T,>(list: ReadonlyArray<T>): ReadonlyArray<T> =>
  list.map((each): T => { if (each === undefined) throw new Error("none"); return each })
`

describe("source positions of a stack trace", () => {
  const folder = join(dataDirectory(), "lib (1)")
  const program = join(folder, "program.cjs")
  const { code, map } = transformSync(source, {
    loader: "ts",
    sourcemap: "external",
    sourcefile: "../src/Program.ts",
    minifyWhitespace: true,
  })
  mkdirSync(folder)
  mkdirSync(join(folder, "../src"))
  writeFileSync(join(folder, "../src/Program.ts"), source)
  writeFileSync(`${program}.map`, map)

  it("are those that Node.js finds, at each position", () => {
    const payload = new SourceMap(JSON.parse(map))
    const positions = code
      .split("\n")
      .flatMap((text, line) => Array.from(text, (_, column) => ({ line, column })))
    const stack = positions.map(({ line, column }) => `at f (${program}:${line + 1}:${column + 1})`)
    const expected = positions.map(({ line, column }) => {
      const entry = payload.findEntry(line, column) as { originalLine: number; originalColumn: number }
      return `at f (${join(folder, "../src/Program.ts")}:${entry.originalLine + 1}:${entry.originalColumn + 1})`
    })
    expect(positions.length).toBeGreaterThan(100)
    expect(withSourcePositions(stack.join("\n"), program)).toBe(expected.join("\n"))
  })

  it("are paths from the root of the repository where the sources are not", () => {
    const copied = join(folder, "a/b/program.cjs")
    mkdirSync(join(folder, "a/b"), { recursive: true })
    writeFileSync(`${copied}.map`, map)
    expect(withSourcePositions(`at f (${copied}:1:1)`, copied)).toMatch(/^at f \(src\/Program\.ts:\d+:\d+\)$/)
  })

  it("are found in a copy of the program, whose compiled code has the path of the original", () => {
    const original = `at f (/elsewhere/lib (1)/program.cjs:1:1)\n    at file:///elsewhere/program.cjs:1:1`
    expect(withSourcePositions(original, program)).toMatch(
      /^at f \(.*src\/Program\.ts:\d+:\d+\)\n {4}at .*src\/Program\.ts:\d+:\d+$/,
    )
  })

  it("leave other positions, and positions in a program without its map, as they are", () => {
    const other = `Error: x\n    at run (${folder}/other.cjs:1:2)\n    at node:internal/x:3:4`
    expect(withSourcePositions(other, program)).toBe(other)
    const stack = `Error: x\n    at run (file://${folder}/none.cjs:1:2)`
    expect(withSourcePositions(stack, join(folder, "none.cjs"))).toBe(stack)
    const beyond = `Error: x\n    at run (${program}:9999:1)`
    expect(withSourcePositions(beyond, program)).toBe(beyond)
  })
})

const environment = {
  PORT: "0",
  TOCSIN_STORE: "memory",
  TOCSIN_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
}

describe("the bundled server prints the lines of its sources", () => {
  it.each([
    ["an internal error", `export default new Proxy({}, { has() { throw new Error("a fault") } })`],
    [
      "an exception that nothing catches",
      `import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
export default Layer.effectDiscard(Effect.callback(() => {
  const error = new Error("a fault")
  setImmediate(() => { throw error })
}))`,
    ],
  ])("of %s", async (_, contents) => {
    const TOCSIN_STORES = await moduleOf(contents)
    const { code, stderr } = await startTocsin(["serve"], { ...environment, TOCSIN_STORES }).ended
    expect([code, stderr]).toEqual([1, expect.stringContaining("Error: a fault")])
    expect(stderr).toMatch(/\n +at .*\/src\/[\w/-]+\.ts:\d+:\d+/)
    expect(stderr.split("Error: a fault")[1]).not.toMatch(/program-\w+\.cjs/)
  })
})
