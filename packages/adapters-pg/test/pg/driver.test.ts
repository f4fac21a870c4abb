// What we rely on of the PostgreSQL driver, proved against a server that demands SCRAM and TLS.
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import { PgStores } from "@tocsin/adapters-pg"
import { databaseLayer as layer, type PgConnection } from "@tocsin/adapters-pg/admin"
import type { PgDatabaseOptions } from "../../src/database/PgDatabase.ts"
import { portOperation } from "../../src/database/PortOperation.ts"
import { makeSecretBox } from "@tocsin/adapters-http/server"
import { SecretBox } from "@tocsin/domain/ports"
import { connectionOfUrl, databaseFailureText } from "@tocsin/server/store/DatabaseUrl"
import { runEmbeddedPostgres } from "@tocsin/server/postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeCertificates } from "../../../../test/egress/certificates.ts"
import { freePort } from "../../../../test/FreePort.ts"
import { startTocsin, tocsin } from "../../../../test/server/child-process.ts"
import { makeDatabaseFolder, removeDatabaseFolder } from "../../../../test/Watchdog.ts"

const masterKey = Redacted.make(new Uint8Array(32).fill(3))
const password = "sésame, ouvre-toi"
const scope = Scope.makeUnsafe()
let local: PgConnection
let port: number
let files: Readonly<Record<"ca" | "otherCa" | "clientCert" | "clientKey" | "cluster", string>>

beforeAll(async () => {
  const directory = makeDatabaseFolder()
  await Effect.runPromise(
    Scope.addFinalizer(
      scope,
      Effect.sync(() => removeDatabaseFolder(directory)),
    ),
  )
  const start = (settings: Record<string, string>) =>
    runEmbeddedPostgres({ dataDirectory: directory, settings: { fsync: "off", ...settings } })
  // The first start makes the cluster, whose owner the key must belong to.
  await Effect.runPromise(Effect.scoped(start({})))
  const cluster = join(directory, "postgres")
  const [certificates, others, clients] = await Promise.all([
    makeCertificates(),
    makeCertificates(),
    makeCertificates({ commonName: "machine" }),
  ])
  const written = (name: string, text: string, mode: number) => {
    const file = join(directory, name)
    writeFileSync(file, text, { mode })
    const { uid, gid } = statSync(cluster)
    chownSync(file, uid, gid)
    return file
  }
  files = {
    ca: written("ca.pem", certificates.ca, 0o644),
    otherCa: written("other-ca.pem", others.ca, 0o644),
    clientCert: written("client.pem", clients.cert, 0o644),
    clientKey: written("client.key", clients.key, 0o600),
    cluster,
  }
  writeFileSync(
    join(cluster, "pg_hba.conf"),
    "local all all trust\nhostssl all machine 127.0.0.1/32 cert\nhostssl all all 127.0.0.1/32 scram-sha-256\n",
  )
  port = Number(await freePort())
  local = await Effect.runPromise(
    Scope.provide(
      start({
        listen_addresses: "127.0.0.1",
        port: String(port),
        ssl: "on",
        ssl_cert_file: written("server.pem", certificates.cert, 0o644),
        ssl_key_file: written("server.key", certificates.key, 0o600),
        ssl_ca_file: written("client-ca.pem", clients.ca, 0o644),
      }),
      scope,
    ),
  )
  await run(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.andThen(
        sql.unsafe(`CREATE ROLE app SUPERUSER LOGIN PASSWORD '${password}'`),
        sql.unsafe("CREATE ROLE machine LOGIN"),
      ),
    ),
    { connection: local },
  )
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const run = <A, E>(
  effect: Effect.Effect<A, E, SqlClient.SqlClient | Layer.Success<ReturnType<typeof layer>> | Scope.Scope>,
  options: PgDatabaseOptions,
): Promise<A> => Effect.runPromise(Effect.provide(Effect.scoped(effect), layer(options)))

const overTls = (
  query = `sslmode=verify-full&sslrootcert=${files.ca}`,
  given = password,
): Promise<PgConnection> =>
  Effect.runPromise(
    connectionOfUrl(
      Redacted.make(`postgres://app:${encodeURIComponent(given)}@127.0.0.1:${port}/postgres?${query}`),
    ),
  )

class Failed {
  readonly isRetryable: boolean
  readonly cause: unknown
  constructor({ isRetryable, cause }: { readonly isRetryable: boolean; readonly cause: unknown }) {
    this.isRetryable = isRetryable
    this.cause = cause
  }
}

const operation = portOperation("Driver", (failure) => new Failed(failure))

const failureOf = (connection: PgConnection, options: Partial<PgDatabaseOptions> = {}): Promise<Failed> =>
  run(
    Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.flip(operation("probe", sql`SELECT 1`))),
    { connection, connectionsMax: 1, ...options },
  )

