// Builds the documentation site into apps/server/dist/help, unless it was already built from the same sources. It can run
// several times at once, and while a server reads the files: what is installed and what is built is replaced in one step.
//
// To publish the site, set both of these. Each version is then built into a directory of its name, and `versions.json` beside
// them lists all that are there: each version has a menu of the others, including later ones.
// HELP_URL: the URL of this directory, such as `https://docs.example.com/tocsin/`. Default: `/help/` of the server.
// HELP_OUTPUT: the directory.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { writePages } from "./help-pages.mjs"
import { withProgress } from "./progress.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const site = join(root, "site")
const drafts = join(site, ".drafts")
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const versionsUrl = process.env.HELP_URL?.replace(/\/*$/, "/")
const published = process.env.HELP_OUTPUT
if ((versionsUrl === undefined) !== (published === undefined))
  throw new Error("Set HELP_URL and HELP_OUTPUT to publish the documentation, or neither of them.")
const pathOf = (name) => (versionsUrl === undefined ? undefined : new URL(name, versionsUrl).pathname)
const base = pathOf(`${version}/`) ?? "/help/"
const versionsFile = pathOf("versions.json")
const output = published === undefined ? join(root, "apps/server/dist/help") : resolve(published, version)
/** The sources of the built site and their hash. */
const stampFile = `${output}.sources.json`
/** Why there is no site: the server shows it (packages/adapters-http/src/help-files/HelpFiles.ts). */
const buildFile = `${output}.build`
/** Drafts that are older were left by builds that were killed. */
const draftMaxMs = 24 * 60 * 60 * 1_000

/** Directories of this build, which another one of the same clone does not have. */
const draft = join(drafts, `${process.pid}`)
const built = `${output}.${process.pid}`
/** What runs now, if anything. */
let running

/** A step of the build failed for a `reason` that may be shown to anybody; the message has what the step printed. */
class StepFailed extends Error {
  constructor(reason, text) {
    super(`The documentation was not built. ${reason}\n${text}`)
    this.reason = reason
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop)
// The server for which this builds has ended.
process.once("disconnect", stop)

if (!isCurrent()) {
  const startedAt = Date.now()
  const seconds = () => Math.round((Date.now() - startedAt) / 1_000)
  mkdirSync(dirname(output), { recursive: true })
  writeFileSync(buildFile, "building\n")
  try {
    await withProgress(() => `Building the documentation … ${seconds()} s`, build())
    rmSync(buildFile, { force: true })
  } catch (error) {
    writeFileSync(buildFile, `failed\n${error instanceof StepFailed ? error.reason : "An error occurred."}\n`)
    throw error
  } finally {
    clean()
  }
}
if (published !== undefined) writeVersions(resolve(published))
// Otherwise the channel to the server would keep this process.
process.removeListener("disconnect", stop)
if (process.connected) process.disconnect()

async function build() {
  removeOldDrafts()
  await installGenerator()
  const { sources } = await writePages(join(draft, "pages"), { base, versionsFile })
  const all = [...new Set([...ownSources(), ...sources])].sort()
  // What changes from now on is not in this build.
  const hash = hashOf(all)
  await generate()
  replaceBy(built, output)
  writeFileSync(stampFile, JSON.stringify({ sources: all, hash }))
}

/**
 * The generator has dependencies of its own, which nothing else needs: they are not in the workspace. They are installed in
 * the draft first, so that no build sees a part of them.
 */
async function installGenerator() {
  const modules = join(site, "node_modules")
  const lock = readFileSync(join(site, "package-lock.json"))
  const wanted = createHash("sha256").update(lock).digest("hex")
  const isInstalled = () => {
    const mark = join(modules, ".installed")
    return existsSync(mark) && readFileSync(mark, "utf8") === wanted
  }
  if (isInstalled()) return
  const folder = join(draft, "generator")
  mkdirSync(folder, { recursive: true })
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(site, name), join(folder, name))
  const parameters = [
    "ci",
    // Whatever NODE_ENV is: the build of the console sets it to production, for all of its process.
    "--include=dev",
    "--workspaces=false",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--prefer-offline",
  ]
  const npm = process.env.npm_execpath
  const [command, ...before] = npm === undefined ? ["npm"] : [process.execPath, npm]
  await run("npm could not install the generator of the documentation", command, [...before, ...parameters], {
    cwd: folder,
    shell: npm === undefined,
  })
  writeFileSync(join(folder, "node_modules/.installed"), wanted)
  if (!isInstalled()) replaceBy(join(folder, "node_modules"), modules, isInstalled)
}

/** In a process of its own: the generator takes the current directory for the place of its package. */
function generate() {
  const script = `import { build } from "vitepress"; await build(process.argv[1])`
  const parameters = ["--input-type=module", "--eval", script, site]
  return run("The generator of the documentation failed", process.execPath, parameters, {
    cwd: site,
    env: {
      ...process.env,
      NODE_ENV: "production",
      SITE_PAGES: join(draft, "pages"),
      SITE_OUTPUT: built,
    },
  })
}

/** Runs a program. Fails with `problem` and what it printed. */
function run(problem, command, parameters, options) {
  running = spawn(command, parameters, { stdio: ["ignore", "pipe", "pipe"], ...options })
  const child = running
  let text = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part) => (text += part))
  return new Promise((done, reject) => {
    child.once("error", reject).once("close", (code) => {
      running = undefined
      if (code === 0) done()
      else reject(new StepFailed(`${problem} (exit code ${code}).`, text))
    })
  })
}

