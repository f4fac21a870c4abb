import { layer, type PgConnection } from "@tocsin/adapters-pg/database/PgDatabase"
import { runEmbeddedPostgres } from "@tocsin/server/postgres/EmbeddedPostgres"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { makeDatabaseFolder, removeDatabaseFolder, watchProcess } from "../Watchdog.ts"

const directories: Array<string> = []

const newDirectory = (): string => {
  const made = makeDatabaseFolder()
  directories.push(made)
  return join(made, "data")
}

/** A data directory that a server has used and left in order; a copy takes less time than a first start. */
const usedDirectory = (): string => {
  const directory = newDirectory()
  mkdirSync(directory)
  spawnSync("cp", ["-a", join(prepared, "data", "postgres"), directory])
  return directory
}

let prepared = ""
beforeAll(async () => {
  prepared = makeDatabaseFolder()
  await withPostgres(join(prepared, "data"), () => Effect.void)
})
afterAll(() => removeDatabaseFolder(prepared))

afterEach(() => {
  for (const directory of directories.splice(0)) removeDatabaseFolder(directory)
})

const query = (connection: PgConnection, text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(text)).pipe(
    Effect.provide(layer({ connection, connectionsMax: 1, connectTimeoutMs: 1_000 })),
  )

const withPostgres = <A, E>(dataDirectory: string, use: (connection: PgConnection) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(runEmbeddedPostgres({ dataDirectory }), use)))

const refused = (dataDirectory: string) =>
  Effect.runPromise(Effect.flip(Effect.scoped(runEmbeddedPostgres({ dataDirectory }))))

