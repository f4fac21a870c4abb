import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
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

describe("the reference of the packages", () => {
  beforeAll(() => {
    execFileSync(process.execPath, [path.join(root, "scripts/docs.mjs")], { stdio: "ignore" })
  }, 300_000)

  const pages = () => {
    const folder = path.join(root, "docs/reference")
    return readdirSync(folder)
      .filter((name) => name !== "README.md")
      .map((name) => ({ name, text: readFileSync(path.join(folder, name), "utf8") }))
  }

  it("has a page for every entry point, and none for what is internal", () => {
    const specifiers = readdirSync(path.join(root, "packages")).flatMap((folder) => {
      const { name, exports } = JSON.parse(
        readFileSync(path.join(root, "packages", folder, "package.json"), "utf8"),
      )
      return Object.keys(exports)
        .filter((entry) => !entry.includes("*"))
        .map((entry) => name + entry.slice(1))
    })
    const titles = pages().map(({ text }) => text.slice("# ".length, text.indexOf("\n")))
    expect(titles.toSorted()).toEqual(specifiers.toSorted())
  })

  it("describes every export and every property", () => {
    expect(pages().flatMap(({ name, text }) => undescribed(text).map((what) => `${name}: ${what}`))).toEqual(
      [],
    )
  })

  it("finds what is not described", () => {
    const text =
      "# @tocsin/example\n\n## Good\n\nIs good.\n\n```ts\ninterface Good {\n    /** Why. */\n    readonly why: string;\n}\n```\n\n" +
      "## Bad\n\n```ts\ninterface Bad {\n    readonly why: string;\n    how(): void;\n}\n```\n"
    expect(undescribed(text)).toEqual(["Bad", "Bad.why", "Bad.how"])
  })
})

/** The exports of a page, and the properties of its interfaces and classes, that have no docstring. */
const undescribed = (page: string): ReadonlyArray<string> =>
  page
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [name = ""] = section.split("\n", 1)
      const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(section) ?? []
      const lines = code.split("\n")
      const isDeclaration = /^(interface|class|type) /.test(code)
      const properties = lines.flatMap((line, index) => {
        const [, property] = /^ {4}(?:readonly |static )*([A-Za-z_[][\w.\]]*)\??[(:]/.exec(line) ?? []
        const isDescribed = lines[index - 1]?.trim().endsWith("*/") === true
        return isDeclaration && property !== undefined && !isDescribed ? [`${name}.${property}`] : []
      })
      return [...(/^[^\n]*\n\n```/.test(section) ? [name] : []), ...properties]
    })
