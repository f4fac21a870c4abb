// `npm run release -- 0.2.0`: gives every package the version, makes a section of the changelog from what is unreleased,
// tries the tarballs, stores an export that later versions must be able to read, commits and tags. `npm run artifacts` then makes
// what is published.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root, run } from "./run.mjs"

const [version = "", ...flags] = process.argv.slice(2)
const isTried = !flags.includes("--untried")

if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) stop("Name the version: npm run release -- 0.2.0")
if (run("git", ["status", "--porcelain"], { stdout: "pipe" }) !== "") stop("Commit your changes first.")
if (run("git", ["tag", "--list", `v${version}`], { stdout: "pipe" }) !== "")
  stop(`The tag v${version} exists already.`)

const changelog = read("CHANGELOG.md")
const heading = "## [Unreleased]\n"
const [before, after] = changelog.split(heading)
if (after === undefined || !/^- /m.test(after.split("\n## [", 1)[0]))
  stop("CHANGELOG.md has nothing unreleased.")

const workspaces = JSON.parse(read("package.json")).workspaces.flatMap((pattern) =>
  pattern.endsWith("/*")
    ? readdirSync(join(root, pattern.slice(0, -2)))
        .sort()
        .map((name) => pattern.slice(0, -1) + name)
    : [pattern],
)
const { version: previous } = JSON.parse(read("package.json"))
for (const folder of ["", ...workspaces]) change(join(folder, "package.json"), withVersion)
change("package-lock.json", (lock) => {
  lock.version = version
  for (const folder of ["", ...workspaces]) withVersion(lock.packages[folder])
  return lock
})
write(
  "packages/api/src/api/ProductVersion.ts",
  read("packages/api/src/api/ProductVersion.ts").replace(/"\d[^"]*"/, `"${version}"`),
)
/** Where files that are not packages have the version: after these texts. */
const places = {
  "README.md": ["Version "],
  Dockerfile: ["ARG VERSION="],
  "compose.yaml": ["TOCSIN_VERSION:-"],
  "compose.citus.yaml": ["TOCSIN_VERSION:-"],
  "deploy/helm/tocsin/Chart.yaml": ["version: ", "appVersion: "],
  "docs/guides/install.md": ["tocsin:", "tocsin-server-"],
}
for (const [file, texts] of Object.entries(places)) {
  const changed = texts.reduce((all, text) => all.replaceAll(text + previous, text + version), read(file))
  write(file, changed)
}

/** What no file says any more once there is a release, and what it says instead. */
const untrue = [
  [", not released yet", ""],
  [/Tocsin is not released yet\..*?receives fixes\./s, "The latest minor version receives security fixes."],
  [/Tocsin is not released yet, so .*? to download\. /, ""],
  [/a released version with a support contract.*\./, "a support contract."],
  [/(They|The packages|This package) (are|is) not published yet.*\.\n\n?/, ""],
]
for (const file of run("git", ["ls-files", "*.md"], { stdout: "pipe" }).split("\n").filter(Boolean)) {
  const text = read(file)
  const changed = untrue.reduce((all, [said, says]) => all.replace(said, says), text)
  if (changed !== text) write(file, changed)
}

const date = new Date().toISOString().slice(0, 10)
write("CHANGELOG.md", `${before}${heading}\n## [${version}] - ${date}\n${after}`)

if (isTried) {
  run("npm", ["run", "--silent", "test:packed"])
  run("npx", ["vitest", "run", "test/pg/released.test.ts"], { env: { RELEASED: "write" } })
  run("git", ["add", "test/pg/released"])
}
run("git", ["commit", "--quiet", "--all", "--message", `Release ${version}`])
run("git", ["tag", "--annotate", `v${version}`, "--message", `Version ${version}`])
console.log(
  `Tagged v${version}. Push it. The release workflow publishes it; by hand: npm run artifacts && npm run publish:packed`,
)

/** A description of a package with the new version, also in its ranges of the other packages. */
function withVersion(description) {
  if (description.version !== undefined) description.version = version
  for (const kind of ["dependencies", "devDependencies", "peerDependencies"]) {
    for (const [name, range] of Object.entries(description[kind] ?? {})) {
      if (!name.startsWith("@tocsin/")) continue
      description[kind][name] = range.startsWith("^") ? `^${version}` : version
    }
  }
  return description
}

function change(file, by) {
  write(file, `${JSON.stringify(by(JSON.parse(read(file))), undefined, 2)}\n`)
}

function read(file) {
  return readFileSync(join(root, file), "utf8")
}

function write(file, text) {
  writeFileSync(join(root, file), text)
}

function stop(reason) {
  console.error(reason)
  process.exit(1)
}
