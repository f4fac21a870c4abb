import { existsSync, readdirSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

const written = new Set(["coverage", "dist", "node_modules"])

const foldersIn = (folder: string): ReadonlyArray<string> =>
  existsSync(`${root}/${folder}`)
    ? readdirSync(`${root}/${folder}`, { withFileTypes: true })
        .filter((each) => each.isDirectory() && !each.name.startsWith(".") && !written.has(each.name))
        .map(({ name }) => `${folder}/${name}`.replace(/^\.\//, ""))
    : []

/** The parts of the repository, the source of packages and applications, and their topics. */
const folders = (): ReadonlyArray<string> => {
  const sources = ["packages", "apps"].flatMap(foldersIn).map((each) => `${each}/src`)
  const topics = [...sources, "docs", "examples", "test"].flatMap(foldersIn)
  const parts = foldersIn(".").filter(
    (each) => !["apps", "examples", "packages", "packed", "release"].includes(each),
  )
  return [...parts, ...sources, ...topics].filter((each) => !each.endsWith("/entries"))
}

const listed = async (): Promise<ReadonlyArray<string>> => {
  const text = await readFile(`${root}/CONTRIBUTING.md`, "utf8")
  const [section = ""] = /^## Folders$[^]*?(?=^\*\*|^## )/m.exec(text) ?? []
  let parent = ""
  return section.split("\n").flatMap((line) => {
    const [, first = ""] = /^\|([^|]+)\|/.exec(line) ?? []
    const names = Array.from(first.matchAll(/`([^`]+)`/g), ([, name = ""]) => name)
    if (first.includes("…")) return names.map((name) => `${parent}/${name}`)
    parent = names[0] ?? parent
    return names.filter((name) => !name.includes("*"))
  })
}

describe("the table of folders in CONTRIBUTING", () => {
  it("names every folder once, and only folders that exist", async () => {
    const names = await listed()
    // `npm run docs` writes it.
    const found = [...new Set([...folders(), "docs/reference"])]
    expect(names.toSorted()).toEqual(found.toSorted())
  })
})

describe("the code paths in CONTRIBUTING", () => {
  // The numbers may only decrease; the aims are 20, 28 and 45.
  const most = [20, 34, 48]

  it("open files that exist, as many as they say", async () => {
    const codePaths = await codePathsIn()
    expect(codePaths.length).toBe(most.length)
    expect(
      codePaths.flatMap(({ files }) => files).filter((path) => !existsSync(`${root}/packages/${path}`)),
    ).toEqual([])
    for (const [index, { text, files }] of codePaths.entries()) {
      expect(new Set(files).size).toBe(files.length)
      expect(files.length).toBeLessThanOrEqual(most[index] ?? 0)
      expect(text).toContain(`, ${files.length} files:`)
    }
  })

  it("go from one file to another that it imports, that a list registers, or that is the adapter of a port", async () => {
    for (const { files } of await codePathsIn()) {
      const reached = new Set(lists)
      const strays = files.slice(1).filter((path, index) => {
        for (const each of importsOf(files[index] ?? "")) reached.add(each)
        const isAdapter =
          path.startsWith("adapters-") && importsOf(path).some((port) => reached.has(port) && isPort(port))
        return !reached.has(path) && !isAdapter
      })
      expect(strays).toEqual([])
    }
  })
})

/** Where routes are registered, and the lists of what takes part in changes and of what runs in the background. */
const lists = [
  "domain/src/participants/AllParticipants.ts",
  "adapters-http/src/server/BackgroundWork.ts",
  ...importsOf("adapters-http/src/api/ApiHandlers.ts").filter((path) => path.endsWith("Handlers.ts")),
]

async function codePathsIn(): Promise<
  ReadonlyArray<{ readonly text: string; readonly files: ReadonlyArray<string> }>
> {
  const text = await readFile(`${root}/CONTRIBUTING.md`, "utf8")
  const [section = ""] = /^## Code paths$[^]*?(?=^## )/m.exec(text) ?? []
  const codePaths = section.split(/^### /m).slice(1)
  return codePaths.map((text) => ({
    text,
    files: Array.from(text.matchAll(/^\d+\. `([^`]+)`/gm), ([, path = ""]) => path),
  }))
}

function sourceOf(path: string): string {
  return readFileSync(`${root}/packages/${path}`, "utf8")
}

function isPort(path: string): boolean {
  return /extends Context\.(Service|Reference)/.test(sourceOf(path))
}

/** The files that declare what a file imports, below `packages`, through the entries of packages. */
function importsOf(path: string): ReadonlyArray<string> {
  return Array.from(sourceOf(path).matchAll(/^import ([^"]*?)from "([^"]+)"/gm)).flatMap(
    ([, names = "", from = ""]) => {
      const file = fileOf(path, from)
      return file === undefined ? [] : from.startsWith(".") ? [file] : declaring(file, namesIn(names))
    },
  )
}

function namesIn(text: string): ReadonlyArray<string> {
  return Array.from(text.matchAll(/(\w+)(?: as \w+)?\s*[,}]/g), ([, name = ""]) => name)
}

/** The files in which names are declared that an entry exports. */
function declaring(entry: string, names: ReadonlyArray<string>): ReadonlyArray<string> {
  const exported = Array.from(sourceOf(entry).matchAll(/^export (?:type )?(\*|\{[^}]*\}) from "([^"]+)"/gm))
  return exported.flatMap(([, listed = "", from = ""]) => {
    const file = fileOf(entry, from)
    if (file === undefined) return []
    if (listed === "*") return declaring(file, names)
    return namesIn(listed).some((name) => names.includes(name)) ? [file] : []
  })
}

/** The file of an import from a file, or of an entry of a package of ours. */
function fileOf(path: string, from: string): string | undefined {
  if (from.startsWith(".")) return join(dirname(path), from)
  const [, name = "", entry = ""] = /^@tocsin\/([a-z-]+)(\/.*)?$/.exec(from) ?? []
  if (!existsSync(`${root}/packages/${name}/package.json`) || name === "") return undefined
  const { exports } = JSON.parse(sourceOf(`${name}/package.json`)) as {
    readonly exports: Readonly<Record<string, { readonly source?: string }>>
  }
  const source = exports[`.${entry}`]?.source
  return source === undefined ? undefined : join(name, source)
}
