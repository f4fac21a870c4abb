// Builds the web console into apps/console/dist, unless it was already built from the same sources. It can run several
// times at once, and while a server reads the files: the directory is replaced in one step.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const folder = join(root, "apps/console")
const dist = join(folder, "dist")

/** The sources of a build and their hash. Files whose names start with a dot are not served. */
const stampFile = ".sources.json"

if (!isCurrent()) await build()

async function build() {
  // Tests set another value, and the development build of React is larger and slower.
  process.env.NODE_ENV = "production"
  // The version that the console depends on.
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
            for (const id of this.getModuleIds()) {
              modules.add(id.split("?", 1)[0])
              // Of a module that is written from others.
              for (const source of this.getModuleInfo(id).meta.sources ?? []) modules.add(source)
            }
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

/** Replaces `dist`. If another build does so at the same time, either result is used. */
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

/** The hash of the sources and of the other files that affect a build. A deleted source changes it too. */
function hashOf(sources) {
  const hash = createHash("sha256")
  const publicFiles = readdirSync(join(folder, "public"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  const others = [
    ...["index.html", "package.json", "tsconfig.json", "vite.config.ts"].map(
      (name) => `apps/console/${name}`,
    ),
    ...publicFiles.sort(),
    "package-lock.json",
    "scripts/console.mjs",
  ]
  for (const name of [...others, ...sources]) {
    const file = join(root, name)
    hash
      .update(`${name} `)
      .update(existsSync(file) ? readFileSync(file) : "gone")
      .update("\n")
  }
  return hash.digest("hex")
}
