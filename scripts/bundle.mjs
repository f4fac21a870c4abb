// Bundles the server into a program that needs no node_modules, apps/server/dist/tocsin.mjs, with the directory `lib`
// next to it, from which each command loads only what it needs, and copies the built web console (scripts/console.mjs)
// into the directory `console`. It can run several times at once, and while a server runs from the files: the program
// and the console are replaced in one step, and only if they change, and files of `lib` change with their names.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const file = join(root, "apps/server/dist/tocsin.mjs")
const lib = join(root, "apps/server/dist/lib")

/** The files of a build with their sizes and times, so that the next run need not build to find nothing changed. */
const stampFile = join(root, "apps/server/dist/.bundle.json")

if (!isCurrent()) await bundle()
copyConsole(join(root, "apps/console/dist"), join(root, "apps/server/dist/console"))

function isCurrent() {
  try {
    const { inputs, outputs } = JSON.parse(readFileSync(stampFile, "utf8"))
    return (
      outputs.every((path) => existsSync(join(root, path))) &&
      Object.entries(inputs).every(([path, state]) => stateOf(path) === state)
    )
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
    entryPoints: { tocsin: "apps/server/src/main.ts" },
    outdir: dirname(file),
    outExtension: { ".js": ".mjs" },
    chunkNames: "lib/[name]-[hash]",
    write: false,
    bundle: true,
    splitting: true,
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

  mkdirSync(lib, { recursive: true })
  // The program last: it never names a file that is not there yet.
  const programLast = outputFiles.toSorted((a, b) => Number(a.path === file) - Number(b.path === file))
  for (const { path, contents } of programLast) {
    if (isWritten(path, contents)) continue
    const draft = `${path}.${process.pid}`
    // The server is also a program of its own: it begins with `#!`.
    writeFileSync(draft, contents, { mode: path === file ? 0o755 : 0o644 })
    renameSync(draft, path)
  }
  const outputs = outputFiles.map(({ path }) => relative(root, path))
  for (const name of readdirSync(lib)) {
    const path = join(lib, name)
    // Not the drafts of another run.
    if (/\.(mjs|map|txt)$/.test(name) && !outputs.includes(relative(root, path)))
      rmSync(path, { force: true })
  }

  const inputs = ["scripts/bundle.mjs", "package-lock.json", ...Object.keys(metafile.inputs)]
  // What changed meanwhile may not be in the bundle.
  if (inputs.some((path) => statSync(join(root, path)).mtimeMs >= startedAt)) return
  const draft = `${stampFile}.${process.pid}`
  writeFileSync(
    draft,
    JSON.stringify({ inputs: Object.fromEntries(inputs.map((path) => [path, stateOf(path)])), outputs }),
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
