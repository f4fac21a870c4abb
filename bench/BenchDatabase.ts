import { makeSecretBox } from "@tocsin/adapters-http/server"
import { migrate, type PgConnection } from "@tocsin/adapters-pg/admin"
import { runEmbeddedPostgres } from "@tocsin/server/postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "../test/crash/CrashDatabase.ts"
import { isShort } from "./Length.ts"

type Connection = Exclude<PgConnection, { readonly url: unknown }>

const start = (settings: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const dataDirectory = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = mkdtempSync(join(tmpdir(), "tocsin-bench-"))
        chmodSync(made, 0o755)
        return made
      }),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
    )
    const connection = yield* runEmbeddedPostgres({ dataDirectory, settings })
    if ("url" in connection)
      return yield* Effect.die(new Error("an embedded PostgreSQL is reached through a socket"))
    yield* migrate(connection)
    return connection
  })

/** The one PostgreSQL of all benchmarks in their short form, which need not be durable. */
const shared = Scope.makeUnsafe()
let startingShared: Promise<Connection> | undefined
let databases = 0

const databaseOfShared = async (): Promise<Connection> => {
  startingShared ??= Effect.runPromise(
    Scope.provide(start({ fsync: "off", synchronous_commit: "off", full_page_writes: "off" }), shared),
  )
  const template = await startingShared
  const database = `bench_${++databases}`
  await run(
    { ...template, database: "template1" },
    `CREATE DATABASE ${database} TEMPLATE ${template.database}`,
  )
  return { ...template, database }
}

/** Stops the PostgreSQL of the short form. */
export const stopSharedPostgres = (): Promise<void> => Effect.runPromise(Scope.close(shared, Exit.void))

/**
 * Runs a durable PostgreSQL with the schema until the scope closes, and gives how to connect to it. In the short form, it is
 * a database of one PostgreSQL that all benchmarks share.
 */
export const benchDatabase = isShort ? Effect.promise(databaseOfShared) : start({})

/** Seals the secrets of benchmarks. */
export const benchBox = makeSecretBox({ current: Redacted.make(new Uint8Array(32).fill(1)), previous: [] })
