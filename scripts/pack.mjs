// Packs the built server and web console as the npm package `tocsin`, which has no dependencies but the optional embedded
// PostgreSQL: apps/server/dist/tocsin-VERSION.tgz. They must be built before (`npm run package` does both).
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const dist = join(root, "apps/server/dist")
const readPackage = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
const { description, license, engines } = readPackage(".")
const { version, optionalDependencies } = readPackage("apps/server")

const folder = mkdtempSync(join(tmpdir(), "tocsin-package-"))
try {
  const manifest = {
    name: "tocsin",
    version,
    description,
    license,
    type: "module",
    bin: { tocsin: "tocsin.mjs" },
    engines,
    optionalDependencies,
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
  for (const file of ["tocsin.mjs", "tocsin.mjs.LEGAL.txt"]) cpSync(join(dist, file), join(folder, file))
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  cpSync(join(dist, "console"), join(folder, "console"), {
    recursive: true,
    filter: (file) => !basename(file).startsWith("."),
  })
  const { status } = spawnSync(`npm pack --silent --pack-destination "${dist}"`, {
    cwd: folder,
    stdio: "inherit",
    shell: true,
  })
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
