import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as BulkResendStorePg from "../../src/delivery/BulkResendStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import * as EndpointStorePg from "../../src/delivery/EndpointStorePg.ts"
import { maintainPartitions } from "../../src/Maintenance.ts"
import { databaseLayer } from "@tocsin/adapters-pg/admin"
import { bulkResendPollMs, historyRetentionMs, senderFaultDelayMs, uuidV7 } from "@tocsin/domain/adapter"
import {
  BulkResendStore,
  DeliveryLog,
  DeliveryQueue,
  SecretBox,
  StoreIsUnavailable,
} from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import { aMethod, notify, putDefinitions, settleAllDue } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { runScript } from "../../../../test/pg/RunScript.ts"
import { connection, onOneServer, passTime, testBox } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  BulkResendStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
  EndpointStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer))

/** The ports as another process of the service has them: with connections of its own. */
const aProcess = Layer.build(
  Layer.fresh(
    stores.pipe(
      Layer.provide(databaseLayer({ connection, connectionsMax: 4, connectTimeoutMs: 20_000 })),
      Layer.provide(Layer.succeed(SecretBox, testBox)),
    ),
  ),
)

const organization = "acme"
const keys = Array.from({ length: 4 }, (_, index) => ({ project: "shop", name: `m-${index}` }))
const notDelivered = { states: ["exhausted", "failed"] } as const

/** Fails deliveries to each of the methods; answers their IDs, in the order of their creation. */
const failed = (count: number, of = organization) =>
  Effect.gen(function* () {
    yield* putDefinitions(
      of,
      keys.map((key) => aMethod(key)),
    )
    const ids = yield* notify(
      of,
      Array.from({ length: count }, (_, index) => keys[index % keys.length] ?? { project: "", name: "" }),
    )
    yield* settleAllDue({ kind: "undeliverable" })
    return ids.toSorted()
  })

const add = (of = organization) =>
  Effect.gen(function* () {
    const filter = notDelivered
    return yield* (yield* BulkResendStore).add(of, {
      id: yield* uuidV7,
      filter,
      matched: 0,
      mayMatchMore: false,
    })
  })

const step = Effect.flatMap(BulkResendStore, (store) => store.step({ batchMax: 5, readMax: 100 }))

const found = (id: string, of = organization) =>
  Effect.flatMap(BulkResendStore, (store) => Effect.flatMap(store.find(of, id), Effect.fromOption))

const pendingCount = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.list(organization, { states: ["pending"] }, { limit: 500 }), ({ items }) => items.length),
)

const test = (
  what: string,
  effect: Effect.Effect<void, unknown, Layer.Success<typeof stores> | Layer.Success<typeof layer>>,
  options = {},
): void => it.effect(what, () => Effect.provide(effect, Layer.provideMerge(stores, layer)), options)

