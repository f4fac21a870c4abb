import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import { enqueueDeliveries } from "../../src/delivery/EnqueueDeliveries.ts"
import { databaseLayer } from "@tocsin/adapters-pg/admin"
import { uuidV7 } from "@tocsin/domain/adapter"
import { DeliveryQueue, SecretBox } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import { aMethod, aNotificationContent, notify, putDefinitions, settleAllDue } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { connection, passTime, testBox } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

/** A process of the service, with connections and memories of its own. */
const aProcess = Layer.build(
  Layer.fresh(
    Layer.mergeAll(AlertStorePg.layer, DefinitionStorePg.layer, DeliveryQueuePg.layer).pipe(
      Layer.provideMerge(DeliveryHints.layer),
      Layer.provideMerge(databaseLayer({ connection, connectionsMax: 4, connectTimeoutMs: 20_000 })),
      Layer.provide(Layer.succeed(SecretBox, testBox)),
    ),
  ),
)

const organization = "acme"
const alertMethod = { project: "shop", name: "on-call" }
const leaseMs = 30_000

const claimed = Effect.gen(function* () {
  const { claims } = yield* (yield* DeliveryQueue).claim({ limit: 10, leaseMs })
  return claims.map(({ delivery }) => delivery.notification.id)
})

/** Has the process own the organization and know the endpoint. */
const own = Effect.gen(function* () {
  yield* putDefinitions(organization, [aMethod(alertMethod)])
  yield* notify(organization, [alertMethod])
  expect(yield* settleAllDue({ kind: "delivered" })).toHaveLength(1)
})

/** Enqueues a delivery as an accepted alert does; returns its ID. */
const enqueue = (enqueuing: DeliveryHints.Enqueuing) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = yield* uuidV7
    const event = { content: aNotificationContent(organization), deliveries: [{ id, alertMethod }] }
    yield* sql.withTransaction(
      enqueueDeliveries(sql, Effect.succeed(false), organization, [event], enqueuing),
    )
    return id
  })

describe("a process that enqueues for an organization that it owns", () => {
  it.effect("takes the deliveries over, and wakes nobody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* aProcess
      yield* Effect.provide(own, one)
      const ids = yield* Effect.provide(notify(organization, [alertMethod, alertMethod]), one)
      expect(yield* sql`SELECT FROM delivery_wakes`).toEqual([])
      expect((yield* Effect.provide(claimed, one)).toSorted()).toEqual(ids.toSorted())
      // An endpoint that it does not know is read.
      const other = { project: "shop", name: "other" }
      yield* Effect.provide(putDefinitions(organization, [aMethod(other)]), one)
      const others = yield* Effect.provide(notify(organization, [other]), one)
      expect(yield* Effect.provide(claimed, one)).toEqual(others)
    }).pipe(Effect.scoped, Effect.provide(layer)),
  )

  it.effect("spec/delivery §7: finds what it enqueued when it does not know how the transaction ended", () =>
    Effect.gen(function* () {
      const one = yield* aProcess
      yield* Effect.provide(own, one)
      const hints = yield* Effect.provide(DeliveryHints.DeliveryHints, one)
      let id = ""
      const lost = hints.enqueue(organization, (enqueuing) =>
        Effect.flatMap(enqueue(enqueuing), (enqueued) => {
          id = enqueued
          return Effect.fail("the answer is lost")
        }),
      )
      expect(yield* Effect.flip(Effect.provide(lost, one))).toBe("the answer is lost")
      yield* passTime(1_000)
      expect(yield* Effect.provide(claimed, one)).toEqual([id])
    }).pipe(Effect.scoped, Effect.provide(layer)),
  )

  it.effect("spec/delivery §7: also when the transaction ends after it has looked for them", () =>
    Effect.gen(function* () {
      const one = yield* aProcess
      yield* Effect.provide(own, one)
      // The queue has been read again since it was taken.
      for (let passed = 0; passed < 50_000; passed += 5_000) {
        yield* passTime(5_000)
        expect(yield* Effect.provide(claimed, one)).toEqual([])
      }
      const hints = yield* Effect.provide(DeliveryHints.DeliveryHints, one)
      const lost = hints.enqueue(organization, (enqueuing) =>
        Effect.flatMap(enqueue(enqueuing), (id) =>
          Effect.andThen(
            Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM delivery_queue WHERE id = ${id}`),
            Effect.fail("the answer is lost"),
          ),
        ),
      )
      expect(yield* Effect.flip(Effect.provide(lost, one))).toBe("the answer is lost")
      yield* passTime(1_000)
      expect(yield* Effect.provide(claimed, one)).toEqual([])
      const id = yield* Effect.provide(enqueue({ isHandedOver: true, deliveries: [] }), one)
      let found: ReadonlyArray<string> = []
      for (let passed = 0; passed < 45_000; passed += 5_000) {
        expect(found).toEqual([])
        yield* passTime(5_000)
        found = yield* Effect.provide(claimed, one)
      }
      expect(found).toEqual([id])
    }).pipe(Effect.scoped, Effect.provide(layer)),
  )

  it.effect("spec/delivery §7: loses nothing when it is killed before it has taken them over", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([aProcess, aProcess])
      yield* Effect.provide(own, one)
      const id = yield* Effect.provide(enqueue({ isHandedOver: true, deliveries: [] }), one)
      yield* passTime(leaseMs)
      expect(yield* Effect.provide(claimed, two)).toEqual([id])
    }).pipe(Effect.scoped, Effect.provide(layer)),
  )

  it.effect("wakes the process that has taken the organization meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two] = yield* Effect.all([aProcess, aProcess])
      yield* Effect.provide(own, one)
      const hints = yield* Effect.provide(DeliveryHints.DeliveryHints, one)
      const enqueued = yield* Effect.provide(
        hints.enqueue(organization, (enqueuing) =>
          Effect.gen(function* () {
            yield* sql`UPDATE queue_owners SET owner = NULL, epoch = epoch + 1, next_due_at = 0`
            expect(yield* Effect.provide(claimed, two)).toEqual([])
            yield* passTime(1_000)
            expect(yield* claimed).toEqual([])
            return yield* enqueue(enqueuing)
          }),
        ),
        one,
      )
      yield* passTime(1_000)
      expect(yield* Effect.provide(claimed, two)).toEqual([enqueued])
    }).pipe(Effect.scoped, Effect.provide(layer)),
  )

  it.effect("spec/delivery §7: and is killed then loses nothing either", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two] = yield* Effect.all([aProcess, aProcess])
      yield* Effect.provide(own, one)
      yield* sql`UPDATE queue_owners SET owner = NULL, epoch = epoch + 1, next_due_at = 0`
      expect(yield* Effect.provide(claimed, two)).toEqual([])
      const id = yield* Effect.provide(enqueue({ isHandedOver: true, deliveries: [] }), one)
      // The new owner reads the queue once more, later than such a transaction can end.
      let found: ReadonlyArray<string> = []
      for (let passed = 0; passed < 45_000; passed += 5_000) {
        expect(found).toEqual([])
        yield* passTime(5_000)
        found = yield* Effect.provide(claimed, two)
      }
      expect(found).toEqual([id])
    }).pipe(Effect.scoped, Effect.provide(layer)),
  )
})
