import { existsSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
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
  const parts = foldersIn(".").filter((each) => !["apps", "examples", "packages", "packed"].includes(each))
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

describe("the walks in CONTRIBUTING", () => {
  it("open files that exist, and at most as many as they may", async () => {
    const text = await readFile(`${root}/CONTRIBUTING.md`, "utf8")
    const [section = ""] = /^## Three walks$[^]*?(?=^## )/m.exec(text) ?? []
    const walks = section.split(/^### /m).slice(1)
    const opened = walks.map((walk) =>
      Array.from(walk.matchAll(/^\d+\. `([^`]+)`/gm), ([, path = ""]) => path),
    )
    expect(opened.flat().filter((path) => !existsSync(`${root}/packages/${path}`))).toEqual([])
    for (const [index, most] of [20, 28, 45].entries()) {
      expect(new Set(opened[index]).size).toBe(opened[index]?.length)
      expect(opened[index]?.length).toBeLessThanOrEqual(most)
      expect(walks[index]).toContain(`, ${opened[index]?.length} files:`)
    }
  })
})