describe("bulk resends in PostgreSQL", () => {
  it.effect("spec/resends §3: resend each delivery once when several processes take steps at once", () =>
    Effect.gen(function* () {
      const all = yield* Effect.all([aProcess, aProcess, aProcess])
      const inFirst = Effect.provide(all[0])
      const ids = yield* inFirst(failed(120))
      const resends = [yield* inFirst(add()), yield* inFirst(add())]
      yield* passTime(1)
      const sent: Array<string> = []
      for (let round = 0; round < 40; round++) {
        yield* Effect.forEach([...all, ...all], (each) => Effect.provide(step, each), {
          concurrency: "unbounded",
        })
        sent.push(...(yield* inFirst(settleAllDue({ kind: "undeliverable" }))))
        yield* passTime(bulkResendPollMs)
      }
      const ended = yield* Effect.forEach(resends, ({ id }) => inFirst(found(id)))
      expect(ended.map(({ state }) => state)).toEqual(["done", "done"])
      expect(sent.toSorted()).toEqual(ids)
      expect(ended.reduce((sum, { resent }) => sum + resent, 0)).toBe(120)
    }).pipe(Effect.provide(layer)),
  )

  test(
    "spec/resends §3: change nothing in a step that is broken off before its end, and continue from there",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ids = yield* failed(12)
      const resend = yield* add()
      yield* step
      expect(yield* settleAllDue({ kind: "delivered" })).toHaveLength(5)
      yield* passTime(bulkResendPollMs)
      const before = yield* sql`SELECT * FROM bulk_resends`
      // At the commit, when all of the step is done.
      yield* runScript(`
        CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'broken off'; END $$;
        CREATE CONSTRAINT TRIGGER break_off AFTER UPDATE ON bulk_resends DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION break_off()`)
      const failure = yield* Effect.flip(step)
      yield* runScript("DROP TRIGGER break_off ON bulk_resends;\nDROP FUNCTION break_off")
      expect(failure).toBeInstanceOf(StoreIsUnavailable)
      expect(yield* sql`SELECT * FROM bulk_resends`).toEqual(before)
      expect(yield* pendingCount).toBe(0)

      const sent: Array<string> = []
      for (let count = 0; count < 3; count++) {
        yield* step
        sent.push(...(yield* settleAllDue({ kind: "delivered" })))
        yield* passTime(bulkResendPollMs)
      }
      expect(sent.toSorted()).toEqual(ids.slice(5))
      expect(yield* found(resend.id)).toMatchObject({ resent: 12, state: "done" })
    }),
    // With triggers, which a distributed table cannot have.
    onOneServer,
  )

  test(
    "spec/resends §3: keep no other from its turn when one cannot be gone on with, and try that again later",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* failed(2)
      yield* failed(2, "small")
      const resend = yield* add()
      yield* passTime(1)
      const small = yield* add("small")
      yield* sql.unsafe(`
        ALTER TABLE delivery_queue ADD CONSTRAINT not_acme CHECK (organization <> '${organization}')`)
      const failure = yield* Effect.flip(step)
      expect(failure).toMatchObject({ operation: "step", isRetryable: false })
      expect(yield* step).toBe(true)
      expect(yield* step).toBe(false)
      yield* sql.unsafe("ALTER TABLE delivery_queue DROP CONSTRAINT not_acme")
      expect(yield* found(small.id, "small")).toMatchObject({ resent: 2, state: "done" })
      expect(yield* found(resend.id)).toMatchObject({ resent: 0, state: "running" })
      yield* passTime(senderFaultDelayMs)
      expect(yield* step).toBe(true)
      expect(yield* found(resend.id)).toMatchObject({ resent: 2, state: "done" })
    }),
  )

  test(
    "spec/resends §3: continue behind what was read in vain, with the next step at once",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* failed(7)
      yield* sql`UPDATE delivery_attempts SET state = 'exhausted'`
      const [last] = yield* failed(1)
      const store = yield* BulkResendStore
      const filter = { states: ["failed"] } as const
      const stepOf3 = store.step({ batchMax: 2, readMax: 3 })
      for (const table of ["notifications", "deliveries", "delivery_attempts"]) {
        yield* sql`UPDATE ${sql(table)} SET created_at = 1, id = 'z' WHERE id = ${last ?? ""}`
      }
      yield* sql`UPDATE deliveries SET notification = 'z' WHERE id = 'z'`
      yield* passTime(1)
      const { id } = yield* store.add(organization, { id: "r", filter, matched: 0, mayMatchMore: true })
      expect([yield* stepOf3, yield* stepOf3]).toEqual([true, true])
      expect(yield* found(id)).toMatchObject({ resent: 0, state: "running" })
      yield* stepOf3
      expect(yield* found(id)).toMatchObject({ resent: 1, state: "done" })
      expect(yield* settleAllDue({ kind: "delivered" })).toHaveLength(1)
    }),
  )

  it.effect(
    "spec/resends §3: let a delivery that somebody resends by itself in the same moment be found",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const one = yield* aProcess
        const [id = ""] = yield* Effect.provide(failed(1), one)
        const moved = yield* Deferred.make<void>()
        const isWaitedFor = Effect.map(
          sql`SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
          (waiting) => waiting.length > 0,
        )
        // As a step does it, whose transaction is open until the other one waits for it.
        const stepping = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT FROM deliveries WHERE id = ${id} FOR UPDATE`
            yield* sql`
              INSERT INTO delivery_queue
                (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
              SELECT organization, id, created_at, project, name, notification, true, 0, 0, 1, 0 FROM deliveries
              WHERE id = ${id}`
            yield* Deferred.succeed(moved, undefined)
            yield* Effect.repeat(isWaitedFor, { until: (is) => is })
          }),
        )
        const queue = yield* Effect.provide(DeliveryQueue, one)
        const resending = Effect.andThen(Deferred.await(moved), queue.resend(organization, id))
        const [, resent] = yield* Effect.all([stepping, resending], { concurrency: "unbounded" })
        expect(Option.getOrThrow(resent)).toMatchObject({ state: "pending", attemptsUsed: 0 })
      }).pipe(Effect.provide(layer)),
    onOneServer,
  )

  test(
    "spec/resends §3: are kept as long as history after they ended",
    Effect.gen(function* () {
      const done = yield* add()
      yield* step
      const running = yield* add()
      yield* passTime(historyRetentionMs - 1)
      yield* maintainPartitions
      expect(yield* found(done.id)).toMatchObject({ state: "done", endedAt: 0 })
      yield* passTime(1)
      yield* maintainPartitions
      expect(Option.isNone(yield* (yield* BulkResendStore).find(organization, done.id))).toBe(true)
      expect(yield* found(running.id)).toMatchObject({ state: "running" })
    }),
  )
})
