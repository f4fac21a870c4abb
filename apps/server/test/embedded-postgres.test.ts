import { databaseLayer as layer, type PgConnection } from "@tocsin/adapters-pg/admin"
import { prepareCluster } from "../src/postgres/Cluster.ts"
import { isAlive } from "../src/postgres/DataDirectoryLock.ts"
import { runEmbeddedPostgres } from "../src/postgres/EmbeddedPostgres.ts"
import { findPostgresBinaries } from "../src/postgres/PostgresBinaries.ts"
import { stopLeftover } from "../src/postgres/Postmaster.ts"
import { openStore } from "../src/store/Store.ts"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { bundledProgram } from "../../../test/BundledProgram.ts"
import { bundlePrograms } from "../../../test/Programs.ts"
import { makeDatabaseFolder, removeDatabaseFolder, watchProcess } from "../../../test/Watchdog.ts"

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
let holderProgram = ""
beforeAll(async () => {
  prepared = makeDatabaseFolder()
  const holder = new URL("embedded-process.ts", import.meta.url)
  holderProgram = bundledProgram(holder, await bundlePrograms([holder], join(prepared, "programs")))
  await withPostgres(join(prepared, "data"), () => Effect.void)
})
afterAll(() => removeDatabaseFolder(prepared))

afterEach(() => {
  for (const directory of directories.splice(0)) removeDatabaseFolder(directory)
})