const pidOf = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => row?.pid),
)

/** How many statements run that have this mark, as seen from another connection. */
const running = (mark: string) =>
  run(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.map(
        sql<{ count: number }>`
          SELECT count(*)::integer AS count FROM pg_stat_activity
          WHERE state = 'active' AND query LIKE ${`%${mark}%`} AND pid <> pg_backend_pid()`,
        ([row]) => row?.count,
      ),
    ),
    { connection: local, connectionsMax: 1 },
  )

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("it is not so after 10 s")
}

describe("the connection", () => {
  it("is authenticated with SCRAM and encrypted, and the certificate is verified", async () => {
    const found = await run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ ssl: boolean; version: string; name: string }>`
          SELECT ssl, version, current_user AS name FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
      ),
      { connection: await overTls() },
    )
    expect(found).toEqual([{ ssl: true, version: "TLSv1.3", name: "app" }])
  })

  it("is rejected for a wrong password and without TLS, at once and for good", async () => {
    for (const [query, given] of [
      [undefined, "wrong"],
      ["sslmode=disable", password],
    ] as const) {
      const failed = await failureOf(await overTls(query, given))
      expect(failed.isRetryable, query).toBe(false)
      expect(failed.cause).toMatchObject({ reason: { _tag: "AuthenticationError" } })
      expect(JSON.stringify(failed)).not.toContain(given)
    }
  })

  it("is authenticated with a client certificate, and rejected without it", async () => {
    const machine = (query: string) =>
      Effect.runPromise(
        connectionOfUrl(
          Redacted.make(
            `postgres://machine@127.0.0.1:${port}/postgres?sslmode=verify-full&sslrootcert=${files.ca}${query}`,
          ),
        ),
      )
    const found = await run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ name: string; client: string }>`
          SELECT current_user AS name, client_dn AS client FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
      ),
      { connection: await machine(`&sslcert=${files.clientCert}&sslkey=${files.clientKey}`) },
    )
    expect(found).toEqual([{ name: "machine", client: "/CN=machine" }])
    expect(await failureOf(await machine(""))).toMatchObject({ isRetryable: false })
  })

  it("is not waited for by the stores if it can never work", async () => {
    const stores = (connection: PgConnection) =>
      Layer.build(PgStores.layer({ connection })).pipe(
        Effect.scoped,
        Effect.provideService(SecretBox, makeSecretBox({ current: masterKey, previous: [] })),
        Effect.flip,
        Effect.runPromise,
      )
    for (const [query, given, message] of [
      ["sslmode=require", password, /certificate.*; set sslrootcert in DATABASE_URL/i],
      [undefined, "wrong", /password authentication failed.*; check the role and password of DATABASE_URL$/],
      ["sslmode=disable", password, /no pg_hba.conf entry.*; check the role and sslmode of DATABASE_URL/],
    ] as const) {
      const error = await stores(await overTls(query, given))
      expect(error).toMatchObject({ _tag: "MigrationFailed" })
      expect(databaseFailureText((error as { readonly cause: unknown }).cause)).toMatch(message)
    }
    const { url } = (await overTls()) as { readonly url: Redacted.Redacted<string> }
    const absent = Redacted.make(Redacted.value(url).replace("/postgres?", "/absent?"))
    const error = await stores(await Effect.runPromise(connectionOfUrl(absent)))
    expect(databaseFailureText((error as { readonly cause: unknown }).cause)).toBe(
      'cannot use the database: database "absent" does not exist; create the database, or fix its name in DATABASE_URL',
    )
  })

  it("is that of a server that demands TLS and a client certificate", async () => {
    const statements = ["CREATE DATABASE secured OWNER machine TEMPLATE template0"]
    await run(
      Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(statements, (each) => sql.unsafe(each))),
      { connection: local },
    )
    const client = `sslcert=${files.clientCert}&sslkey=${files.clientKey}`
    const environment = (ca: string, query = client) => ({
      DATABASE_URL: `postgres://machine@127.0.0.1:${port}/secured?sslmode=verify-full&sslrootcert=${ca}&${query}`,
      TOCSIN_MASTER_KEY: Buffer.from(Redacted.value(masterKey)).toString("base64"),
      PORT: "0",
    })
    const server = startTocsin(["serve"], environment(files.ca))
    await server.until(/listening on/)
    const checked = await tocsin(["doctor"], environment(files.ca))
    expect(checked).toMatchObject({ code: 0, stderr: "" })
    expect(checked.stdout).toMatch(/^ok +sslkey .* fits sslcert$/m)
    expect(checked.stdout).toMatch(/^ok +database +reachable as machine$/m)
    server.kill("SIGTERM")
    expect((await server.ended).code).toBe(0)
    const untrusted = await tocsin(["serve"], environment(files.otherCa))
    expect(untrusted.code).toBe(1)
    expect(untrusted.stderr).toMatch(/certificate.*; set sslrootcert in DATABASE_URL to the CA/)
    const anonymous = await tocsin(["serve"], environment(files.ca, ""))
    expect(anonymous.code).toBe(1)
    expect(anonymous.stderr).toMatch(/client certificate.*; check the role/)
  })

  it("rejects a server certificate of another CA, also with sslmode=require", async () => {
    for (const query of [`sslmode=verify-full&sslrootcert=${files.otherCa}`, "sslmode=require"]) {
      const failed = await failureOf(await overTls(query))
      expect(String((failed.cause as { reason: { cause: Error } }).reason.cause.message)).toMatch(
        /certificate|self.signed/i,
      )
    }
  })

  it("reports a file that cannot be read", async () => {
    await expect(overTls("sslrootcert=/nowhere/ca.pem")).rejects.toThrow(
      "cannot read /nowhere/ca.pem, the sslrootcert of DATABASE_URL (ENOENT)",
    )
  })
})

