import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Cluster, EmbeddedPostgresDidNotStart, spawnOptions } from "./Cluster.ts"
import { DataDirectoryIsInUse, isAlive } from "./DataDirectoryLock.ts"

export interface PostmasterOptions {
  readonly cluster: Cluster
  readonly socketDirectory: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
}

/** Starts the server and waits until it accepts connections. A recovery from a crash can take long. */
export const startPostmaster = (
  options: PostmasterOptions,
): Effect.Effect<ChildProcess, EmbeddedPostgresDidNotStart> =>
  Effect.gen(function* () {
    const { cluster } = options
    limitLog(cluster.logFile)
    const child = yield* Effect.sync(() => spawnServer(options))
    while (!isReady(cluster, child)) {
      if (hasEnded(child)) {
        return yield* new EmbeddedPostgresDidNotStart({
          message: `PostgreSQL did not start: ${lastLines(cluster.logFile)} (see ${cluster.logFile})`,
        })
      }
      yield* Effect.sleep(10).pipe(Effect.onInterrupt(() => stopPostmaster(child)))
    }
    return child
  })

/** Stops the server. After 30 s, stops it without a checkpoint; the next start then recovers the database. */
export const stopPostmaster = (child: ChildProcess): Effect.Effect<void> =>
  Effect.suspend(() => {
    child.kill("SIGINT")
    return Effect.interruptible(awaitEnd(child)).pipe(
      Effect.timeoutOption("30 seconds"),
      Effect.tap((ended) => (ended._tag === "None" ? Effect.sync(() => child.kill("SIGQUIT")) : Effect.void)),
      Effect.andThen(awaitEnd(child)),
    )
  })

export const awaitEnd = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (hasEnded(child)) return resume(Effect.void)
    const end = (): void => resume(Effect.void)
    child.once("exit", end)
    return Effect.sync(() => child.off("exit", end))
  })

/**
 * Stops a server that is left over from a crash of Tocsin. The data directory must be locked.
 *
 * Fails with `DataDirectoryIsInUse` if another program runs the server.
 */
export const stopLeftover = (cluster: Cluster): Effect.Effect<void, DataDirectoryIsInUse> =>
  Effect.gen(function* () {
    const pid = runningServer(cluster)
    if (pid === undefined) return
    if (!isOurs(cluster)) {
      return yield* new DataDirectoryIsInUse({
        message: `${cluster.directory} is in use by another PostgreSQL server (process ${pid}); stop it first`,
      })
    }
    for (let waited = 0; isAlive(pid); waited += pollMs) {
      if (waited === 0) process.kill(pid, "SIGINT")
      if (waited === 30_000) process.kill(pid, "SIGQUIT")
      yield* Effect.sleep(pollMs)
    }
  })

const pollMs = 20

const runningServer = (cluster: Cluster): number | undefined => {
  const pidFile = join(cluster.directory, "postmaster.pid")
  const pid = Number(readLines(pidFile)[0])
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined
  // After a restart of the machine or container, another program may have this ID.
  const [program] = readLines(`/proc/${pid}/comm`)
  if (program === undefined || program === "postgres") return pid
  rmSync(pidFile, { force: true })
  return undefined
}

const isOurs = (cluster: Cluster): boolean =>
  readLines(join(cluster.directory, "postmaster.opts")).some((line) => line.includes(ownMark))

const ownMark = "cluster_name=tocsin-embedded"

const spawnServer = ({ cluster, socketDirectory, port, settings }: PostmasterOptions): ChildProcess => {
  const all = {
    listen_addresses: "",
    port: String(port),
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: "off",
    ...settings,
  }
  const given = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const log = openSync(cluster.logFile, "a", 0o600)
  try {
    return spawn(cluster.binaries.postgres, ["-D", cluster.directory, "-c", ownMark, ...given], {
      ...spawnOptions(cluster),
      stdio: ["ignore", log, log],
      // Ctrl-C signals the whole process group, but the database must outlive the requests in flight.
      detached: true,
    }).on("error", () => undefined)
  } finally {
    closeSync(log)
  }
}

const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null

/** Line 1 of `postmaster.pid` is the process ID, line 8 the state (PostgreSQL, `miscadmin.h`). */
const isReady = ({ directory }: Cluster, child: ChildProcess): boolean => {
  const lines = readLines(join(directory, "postmaster.pid"))
  return lines[0] === String(child.pid) && (lines[7] ?? "").startsWith("ready")
}

const readLines = (path: string): ReadonlyArray<string> => {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n")
  } catch {
    return []
  }
}

const limitLog = (logFile: string): void => {
  if (existsSync(logFile) && statSync(logFile).size > logMaxBytes) renameSync(logFile, `${logFile}.1`)
}

const logMaxBytes = 10 * 1024 * 1024

const lastLines = (logFile: string): string => readLines(logFile).slice(-3).join("; ")
