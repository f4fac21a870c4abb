// Builds the web console and the server, which includes it, side by side, unless they were built from the same sources.
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { copyConsole } from "./copy-console.mjs"
import { withProgress } from "./progress.mjs"

const startedAt = Date.now()
const building = new Set()
const codes = await withProgress(
  () => `Preparing ${[...building].join(" and ")} … ${Math.round((Date.now() - startedAt) / 1_000)} s`,
  Promise.all([build("the web console", ["console.mjs"]), build("the server", ["bundle.mjs", "program"])]),
)
const failed = codes.find((code) => code !== 0)
if (failed !== undefined) process.exit(failed)
copyConsole()

/** Runs a script of this folder; returns its exit code. */
function build(name, [script, ...parameters]) {
  building.add(name)
  const file = join(dirname(fileURLToPath(import.meta.url)), script)
  const child = spawn(process.execPath, [file, ...parameters], { stdio: ["ignore", 2, 2] })
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("exit", (code) => {
      building.delete(name)
      resolve(code ?? 1)
    })
  })
}
