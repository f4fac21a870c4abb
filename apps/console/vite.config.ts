import react from "@vitejs/plugin-react"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

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

export default defineConfig({
  plugins: [react(), compressed()],
  // The console bundles a few modules of the domain from source.
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A page adds few files, as browsers request only six at a time, and little that it does not use: most pages edit nothing.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "shared", minShareCount: 3, test: (id) => !/\/(?:editor\/|WriteYaml\.ts$)/.test(id) },
          ],
        },
      },
    },
  },
})
