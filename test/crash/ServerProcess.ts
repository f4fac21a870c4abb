import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** A server as a process of its own, which can be stopped dead at any moment. */
export interface ServerProcess {
  readonly url: string
  /** Resolves when it listens; rejects when it ends before. */
  readonly listening: Promise<void>
  /** Has it stand still: it neither sends nor receives until it is killed. */
  readonly freeze: () => void
  /** Ends it with SIGKILL, and waits until it is gone. */
  readonly kill: () => Promise<void>
  /** What it has logged. */
  readonly log: () => string
}

/** Starts `tocsin serve` on a port of loopback. */
export const startServerProcess = (
  port: string,
  environment: Readonly<Record<string, string>>,
): ServerProcess => {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--import", "tsx", "--conditions=source", "apps/server/src/main.ts", "serve"],
    {
      cwd: root,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment, PORT: port },
      stdio: ["ignore", "ignore", "pipe"],
    },
  )
  let log = ""
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const listening = new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes("listening on")) resolve()
    })
    void gone.then(() => reject(new Error(`the server ended before it listened:\n${log}`)))
  })
  // Nobody may be waiting for it when it is killed while it starts.
  listening.catch(() => undefined)
  return {
    url: `http://127.0.0.1:${port}`,
    listening,
    freeze: () => void child.kill("SIGSTOP"),
    kill: () => {
      child.kill("SIGKILL")
      return gone
    },
    log: () => log,
  }
}

/** The root of the repository. */
const root = fileURLToPath(new URL("../..", import.meta.url))
