import { WebhookTransportUndici } from "@tocsin/adapters-egress"
import { AcknowledgeTokensJose, HashNode } from "@tocsin/adapters-http/crypto"
import * as Result from "effect/Result"
import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { dispatchDeliveries } from "@tocsin/domain"
import { storedAttempt, storedHealth, unknownHealth, uuidV7 } from "@tocsin/domain/adapter"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  type AcknowledgeTokens,
  AlertStore,
  DeliveryLog,
  DeliveryQueue,
  EndpointStore,
  type Sha256,
  Signer,
  type WebhookTransport,
} from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { aMethod, aNotificationContent, putDefinitions } from "@tocsin/testing/fixtures"
import { urlOf, whileOpen } from "../test/crash/CrashDatabase.ts"
import { testKey } from "../test/signature/TestKey.ts"
import { benchDatabase } from "./BenchDatabase.ts"
import { compare, type Comparison, judge, median } from "./Compare.ts"
import { type ContenderProcess, startContender } from "./ContenderProcess.ts"
import { fillQueue, newDeliveries, queueLayer } from "./QueueDatabase.ts"
import { arrivalTimes, type Flow, percentile } from "./QueueLatency.ts"
import type { ReceiverAddress } from "./QueueReceiver.ts"
import { makeQueueWorker, type QueueWorker, type WorkerMode } from "./QueueWorker.ts"
import { runScript } from "../test/pg/RunScript.ts"
import { amount, isShort, roundsOf } from "./Length.ts"