describe("a statement", () => {
  it("ends when its time is over, and its connection continues", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const pid = yield* pidOf
        const failed = yield* Effect.flip(operation("sleep", sql`SELECT pg_sleep(30)`))
        expect(failed).toMatchObject({
          isRetryable: true,
          cause: { reason: { _tag: "StatementTimeoutError" } },
        })
        expect(yield* pidOf).toBe(pid)
      }),
      { connection: local, connectionsMax: 1, statementTimeoutMs: 200 },
    )
  })

  it("is canceled on the server when its fiber is interrupted, within a transaction too", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE IF NOT EXISTS half (id integer)`
        const sleep = sql`SELECT pg_sleep(60) AS interrupted_one`
        for (const work of [
          sleep,
          sql.withTransaction(Effect.andThen(sql`INSERT INTO half VALUES (1)`, sleep)),
        ]) {
          const fiber = yield* Effect.forkChild(work)
          yield* Effect.promise(() => until(async () => (await running("interrupted_one")) === 1))
          yield* Fiber.interrupt(fiber)
          expect(yield* Effect.promise(() => running("interrupted_one"))).toBe(0)
        }
        expect(yield* sql`SELECT id FROM half`).toEqual([])
      }),
      { connection: local, connectionsMax: 1, statementTimeoutMs: 0 },
    )
  })

  it("is interrupted when an operation takes too long, though its caller cannot be interrupted", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const failed = yield* Effect.flip(
          Effect.uninterruptible(
            // The server ends each statement in time, but not all of them together.
            operation("forever", Effect.forever(sql`SELECT pg_sleep(0.05) AS too_long`)),
          ),
        )
        expect(failed).toMatchObject({ isRetryable: true, cause: "timed out" })
        // The operation does not wait for the end of what it interrupts.
        yield* Effect.promise(() => expect.poll(() => running("too_long")).toBe(0))
        yield* Effect.sleep(200)
        expect(yield* Effect.promise(() => running("too_long"))).toBe(0)
        expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
      }),
      { connection: local, connectionsMax: 1, statementTimeoutMs: 200 },
    )
  })

  it("fails waiting for a connection, and takes none from the pool", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const holder = yield* Effect.forkChild(sql.withTransaction(Effect.sleep("1 second")))
        yield* Effect.sleep(50)
        const failed = yield* Effect.flip(operation("wait", sql`SELECT 1`))
        expect(failed).toMatchObject({ isRetryable: true, cause: "timed out" })
        yield* Fiber.join(holder)
        expect(yield* operation("again", sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
      }),
      { connection: local, connectionsMax: 1, statementTimeoutMs: 200 },
    )
  })
})

describe("values", () => {
  it("come back as they were, whatever they hold", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<Record<string, unknown>>`
          SELECT ${Number.MAX_SAFE_INTEGER}::bigint AS big, ${-Number.MAX_SAFE_INTEGER}::bigint AS small,
            ${-1}::bigint AS minus_one, ${2 ** 32}::bigint AS word, ${0.1 + 0.2}::float8 AS double,
            ${"\u{1F600} \u2028 \\ ' \" $1"}::text AS text, ${null}::text AS nothing,
            ${new Uint8Array([0, 255, 10])}::bytea AS bytes, ${JSON.stringify({ a: [1, null] })}::jsonb AS json,
            ARRAY[1, -2, 9007199254740991]::bigint[] AS bigs`
        expect(row).toEqual({
          big: Number.MAX_SAFE_INTEGER,
          small: -Number.MAX_SAFE_INTEGER,
          minus_one: -1,
          word: 2 ** 32,
          double: 0.1 + 0.2,
          text: "\u{1F600} \u2028 \\ ' \" $1",
          nothing: null,
          bytes: new Uint8Array([0, 255, 10]),
          json: { a: [1, null] },
          bigs: [1, -2, Number.MAX_SAFE_INTEGER],
        })
      }),
      { connection: local },
    )
  })

  it("may be large, and a row over the limit of 16 MiB fails without harm", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [large] = yield* sql<{ text: string }>`SELECT ${"é".repeat(6 * 2 ** 20)}::text AS text`
        expect(large?.text.length).toBe(6 * 2 ** 20)
        const rows = yield* sql<{
          n: number
        }>`SELECT n, repeat('x', 100) AS x FROM generate_series(1, 200000) AS n`
        expect(rows).toHaveLength(200_000)
        const failed = yield* Effect.flip(operation("huge", sql`SELECT repeat('x', 17 * 1048576) AS x`))
        expect(failed).toMatchObject({ cause: { reason: { _tag: expect.any(String) } } })
        expect(yield* operation("after", sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
      }),
      { connection: local, connectionsMax: 1 },
    )
  })

  it("may be streamed in bounded memory, and the stream be left early", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = sql<{ n: number }>`SELECT n, repeat('x', 1000) AS x FROM generate_series(1, 300000) AS n`
          .stream
        const before = process.memoryUsage().rss
        const sum = yield* Stream.runFold(
          rows,
          () => 0,
          (sum, { n }) => sum + n,
        )
        expect(sum).toBe((300_000 * 300_001) / 2)
        // All of them at once take well over 300 MB.
        expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
        expect(yield* Stream.runCollect(Stream.take(rows, 3))).toHaveLength(3)
        expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
      }),
      { connection: local, connectionsMax: 1, statementTimeoutMs: 120_000 },
    )
  })
})

describe("what a connection keeps", () => {
  it("are at most 100 prepared statements, however many texts are sent", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let index = 0; index < 400; index++) yield* sql.unsafe(`SELECT ${index} AS n`)
        const [kept] = yield* sql<{
          count: number
        }>`SELECT count(*)::integer AS count FROM pg_prepared_statements`
        expect(kept?.count).toBeGreaterThan(50)
        expect(kept?.count).toBeLessThanOrEqual(101)
      }),
      { connection: local, connectionsMax: 1 },
    )
  })

  it("holds no plan that was made for other values", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let index = 0; index < 20; index++) yield* sql`SELECT ${index}::integer AS planned_for`
        const kept = yield* sql`
          SELECT generic_plans::integer, custom_plans::integer FROM pg_prepared_statements
          WHERE statement LIKE 'SELECT $1::integer AS%'`
        expect(kept).toEqual([{ generic_plans: 0, custom_plans: 20 }])
      }),
      { connection: local, connectionsMax: 1 },
    )
  })

  it("survives a change of the tables that its prepared statements read", async () => {
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE IF NOT EXISTS changing (a integer)`
        const read = sql`SELECT * FROM changing`
        expect(yield* read).toEqual([])
        yield* sql`ALTER TABLE changing ADD COLUMN b integer DEFAULT 2`
        yield* sql`INSERT INTO changing VALUES (1)`
        expect(yield* read).toEqual([{ a: 1, b: 2 }])
      }),
      { connection: local, connectionsMax: 1 },
    )
  })
})

