import { type Running, startTocsin } from "../server/child-process.ts"

/** A server as a process of its own, which can be stopped dead at any moment. */
export interface ServerProcess {
  readonly url: string
  /** Resolves when it listens; rejects when it ends before. */
  readonly listening: Promise<unknown>
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
  const running: Running = startTocsin(["serve"], { ...environment, PORT: port })
  const listening = running.until(/listening on/)
  // Nobody may be waiting for it when it is killed while it starts.
  listening.catch(() => undefined)
  return {
    url: `http://127.0.0.1:${port}`,
    listening,
    kill: async () => {
      running.kill("SIGKILL")
      await running.ended
    },
    log: running.stderr,
  }
}
