import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { logOutages } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { ChildProcess } from "node:child_process"
import { accessSync, chownSync, constants, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import {
  type Cluster,
  clusterUser,
  directoryIsUnusable,
  EmbeddedPostgresDidNotStart,
  prepareCluster,
  reasonOf,
} from "./Cluster.ts"
import { type DataDirectoryIsInUse, lockDataDirectory } from "./DataDirectoryLock.ts"
import { type EmbeddedPostgresIsMissing, findPostgresBinaries } from "./PostgresBinaries.ts"
import {
  awaitEnd,
  type PostmasterOptions,
  startPostmaster,
  stopLeftover,
  stopPostmaster,
} from "./Postmaster.ts"

export type { DataDirectoryIsInUse, EmbeddedPostgresDidNotStart, EmbeddedPostgresIsMissing }

export interface EmbeddedPostgresOptions {
  /** Contains the database (`postgres/`), its log (`postgres.log`) and the lock of the process that runs it. */
  readonly dataDirectory: string
  /** Settings of `postgresql.conf` that override the defaults. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * Runs a PostgreSQL server until the scope closes, and restarts it if it exits unexpectedly.
 *
 * It is durable, and reachable only through a Unix socket in a directory that only its owner can access.
 */
export const runEmbeddedPostgres = (
  options: EmbeddedPostgresOptions,
): Effect.Effect<
  PgConnection,
  DataDirectoryIsInUse | EmbeddedPostgresDidNotStart | EmbeddedPostgresIsMissing,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const dataDirectory = resolve(options.dataDirectory)
    yield* makeDataDirectory(dataDirectory)
    yield* lockDataDirectory(dataDirectory)
    const cluster = yield* prepareCluster(dataDirectory, yield* findPostgresBinaries)
    const socketDirectory = yield* acquireSocketDirectory(cluster)
    const port = Number(options.settings?.["port"] ?? defaultPort)
    const run = { cluster, socketDirectory, port, settings: options.settings ?? {} }
    yield* Effect.acquireRelease(
      Effect.gen(function* () {
        const server = { child: yield* startAlone(run) }
        const keeper = yield* Effect.forkDetach(Effect.interruptible(keepRunning(run, server)))
        return { server, keeper }
      }),
      ({ server, keeper }) =>
        Effect.andThen(
          Fiber.interrupt(keeper),
          Effect.suspend(() => stopPostmaster(server.child)),
        ),
    )
    return { socketDirectory, port, user: clusterUser, database: "postgres" }
  })

const makeDataDirectory = (directory: string): Effect.Effect<void, EmbeddedPostgresDidNotStart> =>
  Effect.try({
    try: () => {
      mkdirSync(directory, { recursive: true })
      accessSync(directory, constants.W_OK)
    },
    catch: directoryIsUnusable,
  })

const defaultPort = 5432

/** A leftover of a crash may still be starting when it is looked for. It is found when this start fails because of it. */
const startAlone = (run: PostmasterOptions) =>
  Effect.andThen(stopLeftover(run.cluster), startPostmaster(run)).pipe(
    Effect.retry({ times: 1, schedule: Schedule.spaced("1 second") }),
  )

const keepRunning = (run: PostmasterOptions, server: { child: ChildProcess }): Effect.Effect<never> =>
  Effect.flatMap(logOutages("Restarting the embedded PostgreSQL failed"), (logging) =>
    Effect.forever(
      Effect.gen(function* () {
        yield* awaitEnd(server.child)
        yield* Effect.annotateLogs(Effect.logError("Embedded PostgreSQL exited unexpectedly; restarting"), {
          log: run.cluster.logFile,
        })
        server.child = yield* logging(startPostmaster(run)).pipe(
          Effect.retry(Schedule.spaced("1 second")),
          Effect.orDie,
        )
      }),
    ),
  )

/** The data directory, which is private, or a temporary directory if the path of the socket would be too long. */
const acquireSocketDirectory = ({ directory, owner }: Cluster) =>
  Buffer.byteLength(join(directory, `.s.PGSQL.${defaultPort}`)) <= socketPathMaxBytes
    ? Effect.succeed(directory)
    : Effect.acquireRelease(
        Effect.try({
          try: () => {
            // Accessible to its owner only.
            const made = mkdtempSync(join(tmpdir(), "tocsin-"))
            if (owner !== undefined) chownSync(made, owner.uid, owner.gid)
            return made
          },
          catch: (cause) =>
            new EmbeddedPostgresDidNotStart({
              message: `cannot create a directory for the socket of PostgreSQL: ${reasonOf(cause)}`,
            }),
        }),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
      )

/** The limit of macOS; Linux allows 107. */
const socketPathMaxBytes = 103
