import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { PostgresBinaries } from "./PostgresBinaries.ts"

export interface Cluster {
  readonly binaries: PostgresBinaries
  readonly directory: string
  readonly logFile: string
  /** The user that runs the server, if this process is root. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined
}

/** The superuser of the database. Every process that can open the socket can connect as this user. */
export const clusterUser = "tocsin"

export class EmbeddedPostgresDidNotStart extends Data.TaggedError("EmbeddedPostgresDidNotStart")<{
  readonly message: string
}> {}

/**
 * Finds or creates the database files in a data directory.
 *
 * They are created in a temporary directory and then moved, so that a crash leaves no partial files. PostgreSQL does not
 * run as root. If this process is root, the owner of the files runs the server: user 65534 by default.
 */
export const prepareCluster = (
  dataDirectory: string,
  binaries: PostgresBinaries,
): Effect.Effect<Cluster, EmbeddedPostgresDidNotStart> =>
  Effect.gen(function* () {
    const directory = join(dataDirectory, "postgres")
    const owner = ownerOf(directory)
    const cluster = { binaries, directory, logFile: join(dataDirectory, "postgres.log"), owner }
    const ownMajor = yield* majorVersion(cluster)
    const versionFile = join(directory, "PG_VERSION")
    if (!existsSync(versionFile)) yield* makeFiles(cluster)
    const major = readFileSync(versionFile, "utf8").trim()
    if (major !== ownMajor) {
      return yield* new EmbeddedPostgresDidNotStart({
        message:
          `${directory} was created by PostgreSQL ${major}, but the embedded PostgreSQL is version ${ownMajor}; ` +
          `dump it with pg_dump ${major} and restore it into an empty TOCSIN_DATA_DIR, or set DATABASE_URL`,
      })
    }
    return cluster
  })

const ownerOf = (directory: string): Cluster["owner"] => {
  if (process.getuid?.() !== 0) return undefined
  if (!existsSync(directory)) return { uid: nobody, gid: nobody }
  const { uid, gid } = statSync(directory)
  return uid === 0 ? { uid: nobody, gid: nobody } : { uid, gid }
}

const nobody = 65_534

const majorVersion = (cluster: Cluster): Effect.Effect<string, EmbeddedPostgresDidNotStart> =>
  run(cluster, cluster.binaries.postgres, ["--version"]).pipe(
    Effect.map((output) => /\) (\d+)/.exec(output)?.[1] ?? ""),
    Effect.mapError((reason) => {
      const who =
        cluster.owner === undefined
          ? ""
          : `; PostgreSQL cannot run as root, so it runs as user ${cluster.owner.uid}, who must be able to read the installation` +
            "; install Tocsin in a world-readable directory, run it as another user, or set DATABASE_URL (or TOCSIN_STORE=memory for a trial)"
      return new EmbeddedPostgresDidNotStart({
        message: `cannot run ${cluster.binaries.postgres}: ${reason}${who}`,
      })
    }),
  )

const makeFiles = (cluster: Cluster): Effect.Effect<void, EmbeddedPostgresDidNotStart> =>
  Effect.gen(function* () {
    const unfinished = `${cluster.directory}.new`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { mode: 0o700 })
    if (cluster.owner !== undefined) chownSync(unfinished, cluster.owner.uid, cluster.owner.gid)
    const options = ["-U", clusterUser, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"]
    yield* run(cluster, cluster.binaries.initdb, ["-D", unfinished, ...options]).pipe(
      Effect.mapError((reason) => {
        const who =
          cluster.owner === undefined ? "this user" : `user ${cluster.owner.uid}, which runs PostgreSQL,`
        return new EmbeddedPostgresDidNotStart({
          message:
            `cannot create the database in ${cluster.directory}: ${reason}; ` +
            `set TOCSIN_DATA_DIR to a directory that ${who} can access, or set DATABASE_URL (or TOCSIN_STORE=memory for a trial)`,
        })
      }),
    )
    // There may be an empty directory, such as a mounted volume.
    rmSync(cluster.directory, { recursive: true, force: true })
    renameSync(unfinished, cluster.directory)
  })

/** Runs a program and returns its output; fails with its last error messages. */
const run = (cluster: Cluster, program: string, args: ReadonlyArray<string>): Effect.Effect<string, string> =>
  Effect.callback((resume) => {
    const child = execFile(program, args, spawnOptions(cluster), (error, output, problems) => {
      if (error === null) return resume(Effect.succeed(output))
      const lastLines = problems.trim().split("\n").slice(-3).join("; ")
      const hasRun = typeof error.code !== "string"
      resume(
        Effect.fail(hasRun ? lastLines || `it exited with ${error.code ?? error.signal}` : error.message),
      )
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The user's environment variables are not passed on. */
export const spawnOptions = ({ owner }: Cluster) => ({
  ...owner,
  cwd: "/",
  env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
})
