import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

const workspaces = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group)).map((name) => `${group}/${name}`),
)

const sources = workspaces.map((folder) => `${folder}/src`)

describe("the import graph", () => {
  it.each(sources)("%s has no circle of files", (source) => {
    expect(circlesOf(importsOfFiles(source))).toEqual([])
  })

  it.each(sources)("%s has no circle of folders", (source) => {
    expect(circlesOf(byFolder(importsOfFiles(source)))).toEqual([])
  })

  it.each(workspaces)("%s has entry points, and no pattern", (folder) => {
    const { exports = {} } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
      readonly exports?: Readonly<Record<string, object>>
    }
    const patterns = Object.entries(exports).filter(([entry]) => entry.includes("*"))
    expect(patterns).toEqual([])
  })

  it("no file imports what is not an entry point", () => {
    const importing = ["packages", "apps", "test", "examples"].flatMap((group) =>
      readdirSync(join(root, group), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
        .map((file) => join(root, group, file))
        .filter((file) => /(from|import\()\s*"@tocsin\/[a-z-]+\/internal\//.test(readFileSync(file, "utf8"))),
    )
    expect(importing).toEqual([])
  })

  it("names a circle by what it runs through", () => {
    const graph = new Map([
      ["a/one.ts", ["b/two.ts", "a/three.ts"]],
      ["a/three.ts", []],
      ["b/two.ts", ["a/three.ts"]],
    ])
    expect(circlesOf(graph)).toEqual([])
    expect(circlesOf(byFolder(graph))).toEqual([["a", "b"]])
    expect(circlesOf(new Map([...graph, ["a/three.ts", ["a/one.ts"]]]))).toEqual([
      ["a/one.ts", "a/three.ts", "b/two.ts"],
    ])
  })

  it("reads every form of import", () => {
    expect(
      importsIn(`import type { A } from "./A.ts"
        import {
          B,
        } from './B.ts'
        import "./C.ts"
        export * from "./D.ts"
        const e = await import("./E.ts")
        import * as Effect from "effect/Effect"`),
    ).toEqual(["./A.ts", "./B.ts", "./C.ts", "./D.ts", "./E.ts"])
  })
})

type Graph = ReadonlyMap<string, ReadonlyArray<string>>

const importsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*(["'])(\.[^"']+)\1/g)].map(([, , path = ""]) => path)

const importsOfFiles = (source: string): Graph => {
  const folder = join(root, source)
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  )
  return new Map(
    files.map((file) => [
      file,
      importsIn(readFileSync(join(folder, file), "utf8")).map((path) =>
        relative(folder, join(folder, dirname(file), path)),
      ),
    ]),
  )
}

const byFolder = (files: Graph): Graph => {
  const folders = new Map<string, Array<string>>()
  for (const [file, imports] of files) {
    const others = imports.map((path) => dirname(path)).filter((folder) => folder !== dirname(file))
    folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), ...others])
  }
  return folders
}

/** The strongly connected components with more than one node, each sorted (Tarjan's algorithm). */
const circlesOf = (graph: Graph): ReadonlyArray<ReadonlyArray<string>> => {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: Array<string> = []
  const circles: Array<ReadonlyArray<string>> = []
  const visit = (node: string): number => {
    const index = order.size
    order.set(node, index)
    lowest.set(node, index)
    open.push(node)
    for (const next of graph.get(node) ?? []) {
      const reached = order.has(next)
        ? open.includes(next)
          ? (order.get(next) ?? index)
          : index
        : visit(next)
      lowest.set(node, Math.min(lowest.get(node) ?? index, reached))
    }
    if (lowest.get(node) === index) {
      const component = open.splice(open.indexOf(node))
      if (component.length > 1) circles.push(component.sort())
    }
    return lowest.get(node) ?? index
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return circles
}
