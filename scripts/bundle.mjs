// Bundles the server into one file that needs no node_modules: apps/server/dist/tocsin.mjs. Several may run at
// once, also beside a server that was started from the file: it is replaced whole, and only when it changes.
import { build } from "esbuild"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const file = join(root, "apps/server/dist/tocsin.mjs")

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ["apps/server/src/main.ts"],
  outfile: file,
  write: false,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  conditions: ["source"],
  sourcemap: "linked",
  legalComments: "linked",
  logLevel: "warning",
  // Some CommonJS dependencies ask for `require`, which a module does not have.
  banner: {
    js: 'import { createRequire as tocsinCreateRequire } from "node:module"; const require = tocsinCreateRequire(import.meta.url);',
  },
})

mkdirSync(dirname(file), { recursive: true })
for (const { path, contents } of outputFiles) {
  if (isWritten(path, contents)) continue
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, contents)
  renameSync(draft, path)
}

function isWritten(path, contents) {
  try {
    return readFileSync(path).equals(contents)
  } catch {
    return false
  }
}
