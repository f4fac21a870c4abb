import { PgDatabase, PgStores } from "@tocsin/adapters-pg"
import { aNotificationContent } from "@tocsin/testing/fixtures"
import { storedAttempt, storedNotificationContent } from "@tocsin/domain/adapter"
import { dayMs } from "@tocsin/domain/codec"
import { pageSizeMax } from "@tocsin/domain/pagination"
import { type DeliveryFilter, DeliveryLog, SecretBox } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Scope from "effect/Scope"
import { run as runStatement } from "../test/crash/CrashDatabase.ts"
import { benchBox, benchDatabase } from "./BenchDatabase.ts"
import { compare, type Comparison, type Contender, median } from "./Compare.ts"
import { amount, roundsOf } from "./Length.ts"

/**
 * Listing deliveries on a durable PostgreSQL, of an organization with 10,000 and with 1,000,000 of the last 30 days, by each
 * filter of the API: a page of 500, or as many as match.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Scope.makeUnsafe()
  const runtimes: Array<ManagedRuntime.ManagedRuntime<Stores, never>> = []
  try {
    const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
    if ("url" in connection) throw new Error("an embedded PostgreSQL is reached through a socket")
    const filled: Array<Filled> = []
    for (const size of sizes) {
      const database = `deliveries_${size}`
      await runStatement(
        { ...connection, database: "template1" },
        `CREATE DATABASE ${database} TEMPLATE ${connection.database}`,
      )
      const runtime = ManagedRuntime.make(stores({ ...connection, database }))
      runtimes.push(runtime)
      const runEffect: RunEffect = (effect) => runtime.runPromise(Effect.withTracerEnabled(effect, false))
      await runEffect(fill(size))
      filled.push({ size, runEffect })
    }
    const comparisons: Array<Comparison> = []
    for (const [title, filter, found] of reads) {
      const contenders = filled.map((each) => contender(each, filter(each.size), found))
      comparisons.push(await compare(title, contenders, { time: "wall", ...roundsOf(7, 2), bounds: [] }))
    }
    return comparisons
  } finally {
    for (const runtime of runtimes) await runtime.dispose()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const stores = (connection: PgDatabase.PgConnection) =>
  PgStores.storesLayer.pipe(
    Layer.provide(Layer.succeed(SecretBox, benchBox)),
    Layer.provideMerge(PgDatabase.layer({ connection, statementTimeoutMs: 600_000 })),
  )

type Stores = Layer.Success<ReturnType<typeof stores>>

type RunEffect = <A, E>(effect: Effect.Effect<A, E, Stores>) => Promise<A>

interface Filled {
  readonly size: number
  readonly runEffect: RunEffect
}

const organization = "acme"
const sizes = [10_000, amount(1_000_000, 20_000)]
const days = 30
const end = Math.floor(Date.now() / dayMs) * dayMs
const start = end - days * dayMs

/**
 * Deliveries at even intervals to 100 alert methods, 4 of each alert; of 200, one has failed and two are exhausted. The last
 * 1,000 wait, of which 50 are being sent.
 */
const fill = (size: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const table of ["notifications", "delivery_attempts", "deliveries"])
      for (let from = start; from <= end; from += dayMs)
        yield* sql.unsafe(
          `CREATE TABLE IF NOT EXISTS ${table}_${from} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${from + dayMs})`,
        )
    const content = storedNotificationContent.write(aNotificationContent(organization)).json
    const attempt = storedAttempt.write({ number: 1, startedAt: 0, durationMs: 1 }).json
    const at = `(${start} + n * (${days * dayMs} / ${size}.0))::bigint`
    const row = `'${organization}', 'd-' || lpad(n::text, 9, '0')`
    const all = `FROM generate_series(0, ${size - 1}) AS n`
    const settled = `FROM generate_series(0, ${size - 1 - waiting}) AS n`
    const queued = `FROM generate_series(${size - waiting}, ${size - 1}) AS n`
    for (const statement of [
      `INSERT INTO notifications (organization, id, created_at, content) SELECT ${row}, ${at}, '${content}' ${all}`,
      `INSERT INTO deliveries (organization, id, created_at, project, name, notification, event, alert_id)
       SELECT ${row}, ${at}, 'shop', 'm-' || n % 100, 'd-' || lpad(n::text, 9, '0'),
         CASE n / 4 % 2 WHEN 0 THEN 'alert.triggered' ELSE 'alert.resolved' END, 'alert-' || n / 4 ${all}`,
      `INSERT INTO delivery_attempts
         (organization, id, created_at, number, attempt, attempts_used, state, settled_at)
       SELECT ${row}, ${at}, 1, '${attempt}', 1,
         CASE n % 200 WHEN 0 THEN 'failed' WHEN 7 THEN 'exhausted' WHEN 77 THEN 'exhausted' ELSE 'delivered' END, ${at} ${settled}`,
      `INSERT INTO delivery_queue
         (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used, sending)
       SELECT ${row}, ${at}, 'shop', 'm-' || n % 100, 'd-' || lpad(n::text, 9, '0'), false, ${end}, ${end}, 0, 0,
         CASE WHEN n % 20 = 0 THEN 1 END ${queued}`,
      "VACUUM ANALYZE",
      "CHECKPOINT",
    ])
      yield* sql.unsafe(statement)
  })

const waiting = 1_000

const pageSize = pageSizeMax

const reads: ReadonlyArray<
  readonly [title: string, filter: (size: number) => DeliveryFilter, found: number]
> = [
  ["Deliveries", () => ({}), pageSize],
  ["Deliveries that wait", () => ({ states: ["pending"] }), pageSize],
  ["Deliveries that are being sent", () => ({ states: ["sending"] }), 50],
  ["Deliveries that were delivered", () => ({ states: ["delivered"] }), pageSize],
  ["Deliveries that failed or are exhausted", () => ({ states: ["failed", "exhausted"] }), 135],
  ["Deliveries that failed", () => ({ states: ["failed"] }), 45],
  [
    "Deliveries that are exhausted, of an alert method",
    () => ({ states: ["exhausted"], alertMethod: { project: "shop", name: "m-7" } }),
    45,
  ],
  ["Deliveries of an alert method", () => ({ alertMethod: { project: "shop", name: "m-7" } }), 100],
  ["Deliveries of a project", () => ({ alertMethod: { project: "shop" } }), pageSize],
  ["Deliveries of an event", () => ({ events: ["alert.resolved"] }), pageSize],
  ["Deliveries of an event that nothing was sent for", () => ({ events: ["no_data.detected"] }), 0],
  ["Deliveries of an alert", (size) => ({ alertId: `alert-${size / 8}` }), 4],
  ["Deliveries of a day", () => ({ from: start + 10 * dayMs, to: start + 11 * dayMs }), 333],
]

/** The middle of the times of 5 reads one after another. `found`: at least how many there are. */
const contender = ({ size, runEffect }: Filled, filter: DeliveryFilter, found: number): Contender => ({
  name: `of ${size.toLocaleString("en")}`,
  round: async () => {
    const read = Effect.filterOrElse(
      Effect.flatMap(DeliveryLog, (log) => log.list(organization, filter, { limit: pageSize })),
      ({ items }) => items.length >= found,
      ({ items }) => Effect.die(new Error(`a list has only ${items.length} deliveries`)),
    )
    const times: Array<number> = []
    for (let count = 0; count < amount(5, 1); count++) {
      const startedAt = performance.now()
      await runEffect(read)
      times.push((performance.now() - startedAt) * 1_000)
    }
    return median(times)
  },
})
