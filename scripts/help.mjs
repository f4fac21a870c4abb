// Builds the documentation site into apps/server/dist/help, unless it was already built from the same sources. It can run
// several times at once, and while a server reads the files: the directory is replaced in one step.
//
// HELP_URL: the URL below which each version of the site is published in a directory of its name, such as
// `https://docs.example.com/tocsin/`; the site is then built for it, instead of for `/help/` of the server.
// HELP_OUTPUT: the directory of the built site.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { writePages } from "./help-pages.mjs"
import { withProgress } from "./progress.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const site = join(root, "site")
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const versionsUrl = process.env.HELP_URL?.replace(/\/*$/, "/")
const base = versionsUrl === undefined ? "/help/" : new URL(`${version}/`, versionsUrl).pathname
const output = resolve(process.env.HELP_OUTPUT ?? join(root, "apps/server/dist/help"))
/** The sources of a build and their hash. Files whose names start with a dot are not served. */
/** Smaller files are not worth compressing. */
const compressedMinBytes = 1024
const stampFile = join(output, ".sources.json")

if (!isCurrent()) {
  const startedAt = Date.now()
  const seconds = () => Math.round((Date.now() - startedAt) / 1_000)
  await withProgress(() => `Building the documentation … ${seconds()} s`, build())
}

async function build() {
  await installGenerator()
  // Another build of the same clone has its own.
  const draft = join(site, ".drafts", `${process.pid}`)
  try {
    const { sources } = await writePages(join(draft, "pages"), { base, versionsUrl })
    const all = [...new Set([...ownSources(), ...sources])].sort()
    // What changes from now on is not in this build.
    const hash = hashOf(all)
    await generate(draft)
    await compressFiles(join(draft, "dist"))
    writeFileSync(join(draft, "dist/.sources.json"), JSON.stringify({ sources: all, hash }))
    replaceBy(join(draft, "dist"))
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** The generator has dependencies of its own, which nothing else needs: they are not in the workspace. */
async function installGenerator() {
  const lock = readFileSync(join(site, "package-lock.json"))
  const mark = join(site, "node_modules/.installed")
  const wanted = createHash("sha256").update(lock).digest("hex")
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return
  const parameters = [
    "ci",
    "--workspaces=false",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--prefer-offline",
  ]
  const npm = process.env.npm_execpath
  const [command, ...before] = npm === undefined ? ["npm"] : [process.execPath, npm]
  await run(command, [...before, ...parameters], { shell: npm === undefined })
  writeFileSync(mark, wanted)
}

/** In a process of its own: the generator takes the current directory for the place of its package. */
function generate(draft) {
  const script = `import { build } from "vitepress"; await build(process.argv[1])`
  return run(process.execPath, ["--input-type=module", "--eval", script, site], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      SITE_PAGES: join(draft, "pages"),
      SITE_OUTPUT: join(draft, "dist"),
    },
  })
}

/** Writes a `.br` and a `.gz` file beside each text file, so that the server compresses nothing. */
async function compressFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|css|html|svg)$/.test(name))
  await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name)
      const bytes = readFileSync(file)
      if (bytes.length < compressedMinBytes) return
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
      writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }))
      writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
    }),
  )
}

function run(command, parameters, options) {
  const child = spawn(command, parameters, { cwd: site, stdio: ["ignore", "pipe", "pipe"], ...options })
  let text = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part) => (text += part))
  return new Promise((done, reject) => {
    child.once("error", reject).once("close", (code) => {
      if (code === 0) done()
      else reject(new Error(`The documentation was not built:\n${text}`))
    })
  })
}

/** Replaces the output. If another build does so at the same time, either result is used. */
function replaceBy(draft) {
  const old = `${draft}-old`
  mkdirSync(output, { recursive: true })
  renameSync(output, old)
  try {
    renameSync(draft, output)
  } catch (error) {
    if (!isCurrent()) throw error
  }
}

function isCurrent() {
  try {
    const { sources, hash } = JSON.parse(readFileSync(stampFile, "utf8"))
    return hashOf(sources) === hash
  } catch {
    return false
  }
}

/** What makes the site, beside what its pages are made of. */
function ownSources() {
  const theme = readdirSync(join(site, ".vitepress"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  return [...theme, "site/package-lock.json", "scripts/help.mjs", "scripts/help-pages.mjs"]
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