describe("when connections are lost", () => {
  it("the next operation has a new one: after a backend is ended, and after the server is killed", async () => {
    const connection = await overTls()
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const pid = yield* pidOf
        yield* Effect.promise(() =>
          run(
            Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT pg_terminate_backend(${pid}::integer)`),
            { connection: local },
          ),
        )
        yield* Effect.promise(() =>
          until(() => Effect.runPromise(Effect.isSuccess(operation("after", sql`SELECT 1`)))),
        )
        expect(yield* pidOf).not.toBe(pid)
        const startedAt = operation("started", sql`SELECT pg_postmaster_start_time()::text AS at`)
        const before = yield* startedAt
        const [postmaster = ""] = readFileSync(join(files.cluster, "postmaster.pid"), "utf8").split("\n")
        process.kill(Number(postmaster), "SIGKILL")
        // The backend answers until it notices that the server is gone.
        yield* Effect.promise(() =>
          until(() =>
            Effect.runPromise(Effect.result(startedAt)).then(
              (after) => Result.isSuccess(after) && !isDeepStrictEqual(after.success, before),
            ),
          ),
        )
        expect(yield* operation("back", sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
      }),
      { connection, connectionsMax: 2 },
    )
  })

  it("hints from other processes arrive again after the listening connection is ended", async () => {
    const hintsOf = (name: string) =>
      Layer.build(
        Layer.provide(
          DeliveryHints.layer,
          layer({ connection: local, applicationName: name, connectionsMax: 2 }),
        ),
      )
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const there = yield* Effect.provide(DeliveryHints.DeliveryHints, yield* hintsOf("listener"))
        const here = yield* Effect.provide(DeliveryHints.DeliveryHints, yield* hintsOf("teller"))
        const hints = yield* there.subscribe
        const arrives = Effect.repeat(
          Effect.andThen(here.publish("acme"), Effect.timeoutOption(Queue.take(hints), "100 millis")),
          { until: (hint) => hint._tag === "Some", times: 100 },
        )
        expect(yield* arrives).toMatchObject({ _tag: "Some" })
        const ended = yield* sql`
          SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE application_name = 'listener'`
        expect(ended).not.toEqual([])
        yield* Effect.sleep(50)
        expect(yield* arrives).toMatchObject({ _tag: "Some" })
      }),
      { connection: local },
    )
  })
})
