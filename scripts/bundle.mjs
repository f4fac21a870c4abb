// Bundles the server into one file that needs no node_modules, apps/server/dist/tocsin.mjs, and copies the built web
// console (scripts/console.mjs) into the directory `console` next to it. It can run several times at once, and while a
// server runs from the file: both are replaced in one step, and only if they change.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const file = join(root, "apps/server/dist/tocsin.mjs")

/** The files of a build with their sizes and times, so that the next run need not build to find nothing changed. */
const stampFile = join(root, "apps/server/dist/.bundle.json")

if (!isCurrent()) await bundle()
copyConsole(join(root, "apps/console/dist"), join(root, "apps/server/dist/console"))

function isCurrent() {
  try {
    const { inputs } = JSON.parse(readFileSync(stampFile, "utf8"))
    return existsSync(file) && Object.entries(inputs).every(([path, state]) => stateOf(path) === state)
  } catch {
    return false
  }
}

function stateOf(path) {
  const { size, mtimeMs } = statSync(join(root, path))
  return `${size} ${mtimeMs}`
}

async function bundle() {
  const startedAt = Date.now()
  const { build } = await import("esbuild")
  const { outputFiles, metafile } = await build({
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
    metafile: true,
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

  const inputs = ["scripts/bundle.mjs", "package-lock.json", ...Object.keys(metafile.inputs)]
  // What changed meanwhile may not be in the bundle.
  if (inputs.some((path) => statSync(join(root, path)).mtimeMs >= startedAt)) return
  const draft = `${stampFile}.${process.pid}`
  writeFileSync(
    draft,
    JSON.stringify({ inputs: Object.fromEntries(inputs.map((path) => [path, stateOf(path)])) }),
  )
  renameSync(draft, stampFile)
}

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
