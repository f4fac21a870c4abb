import { PgDatabase } from "@tocsin/adapters-pg"
import type { PgConnection } from "@tocsin/adapters-pg/admin"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { setTimeout as wait } from "node:timers/promises"
import { Pool } from "undici"
import { run as runStatement, urlOf } from "../test/crash/CrashDatabase.ts"
import { benchDatabase } from "./BenchDatabase.ts"
import { type Bound, compare, type Comparison, type Contender, judge, judgeLimit } from "./Compare.ts"
import { type ContenderProcess, cpuQuestion, startContender } from "./ContenderProcess.ts"
import { databaseCpu } from "./CountingDatabase.ts"
import { type Call, clientSecret, signIn } from "./FairnessLoad.ts"
import type { ServerToStart } from "./FairnessServer.ts"
import { amount, isShort, roundsOf } from "./Length.ts"
import { makeDatabase, organization, slosAtFirst } from "./ListingDatabase.ts"

/**
 * The whole server on PostgreSQL with 1,000, 10,000 and 100,000 SLOs of one organization, each in a database of its own: what grows
 * with the number of SLOs is given of a thousand of them, and may not grow faster; what should not depend on it is given as it is.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Scope.makeUnsafe()
  const started: Array<Started> = []
  try {
    const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
    const databases: Array<readonly [size: number, database: PgConnection]> = []
    for (const size of sizes) databases.push([size, await makeDatabase(connection, "growth", size)])
    const starting = await compare(
      "Starting until a page of SLOs is read, of a thousand SLOs",
      databases.map(([size, database]): Contender => ({
        name: nameOf(size),
        round: async () => {
          const server = await start(size, database)
          const cpu = await server.contender.ask<number>(cpuQuestion)
          await server.end()
          return cpu / (size / 1_000)
        },
      })),
      { time: "cpu", ...roundsOf(3, 1), bounds: linear },
    )
    for (const [size, database] of databases) started.push(await start(size, database))
    const measure = async (
      title: string,
      options: { readonly bounds: ReadonlyArray<Bound>; readonly time: "cpu" | "wall" },
      round: (server: Started) => Promise<number>,
    ) =>
      await compare(
        title,
        started.map((server) => ({ name: nameOf(server.size), round: () => round(server) })),
        { ...options, ...roundsOf(9, 2) },
      )
    const listing = await measure("A page of 500 SLOs", { time: "wall", bounds: flat }, ({ call }) =>
      timeOf(() => call("GET", "/api/v2/slos?limit=500")),
    )
    const counting = await measure(
      `A count and the status that follows, in batches of ${countsAtOnce}`,
      { time: "cpu", bounds: flat },
      record,
    )
    const ranking = await measure(
      "topk(10, burn_rate) over all SLOs, of a thousand SLOs",
      { time: "wall", bounds: linear },
      async ({ call, size }) => (await timeOf(() => call("GET", topK))) / (size / 1_000),
    )
    const largest = started.at(-1)
    const whole = largest && (await timeOf(() => largest.call("GET", topK)))
    const bytes = await Promise.all(started.map(({ contender }) => contender.ask<number>("memory")))
    return [
      starting,
      {
        title: "Memory of the server, of a thousand SLOs",
        time: "bytes",
        ...judge(
          new Map(started.map(({ size }, index) => [nameOf(size), [(bytes[index] ?? 0) / (size / 1_000)]])),
          linear,
        ),
      },
      listing,
      counting,
      ranking,
      {
        title: `topk(10, burn_rate) ${nameOf(sizes.at(-1) ?? 0)}`,
        time: "wall",
        ...judgeLimit("100 ms", 100_000, "the whole answer", [whole ?? Number.NaN]),
      },
    ]
  } finally {
    for (const { end } of started) await end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const sizes = isShort ? [slosAtFirst, 2 * slosAtFirst] : [slosAtFirst, 10_000, 100_000]
const nameOf = (size: number) => `of ${size.toLocaleString("en")}`

/** Each size against the one before it. */
const boundsOf = (atLeast: number): ReadonlyArray<Bound> =>
  sizes.slice(1).map((size, index) => ({ name: nameOf(size), against: nameOf(sizes[index] ?? 0), atLeast }))
const flat = boundsOf(1 / 1.3)
const linear = boundsOf(1 / 1.1)

const topK = `/api/prometheus/api/v1/query?query=${encodeURIComponent("topk(10, burn_rate)")}`
const countsAtOnce = amount(1_000, 100)

interface Started {
  readonly size: number
  readonly database: PgConnection
  readonly contender: ContenderProcess
  readonly call: Call
  readonly end: () => Promise<void>
}

/** Starts a server and reads a page of SLOs. */
const start = async (size: number, database: PgConnection): Promise<Started> => {
  // An organization gets an access token every 3 s, whichever server gives it.
  await wait(3_100)
  const contender = startContender(new URL("./FairnessServer.ts", import.meta.url), nameOf(size))
  const toStart: ServerToStart = {
    organizations: [organization],
    clientSecret,
    caPem: "",
    databaseUrl: urlOf(database),
  }
  const pool = new Pool(await contender.ask<string>("start", toStart), { connections: 1 })
  const call = await signIn(pool, organization, "*")
  await call("GET", "/api/v2/slos?limit=500")
  return {
    size,
    database,
    contender,
    call,
    end: async () => {
      await pool.destroy()
      contender.end()
    },
  }
}

/** In microseconds; lists may be read 10 times a second. */
const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  await wait(amount(150, 0))
  const begin = performance.now()
  await work()
  return (performance.now() - begin) * 1_000
}

/** CPU time of the server and of PostgreSQL for one of the counts, until the statuses are those with them. */
const record = async ({ call, contender, database }: Started): Promise<number> => {
  const ofDatabase = Effect.provide(databaseCpu, PgDatabase.layer({ connection: database }))
  const cpu = async () => (await contender.ask<number>(cpuQuestion)) + (await Effect.runPromise(ofDatabase))
  const before = await cpu()
  const at = new Date(Math.floor(Date.now() / 60_000 - 1) * 60_000).toISOString()
  const perProject = countsAtOnce / 10
  const counts = Array.from({ length: countsAtOnce }, (_, index) => ({
    project: `p-${Math.floor(index / perProject)}`,
    slo: `availability-${index % perProject}`,
    objective: "good",
    at,
    good: 999,
    total: 1_000,
  }))
  await call("POST", "/api/counts", counts)
  const due = "SELECT 1 AS due FROM slos WHERE due_at <= now_ms() LIMIT 1"
  while ((await runStatement<{ readonly due: number }>(database, due)).length > 0) await wait(amount(500, 50))
  return ((await cpu()) - before) / countsAtOnce
}
