import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { directoryIsUnusable, type EmbeddedPostgresDidNotStart } from "./Cluster.ts"

export class DataDirectoryIsInUse extends Data.TaggedError("DataDirectoryIsInUse")<{
  readonly message: string
}> {}

/**
 * Locks a data directory for this process until the scope closes. The lock of a process that no longer runs is replaced.
 *
 * A process is identified by its ID and, if `/proc` has it, its start time, since IDs are reused. On Linux, the lock does
 * not depend on its file, which anyone with access to the directory can delete.
 */
export const lockDataDirectory = (
  directory: string,
): Effect.Effect<void, DataDirectoryIsInUse | EmbeddedPostgresDidNotStart, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(
      Effect.try({
        try: () => takeLock(directory),
        catch: (cause) => (cause instanceof DataDirectoryIsInUse ? cause : directoryIsUnusable(cause)),
      }),
      () => Effect.sync(() => releaseLock(directory)),
    )
    if (process.platform === "linux") yield* Effect.acquireRelease(listenOn(directory), closeServer)
  })

/** This process as `isAlive` finds it: its ID and, if `/proc` has it, its start time. */
export const ownProcess = (): Holder => ({ pid: process.pid, startedAt: processStart(process.pid) })

/** Whether a process runs; `startedAt` is the result of `processStart`, if any. */
export const isAlive = (pid: number, startedAt?: string | undefined): boolean => {
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
  try {
    writeFileSync(own, JSON.stringify(ownProcess()), { mode: 0o600 })
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

/** A lock of another process, which took it after this one's was deleted, stays. */
const releaseLock = (directory: string): void => {
  const path = lockPath(directory)
  if (readHolder(path)?.pid === process.pid) rmSync(path, { force: true })
}

/**
 * Listens on an abstract Unix socket, which is named after the directory and exists as long as the process: no file has
 * its name (unix(7)).
 */
const listenOn = (
  directory: string,
): Effect.Effect<Server, DataDirectoryIsInUse | EmbeddedPostgresDidNotStart> =>
  Effect.flatMap(Effect.try({ try: () => statSync(directory), catch: directoryIsUnusable }), ({ dev, ino }) =>
    Effect.callback((resume) => {
      const server = createServer((socket) => socket.destroy()).unref()
      server.once("error", (error: NodeJS.ErrnoException) =>
        resume(
          Effect.fail(
            error.code === "EADDRINUSE"
              ? inUse(directory, "by another process, although it has no lock file")
              : directoryIsUnusable(error),
          ),
        ),
      )
      server.listen(`\0tocsin-data-${dev}-${ino}`, () => resume(Effect.succeed(server)))
    }),
  )

const closeServer = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => void server.close(() => resume(Effect.void)))

/** `by` is for example `by process 123`. */
export const inUse = (directory: string, by: string): DataDirectoryIsInUse =>
  new DataDirectoryIsInUse({
    message: `${directory} is in use ${by}; stop that process, or set TOCSIN_DATA_DIR to another directory`,
  })

interface Holder {
  readonly pid: number
  readonly startedAt?: string | undefined
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

/**
 * The 22nd field of `/proc/<pid>/stat`. The second is in parentheses and may contain spaces. The third is the state:
 * a process that has exited keeps its ID until its parent reads its status (`Z`).
 */
const processStart = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return state === "Z" ? undefined : fields[18]
  } catch {
    return undefined
  }
}
