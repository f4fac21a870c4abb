// Bundles the server into one file that needs no node_modules, apps/server/dist/tocsin.mjs, and copies the built web
// console (scripts/console.mjs) into the directory `console` next to it. It can run several times at once, and while a
// server runs from the file: both are replaced in one step, and only if they change.
import { build } from "esbuild"
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
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
  // The server is also a program of its own: it begins with `#!`.
  writeFileSync(draft, contents, { mode: path === file ? 0o755 : 0o644 })
  renameSync(draft, path)
}

copyConsole(join(root, "apps/console/dist"), join(root, "apps/server/dist/console"))

function copyConsole(built, copy) {
  const stamp = ".sources.json"
  if (!existsSync(join(built, stamp)) || isWritten(join(copy, stamp), readFileSync(join(built, stamp))))
    return
  const draft = `${copy}.${process.pid}`
  const old = `${copy}.${process.pid}.old`
  try {
    cpSync(built, draft, { recursive: true })
    mkdirSync(copy, { recursive: true })
    renameSync(copy, old)
    renameSync(draft, copy)
  } catch (error) {
    // Another run has copied it at the same time.
    if (!existsSync(join(copy, stamp))) throw error
  } finally {
    for (const folder of [draft, old]) rmSync(folder, { recursive: true, force: true })
  }
}

function isWritten(path, contents) {
  try {
    return readFileSync(path).equals(contents)
  } catch {
    return false
  }
}
