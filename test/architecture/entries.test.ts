import { build } from "esbuild"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

/** The modules that an entry of the domain loads, from its source. */
const loadedBy = async (entry: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    stdin: { contents: `import "@tocsin/domain/${entry}"`, resolveDir: join(root, "test") },
    absWorkingDir: root,
    bundle: true,
    conditions: ["source"],
    format: "esm",
    ignoreAnnotations: true,
    metafile: true,
    platform: "neutral",
    write: false,
  })
  return Object.keys(metafile.inputs).filter((path) => path !== "<stdin>")
}

describe("an entry of the domain loads what it needs", () => {
  it.each([
    ["slo", "slo/WindowAt.ts"],
    ["alerting", "alert-policy/ConditionGroups.ts"],
  ])("/%s loads no module of Effect, and no codec", async (entry, file) => {
    const loaded = await loadedBy(entry)
    expect(loaded).toContain(`packages/domain/src/${file}`)
    expect(loaded.filter((path) => /node_modules|\/(Codec|Containers|Leaves)\.ts$/.test(path))).toEqual([])
  })
})