/**
 * The queue on a durable PostgreSQL, with the database and the receiver on the same machine.
 *
 * Deliveries that are claimed, rendered, signed, sent over TLS and settled with their attempt, against 400 µs each
 * (2,500 a second) and against graphile-worker; how soon they arrive, alone and beside a receiver that hangs; one claim
 * of 100 deliveries and one page of the list as history and idle endpoints grow; delivering while a snapshot is held.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Scope.makeUnsafe()
  const receiver = startContender(new URL("./QueueReceiver.ts", import.meta.url), "receiver")
  try {
    const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
    const address = await receiver.ask<ReceiverAddress>("address")
    const worker = await makeQueueWorker(urlOf(connection), address.ca)
    const runtime = ManagedRuntime.make(
      Layer.mergeAll(
        queueLayer(connection),
        WebhookTransportUndici.layer({ allowCidrs: ["127.0.0.0/8", "::1/128"], caPem: address.ca }),
        HashNode.layer,
        AcknowledgeTokensJose.layer(Redacted.make(new Uint8Array(32))),
        Layer.succeed(Signer, { current: () => Effect.succeed(testKey) }),
        Layer.succeed(References.MinimumLogLevel, "Warn"),
      ),
    )
    const runEffect: RunEffect = (effect) => runtime.runPromise(Effect.withTracerEnabled(effect, false))
    try {
      const methods = Array.from({ length: methodsCount }, (_, index) => methodOf(index, address.port))
      const slow = aMethod(slowKey, { url: `https://localhost:${address.slowPort}/slow` })
      await runEffect(putDefinitions("acme", [...methods, slow]))
      const comparisons: Array<Comparison> = [
        await compare(
          "A delivery on PostgreSQL: claimed, rendered, signed, sent over TLS, settled with its attempt",
          [
            { name: "400 µs (2,500 a second)", round: async () => 400 },
            { name: workerName, round: () => runEffect(work(worker, "one by one", address.port)) },
            { name: aheadName, round: () => runEffect(work(worker, "fetching ahead", address.port)) },
            { name: ourName, round: () => runEffect(deliver) },
          ],
          {
            time: "wall",
            ...roundsOf(5, 2),
            bounds: [
              { name: ourName, against: "400 µs (2,500 a second)", atLeast: 1 },
              { name: ourName, against: workerName, atLeast: 1 },
              { name: ourName, against: aheadName, atLeast: 1.5 },
            ],
          },
        ),
      ]
      console.log(`CPU of the process, a delivery: ${median(processCpu.slice(1)).toFixed(0)} µs`)
      comparisons.push(await arriving(runEffect, receiver))
      comparisons.push(await arrivingBesideSlow(runEffect, receiver, worker, address))
      await runEffect(emptyQueue)
      const base = await runEffect(readingTimes)
      for (const [what, grow] of growth) {
        await runEffect(grow)
        const now = await runEffect(readingTimes)
        comparisons.push(flat(`Claiming 100 deliveries, with ${what}`, base.claim, now.claim))
        comparisons.push(flat(`A page of 100 of the list of deliveries, with ${what}`, base.list, now.list))
      }
      comparisons.push(await deliverUnderSnapshot(runEffect, connection, worker, address))
      return comparisons
    } finally {
      await worker.end()
      await runEffect(whenWorkerIsGone)
      await runtime.dispose()
    }
  } finally {
    receiver.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

type Context =
  Layer.Success<ReturnType<typeof queueLayer>> | WebhookTransport | Signer | Sha256 | AcknowledgeTokens

type RunEffect = <A, E>(effect: Effect.Effect<A, E, Context>) => Promise<A>

const ourName = "one process"
const workerName = "graphile-worker 0.17.3"
const aheadName = "graphile-worker, fetching ahead"
const methodsCount = 200
const deliveriesCount = amount(5_000, 200)
const options = { baseUrl: "https://tocsin.example.com", shutdownGraceMs: 1_000 }

const slowKey = { project: "shop", name: "slow" }
const keyOf = (index: number) => ({ project: "shop", name: `m-${index % methodsCount}` })
const methodOf = (index: number, port: number) =>
  aMethod(keyOf(index), { url: `https://localhost:${port}/m-${index}` })

/** Waits until the worker's connections are closed, which it does not: it falls over those that the database ends. */
const whenWorkerIsGone = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT LIKE 'tocsin%'
    AND backend_type = 'client backend'`.pipe(
    Effect.repeat({ until: (rows) => rows.length === 0, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("10 seconds"),
  ),
)

/** Waits until a table is empty. */
const whenEmpty = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.repeat(Effect.delay(sql.unsafe(`SELECT FROM ${table} LIMIT 1`), 20), {
      while: (rows) => rows.length > 0,
    }),
  )

/** The CPU time of this process for each delivery, in microseconds, by round. */
const processCpu: Array<number> = []

/** Delivers until so many are settled; gives the microseconds for each. A look at the table would cost by itself. */
const deliverAll = (count: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const done = yield* Deferred.make<void>()
      let left = count
      const start = performance.now()
      const cpu = process.cpuUsage()
      yield* dispatchDeliveries(options).pipe(
        Effect.provideService(DeliveryQueue, {
          ...queue,
          settle: (settlements) =>
            Effect.tap(queue.settle(settlements), () => {
              const lost = settlements.find(({ outcome }) => outcome.kind !== "delivered")
              if (lost !== undefined) return Deferred.die(done, `a delivery failed: ${lost.attempt.detail}`)
              left -= settlements.length
              return left > 0 ? Effect.void : Deferred.succeed(done, undefined)
            }),
        }),
      )
      yield* Deferred.await(done)
      const { user, system } = process.cpuUsage(cpu)
      processCpu.push((user + system) / count)
      return ((performance.now() - start) * 1_000) / count
    }),
  )

const deliver = fillQueue(deliveriesCount, methodsCount).pipe(
  Effect.andThen(Effect.suspend(() => settleDown)),
  Effect.andThen(deliverAll(deliveriesCount)),
)

/** The same by graphile-worker: until so many jobs have been done. */
const workAll = (worker: QueueWorker, mode: WorkerMode) =>
  Effect.promise(async () => {
    const start = performance.now()
    const done = worker.untilDone(deliveriesCount)
    const runner = await worker.start(mode)
    await done
    const microseconds = ((performance.now() - start) * 1_000) / deliveriesCount
    await runner.stop()
    return microseconds
  })

const fillWorker = (worker: QueueWorker, port: number) =>
  Effect.flatMap(Effect.replicateEffect(uuidV7, deliveriesCount), (ids) =>
    Effect.promise(() =>
      worker.add(
        ids.map((id, index) => ({ id, url: `https://localhost:${port}/m-${index % methodsCount}` })),
      ),
    ),
  )

const work = (worker: QueueWorker, mode: WorkerMode, port: number) =>
  fillWorker(worker, port).pipe(
    Effect.andThen(Effect.suspend(() => settleDown)),
    Effect.andThen(workAll(worker, mode)),
  )

