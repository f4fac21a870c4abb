import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { findSlo, readSlos, recordCountBatch, refreshStatuses, sloStatus, statusOf } from "@tocsin/domain"
import { dayMs, minuteMs, minuteOf } from "@tocsin/domain/codec"
import { CountStore, SloStore } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import { run as runStatement } from "../test/crash/CrashDatabase.ts"
import { sentBy } from "../test/pg/Statements.ts"
import { benchDatabase } from "./BenchDatabase.ts"
import { compare, type Comparison, type Contender, inProcess, judge, median } from "./Compare.ts"
import {
  countBytes,
  countStores,
  databaseCpu,
  fillCounts,
  keyOf,
  objective,
  organization,
  putObjectives,
} from "./CountingDatabase.ts"
import { percentile } from "./QueueLatency.ts"
import { amount, roundsOf } from "./Length.ts"

/**
 * Counts and statuses on a durable PostgreSQL with 31 days of minutes of 1,000 objectives, and with those of 10,000.
 *
 * The counts of 7 days of one objective; a status and its alerts without the database; and one process that records a
 * count a minute of each of the 10,000 and keeps their statuses current, with two alert policies each.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Scope.makeUnsafe()
  const runtimes: Array<ManagedRuntime.ManagedRuntime<Stores, never>> = []
  try {
    const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
    const filled: Array<Filled> = []
    for (const size of sizes) {
      const runtime = ManagedRuntime.make(layerOf(await makeDatabase(connection, size)))
      runtimes.push(runtime)
      const runEffect: RunEffect = (effect) => runtime.runPromise(Effect.withTracerEnabled(effect, false))
      await runEffect(Effect.andThen(putObjectives(size), fillCounts(Date.now())))
      const megabytes = (await runEffect(countBytes)) / 1e6 / size
      console.log(`31 days of minutes of ${size} objectives take ${megabytes.toFixed(2)} MB each`)
      filled.push({ size, runEffect })
    }
    const largest = filled.at(-1)
    return [
      ...(await readingCounts(filled)),
      ...(largest === undefined
        ? []
        : [await computing(largest.runEffect), ...(await keeping(largest.runEffect))]),
    ]
  } finally {
    for (const runtime of runtimes) await runtime.dispose()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const layerOf = (connection: PgConnection) =>
  Layer.merge(countStores(connection), Layer.succeed(References.MinimumLogLevel, "Warn"))

type Stores = Layer.Success<ReturnType<typeof layerOf>>

type RunEffect = <A, E>(effect: Effect.Effect<A, E, Stores>) => Promise<A>

interface Filled {
  readonly size: number
  readonly runEffect: RunEffect
}

const sizes = [amount(1_000, 20), amount(10_000, 100)]
const nameOf = (size: number) => `of ${size.toLocaleString("en")}`

const makeDatabase = async (connection: PgConnection, size: number): Promise<PgConnection> => {
  if ("url" in connection) throw new Error("an embedded PostgreSQL is reached through a socket")
  const database = `counting_${size}`
  await runStatement(
    { ...connection, database: "template1" },
    `CREATE DATABASE ${database} TEMPLATE ${connection.database}`,
  )
  return { ...connection, database }
}

const readingCounts = async (filled: ReadonlyArray<Filled>): Promise<ReadonlyArray<Comparison>> => {
  const contenders = (read: Read): ReadonlyArray<Contender> =>
    filled.map(({ size, runEffect }) => ({
      name: nameOf(size),
      round: async () => median(await runEffect(Effect.replicateEffect(read(size), amount(20, 1)))),
    }))
  const limit: Contender = { name: "5 ms", round: async () => 5_000 }
  const largest = nameOf(sizes.at(-1) ?? 0)
  const flat = { name: largest, against: nameOf(sizes[0] ?? 0), atLeast: 1 / 1.3 }
  const options = { time: "wall" as const, ...roundsOf(15, 3) }
  return [
    await compare(
      "Counts of 7 days of an objective, by the database (planning and execution)",
      [limit, ...contenders(databaseTime)],
      { ...options, bounds: [{ name: largest, against: limit.name, atLeast: 1 }, flat] },
    ),
    await compare("Finding an SLO with its counts of 7 days", contenders(timeOfFinding), options),
  ]
}

/** Reads the counts of one of so many objectives, and gives what that took in microseconds. */
type Read = (size: number) => Effect.Effect<number, unknown, Stores>

/** Ends 7 minutes ago, so that both ends cut an hour. */
const sevenDays = Effect.map(Clock.currentTimeMillis, (now) => {
  const to = minuteOf(now) - 7 * minuteMs
  return { from: to - 7 * dayMs, to }
})

const anyKey = (size: number) => Effect.map(Random.nextIntBetween(0, size - 1), keyOf)

const databaseTime: Read = (size) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const range = yield* sevenDays
    const slo = yield* anyKey(size)
    const read = Effect.flatMap(CountStore, (store) => store.sums([{ organization, slo, ranges: [range] }]))
    const { value, sent } = yield* sentBy(read)
    const total = value[0]?.sums[0]?.[0]?.total ?? 0
    // The hour under way has none.
    if (total < (7 * 24 - 2) * 60 * 1_000) return yield* Effect.die(new Error(`7 days have ${total} events`))
    const times = yield* Effect.forEach(sent, ({ text, parameters }) =>
      sql.unsafe<{ readonly "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, TIMING OFF) ${text}`, parameters),
    )
    return times
      .flat()
      .map(
        (row) => Number(/(?:Planning|Execution) Time: ([\d.]+) ms/.exec(row["QUERY PLAN"])?.[1] ?? 0) * 1_000,
      )
      .reduce((sum, each) => sum + each, 0)
  })

