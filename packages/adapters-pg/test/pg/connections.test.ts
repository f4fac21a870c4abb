import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import { readConnections, serverLayer, splitConnections } from "../../src/database/PgDatabase.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import { AlertStore, DeliveryQueue, SecretBox } from "@tocsin/domain/ports"
import { aMethod, anSlo, notify, putDefinitions, settleAllDue } from "@tocsin/testing/fixtures"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { describe, expect, it } from "vitest"
import { run, until, whileOpen } from "../../../../test/crash/CrashDatabase.ts"
import { newDatabase, testBox } from "../../../../test/pg/TestDatabase.ts"

const hook = { project: "shop", name: "hook" }
const slo = { project: "shop", name: "checkout" }

const connectionsMax = 10
const name = "tocsin of the test of connections"

const aServer = async () => {
  const connection = await newDatabase("schema")
  const database = serverLayer({
    connection,
    connectionsMax,
    connectTimeoutMs: 20_000,
    applicationName: name,
  })
  const layer = Layer.mergeAll(AlertStorePg.layer, DefinitionStorePg.layer, DeliveryQueuePg.layer).pipe(
    Layer.provide(DeliveryHints.layer),
    Layer.provideMerge(database),
    Layer.provide(Layer.succeed(SecretBox, testBox)),
  )
  return { connection, layer }
}

describe("the connections of a server", () => {
  it("are parted between the queue and everything else, and are never more than the pool's size", () => {
    expect(splitConnections(10)).toEqual({ queue: 4, requests: 6 })
    expect(splitConnections(100)).toEqual({ queue: 4, requests: 96 })
    for (let connections = 3; connections <= 30; connections++) {
      const { queue, requests } = splitConnections(connections)
      expect(queue + requests).toBe(connections)
      // One of them listens for deliveries.
      expect(queue).toBeGreaterThanOrEqual(2)
      expect(requests).toBeGreaterThanOrEqual(1)
    }
  })

  it("spec/delivery §8: let deliveries be claimed and settled while requests hold all of theirs", async () => {
    const { connection, layer } = await aServer()
    const { requests } = splitConnections(connectionsMax)
    const [ids, settled] = await Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const queue = yield* DeliveryQueue
      yield* queue.hints
      yield* putDefinitions("acme", [aMethod(hook)])
      const notified = yield* notify("acme", [hook])
      const gate = yield* Deferred.make<void>()
      const held = yield* Effect.forEach(Array.from({ length: requests }), () => Deferred.make<void>())
      const holding = Effect.forEach(
        held,
        (holds) =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT 1`
              yield* Deferred.succeed(holds, undefined)
              yield* Deferred.await(gate)
            }),
          ),
        { concurrency: "unbounded", discard: true },
      )
      const delivering = Effect.gen(function* () {
        yield* Effect.forEach(held, (holds) => Deferred.await(holds))
        const waiting = yield* Effect.forkChild(sql`SELECT 1 AS one`)
        const settled = yield* settleAllDue({ kind: "delivered" })
        // All of this happened while a request had no connection.
        expect(waiting.pollUnsafe()).toBeUndefined()
        yield* Deferred.succeed(gate, undefined)
        expect(yield* Fiber.join(waiting)).toEqual([{ one: 1 }])
        return settled
      }).pipe(Effect.ensuring(Deferred.succeed(gate, undefined)))
      const [delivered] = yield* Effect.all([delivering, holding], { concurrency: 2 })
      return [notified, delivered]
    }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)
    expect(settled).toEqual(ids)
    expect(await run(connection, "SELECT id FROM delivery_queue")).toEqual([])
  })

  it("spec/rate-limits §10: of requests are left to reads while alerts of many organizations hang", async () => {
    const { connection, layer } = await aServer()
    const { requests } = splitConnections(connectionsMax)
    const organizations = Array.from({ length: 20 }, (_, index) => `organization-${index}`)
    const waiting = async () => {
      const [row] = await run<{ readonly count: number }>(
        connection,
        `SELECT count(*)::integer AS count FROM pg_stat_activity
          WHERE application_name = '${name}' AND datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return row?.count ?? 0
    }
    await Effect.gen(function* () {
      const alerts = yield* AlertStore
      yield* Effect.forEach(organizations, (organization) => putDefinitions(organization, [anSlo(slo)]))
      const lookup = { subject: { slo }, id: undefined }
      const change = {
        receipt: { alertId: "alert-1", isChanged: false, deliveries: [] },
      }
      const changing = Effect.forEach(
        organizations,
        (organization) =>
          // On a busy machine, the lock may be held for longer than a statement may take.
          Effect.retry(
            alerts.change(organization, lookup, undefined, () => Result.succeed(change)),
            { times: 100 },
          ),
        { concurrency: "unbounded" },
      )
      const context = yield* Effect.context<AlertStore>()
      const onPool = Effect.runPromiseWith(context)
      let changed: Promise<ReadonlyArray<unknown>> | undefined
      yield* Effect.promise(() =>
        whileOpen(connection, "LOCK TABLE slos IN ACCESS EXCLUSIVE MODE", async () => {
          changed = onPool(changing)
          await until(async () => (await waiting()) >= requests - readConnections)
          // The others wait for their turn, and hold no connection.
          for (const organization of organizations)
            expect((await onPool(alerts.openBySlo(organization))).length).toBe(0)
          expect(await waiting()).toBe(requests - readConnections)
        }),
      )
      const receipts = yield* Effect.promise(() => changed ?? Promise.resolve([]))
      expect(receipts.length).toBe(organizations.length)
    }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)
  })
})