/** Replaces a directory. Of two builds at the same time, either result is used, which `isDone` tells. */
function replaceBy(directory, target, isDone = () => existsSync(target)) {
  const old = `${directory}.old`
  mkdirSync(target, { recursive: true })
  try {
    renameSync(target, old)
    renameSync(directory, target)
  } catch (error) {
    if (!isDone()) throw error
  }
  rmSync(old, { recursive: true, force: true })
}

/** Lists the versions in a directory, the latest first. */
function writeVersions(directory) {
  const versions = readdirSync(directory)
    .filter(
      (name) => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(name) && existsSync(join(directory, name, "index.html")),
    )
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
  writeFileSync(join(directory, "versions.json"), `${JSON.stringify(versions)}\n`)
}

function removeOldDrafts() {
  if (!existsSync(drafts)) return
  for (const name of readdirSync(drafts)) {
    const folder = join(drafts, name)
    if (Date.now() - statSync(folder).mtimeMs > draftMaxMs) rmSync(folder, { recursive: true, force: true })
  }
}

function clean() {
  for (const folder of [draft, built]) rmSync(folder, { recursive: true, force: true })
}

function stop() {
  running?.kill()
  clean()
  writeFileSync(buildFile, "failed\nThe build was interrupted.\n")
  process.exit(1)
}

function isCurrent() {
  try {
    const { sources, hash } = JSON.parse(readFileSync(stampFile, "utf8"))
    return (
      existsSync(join(output, "index.html")) &&
      hashOf([...new Set([...ownSources(), ...sources])].sort()) === hash
    )
  } catch {
    return false
  }
}

/** What makes the site, and all documents: one that is new changes the site too. */
function ownSources() {
  const filesIn = (folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  const documents = filesIn("docs").filter((name) => !name.startsWith(join("docs", "reference")))
  return [
    // A build that was killed has left its temporary files.
    ...filesIn("site/.vitepress").filter((name) => !name.includes(".temp")),
    ...documents,
    "site/package-lock.json",
    "scripts/help.mjs",
    "scripts/help-pages.mjs",
  ]
}

function hashOf(sources) {
  const hash = createHash("sha256").update(`${base} ${versionsUrl} `)
  for (const name of sources) {
    const file = join(root, name)
    hash
      .update(`${name} `)
      .update(existsSync(file) ? readFileSync(file) : "gone")
      .update("\n")
  }
  return hash.digest("hex")
}
