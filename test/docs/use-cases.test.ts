import * as Context from "effect/Context"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { operations } from "../http/operations.ts"

const root = join(import.meta.dirname, "../..")
const text = readFileSync(join(root, "docs/guides/use-cases.md"), "utf8")

const rows = [...text.matchAll(/^\| `(\w+)`\s*\| `([\w.]+)`\s*\| `([^`]+)`\s*\|$/gm)].map(
  ([, operation = "", symbol = "", specifier = ""]) => ({ operation, symbol, specifier }),
)

describe("the table of use cases", () => {
  it("has each operation of the API once", () => {
    expect(rows.map(({ operation }) => operation).toSorted()).toEqual(
      operations.map(({ operationId }) => operationId).toSorted(),
    )
  })

  it("names functions that the entries export, or operations of their ports", async () => {
    const unresolved: Array<string> = []
    for (const { symbol, specifier } of rows) {
      const entry = (await import(specifier)) as Readonly<Record<string, unknown>>
      const [name = "", operation] = symbol.split(".")
      const isFound =
        typeof entry[name] === "function" && Context.isKey(entry[name]) === (operation !== undefined)
      if (!isFound) unresolved.push(`${symbol} of ${specifier}`)
    }
    expect(unresolved).toEqual([])
  })

  it("names what the API itself imports", () => {
    const source = join(root, "packages/adapters-http/src")
    const imported = new Set(
      readdirSync(source, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .flatMap((file) => [
          ...readFileSync(join(source, file), "utf8").matchAll(/^import \{([^}]*)\} from "([^"]+)"/gm),
        ])
        .flatMap(([, names = "", specifier = ""]) =>
          names.split(",").map((name) => `${name.trim().split(" as ")[0]} of ${specifier}`),
        ),
    )
    const used = rows.map(({ symbol, specifier }) => `${symbol.split(".")[0]} of ${specifier}`)
    expect(used.filter((each) => !imported.has(each))).toEqual([])
  })
})
