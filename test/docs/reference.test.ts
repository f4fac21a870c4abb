import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { referencePage } from "../../scripts/docs.mjs"

const root = path.resolve(import.meta.dirname, "../..")

describe("a page of the reference", () => {
  const page = referencePage(
    "@tocsin/example/Greeting",
    [
      'import type { Name } from "./Name.ts";',
      "declare const Base: new () => object;",
      "/**",
      " * Greets somebody.",
      " *",
      " * Fails with nothing.",
      " */",
      "export declare const greet: (name: Name) => string;",
      "export declare class Greeting extends Base {",
      "    /** Whom it greets. */",
      "    readonly name: Name;",
      "}",
      "declare const hidden: string;",
      "/** Seen under another name. */",
      "declare const inside: number;",
      "export { inside as outside };",
      "",
    ].join("\n"),
  )

  it("has every export with its description and its declaration, and nothing else", () => {
    expect(page).toBe(
      [
        "# @tocsin/example/Greeting",
        "## greet",
        "Greets somebody.\n\nFails with nothing.",
        "```ts\nconst greet: (name: Name) => string;\n```",
        "## Greeting",
        "```ts\nclass Greeting extends Base {\n    /** Whom it greets. */\n    readonly name: Name;\n}\n```",
        "## outside",
        "Seen under another name.",
        "```ts\nconst inside: number;\n```",
      ].join("\n\n") + "\n",
    )
  })

  it("is empty for a module that exports nothing, and an error for text that is no TypeScript", () => {
    expect(
      referencePage("@tocsin/example/Nothing", "declare const hidden: string;\nexport {};\n"),
    ).toBeUndefined()
    expect(() => referencePage("@tocsin/example/Broken", "export declare const ;")).toThrow(
      "cannot be parsed",
    )
  })
})

describe("the reference of the packages that others build on", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tocsin-reference-"))
  beforeAll(() => {
    for (const name of ["domain"]) {
      const compiler = path.join(root, "node_modules/typescript/lib/tsc.js")
      const project = ["-p", path.join(root, `packages/${name}/tsconfig.json`)]
      const output = ["--outDir", path.join(folder, name), "--declaration", "--emitDeclarationOnly"]
      const alone = ["--declarationMap", "false", "--composite", "false", "--incremental", "false"]
      execFileSync(process.execPath, [compiler, ...project, ...output, ...alone])
    }
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(["domain"])("has a page for every module of %s that exports something", (name) => {
    const declarations = readdirSync(path.join(folder, name), { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".d.ts"),
    )
    expect(declarations.length).toBeGreaterThan(1)
    for (const file of declarations) {
      const text = readFileSync(path.join(folder, name, file), "utf8")
      const page = referencePage(`@tocsin/${name}/${file.slice(0, -".d.ts".length)}`, text)
      const exported = [...text.matchAll(/^export declare (?:const|function|class) (\w+)/gm)].map(
        ([, id]) => id,
      )
      expect(exported.filter((id) => !page?.includes(`\n## ${id}\n`))).toEqual([])
    }
  })
})
