import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { isWritten } from "./replace-file.mjs"

const apps = join(dirname(fileURLToPath(import.meta.url)), "../apps")

/** Copies the web console, if it is built, next to the bundled server. The directory is replaced in one step. */
export function copyConsole() {
  const built = join(apps, "console/dist")
  const copy = join(apps, "server/dist/console")
  const stamp = ".sources.json"
  if (!existsSync(join(built, stamp)) || isWritten(join(copy, stamp), readFileSync(join(built, stamp))))
    return
  const draft = `${copy}.${process.pid}`
  const old = `${copy}.${process.pid}.old`
  try {
    cpSync(built, draft, { recursive: true })
    mkdirSync(copy, { recursive: true })
    renameSync(copy, old)
    renameSync(draft, copy)
  } catch (error) {
    // Another run has copied it at the same time.
    if (!existsSync(join(copy, stamp))) throw error
  } finally {
    for (const folder of [draft, old]) rmSync(folder, { recursive: true, force: true })
  }
}
