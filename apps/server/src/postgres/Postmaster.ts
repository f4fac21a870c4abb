import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs"
import { connect, Socket } from "node:net"
import { join } from "node:path"
import { type Cluster, directoryIsUnusable, EmbeddedPostgresDidNotStart, spawnOptions } from "./Cluster.ts"
import { DataDirectoryIsInUse, inUse, isAlive, ownProcess } from "./DataDirectoryLock.ts"

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
    const { child, logBytes } = yield* Effect.try({
      try: () => spawnServer(options),
      catch: directoryIsUnusable,
    })
    while (!isReady(cluster, child)) {
      if (hasEnded(child)) return yield* didNotStart(cluster, child, logBytes)
      yield* Effect.sleep(10).pipe(Effect.onInterrupt(() => stopPostmaster(child)))
    }
    return child
  })

const didNotStart = (
  { directory, logFile }: Cluster,
  child: ChildProcess,
  logBytes: number,
): EmbeddedPostgresDidNotStart => {
  const lines = readFileSync(logFile).subarray(logBytes).toString().trim().split("\n").slice(-3).join("; ")
  const reason = lines || `it exited with ${child.exitCode ?? child.signalCode} and without a log entry`
  // Then its log is incomplete too.
  const { bavail, bsize } = statfsSync(directory)
  const advice = bavail * bsize < logMinFreeBytes ? `; the disk of ${directory} is full: free disk space` : ""
  return new EmbeddedPostgresDidNotStart({
    message: `PostgreSQL did not start: ${reason} (see ${logFile})${advice}`,
  })
}

/** With less, a disk counts as full: PostgreSQL writes a segment of its log of 16 MiB at a time. */
const logMinFreeBytes = 1024 * 1024

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
 * Fails with `DataDirectoryIsInUse` if another program runs the server, or a process of Tocsin whose lock was removed, or a
 * process that is not visible here, such as one in another container.
 */
export const stopLeftover = (cluster: Cluster): Effect.Effect<void, DataDirectoryIsInUse> =>
  Effect.gen(function* () {
    const pid = runningServer(cluster)
    if (pid === undefined) {
      if (yield* isListening(cluster))
        return yield* inUse(cluster.directory, "by a PostgreSQL server that runs in another container")
      return
    }
    const [, holder, startedAt] =
      ownMarkPattern.exec(readLines(join(cluster.directory, "postmaster.opts")).join()) ?? []
    if (holder === undefined) {
      return yield* new DataDirectoryIsInUse({
        message: `${cluster.directory} is in use by another PostgreSQL server (process ${pid}); stop it first`,
      })
    }
    if (isAlive(Number(holder), startedAt)) return yield* inUse(cluster.directory, `by process ${holder}`)
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

/** Whether a server accepts connections on the socket that `postmaster.pid` names: its directory is line 5, its port line 4. */
const isListening = (cluster: Cluster): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const [, , , port = "", socketDirectory = ""] = readLines(join(cluster.directory, "postmaster.pid"))
    if (port === "" || socketDirectory === "") return resume(Effect.succeed(false))
    const socket = connect(join(socketDirectory, `.s.PGSQL.${port}`), () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

/** Identifies the process that runs the server. PostgreSQL writes its arguments to `postmaster.opts`. */
const ownMark = ({ pid, startedAt = "" }: ReturnType<typeof ownProcess>) =>
  `tocsin.process=${pid}:${startedAt}`

const ownMarkPattern = /tocsin\.process=(\d+):(\d+)?/

const spawnServer = ({ cluster, socketDirectory, port, settings }: PostmasterOptions) => {
  limitLog(cluster.logFile)
  const all = {
    cluster_name: "tocsin-embedded",
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
    const logBytes = fstatSync(log).size
    const mark = ownMark(ownProcess())
    // It starts first: this process can be killed between the two.
    const watcher = stopWithProcess(cluster, mark)
    const child = spawn(cluster.binaries.postgres, ["-D", cluster.directory, "-c", mark, ...given], {
      ...spawnOptions(cluster),
      stdio: ["ignore", log, log],
      // Ctrl-C signals the whole process group, but the database must outlive the requests in flight.
      detached: true,
    }).on("error", () => undefined)
    // If this process exits at once, the server stops by itself.
    const stop = (): void => void child.kill("SIGINT")
    process.once("exit", stop)
    child.once("exit", () => process.off("exit", stop))
    child.once("exit", () => watcher?.kill("SIGKILL"))
    if (child.pid === undefined) watcher?.kill("SIGKILL")
    else watcher?.stdin?.write(`${child.pid}\n`)
    return { child, logBytes }
  } finally {
    closeSync(log)
  }
}

/**
 * Stops the server if this process is killed: a shell reads a pipe that this process keeps open, and that ends with it. It reads the ID
 * of the server. If this process is killed before it has written it, the shell waits a minute for a server with the mark, which is in
 * `postmaster.opts` once the server has started. Windows has no shell for it; there, the next start stops the server.
 */
const stopWithProcess = (cluster: Cluster, mark: string): ChildProcess | undefined => {
  if (process.platform === "win32") return undefined
  const watcher = spawn("/bin/sh", ["-c", stopScript, "sh", mark, cluster.directory], {
    ...spawnOptions(cluster),
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  }).on("error", () => undefined)
  watcher.unref()
  watcher.stdin?.on("error", () => undefined)
  if (watcher.stdin instanceof Socket) watcher.stdin.unref()
  return watcher
}

/** PostgreSQL writes `postmaster.pid` before `postmaster.opts`, and removes the former when it ends. */
const stopScript = `
pid=
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -INT "$pid"
  exit
fi
for _ in $(seq 60); do
  if grep -qF -e "$1" "$2/postmaster.opts"; then
    kill -INT "$(head -n 1 "$2/postmaster.pid")"
    exit
  fi
  sleep 1
done`

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
