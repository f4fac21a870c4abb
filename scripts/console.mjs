// Builds the web console into apps/console/dist, unless what is there was built from the same sources: then it takes a
// moment. Several may run at once, also beside a server that reads the files: the folder is replaced whole.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const folder = join(root, "apps/console")
const dist = join(folder, "dist")

/** What a build was made from, and the hash of it; a name that begins with a dot is served to nobody. */
const stampFile = ".sources.json"

if (!isCurrent()) await build()

async function build() {
  console.error("Building the web console …")
  // Also in a process with another value, such as a test: the development build of React is larger and slower.
  process.env.NODE_ENV = "production"
  // The console's own copy, whatever other one there is.
  const vite = await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve("vite")).href)
  const draft = join("node_modules", `.dist-${process.pid}`)
  const modules = new Set()
  try {
    await vite.build({
      root: folder,
      logLevel: "warn",
      build: { outDir: draft, emptyOutDir: true },
      plugins: [
        {
          name: "sources",
          generateBundle() {
            for (const id of this.getModuleIds()) modules.add(id.split("?", 1)[0])
          },
        },
      ],
    })
    const sources = [...modules]
      .filter((id) => existsSync(id) && !id.split(/[\\/]/).includes("node_modules"))
      .map((id) => relative(root, id).replaceAll(sep, "/"))
      .sort()
    writeFileSync(join(folder, draft, stampFile), JSON.stringify({ sources, hash: hashOf(sources) }))
    replaceBy(join(folder, draft))
  } finally {
    rmSync(join(folder, draft), { recursive: true, force: true })
  }
}

/** Puts a folder in the place of `dist`; where another build is quicker, either is as good. */
function replaceBy(draft) {
  const old = join(folder, "node_modules", `.dist-old-${process.pid}`)
  mkdirSync(dist, { recursive: true })
  renameSync(dist, old)
  try {
    renameSync(draft, dist)
  } catch (error) {
    if (!isCurrent()) throw error
  } finally {
    rmSync(old, { recursive: true, force: true })
  }
}

function isCurrent() {
  try {
    const { sources, hash } = JSON.parse(readFileSync(join(dist, stampFile), "utf8"))
    return hashOf(sources) === hash
  } catch {
    return false
  }
}

/** Of the sources, and of what decides on a build beside them; a source that is gone is a change too. */
function hashOf(sources) {
  const hash = createHash("sha256")
  const publicFiles = readdirSync(join(folder, "public"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  const besides = [
    ...["index.html", "package.json", "tsconfig.json", "vite.config.ts"].map(
      (name) => `apps/console/${name}`,
    ),
    ...publicFiles.sort(),
    "package-lock.json",
    "scripts/console.mjs",
  ]
  for (const name of [...besides, ...sources]) {
    const file = join(root, name)
    hash
      .update(`${name} `)
      .update(existsSync(file) ? readFileSync(file) : "gone")
      .update("\n")
  }
  return hash.digest("hex")
}