const timeOfFinding: Read = (size) =>
  Effect.gen(function* () {
    const { from, to } = yield* sevenDays
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
    const slo = yield* anyKey(size)
    const start = performance.now()
    const { counts } = yield* findSlo(organization, { ...slo, fields: "counts", ...range })
    if (counts === undefined || counts.size === 0) return yield* Effect.die(new Error("an SLO has no counts"))
    return (performance.now() - start) * 1_000
  })

/** Of SLOs that have been read: what their metrics take, and what these with their alerts take when nothing happens. */
const computing = async (runEffect: RunEffect): Promise<Comparison> => {
  const readings = await runEffect(
    Effect.gen(function* () {
      const slos = yield* SloStore
      const dues = yield* Effect.forEach(
        Array.from({ length: amount(500, 50) }, (_, index) => keyOf(index)),
        (key) => Effect.flatMap(slos.findForStatus(organization, key), Effect.fromOption),
      )
      return yield* readSlos(dues)
    }),
  )
  return await compare(
    "Computing the status of an objective from counts that were read",
    [
      inProcess("the metrics", (count) => {
        for (let done = 0; done < count; done++) {
          const reading = readings[done % readings.length]
          if (reading !== undefined) sloStatus(reading.due.slo.definition, reading.at, reading.counts)
        }
      }),
      inProcess("with two alert policies, and the record as JSON", async (count) => {
        const some = Array.from({ length: count }, (_, index) => readings[index % readings.length] ?? [])
        await runEffect(Effect.forEach(some.flat(), statusOf, { discard: true }))
      }),
    ],
    { time: "cpu", ...roundsOf(15, 3) },
  )
}

/** Each objective has a count a minute. */
const recordEveryMs = amount(6_000, 500)

/** Records counts, a tenth of the objectives' at a time, while statuses are kept current. */
const keeping = async (runEffect: RunEffect): Promise<ReadonlyArray<Comparison>> => {
  const size = sizes.at(-1) ?? 0
  const batch = amount(1_000, 20)
  const record = (round: number) =>
    Effect.gen(function* () {
      const at = new Date(minuteOf(yield* Clock.currentTimeMillis) - minuteMs).toISOString()
      const body = Array.from({ length: batch }, (_, index) => {
        const { project, name } = keyOf(((round * batch) % size) + index)
        return { project, slo: name, objective, at, good: 999, total: 1_000 }
      })
      yield* recordCountBatch(organization, body)
    })
  const wait = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* sql<{ readonly at: number | null }>`
        SELECT min(due_at) AS at FROM slos WHERE due_at <= ${now}`
      return now - (row?.at ?? now)
    }),
  )
  let recorded = 0
  const recording = Effect.gen(function* () {
    const begin = yield* Clock.currentTimeMillis
    for (let round = 0; ; round++) {
      yield* Effect.sleep(Math.max(0, begin + round * recordEveryMs - (yield* Clock.currentTimeMillis)))
      yield* record(round)
      recorded += batch
    }
  })
  const measuring = Effect.gen(function* () {
    // Until every objective has been through it.
    yield* Effect.sleep(amount(70_000, 2_000))
    const before = { cpu: process.cpuUsage(), database: yield* databaseCpu, recorded }
    const waits: Array<number> = []
    const begin = performance.now()
    while (performance.now() - begin < amount(120_000, 2_000)) {
      waits.push(yield* wait)
      yield* Effect.sleep("250 millis")
    }
    const { user, system } = process.cpuUsage(before.cpu)
    const database = (yield* databaseCpu) - before.database
    const counts = recorded - before.recorded
    return { process: (user + system) / counts, database: database / counts, waits }
  })
  const measured = await runEffect(
    Effect.raceFirst(measuring, Effect.andThen(recording, Effect.never)).pipe(
      Effect.raceFirst(refreshStatuses),
    ),
  )
  const waits = measured.waits.toSorted((a, b) => a - b)
  const [whole, share] = ["a whole core (6,000 µs at 10,000 a minute)", "half a core"]
  const times = (entries: Readonly<Record<string, number>>) =>
    new Map(Object.entries(entries).map(([name, microseconds]) => [name, [microseconds]]))
  return [
    {
      title: `A count and the statuses that follow, of each of ${size.toLocaleString("en")} objectives once a minute`,
      time: "cpu",
      ...judge(
        times({
          [whole]: 6_000,
          [share]: 3_000,
          "one process": measured.process,
          "its PostgreSQL": measured.database,
        }),
        [{ name: "one process", against: share, atLeast: 1 }],
      ),
    },
    {
      title: "For how long the status that is due the longest has been due",
      time: "wall",
      ...judge(
        times({
          "10 s": 10_000_000,
          "at most": (waits.at(-1) ?? Number.NaN) * 1_000,
          "95 % of the time": percentile(waits, 0.95) * 1_000,
          "half of the time": percentile(waits, 0.5) * 1_000,
        }),
        [{ name: "at most", against: "10 s", atLeast: 1 }],
      ),
    },
  ]
}
