// `npm run artifacts`: writes everything that a release publishes to `release`: the tarballs of the packages, the server as a
// program, the context of the container image, the Helm chart, an SBOM, checksums, and with TOCSIN_RELEASE_KEY_FILE, a file with an
// Ed25519 private key in PEM, the signature of the checksums. The same commit gives the same bytes with the same version of Node.js.
import { createHash, sign } from "node:crypto"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, posix, relative, sep } from "node:path"
import { gzipSync } from "node:zlib"
import { buffer } from "node:stream/consumers"
import tar from "tar-stream"
import { root, run } from "./run.mjs"

const target = join(root, "release")
const dist = join(root, "apps/server/dist")
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const committedAt = Number(printed("git", ["log", "-1", "--format=%ct"]).trim())

// Threads order the types of declarations as they happen to finish. What is compiled already is left alone by the next step.
run(process.execPath, [join(root, "node_modules/typescript/lib/tsc.js"), "-b", "--force", "--singleThreaded"])
run(process.execPath, [join(root, "scripts/pack.mjs")])
rmSync(target, { recursive: true, force: true })
mkdirSync(target)
for (const name of readdirSync(join(root, "packed")))
  copyFileSync(join(root, "packed", name), join(target, name))
await writeArchive(`tocsin-${version}.tar.gz`, `tocsin-${version}`, [
  ...["tocsin.mjs", "lib", "console", "help"].flatMap((name) => filesOf(join(dist, name), dist)),
  ...filesOf(join(root, "deploy/systemd"), join(root, "deploy")),
  { name: "LICENSE", path: join(root, "LICENSE") },
])
await writeArchive(`tocsin-image-${version}.tar.gz`, "", imageContext())
await writeArchive(
  `tocsin-chart-${version}.tgz`,
  "tocsin",
  filesOf(join(root, "deploy/helm/tocsin"), join(root, "deploy/helm/tocsin")),
)
write("sbom.cdx.json", `${JSON.stringify(sbom(), undefined, 2)}\n`)
const sums = readdirSync(target)
  .sort()
  .map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(target, name)))
        .digest("hex")}  ${name}\n`,
  )
  .join("")
write("SHA256SUMS", sums)
const keyFile = process.env.TOCSIN_RELEASE_KEY_FILE
if (keyFile !== undefined)
  write("SHA256SUMS.sig", sign(null, Buffer.from(sums), readFileSync(keyFile, "utf8")))
console.log(sums + (keyFile === undefined ? "Not signed: TOCSIN_RELEASE_KEY_FILE is not set." : ""))

/** The files of a path, whose names begin below `base`. What V8 compiled depends on the machine, and is not part of a release. */
function filesOf(path, base) {
  const paths = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [path]
  return paths
    .filter((file) => !file.endsWith(".cjs.cache"))
    .map((file) => ({ name: relative(base, file).split(sep).join(posix.sep), path: file }))
}

/** The files in the repository that the build of the image reads. */
function imageContext() {
  const read = [...readFileSync(join(root, ".dockerignore"), "utf8").matchAll(/^!(.+)$/gm)].map(
    ([, name]) => name,
  )
  return printed("git", ["ls-files", "-z", "--", "Dockerfile", ".dockerignore", ...read])
    .split("\0")
    .filter((name) => name !== "")
    .map((name) => ({ name, path: join(root, name) }))
}

async function writeArchive(name, folder, files) {
  const pack = tar.pack()
  const mtime = new Date(committedAt * 1_000)
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const mode = statSync(file.path).mode & 0o100 ? 0o755 : 0o644
    pack.entry({ name: posix.join(folder, file.name), mode, mtime }, readFileSync(file.path))
  }
  pack.finalize()
  write(name, gzipSync(await buffer(pack), { level: 9 }))
}

/** What npm reports, with the name of the project, and without what differs from run to run. */
function sbom() {
  const bom = JSON.parse(printed("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]))
  bom.metadata.timestamp = new Date(committedAt * 1_000).toISOString()
  bom.metadata.component.name = "tocsin"
  delete bom.serialNumber
  const hex = createHash("sha256").update(JSON.stringify(bom)).digest("hex")
  // Of version 8: given by a hash of our own.
  const id = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ]
  return { ...bom, serialNumber: `urn:uuid:${id.join("-")}` }
}

function write(name, contents) {
  writeFileSync(join(target, name), contents)
}

function printed(command, args) {
  return run(command, args, { stdout: "pipe" })
}
