import react from "@vitejs/plugin-react"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { defineConfig, type Plugin, runnerImport } from "vite"
import type { definitionRules } from "./definition-rules.ts"

/** Smaller files are not worth compressing. */
const compressedMinBytes = 1024

/** Writes a `.br` and a `.gz` file beside each text file of the build, so that the server compresses nothing. */
const compressed = (): Plugin => {
  let folder = "dist"
  return {
    name: "compressed",
    apply: "build",
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir)
    },
    closeBundle: (error?: Error) => {
      if (error !== undefined) return
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue
        const file = join(folder, name)
        const bytes = readFileSync(file)
        if (bytes.length < compressedMinBytes) continue
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

const rulesPrefix = "virtual:rules/"

/**
 * `virtual:rules/SLO` is a module with the rules of the kind, and `virtual:rules/createReport` with those of the body of a request, so
 * that a form loads its own and no codec. What follows another `/` is the path of a part.
 */
const rules = (): Plugin => {
  const file = join(import.meta.dirname, "definition-rules.ts")
  // The packages of the workspace are read from their sources: they may not be compiled yet.
  const inline = { resolve: { noExternal: [/^@tocsin\//], conditions: ["source"] } }
  let read: ReturnType<typeof runnerImport<{ readonly definitionRules: typeof definitionRules }>> | undefined
  return {
    name: "rules",
    resolveId: (id) => (id.startsWith(rulesPrefix) ? id : undefined),
    async load(id) {
      if (!id.startsWith(rulesPrefix)) return undefined
      const { module, dependencies } = await (read ??= runnerImport(file, { environments: { inline } }))
      const [name = "", path] = id.slice(rulesPrefix.length).split("/")
      const code = `export default ${JSON.stringify(module.definitionRules(name, path))}`
      return { code, meta: { sources: [file, ...dependencies] } }
    },
  }
}

export default defineConfig({
  plugins: [react(), compressed(), rules()],
  // The console bundles a few modules of the domain from source.
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A page adds few files, as browsers request only six at a time, and little that it does not use: most pages edit nothing.
    rolldownOptions: {
      // To read the rules from the codecs takes longer than to bundle.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            {
              name: "shared",
              minShareCount: 3,
              test: (id) => !/\/(?:editor\/|lists\/|WriteYaml\.ts$)|^virtual:rules\//.test(id),
            },
          ],
        },
      },
    },
  },
})
