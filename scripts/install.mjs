// Installs dependencies that are missing or older than the lock file, so that `npm start` and `npm test` work right after a
// clone: all of them, or with the argument `server` only those of the server and the web console, unless all were installed
// before. It has no dependencies itself.
import { spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { withProgress } from "./progress.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
// Required by Vite, which builds the console.
const leastMinor = { 20: 19, 22: 12 }
if (major < 20 || major === 21 || minor < (leastMinor[major] ?? 0)) {
  console.error(
    `Tocsin needs Node.js 20.19 or later in the 20 series, or 22.12 or later. This is ${process.versions.node}.`,
  )
  process.exit(1)
}

const lockFile = join(root, "package-lock.json")
/** npm writes this file at the end of every install. */
const installedFile = join(root, "node_modules", ".package-lock.json")
/** Exists while packages are added to those that are installed. */
const unfinishedFile = join(root, "node_modules", ".unfinished")

const installed = installedPackages()
/** Only `all` installs what runs the tests. */
const isWhole = installed !== undefined && "node_modules/vitest" in installed
const isCurrent = installed !== undefined && statSync(installedFile).mtimeMs >= statSync(lockFile).mtimeMs
const wanted = process.argv[2] === "server" && !isWhole ? "server" : "all"
if (!isCurrent) await install(["ci", ...(wanted === "server" ? serverOnly() : [])])
else if (wanted === "all" && (!isWhole || existsSync(unfinishedFile))) {
  // Not `npm ci`, which would delete the database programs of a demo that runs.
  if (existsSync(unfinishedFile)) removeUnlisted()
  writeFileSync(unfinishedFile, "")
  await install(["install", "--no-save"])
  rmSync(unfinishedFile)
}

/** The packages that npm has listed at the end of an install; undefined if it was cut off. */
function installedPackages() {
  try {
    return readJson(installedFile).packages
  } catch {
    return undefined
  }
}

/** Deletes the packages that npm has not listed, of which some may be incomplete. */
function removeUnlisted() {
  for (const path of Object.keys(readJson(lockFile).packages)) {
    if (path.startsWith("node_modules/") && !(path in installed))
      rmSync(join(root, path), { recursive: true, force: true })
  }
}

/** Peer dependencies that nothing else depends on, such as a client of Redis, are not imported by the server. */
function serverOnly() {
  return ["--omit=peer", "--workspace=apps/server", "--workspace=apps/console"]
}

async function install(parameters) {
  // Whatever the settings of npm leave out.
  const options = ["--include=dev", "--include=optional", "--no-audit", "--no-fund", "--no-progress"]
  // What the cache says of a package may be older than the version in the lock file.
  for (const fromCache of [["--prefer-offline"], []]) {
    const code = await withProgress(progress, runNpm([...parameters, ...options, ...fromCache]))
    if (code === 0) return
    if (code === null || code >= 128 || fromCache.length === 0) process.exit(code ?? 1)
    console.error("Installing again without the cache of npm …")
  }
}

/** The exit code of npm; null if it was killed. */
function runNpm(parameters) {
  const options = { cwd: root, stdio: ["ignore", 2, 2] }
  const npm = process.env.npm_execpath
  const run = npm
    ? spawn(process.execPath, [npm, ...parameters], options)
    : spawn(`npm ${parameters.join(" ")}`, { ...options, shell: true })
  return new Promise((resolve, reject) => {
    run.once("error", reject).once("exit", resolve)
  })
}

/** npm creates the folders of all packages before it fills any. */
function progress() {
  const folders = Object.keys(readJson(lockFile).packages)
    .filter((path) => path.includes("node_modules/"))
    .map((path) => join(root, path))
    .filter(existsSync)
  const filled = folders.filter((path) => existsSync(join(path, "package.json")))
  return folders.length === 0
    ? "Installing dependencies …"
    : `Installing dependencies … ${filled.length} of ${folders.length} packages`
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"))
}
