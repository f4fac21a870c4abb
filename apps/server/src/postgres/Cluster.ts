import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { dirname, join } from "node:path"
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

/** An operation on a data directory that failed, as an error of the file system. */
export const directoryIsUnusable = (cause: unknown): EmbeddedPostgresDidNotStart => {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  const advice =
    code === "ENOSPC" || code === "EDQUOT"
      ? "free disk space"
      : "set TOCSIN_DATA_DIR to a writable directory, or set DATABASE_URL"
  return new EmbeddedPostgresDidNotStart({
    message: `cannot use the data directory: ${reasonOf(cause)}; ${advice}`,
  })
}

/**
 * Finds or creates the database files in a data directory, which must be locked.
 *
 * They are created in a temporary directory next to their place and then moved there, so that a crash leaves no partial
 * files. Nothing is deleted that this call did not create: any other state than a complete database, or none, is rejected.
 * PostgreSQL does not run as root. If this process is root, the owner of the files runs the server: user 65534 by default.
 */
export const prepareCluster = (
  dataDirectory: string,
  binaries: PostgresBinaries,
): Effect.Effect<Cluster, EmbeddedPostgresDidNotStart> =>
  Effect.gen(function* () {
    const directory = join(dataDirectory, "postgres")
    const major = yield* findDatabase(dataDirectory)
    const owner = ownerOf(directory)
    const cluster = { binaries, directory, logFile: join(dataDirectory, "postgres.log"), owner }
    const ownMajor = yield* majorVersion(cluster)
    if (major === undefined) yield* makeFiles(cluster)
    else if (major !== ownMajor) {
      return yield* new EmbeddedPostgresDidNotStart({
        message:
          `${directory} was created by PostgreSQL ${major}, but the embedded PostgreSQL is version ${ownMajor}; ` +
          `export it with the version of Tocsin that has PostgreSQL ${major} (\`tocsin database export\`), and import it into a new TOCSIN_DATA_DIR`,
      })
    }
    return cluster
  })

/**
 * The major version of PostgreSQL that created the database of a data directory, or `undefined` if there is no database.
 *
 * Fails with what was found and what to do if it is neither: an incomplete or unreadable database must not be replaced by
 * an empty one.
 */
export const findDatabase = (
  dataDirectory: string,
): Effect.Effect<string | undefined, EmbeddedPostgresDidNotStart> =>
  Effect.try({
    try: () => {
      const directory = join(dataDirectory, "postgres")
      const names = namesIn(directory)
      if (names !== undefined && names.length > 0) return readMajorVersion(directory, names)
      const others = namesIn(dataDirectory) ?? []
      const unfinished = others.find((name) => name.startsWith("postgres.new"))
      if (unfinished !== undefined)
        throw new UnexpectedState(
          `${join(dataDirectory, unfinished)} is left from a start that was interrupted while it created the database; ` +
            "delete it if you did not create it, and start again",
        )
      if (others.includes("postgres.log"))
        throw new UnexpectedState(
          `${directory} ${names === undefined ? "does not exist" : "is empty"}, but postgres.log next to it is the log of a database; ` +
            `mount its volume or restore it from a backup; ${startEmpty}`,
        )
      return undefined
    },
    catch: (cause) =>
      new EmbeddedPostgresDidNotStart({
        message:
          cause instanceof UnexpectedState
            ? cause.message
            : `cannot read the database: ${reasonOf(cause)}; check the directory and its permissions`,
      }),
  })

/** The message explains the problem and the solution. */
class UnexpectedState extends Error {}

const startEmpty = "to start with an empty database, set TOCSIN_DATA_DIR to another directory"

/** The names in a directory, or `undefined` if nothing has its path. */
const namesIn = (directory: string): ReadonlyArray<string> | undefined => {
  const link = lstatSync(directory, { throwIfNoEntry: false })
  if (link === undefined) return undefined
  const found = statSync(directory, { throwIfNoEntry: false })
  if (found === undefined)
    throw new UnexpectedState(
      `${directory} is a symbolic link to a path that does not exist; mount or restore what it refers to, or delete the link`,
    )
  if (!found.isDirectory())
    throw new UnexpectedState(
      `${directory} is not a directory; move it away, or set TOCSIN_DATA_DIR to another directory`,
    )
  return readdirSync(directory)
}

const readMajorVersion = (directory: string, names: ReadonlyArray<string>): string => {
  if (!names.includes("PG_VERSION"))
    throw new UnexpectedState(
      `${directory} has no PG_VERSION, but contains ${listed(names)}, so its database is incomplete; ` +
        `restore the whole directory from a backup; ${startEmpty}`,
    )
  const text = readFileSync(join(directory, "PG_VERSION"), "utf8").trim()
  if (!/^\d+$/.test(text))
    throw new UnexpectedState(
      `${join(directory, "PG_VERSION")} does not contain a version of PostgreSQL, so the database is damaged; ` +
        `restore the whole directory from a backup; ${startEmpty}`,
    )
  return text
}

const listed = (names: ReadonlyArray<string>): string => {
  const more = names.length - listedMax
  return names.toSorted().slice(0, listedMax).join(", ") + (more > 0 ? ` and ${more} more` : "")
}

const listedMax = 3

/** For example `EACCES: permission denied, open '/data/postgres/PG_VERSION'`. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

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

const makeFiles = (cluster: Cluster): Effect.Effect<void, EmbeddedPostgresDidNotStart> => {
  const failed = (reason: string) => {
    const who =
      cluster.owner === undefined ? "this user" : `user ${cluster.owner.uid}, which runs PostgreSQL,`
    return new EmbeddedPostgresDidNotStart({
      message:
        `cannot create the database in ${cluster.directory}: ${reason}; ` +
        `set TOCSIN_DATA_DIR to a directory that ${who} can access, or set DATABASE_URL (or TOCSIN_STORE=memory for a trial)`,
    })
  }
  const attempt = <A>(act: () => A) => Effect.try({ try: act, catch: (cause) => failed(reasonOf(cause)) })
  const options = ["-U", clusterUser, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"]
  return Effect.acquireUseRelease(
    // Accessible to its owner only.
    attempt(() => mkdtempSync(`${cluster.directory}.new-`)),
    (draft) =>
      Effect.gen(function* () {
        const { owner } = cluster
        if (owner !== undefined) yield* attempt(() => chownSync(draft, owner.uid, owner.gid))
        yield* Effect.mapError(run(cluster, cluster.binaries.initdb, ["-D", draft, ...options]), failed)
        yield* attempt(() => {
          // Replaces an empty directory, such as one that an operator has created, and fails if it is not empty.
          renameSync(draft, cluster.directory)
          syncDirectory(dirname(cluster.directory))
        })
      }),
    // What initdb started may still write for a moment after it is killed.
    (draft) => Effect.sync(() => rmSync(draft, { recursive: true, force: true, maxRetries: 5 })),
  )
}

const syncDirectory = (directory: string): void => {
  const descriptor = openSync(directory, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

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
