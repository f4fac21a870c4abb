import { kindList } from "@tocsin/domain/definitions"
import type { Kind } from "@tocsin/domain/kernel"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

/** The source files of a package that name a kind in a string; `Store["Service"]` is the type of a service. */
const filesNaming = (kind: string, source: string): ReadonlyArray<string> =>
  readdirSync(join(root, source), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => new RegExp(`[^[]"${kind}"`).test(readFileSync(join(root, source, file), "utf8")))
    .toSorted()

/** What reads definitions of one kind names it, such as the evaluation of SLOs. These numbers may only decrease. */
const filesMax: { readonly [K in Kind]?: { readonly [source: string]: number } } = {
  SLO: { domain: 25, "adapters-memory": 11, "adapters-pg": 11 },
  AlertMethod: { domain: 14, "adapters-pg": 2 },
  AlertPolicy: { domain: 9, "adapters-memory": 2, "adapters-pg": 2 },
  DataSource: { domain: 9 },
  Project: { "adapters-memory": 3 },
}

describe("a kind of definitions is described once", () => {
  it.each(kindList)("%s is named by few files of the domain, and one of each adapter", (kind) => {
    for (const [name, max] of Object.entries({ domain: 4, "adapters-memory": 1, "adapters-pg": 1 })) {
      const files = filesNaming(kind, `packages/${name}/src`)
      const most = filesMax[kind]?.[name] ?? max
      expect(files.length, `${kind} in ${name}, at most ${most}: ${files.join(", ")}`).toBeLessThanOrEqual(
        most,
      )
    }
  })

  it("a silence is named by no file of the HTTP API", () => {
    expect(filesNaming("AlertSilence", "packages/adapters-http/src")).toEqual([])
  })
})
