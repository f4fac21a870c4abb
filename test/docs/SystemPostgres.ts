import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../FreePort.ts"
import { watchProcess } from "../Watchdog.ts"

/** The programs of the server that `pg_dump` on the PATH belongs to, if both are installed: a dump needs the same version. */
export const systemPostgres: string | undefined = (() => {
  const { status, stdout } = spawnSync("pg_dump", ["--version"], { encoding: "utf8" })
  const version = /\d+/.exec(stdout ?? "")?.[0]
  if (status !== 0 || version === undefined) return undefined
  const { stdout: onPath } = spawnSync("sh", ["-c", "dirname $(command -v initdb)"], { encoding: "utf8" })
  return [`/usr/lib/postgresql/${version}/bin`, onPath.trim()].find((folder) =>
    existsSync(join(folder, "initdb")),
  )
})()

/**
 * Starts a PostgreSQL with an empty cluster in a folder, on a port of 127.0.0.1. The role `tocsin` needs a certificate for
 * encrypted connections; all others are trusted. It ends with this process.
 */
export const startSystemPostgres = async (
  programs: string,
  folder: string,
  tls: { readonly ca: string; readonly cert: string; readonly key: string },
): Promise<{ readonly port: string; readonly stop: () => Promise<void> }> => {
  // PostgreSQL does not run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const own = (path: string): string => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid)
    return path
  }
  mkdirSync(folder)
  own(folder)
  const data = join(folder, "data")
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync"], {
    ...user,
    stdio: "ignore",
  })
  for (const [name, content] of Object.entries({
    "ca.pem": tls.ca,
    "server.pem": tls.cert,
    "server.key": tls.key,
  })) {
    writeFileSync(join(data, name), content, { mode: 0o600 })
    own(join(data, name))
  }
  writeFileSync(
    join(data, "pg_hba.conf"),
    "local all all trust\nhostssl tocsin tocsin 127.0.0.1/32 cert\nhost all all 127.0.0.1/32 trust\n",
  )
  const port = await freePort()
  const settings = {
    port,
    unix_socket_directories: folder,
    fsync: "off",
    ssl: "on",
    ssl_ca_file: "ca.pem",
    ssl_cert_file: "server.pem",
    ssl_key_file: "server.key",
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const server = watchProcess(
    spawn(join(programs, "postgres"), ["-D", data, ...options], {
      ...user,
      stdio: ["ignore", "ignore", "pipe"],
    }),
  )
  let log = ""
  await new Promise<void>((resolve, reject) => {
    server.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes("ready to accept connections")) resolve()
    })
    server.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)))
  })
  return {
    port,
    stop: async () => {
      const ended = once(server, "exit")
      server.kill("SIGQUIT")
      await ended
    },
  }
}
