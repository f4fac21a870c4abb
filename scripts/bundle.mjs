// Bundles the server into a program that needs no node_modules, apps/server/dist/tocsin.mjs, with its code in the directory
// `lib` next to it, and copies the built web console (scripts/console.mjs) into the directory `console`, unless the argument
// is `program`. It can run several times at once, and while a server runs from the files: the program and the console are
// replaced in one step, and only if they change, and files of `lib` change with their names.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { copyConsole } from "./copy-console.mjs"
import { replaceFile } from "./replace-file.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const file = join(root, "apps/server/dist/tocsin.mjs")
const lib = join(root, "apps/server/dist/lib")

/** Modules that the bundle has in place of others, by how they are imported. */
const replacements = new Map([
  [
    // Most of undici is never used, such as its caches and `fetch`, and would run at every start. This is what its entry does.
    "undici",
    `import Client from "undici/lib/dispatcher/client.js"
import Dispatcher from "undici/lib/dispatcher/dispatcher.js"
import api from "undici/lib/api/index.js"
Object.assign(Dispatcher.prototype, api)
export { Client }`,
  ],
  ["./ImportModule.ts", "export const importModule = importOfProgram"],
])

const withReplacements = {
  name: "replacements",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$|^\.\/ImportModule\.ts$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: "replaced",
      pluginData: resolveDir,
    }))
    onLoad({ filter: /./, namespace: "replaced" }, ({ path, pluginData }) => ({
      resolveDir: pluginData,
      contents: replacements.get(path),
    }))
  },
}

/** The files of a build with their sizes and times, so that the next run need not build to find nothing changed. */
const stampFile = join(root, "apps/server/dist/.bundle.json")

if (!isCurrent()) await bundle()
if (process.argv[2] !== "program") copyConsole()

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
    entryPoints: { program: "apps/server/src/main.ts" },
    outdir: lib,
    entryNames: "[name]-[hash]",
    outExtension: { ".js": ".cjs" },
    write: false,
    bundle: true,
    platform: "node",
    target: "node20",
    // One script, not modules: V8 takes its compiled code from a file, and a command still runs only what it imports.
    format: "cjs",
    // Without comments, which are all that is not ASCII; V8 keeps the text in memory.
    minify: true,
    conditions: ["source"],
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    legalComments: "linked",
    logLevel: "warning",
    define: {
      "import.meta.url": "moduleUrl",
      "import.meta.dirname": "__dirname",
      "import.meta.filename": "__filename",
    },
    banner: {
      js: "(function (require, __filename, __dirname, moduleUrl, importOfProgram) { const module = { exports: {} };",
    },
    footer: { js: "})" },
    plugins: [withReplacements],
  })

  mkdirSync(lib, { recursive: true })
  const code = outputFiles.find(({ path }) => path.endsWith(".cjs"))
  for (const { path, contents } of outputFiles) replaceFile(path, contents)
  prepareStart(code.path)
  // The program last: it never names a file that is not there yet. It is also a program of its own: it begins with `#!`.
  replaceFile(file, programOf(code.path), 0o755)
  const stem = basename(code.path, ".cjs")
  for (const name of readdirSync(lib)) {
    // Not the drafts of another run.
    if (
      /^program-\w+(\.cjs(\.\w+|\.LEGAL\.txt)?)?$|\.(mjs|map|txt)$/.test(name) &&
      !name.startsWith(stem) &&
      !/\.\d+$/.test(name)
    )
      rmSync(join(lib, name), { recursive: true, force: true })
  }

  const inputs = [
    "scripts/bundle.mjs",
    "scripts/prepare-start.mjs",
    "scripts/replace-file.mjs",
    "package-lock.json",
    ...Object.keys(metafile.inputs).filter((path) => !path.startsWith("replaced:")),
  ]
  // What changed meanwhile may not be in the bundle.
  if (inputs.some((path) => statSync(join(root, path)).mtimeMs >= startedAt)) return
  const outputs = [file, ...outputFiles.map(({ path }) => path)].map((path) => relative(root, path))
  replaceFile(
    stampFile,
    JSON.stringify({ inputs: Object.fromEntries(inputs.map((path) => [path, stateOf(path)])), outputs }),
  )
}

/**
 * The program: runs the code, compiled already if this is the version of V8 that compiled it. Otherwise V8 rejects what is
 * compiled and compiles the code.
 */
function programOf(path) {
  return `#!/usr/bin/env node
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"

const url = new URL("lib/${basename(path)}", import.meta.url)
const file = fileURLToPath(url)
let cachedData
try {
  cachedData = readFileSync(file + ".cache")
} catch {
  // Compiled now.
}
let code
try {
  // ASCII, of which Latin-1 takes a byte a character.
  code = readFileSync(file, "latin1")
} catch ({ code }) {
  const problem = code === "ENOENT" ? "is not there: copy the directory lib of the same build beside the program" : \`cannot be read (\${code})\`
  console.error(\`tocsin: \${file} \${problem}\`)
  process.exit(1)
}
const script = new Script(code, { filename: file, cachedData })
script.runInThisContext()(createRequire(url), file, dirname(file), url.href, (module) => import(module))
`
}

/** Writes what makes the server start sooner beside its code. Without it, as where nothing can listen, it starts later. */
function prepareStart(path) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/prepare-start.mjs"), path], {
    // Without the configuration of a server.
    env: { PATH: process.env.PATH },
    encoding: "utf8",
  })
  if (status !== 0)
    console.error(`The server takes longer to start, as its code could not be compiled:\n${stderr}`)
}
