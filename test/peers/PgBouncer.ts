import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { spawn } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "../crash/CrashDatabase.ts"
import { accepts } from "./Accepts.ts"

/** A PgBouncer in transaction mode that runs. */
export interface PgBouncer {
  /** Where the database is through it, as an operator writes it. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Puts PgBouncer (Debian: `apt-get install pgbouncer`) in front of a database, with this many sessions to lend. */
export const startPgBouncer = async (
  database: Exclude<PgConnection, { readonly url: unknown }>,
  port: number,
  sessions: number,
): Promise<PgBouncer> => {
  const directory = mkdtempSync(join(tmpdir(), "tocsin-pgbouncer-"))
  const [configFile, userFile] = [join(directory, "pgbouncer.ini"), join(directory, "users.txt")]
  writeFileSync(userFile, `"${database.user}" ""\n`)
  writeFileSync(
    configFile,
    [
      "[databases]",
      `* = host=${database.socketDirectory} port=${database.port} user=${database.user}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${userFile}`,
      "pool_mode = transaction",
      `default_pool_size = ${sessions}`,
      "max_client_conn = 200",
    ].join("\n"),
  )
  // It refuses to run as root, and the database's socket belongs to the user that runs it.
  const who = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  for (const file of [directory, configFile, userFile]) {
    chmodSync(file, 0o755)
    if (who.uid !== undefined) chownSync(file, who.uid, who.gid)
  }
  const child = spawn("pgbouncer", [configFile], {
    ...who,
    env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` },
    stdio: ["ignore", "ignore", "pipe"],
  })
  let log = ""
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()))
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error("pgbouncer is needed for this test", { cause })))
    child.once("exit", () => resolve())
  })
  await Promise.race([
    until(() => accepts(port), 10_000),
    ended.then(() => Promise.reject(new Error(`pgbouncer ended: ${log}`))),
  ])
  return {
    url: `postgres://${database.user}@127.0.0.1:${port}/${database.database}?pgbouncer=true`,
    close: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
