import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

describe("the program", () => {
  it("loads no part of a server before a command needs it", () => {
    const loaded = loadedWith("apps/server/src/main.ts")
    expect(loaded).toContain("apps/cli/src/Tocsin.ts")
    expect(loaded.filter(isOfServer)).toEqual([])
  })

  it("loads the server for the command that runs it", () => {
    const loaded = loadedWith("apps/server/src/command/ServeCommand.ts")
    expect(loaded).toContain("apps/server/src/server/Server.ts")
    expect(loaded.some((file) => file.startsWith("packages/adapters-pg/"))).toBe(true)
  })
})

describe("the command line", () => {
  it("loads no part of a server with any of its commands", () => {
    const text = readFileSync(join(root, "apps/cli/src/Tocsin.ts"), "utf8")
    const commands = [...text.matchAll(/import\("\.\/(command\/\w+\.ts)"\)/g)].map(([, file = ""]) => file)
    expect(commands.length).toBeGreaterThan(25)
    const loaded = new Set(commands.flatMap((file) => loadedWith(`apps/cli/src/${file}`)))
    expect([...loaded].filter(isOfServer)).toEqual([])
  })

  it("imports neither the server nor an adapter of it", () => {
    const imported = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/"(@tocsin\/(?:server|adapters-(?!egress)\w+)[^"]*)"/g)].map(([, name]) => [
        file,
        name,
      ]),
    )
    expect(imported).toEqual([])
    const { devDependencies } = JSON.parse(readFileSync(join(root, "apps/cli/package.json"), "utf8")) as {
      readonly devDependencies: object
    }
    expect(Object.keys(devDependencies)).not.toContain("@tocsin/adapters-http")
  })

  it("names no path of the API: every call is an operation of the contract", () => {
    const named = sources.filter(({ text }) =>
      /(?<!@tocsin)\/(?:api|healthz|readyz|\.well-known)\b/.test(text),
    )
    expect(named.map(({ file }) => file)).toEqual([])
  })
})

const sources = readdirSync(join(root, "apps/cli/src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file, text: readFileSync(join(root, "apps/cli/src", file), "utf8") }))

const isOfServer = (file: string): boolean =>
  /^(apps\/server\/src\/(server|store|postgres)|packages\/adapters-(http|pg|memory|mcp|clients|prometheus))\//.test(
    file,
  )

/** The files that importing a file loads, by their paths in the repository: neither types nor what `import()` loads later. */
const loadedWith = (entry: string): ReadonlyArray<string> => {
  const loaded = new Set([join(root, entry)])
  for (const file of loaded)
    for (const specifier of loadedBy(readFileSync(file, "utf8"))) {
      const target = fileOf(specifier, file)
      if (target !== undefined && /\.tsx?$/.test(target)) loaded.add(target)
    }
  return [...loaded].map((file) => relative(root, file))
}

const loadedBy = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:(?:[\w*\s{},]|\bas\b)*?\sfrom\s+)?"([^"]+)"/gm)].map(
    ([, specifier = ""]) => specifier,
  )

/** The file of a relative or published specifier; `undefined` for what is not of the repository. */
const fileOf = (specifier: string, from: string): string | undefined => {
  if (specifier.startsWith(".")) return join(dirname(from), specifier)
  const [, name = "", path = ""] = /^@tocsin\/([^/]+)(.*)$/.exec(specifier) ?? []
  const folder = ["packages", "apps"].map((group) => join(root, group, name)).find(existsSync)
  if (name === "" || folder === undefined) return undefined
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly source: string } | undefined>>
  }
  const source = exports[`.${path}`]?.source ?? exports["./*"]?.source.replace("*", path.slice(1))
  if (source === undefined) throw new Error(`${from} imports ${specifier}, which is not published`)
  return join(folder, source)
}
