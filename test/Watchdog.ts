import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Writable } from "node:stream"
import { fileURLToPath } from "node:url"

let input: Writable | undefined

/** Starts the watchdog of this process with the first thing that it has to watch. */
const write = (line: string): void => {
  if (input === undefined) {
    const watchdog = spawn(process.execPath, [fileURLToPath(new URL("watchdog.mjs", import.meta.url))], {
      stdio: ["pipe", "ignore", "inherit"],
      // A signal to the whole group of processes must not reach it.
      detached: true,
    })
    watchdog.unref()
    input = watchdog.stdin
    // Neither keeps this process running.
    ;(input as Writable & { unref?: () => void }).unref?.()
    input.on("error", () => undefined)
  }
  input.write(`${line}\n`)
}

/** Has a process ended when this one is killed. */
export const watchProcess = <Child extends ChildProcess>(child: Child): Child => {
  write(`+process ${child.pid}`)
  child.once("exit", () => write(`-process ${child.pid}`))
  return child
}

/**
 * A new folder that any user may enter, as an embedded PostgreSQL needs it.
 *
 * When this process is killed, each PostgreSQL that has its files below the folder is ended, and the folder deleted.
 */
export const makeDatabaseFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-test-"))
  chmodSync(folder, 0o755)
  write(`+folder ${folder}`)
  return folder
}

/** Deletes such a folder, with no PostgreSQL in it any more. */
export const removeDatabaseFolder = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  write(`-folder ${folder}`)
}