const query = (connection: PgConnection, text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(text)).pipe(
    Effect.provide(layer({ connection, connectionsMax: 1, connectTimeoutMs: 20_000 })),
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

  it("spec/operations §4: is rejected when the lock file was deleted while another process uses the data", async () => {
    const directory = usedDirectory()
    const holder = await startHolder(directory)
    const running = postmasterOf(directory)
    rmSync(join(directory, "tocsin.lock"))
    const inUse = {
      _tag: "DataDirectoryIsInUse",
      message: expect.stringContaining(`${directory} is in use by`),
    }
    const beside = await startHolder(directory).catch((error: Error) => error.message)
    expect(beside).toMatch(/is in use by .*; stop that process/)
    expect(await refused(directory)).toMatchObject(inUse)
    expect(existsSync(join(directory, "tocsin.lock"))).toBe(false)
    expect(postmasterOf(directory)).toBe(running)
    await kill(holder)
    expect(await withPostgres(directory, (connection) => query(connection, "SELECT 1 AS one"))).toEqual([
      { one: 1 },
    ])
  })

  it("spec/operations §4: is rejected by the running server where no lock outlives its file", async () => {
    const directory = usedDirectory()
    const holder = await startHolder(directory)
    const cluster = {
      binaries: { initdb: "", postgres: "" },
      directory: join(directory, "postgres"),
      logFile: join(directory, "postgres.log"),
      owner: undefined,
    }
    const running = postmasterOf(directory)
    expect(await Effect.runPromise(Effect.flip(stopLeftover(cluster)))).toMatchObject({
      _tag: "DataDirectoryIsInUse",
      message: expect.stringContaining(`is in use by process ${holder.pid};`),
    })
    // Without the arguments of the server, nothing says that it is a leftover.
    rmSync(join(directory, "postgres", "postmaster.opts"))
    expect(await Effect.runPromise(Effect.flip(stopLeftover(cluster)))).toMatchObject({
      message: expect.stringContaining(`another PostgreSQL server (process ${running}); stop it first`),
    })
    expect(postmasterOf(directory)).toBe(running)
    await kill(holder)
    await vi.waitUntil(() => !isAlive(running), { timeout: 60_000 })
  })

  it("is rejected while a server accepts connections whose process is not visible", async () => {
    const directory = usedDirectory()
    const files = join(directory, "postgres")
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => server.listen(join(files, ".s.PGSQL.5432"), resolve))
    const gone = spawnSync(process.execPath, ["--version"]).pid
    writeFileSync(join(files, "postmaster.pid"), `${gone}\n${files}\n1\n5432\n${files}\n`)
    expect(await refused(directory)).toMatchObject({
      _tag: "DataDirectoryIsInUse",
      message: `${files} is in use by a PostgreSQL server that runs in another container; stop that process, or set TOCSIN_DATA_DIR to another directory`,
    })
    await new Promise((resolve) => server.close(resolve))
  })

  it("spec/operations §4: ends with a process that is killed", async () => {
    const directory = usedDirectory()
    const holder = await startHolder(directory)
    const running = postmasterOf(directory)
    expect(isAlive(running)).toBe(true)
    await kill(holder)
    await vi.waitUntil(() => !isAlive(running), { timeout: 60_000 })
    // It has shut down as usual, so that the next start recovers nothing.
    expect(existsSync(join(directory, "postgres", "postmaster.pid"))).toBe(false)
  })

  it.runIf(process.platform === "linux")(
    "spec/operations §4: ends with a process that is killed while it starts",
    async () => {
      const directory = usedDirectory()
      const files = join(directory, "postgres")
      const holder = spawnHolder(directory)
      const ended = new Promise((resolve) => holder.once("exit", resolve))
      const starting = await vi.waitUntil(() => childOf(holder, `-D\0${files}\0`), {
        timeout: 60_000,
        interval: 1,
      })
      // It is slow, and has not written yet which process it is.
      process.kill(starting, "SIGSTOP")
      holder.kill("SIGKILL")
      await ended
      // The watcher looks at once.
      await sleep(500)
      process.kill(starting, "SIGCONT")
      await vi.waitUntil(() => !isAlive(starting), { timeout: 60_000 })
      expect(existsSync(join(files, "postmaster.pid"))).toBe(false)
    },
  )

  it("takes over what a killed process has left, its running database too", async () => {
    const directory = usedDirectory()
    const holder = await startHolder(directory)
    expect(await refused(directory)).toMatchObject({ _tag: "DataDirectoryIsInUse" })
    const left = Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
    await kill(holder)
    const rows = await withPostgres(directory, (connection) => query(connection, "SELECT 1 AS one"))
    expect(rows).toEqual([{ one: 1 }])
    // Its entry in the table of processes stays until the system removes it.
    await vi.waitUntil(() => !isAlive(left), { timeout: 60_000 })
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

  it("replaces an empty directory, and leaves nothing of its work behind", async () => {
    const directory = newDirectory()
    mkdirSync(join(directory, "postgres"), { recursive: true })
    await withPostgres(directory, () => Effect.void)
    expect(readdirSync(directory).toSorted()).toEqual(["postgres", "postgres.log"])
  })

  const complete = { base: {}, global: {}, pg_wal: {}, PG_VERSION: "18\n" }

  /** States of a data directory that are neither a database nor the absence of one. */
  const unexpected: ReadonlyArray<readonly [what: string, files: Files, message: RegExp]> = [
    [
      "PG_VERSION is missing",
      { postgres: { base: { "1": "rows" }, global: {}, pg_wal: {}, pg_xact: {} } },
      /postgres has no PG_VERSION, but contains base, global, pg_wal and 1 more, so its database is incomplete; restore the whole directory/,
    ],
    [
      "there is a directory of a mounted file system",
      { postgres: { "lost+found": {} } },
      /postgres has no PG_VERSION, but contains lost\+found, so/,
    ],
    [
      "PG_VERSION is a directory",
      { postgres: { ...complete, PG_VERSION: { kept: "" } } },
      /cannot read the database: EISDIR.*; check the directory and its permissions/,
    ],
    [
      "PG_VERSION is empty",
      { postgres: { ...complete, PG_VERSION: "" } },
      /PG_VERSION does not contain a version of PostgreSQL, so the database is damaged; restore/,
    ],
    [
      "PG_VERSION is not a number",
      { postgres: { ...complete, PG_VERSION: "\0\0\0\0" } },
      /PG_VERSION does not contain a version of PostgreSQL/,
    ],
    [
      "PG_VERSION refers to itself",
      { postgres: { ...complete, PG_VERSION: linkTo("PG_VERSION") } },
      /cannot read the database: ELOOP.*; check the directory and its permissions/,
    ],
    [
      "the files are of another major version",
      { postgres: { ...complete, PG_VERSION: "15\n" } },
      /was created by PostgreSQL 15, but the embedded PostgreSQL is version 18; export it/,
    ],
    [
      "there is a file instead of a directory",
      { postgres: "a file" },
      /postgres is not a directory; move it away, or set TOCSIN_DATA_DIR to another directory/,
    ],
    [
      "there is a link to a directory that is not mounted",
      { postgres: linkTo("../elsewhere") },
      /postgres is a symbolic link to a path that does not exist; mount or restore what it refers to/,
    ],
    [
      "there is a link to itself",
      { postgres: linkTo("postgres") },
      /cannot read the database: ELOOP.*; check the directory and its permissions/,
    ],
    [
      "a first start was interrupted",
      { "postgres.new-a1B2c3": { PG_VERSION: "18\n" } },
      /postgres\.new-a1B2c3 is left from a start that was interrupted .*; delete it/,
    ],
    [
      "a first start was interrupted, and the directory is empty",
      { postgres: {}, "postgres.new-a1B2c3": {} },
      /postgres\.new-a1B2c3 is left from a start that was interrupted/,
    ],
    [
      "the directory of a database is gone",
      { "postgres.log": "LOG:  database system is shut down\n" },
      /postgres does not exist, but postgres\.log next to it is the log of a database; mount its volume or restore it/,
    ],
    [
      "the directory of a database is empty",
      { postgres: {}, "postgres.log": "" },
      /postgres is empty, but postgres\.log next to it/,
    ],
  ]

  it.each(unexpected)("spec/operations §3: changes nothing when %s", async (_, files, message) => {
    const directory = newDirectory()
    mkdirSync(directory)
    writeFiles(directory, files)
    const before = filesOf(directory)
    expect(await refused(directory)).toMatchObject({
      _tag: "EmbeddedPostgresDidNotStart",
      message: expect.stringMatching(message),
    })
    expect(filesOf(directory)).toEqual(before)
    // Nor is a master key created, which would not match the database.
    const opened = openStore({ store: { kind: "embedded", dataDirectory: directory } })
    expect(await Effect.runPromise(Effect.flip(Effect.scoped(opened)))).toMatchObject({
      message: expect.stringMatching(new RegExp(`${message.source}|master-key does not exist`)),
    })
    expect(filesOf(directory)).toEqual(before)
  })

  it.runIf(process.getuid?.() === 0)("spec/operations §3: changes nothing that it cannot read", async () => {
    const directory = newDirectory()
    mkdirSync(directory)
    writeFiles(directory, { postgres: { ...complete, "postmaster.opts": "" } })
    chmodSync(join(directory, "postgres"), 0o700)
    const before = filesOf(directory)
    const refusal = spawnSync(process.execPath, [holderProgram, directory], {
      encoding: "utf8",
      uid: 65_534,
      gid: 65_534,
    })
    chmodSync(directory, 0o777)
    const unreadable = spawnSync(process.execPath, [holderProgram, directory], {
      encoding: "utf8",
      uid: 65_534,
      gid: 65_534,
    })
    expect(refusal.stderr).toMatch(/cannot use the data directory: EACCES.*set TOCSIN_DATA_DIR to a writable/)
    expect(unreadable.stderr).toMatch(
      /cannot read the database: EACCES.*check the directory and its permissions/,
    )
    expect(filesOf(directory)).toEqual(before)
  })

  it("removes what it has created when it cannot create the database", async () => {
    const directory = newDirectory()
    mkdirSync(join(directory, "postgres"), { recursive: true })
    const binaries = await Effect.runPromise(findPostgresBinaries)
    // Another process fills the directory in the meantime, which is not replaced.
    const slow = join(directory, "initdb")
    writeFileSync(
      slow,
      `#!/bin/sh\nfor last; do :; done\necho kept > ${join(directory, "postgres", "kept")}\nexec ${binaries.initdb} "$@"\n`,
      { mode: 0o755 },
    )
    chmodSync(directory, 0o777)
    chmodSync(join(directory, "postgres"), 0o777)
    const failure = await Effect.runPromise(
      Effect.flip(prepareCluster(directory, { ...binaries, initdb: slow })),
    )
    expect(failure.message).toMatch(/cannot create the database in .*postgres: ENOTEMPTY/)
    expect(filesOf(directory)).toMatchObject({ postgres: { kept: "kept\n" } })
    expect(readdirSync(directory).toSorted()).toEqual(["initdb", "postgres"])
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

/** A directory as its names and contents; a symbolic link as `->` and its target. */
interface Files {
  readonly [name: string]: string | Files
}

const linkTo = (target: string): string => `->${target}`

const writeFiles = (directory: string, files: Files): void => {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name)
    if (typeof content !== "string") {
      mkdirSync(path)
      writeFiles(path, content)
    } else if (content.startsWith("->")) symlinkSync(content.slice(2), path)
    else writeFileSync(path, content)
  }
}

const filesOf = (directory: string): Files =>
  Object.fromEntries(
    readdirSync(directory, { withFileTypes: true }).map((entry): [string, string | Files] => {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) return [entry.name, filesOf(path)]
      return [entry.name, entry.isSymbolicLink() ? linkTo(readlinkSync(path)) : readFileSync(path, "utf8")]
    }),
  )

const postmasterOf = (directory: string): number =>
  Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0])

const spawnHolder = (dataDirectory: string) =>
  watchProcess(spawn(process.execPath, [holderProgram, dataDirectory], { stdio: ["ignore", "pipe", "pipe"] }))

/** The child of a process whose arguments contain a text. */
const childOf = ({ pid }: ChildProcess, args: string): number | undefined =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .map(Number)
    .find((child) => child > 0 && argumentsOf(child).includes(args))

const argumentsOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

const startHolder = (dataDirectory: string): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const child = spawnHolder(dataDirectory)
    let errors = ""
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    child.stdout.once("data", () => resolve(child))
    child.once("close", (code) => reject(new Error(`it ended with ${code}: ${errors}`)))
  })

const kill = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })
