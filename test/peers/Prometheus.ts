import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { until } from "../crash/CrashDatabase.ts"
import { watchProcess } from "../Watchdog.ts"

/** A program that serves HTTP on loopback. */
export interface Peer {
  readonly url: string
  readonly pid: number
  readonly log: () => string
  readonly close: () => Promise<void>
}

/** A Prometheus that answers queries. */
export interface Prometheus extends Peer {
  /** The value of an expression of one series at an instant; 0 if there is no series. */
  readonly valueAt: (expression: string, at: number) => Promise<number>
}

const makeDirectory = (): string => mkdtempSync(join(tmpdir(), "tocsin-peers-"))

const startPeer = async (
  command: string,
  args: ReadonlyArray<string>,
  port: string,
  directory: string,
  /** What it prints once it serves requests; without it, it is asked. */
  readyLine?: string,
): Promise<Peer> => {
  const child: ChildProcess = watchProcess(
    spawn(command, [...args, `--web.listen-address=127.0.0.1:${port}`], {
      stdio: ["ignore", "pipe", "pipe"],
    }),
  )
  let log = ""
  child.stdout?.on("data", (chunk: Buffer) => (log += chunk.toString()))
  child.stderr?.on("data", (chunk: Buffer) => (log += chunk.toString()))
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`${command} is needed for this test`, { cause })))
    child.once("exit", () => resolve())
  })
  const url = `http://127.0.0.1:${port}`
  const isReady = async () =>
    readyLine === undefined
      ? fetch(`${url}/-/ready`).then(
          ({ ok }) => ok,
          () => false,
        )
      : log.includes(readyLine)
  await Promise.race([
    until(isReady, 30_000),
    ended.then(() => Promise.reject(new Error(`${command} ended: ${log}`))),
  ])
  return {
    url,
    pid: child.pid ?? Number.NaN,
    log: () => log,
    close: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Starts Prometheus (Debian: `apt-get install prometheus`).
 *
 * `history` is in the OpenMetrics text format and at least 3 hours old, since newer samples belong to the block that
 * Prometheus is still writing. `files` are further files of the configuration's directory, such as rules. `web` is its web
 * configuration, for example with TLS, which `url` then starts with, or with users, whom `valueAt` knows nothing of.
 */
export const startPrometheus = async (options: {
  /** Default: the one on the `PATH`. */
  readonly program?: string
  readonly port: string
  readonly config: string
  readonly files?: Readonly<Record<string, string>>
  readonly history?: string
  /** A folder with blocks that it begins with, which it then owns. */
  readonly blocks?: string
  readonly web?: string
  readonly flags?: ReadonlyArray<string>
}): Promise<Prometheus> => {
  const directory = makeDirectory()
  const data = join(directory, "data")
  if (options.blocks === undefined) mkdirSync(data)
  else renameSync(options.blocks, data)
  const { web } = options
  const files = {
    ...options.files,
    "prometheus.yml": options.config,
    ...(web !== undefined && { "web.yml": web }),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  if (options.history !== undefined) {
    writeFileSync(join(directory, "history.om"), options.history)
    const args = ["tsdb", "create-blocks-from", "openmetrics", join(directory, "history.om"), data]
    await promisify(execFile)("promtool", args)
  }
  const args = [
    `--config.file=${join(directory, "prometheus.yml")}`,
    `--storage.tsdb.path=${data}`,
    "--storage.tsdb.retention.time=100d",
    ...(web === undefined ? [] : [`--web.config.file=${join(directory, "web.yml")}`]),
    ...(options.flags ?? []),
  ]
  const readyLine = web === undefined ? undefined : "Server is ready to receive web requests."
  const peer = await startPeer(options.program ?? "prometheus", args, options.port, directory, readyLine)
  return {
    ...peer,
    url: web?.includes("tls_server_config") === true ? peer.url.replace("http:", "https:") : peer.url,
    valueAt: async (query, at) => {
      const body = new URLSearchParams({ query, time: String(at / 1000) })
      const response = await fetch(`${peer.url}/api/v1/query`, { method: "POST", body })
      const { data } = (await response.json()) as {
        readonly data: { readonly result: ReadonlyArray<{ readonly value: readonly [number, string] }> }
      }
      if (data.result.length > 1) throw new Error(`${query} has ${data.result.length} series`)
      return Number(data.result[0]?.value[1] ?? 0)
    },
  }
}

/** Starts Alertmanager (Debian: `apt-get install prometheus-alertmanager`), alone. */
export const startAlertmanager = (port: string, config: string): Promise<Peer> => {
  const directory = makeDirectory()
  writeFileSync(join(directory, "alertmanager.yml"), config)
  const args = [
    `--config.file=${join(directory, "alertmanager.yml")}`,
    `--storage.path=${join(directory, "data")}`,
    "--cluster.listen-address=",
  ]
  return startPeer("prometheus-alertmanager", args, port, directory)
}

/** Starts the blackbox exporter of Prometheus (Debian: `apt-get install prometheus-blackbox-exporter`). */
export const startBlackboxExporter = (port: string, config: string): Promise<Peer> => {
  const directory = makeDirectory()
  writeFileSync(join(directory, "blackbox.yml"), config)
  const args = [`--config.file=${join(directory, "blackbox.yml")}`]
  return startPeer("prometheus-blackbox-exporter", args, port, directory, "Listening on")
}