/** Notifies an alert method, as an accepted alert does. */
const notify = (n: number, id: string, alertMethod: ProjectKey) =>
  Effect.flatMap(AlertStore, (store) =>
    store.change("acme", { subject: { slo: keyOf(n) }, id: undefined }, undefined, () =>
      Result.succeed({
        event: { content: aNotificationContent("acme"), deliveries: [{ id, alertMethod }] },
        receipt: { alertId: id, isChanged: true, deliveries: [] },
      }),
    ),
  )

/** A flow through our queue: the times of arrival. */
const flowThrough = async (runEffect: RunEffect, receiver: ContenderProcess, flow: Flow) => {
  const scope = Scope.makeUnsafe()
  try {
    await runEffect(Scope.provide(dispatchDeliveries(options), scope))
    return await arrivalTimes(receiver, flow, async (n, id, isSlow) => {
      await runEffect(notify(n, id, isSlow ? slowKey : keyOf(n)))
    })
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const single = (times: Readonly<Record<string, number>>): ReadonlyMap<string, ReadonlyArray<number>> =>
  new Map(Object.entries(times).map(([name, milliseconds]) => [name, [milliseconds * 1_000]]))

const arriving = async (runEffect: RunEffect, receiver: ContenderProcess): Promise<Comparison> => {
  await runEffect(settleDown)
  const flow = { perSecond: amount(200, 20), slowOfTen: 0 }
  // A warm-up, as rounds have.
  await flowThrough(runEffect, receiver, { ...flow, seconds: amount(3, 1) })
  const times = await flowThrough(runEffect, receiver, { ...flow, seconds: amount(10, 1) })
  const limit = "30 ms"
  return {
    title: "From alert to arrival at 200 alerts a second",
    time: "wall",
    ...judge(
      single({
        [limit]: 30,
        "95% arrive in": percentile(times, 0.95),
        "half arrive in": percentile(times, 0.5),
      }),
      [{ name: "95% arrive in", against: limit, atLeast: 1 }],
    ),
  }
}

const arrivingBesideSlow = async (
  runEffect: RunEffect,
  receiver: ContenderProcess,
  worker: QueueWorker,
  { port, slowPort }: ReceiverAddress,
): Promise<Comparison> => {
  const flow: Flow = { perSecond: amount(300, 20), seconds: amount(10, 1), slowOfTen: 1 }
  const ours = await flowThrough(runEffect, receiver, flow)
  const runner = await worker.start("one by one")
  const theirs = await arrivalTimes(receiver, flow, (n, id, isSlow) =>
    worker.add([
      {
        id,
        url: isSlow
          ? `https://localhost:${slowPort}/slow`
          : `https://localhost:${port}/m-${n % methodsCount}`,
      },
    ]),
  )
  await runEffect(whenEmpty("graphile_worker._private_jobs"))
  await runner.stop()
  const limit = "2 s"
  return {
    title:
      "From alert to arrival for 99%, at 300 a second, of which 10% go to a receiver that answers after 3 s",
    time: "wall",
    ...judge(
      single({ [limit]: 2_000, [workerName]: percentile(theirs, 0.99), [ourName]: percentile(ours, 0.99) }),
      [
        { name: ourName, against: limit, atLeast: 1 },
        { name: ourName, against: workerName, atLeast: 1 },
      ],
    ),
  }
}

/** Forgets what waits for the receiver that hangs. */
const emptyQueue = runScript(`
  DELETE FROM delivery_queue;
  DELETE FROM delivery_wakes`)

const flat = (title: string, base: ReadonlyArray<number>, now: ReadonlyArray<number>): Comparison => ({
  title,
  time: "wall",
  ...judge(
    new Map([
      ["at first", [median(base)]],
      ["now", [median(now)]],
    ]),
    [{ name: "now", against: "at first", atLeast: 1 / 1.3 }],
  ),
})

/** Deliveries by both in turn while a snapshot is held, for a minute: the last third of the rounds. */
const deliverUnderSnapshot = async (
  runEffect: RunEffect,
  connection: PgConnection,
  worker: QueueWorker,
  { port }: ReceiverAddress,
): Promise<Comparison> => {
  await runEffect(settleDown)
  const round = () =>
    runEffect(
      Effect.all([
        Effect.andThen(fillQueue(deliveriesCount, methodsCount), deliverAll(deliveriesCount)),
        Effect.andThen(fillWorker(worker, port), workAll(worker, "one by one")),
      ]),
    )
  const before: Array<readonly [ours: number, theirs: number]> = []
  for (let count = 0; count < amount(3, 1); count++) before.push(await round())
  const held = await whileOpen(connection, takeSnapshot, async () => {
    const times: Array<readonly [ours: number, theirs: number]> = []
    const end = performance.now() + snapshotMs
    while (performance.now() < end) times.push(await round())
    return times.slice(-Math.ceil(times.length / 3))
  })
  const ours = (times: ReadonlyArray<readonly [number, number]>) => [median(times.map(([own]) => own))]
  const theirs = (times: ReadonlyArray<readonly [number, number]>) => [
    median(times.map(([, other]) => other)),
  ]
  const limit = "5,000 µs (200 a second)"
  return {
    title: "A delivery when a snapshot has been held for a minute of deliveries",
    time: "wall",
    ...judge(
      new Map([
        [limit, [5_000]],
        [`${workerName}, no snapshot`, theirs(before)],
        [`${ourName}, no snapshot`, ours(before)],
        [workerName, theirs(held)],
        [ourName, ours(held)],
      ]),
      [{ name: ourName, against: limit, atLeast: 1 }],
    ),
  }
}

const takeSnapshot = "DECLARE held CURSOR FOR SELECT FROM delivery_queue"
const snapshotMs = amount(60_000, 100)

/** So long does a hint take at most, in milliseconds. */
const hintMs = 50

/** The times of claims of 100 deliveries, and of pages of the list, in microseconds. */
const readingTimes = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const endpoints = yield* EndpointStore
  const log = yield* DeliveryLog
  const claim: Array<number> = []
  const list: Array<number> = []
  for (let count = 0; count < amount(30, 2); count++) {
    yield* fillQueue(100, methodsCount)
    // Has this process look at the organization.
    yield* endpoints.setPaused("acme", keyOf(0), false)
    yield* Effect.sleep(hintMs)
    const start = performance.now()
    const { claims } = yield* queue.claim({ limit: 100, leaseMs: 30_000 })
    claim.push((performance.now() - start) * 1_000)
    yield* queue.settle(
      claims.map(({ claimId }) => ({
        claimId,
        attempt: { number: 1, startedAt: 0, durationMs: 3, headMs: 2, status: 204 },
        outcome: { kind: "delivered" },
        random: 0,
      })),
    )
    // On a busy machine, a claim does not wait for all of them.
    if (!isShort && claims.length !== 100) return yield* Effect.die(new Error(`${claims.length} claims`))
    const listing = performance.now()
    yield* log.list("acme", {}, { limit: 100 })
    list.push((performance.now() - listing) * 1_000)
  }
  return { claim, list }
})

const settledRows = (count: number) =>
  runScript(`
    WITH ${newDeliveries(count, methodsCount)}
    INSERT INTO delivery_attempts (organization, id, created_at, number, attempt, attempts_used, state, settled_at)
    SELECT 'acme', id, now_ms(), 1, '${storedAttempt.write({ number: 1, startedAt: 0, durationMs: 1 }).json}', 1, 'delivered', now_ms()
    FROM ids`).pipe(Effect.andThen(settleDown))

const idleEndpoints = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    INSERT INTO endpoints (organization, project, name, health)
    SELECT 'acme', 'idle', 'm-' || n, '${storedHealth.write(unknownHealth).json}' FROM generate_series(1, ${amount(100_000, 100)}) AS n`),
).pipe(Effect.andThen(Effect.suspend(() => settleDown)))

const settleDown = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(sql.unsafe("VACUUM ANALYZE"), sql.unsafe("CHECKPOINT")),
)

const growth = [
  ["1,000 settled deliveries", settledRows(1_000)],
  ["100,000 settled deliveries", settledRows(amount(99_000, 100))],
  ["1,000,000 settled deliveries", settledRows(amount(900_000, 100))],
  ["100,000 idle endpoints besides", idleEndpoints],
] as const
