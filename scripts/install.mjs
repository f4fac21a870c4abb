// Runs `npm ci` if dependencies are missing or older than the lock file, so that `npm start` and `npm test` work right
// after a clone. It has no dependencies itself.
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

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

/** npm writes this file at the end of every install. */
const installed = join(root, "node_modules", ".package-lock.json")
const isCurrent =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs
if (!isCurrent) {
  console.error("Installing dependencies …")
  const npm = process.env.npm_execpath
  const run = npm
    ? spawnSync(process.execPath, [npm, "ci", "--no-audit", "--no-fund"], {
        cwd: root,
        stdio: ["ignore", 2, 2],
      })
    : spawnSync("npm ci --no-audit --no-fund", { cwd: root, stdio: ["ignore", 2, 2], shell: true })
  if (run.status !== 0) process.exit(run.status ?? 1)
}