describe("the embedded PostgreSQL", () => {
  it("persists its data durably across starts, and is accessible to its owner only", async () => {
    const directory = newDirectory()
    const settings = await withPostgres(directory, (connection) =>
      Effect.gen(function* () {
        yield* query(connection, "CREATE TABLE kept AS SELECT 7 AS id")
        return yield* query(
          connection,
          "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'listen_addresses', 'synchronous_commit')",
        )
      }),
    )
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: "on",
      full_page_writes: "on",
      listen_addresses: "",
      synchronous_commit: "on",
    })
    expect(statSync(join(directory, "postgres")).mode & 0o077).toBe(0)
    expect(existsSync(join(directory, "postgres", "postmaster.pid"))).toBe(false)
    expect(existsSync(join(directory, "tocsin.lock"))).toBe(false)
    expect(readFileSync(join(directory, "postgres.log"), "utf8")).toMatch(/database system is shut down/)
    expect(await withPostgres(directory, (connection) => query(connection, "SELECT id FROM kept"))).toEqual([
      { id: 7 },
    ])
  })

  it("is rejected while another process that lives holds the data", async () => {
    const directory = usedDirectory()
    await withPostgres(directory, () =>
      Effect.gen(function* () {
        expect(yield* Effect.promise(() => refused(directory))).toMatchObject({
          _tag: "DataDirectoryIsInUse",
          message: `${directory} is in use by process ${process.pid}; stop that process, or set TOCSIN_DATA_DIR to another directory`,
        })
      }),
    )
  })

  it("takes over what a killed process has left, its running database too", async () => {
    const directory = usedDirectory()
    const holder = await startHolder(directory)
    expect(await refused(directory)).toMatchObject({ _tag: "DataDirectoryIsInUse" })
    const left = Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
    await kill(holder)
    expect(() => process.kill(left, 0)).not.toThrow()
    const rows = await withPostgres(directory, (connection) => query(connection, "SELECT 1 AS one"))
    expect(rows).toEqual([{ one: 1 }])
    expect(() => process.kill(left, 0)).toThrow(/ESRCH/)
  })

  it("starts after a crash of the machine, when process IDs were reassigned", async () => {
    const directory = usedDirectory()
    // Process 1 lives and is no database; the lock's process has a start that nobody alive has.
    writeFileSync(join(directory, "postgres", "postmaster.pid"), `1\n${join(directory, "postgres")}\n`)
    writeFileSync(join(directory, "tocsin.lock"), JSON.stringify({ pid: process.pid, startedAt: "1" }))
    expect(await withPostgres(directory, (connection) => query(connection, "SELECT 1 AS one"))).toEqual([
      { one: 1 },
    ])
    writeFileSync(join(directory, "tocsin.lock"), "")
    expect(await withPostgres(directory, (connection) => query(connection, "SELECT 1 AS one"))).toEqual([
      { one: 1 },
    ])
  })

  it("creates its files again when a crash interrupted the first start", async () => {
    const directory = newDirectory()
    mkdirSync(join(directory, "postgres.new"), { recursive: true })
    writeFileSync(join(directory, "postgres.new", "PG_VERSION"), "18\n")
    expect(await withPostgres(directory, (connection) => query(connection, "SELECT 1 AS one"))).toEqual([
      { one: 1 },
    ])
    expect(existsSync(join(directory, "postgres.new"))).toBe(false)
  })

  it("says so when the files are of another version", async () => {
    const directory = newDirectory()
    mkdirSync(join(directory, "postgres"), { recursive: true })
    writeFileSync(join(directory, "postgres", "PG_VERSION"), "15\n")
    expect(await refused(directory)).toMatchObject({
      _tag: "EmbeddedPostgresDidNotStart",
      message: expect.stringMatching(
        /was created by PostgreSQL 15, but the embedded PostgreSQL is version 18; dump it/,
      ),
    })
  })

  it("says so when its directory cannot be made", async () => {
    const directory = newDirectory()
    writeFileSync(directory, "a file")
    expect(await refused(directory)).toMatchObject({
      _tag: "EmbeddedPostgresDidNotStart",
      message: expect.stringMatching(/EEXIST.*set TOCSIN_DATA_DIR/),
    })
  })

  it("has its socket elsewhere when the path is too long for one", async () => {
    const directory = join(newDirectory(), "x".repeat(120))
    await withPostgres(directory, (connection) =>
      Effect.gen(function* () {
        const socketDirectory = "socketDirectory" in connection ? connection.socketDirectory : ""
        expect(socketDirectory.startsWith(directory)).toBe(false)
        expect(statSync(socketDirectory).mode & 0o077).toBe(0)
        expect(yield* query(connection, "SELECT 1 AS one")).toEqual([{ one: 1 }])
        return socketDirectory
      }),
    ).then((socketDirectory) => expect(existsSync(socketDirectory)).toBe(false))
  })

  it("is restarted when it exits", async () => {
    const directory = usedDirectory()
    await withPostgres(directory, (connection) =>
      Effect.gen(function* () {
        const pidFile = join(directory, "postgres", "postmaster.pid")
        const pid = () => Number(readFileSync(pidFile, "utf8").split("\n")[0])
        const first = pid()
        process.kill(first, "SIGQUIT")
        const again = yield* query(connection, "SELECT 1 AS one").pipe(Effect.eventually)
        expect(again).toEqual([{ one: 1 }])
        expect(pid()).not.toBe(first)
      }),
    )
  })

  it.runIf(process.getuid?.() === 0)("as root says so when its user cannot reach the data", async () => {
    const directory = newDirectory()
    mkdirSync(directory, { mode: 0o700 })
    expect(await refused(directory)).toMatchObject({
      _tag: "EmbeddedPostgresDidNotStart",
      message: expect.stringMatching(/Permission denied.*set TOCSIN_DATA_DIR to a directory that user 65534/),
    })
  })
})

const startHolder = (dataDirectory: string): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL("embedded-process.ts", import.meta.url))
    const child = watchProcess(
      spawn(process.execPath, ["--import", "tsx", "--conditions=source", script, dataDirectory], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    )
    child.stdout.once("data", () => resolve(child))
    child.once("exit", (code) => reject(new Error(`it ended with ${code}`)))
  })

const kill = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })
