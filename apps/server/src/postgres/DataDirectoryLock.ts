import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export class DataDirectoryIsInUse extends Data.TaggedError("DataDirectoryIsInUse")<{
  readonly message: string
}> {}

/**
 * Locks a data directory for this process until the scope closes. The lock of a process that no longer runs is replaced.
 *
 * A process is identified by its ID and, if `/proc` has it, its start time, since IDs are reused.
 */
export const lockDataDirectory = (
  directory: string,
): Effect.Effect<void, DataDirectoryIsInUse, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => takeLock(directory),
      catch: (cause) => {
        if (cause instanceof DataDirectoryIsInUse) return cause
        throw cause
      },
    }),
    () => Effect.sync(() => rmSync(lockPath(directory), { force: true })),
  )

/** Whether a process runs; `startedAt` is the result of `processStart`, if any. */
export const isAlive = (pid: number, startedAt?: string): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  return startedAt === undefined || startedAt === processStart(pid)
}

const takeLock = (directory: string): void => {
  const path = lockPath(directory)
  const own = `${path}.${process.pid}`
  writeFileSync(own, JSON.stringify({ pid: process.pid, startedAt: processStart(process.pid) }), {
    mode: 0o600,
  })
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      // Creating a link is atomic, and fails if the file exists.
      if (tryTo(() => linkSync(own, path), "EEXIST")) return
      const holder = readHolder(path)
      if (holder === undefined) continue
      if (isAlive(holder.pid, holder.startedAt)) throw inUse(directory, `by process ${holder.pid}`)
      const stale = `${own}.stale`
      if (!tryTo(() => renameSync(path, stale), "ENOENT")) continue
      // Another process may have replaced the stale lock in the meantime: then its lock is restored.
      const moved = readHolder(stale)
      if (moved !== undefined && isAlive(moved.pid, moved.startedAt)) linkSync(stale, path)
    }
    throw inUse(directory, "by processes that are starting")
  } finally {
    rmSync(own, { force: true })
    rmSync(`${own}.stale`, { force: true })
  }
}

const inUse = (directory: string, by: string): DataDirectoryIsInUse =>
  new DataDirectoryIsInUse({
    message: `${directory} is in use ${by}; stop that process, or set TOCSIN_DATA_DIR to another directory`,
  })

interface Holder {
  readonly pid: number
  readonly startedAt?: string
}

const readHolder = (path: string): Holder | undefined => {
  let text = ""
  if (!tryTo(() => (text = readFileSync(path, "utf8")), "ENOENT")) return undefined
  try {
    return JSON.parse(text) as Holder
  } catch {
    // A crash of the machine can leave an empty file. Its process no longer runs.
    return { pid: 0, startedAt: "never" }
  }
}

const tryTo = (act: () => unknown, expected: string): boolean => {
  try {
    act()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === expected) return false
    throw error
  }
}

const lockPath = (directory: string): string => join(directory, "tocsin.lock")

/** The 22nd field of `/proc/<pid>/stat`. The second is in parentheses and may contain spaces. */
const processStart = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}
