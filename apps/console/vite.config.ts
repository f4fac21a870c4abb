import react from "@vitejs/plugin-react"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
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
    closeBundle: (error?: Error) => (error === undefined ? compressFiles(folder) : undefined),
  }
}

/** In threads, so that several files are compressed at once. */
const compressFiles = async (folder: string): Promise<void> => {
  const names = await readdir(folder, { recursive: true })
  const texts = names.filter((name) => /\.(js|css|html|svg)$/.test(name))
  await Promise.all(texts.map((name) => writeCompressed(join(folder, name))))
}

const writeCompressed = async (file: string): Promise<void> => {
  const bytes = await readFile(file)
  if (bytes.length < compressedMinBytes) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  await Promise.all([
    promisify(brotliCompress)(bytes, { params }).then((br) => writeFile(`${file}.br`, br)),
    promisify(gzip)(bytes, { level: 9 }).then((gz) => writeFile(`${file}.gz`, gz)),
  ])
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
              test: (id) =>
                !/\/console\/src\/(?:chart|deliveries|editor|lists|reports)\/|\/(?:WriteYaml\.ts|SloAnnotations\.tsx)$|^virtual:rules\//.test(
                  id,
                ),
            },
          ],
        },
      },
    },
  },
})
