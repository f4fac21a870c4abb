import * as Result from "effect/Result"
import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import { databaseLayer } from "@tocsin/adapters-pg/admin"
import { endpointInFlightMax, senderFaultDelayMs } from "@tocsin/domain/adapter"
import { AlertStore, DeliveryLog, DeliveryQueue, SecretBox } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { aMethod, aNotificationContent, notify, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { connection, passTime, testBox } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

/** The ports as another process of the service has them: with connections and memories of its own. */
const aProcess = Layer.build(
  Layer.fresh(
    Layer.mergeAll(
      AlertStorePg.layer,
      DefinitionStorePg.layer,
      DeliveryLogPg.layer,
      DeliveryQueuePg.layer,
    ).pipe(
      Layer.provide(DeliveryHints.layer),
      Layer.provide(databaseLayer({ connection, connectionsMax: 4, connectTimeoutMs: 20_000 })),
      Layer.provide(Layer.succeed(SecretBox, testBox)),
    ),
  ),
)

const processes = Effect.all([aProcess, aProcess, aProcess])
const organization = "acme"
const keys = Array.from({ length: 10 }, (_, index) => ({ project: "shop", name: `m-${index}` }))
const delivered = { kind: "delivered" } as const

/** Claims until there are so many: a process that waits for a slow statement hands out what it read in a later one. */
const claimsOf = <A, E, R>(claim: Effect.Effect<ReadonlyArray<A>, E, R>, count: number) =>
  Effect.gen(function* () {
    const claimed: Array<A> = []
    while (claimed.length < count) {
      claimed.push(...(yield* claim))
      yield* Effect.sleep(50)
    }
    return claimed
  })

const attempt = { number: 1, startedAt: 0, durationMs: 1 }

/** Locks a table, also against reading; the effect that it returns unlocks it. */
const lock = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isLocked = yield* Deferred.make<void>()
    const isOver = yield* Deferred.make<void>()
    const locking = yield* Effect.forkScoped(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE ${sql(table)} IN ACCESS EXCLUSIVE MODE`
          yield* Deferred.succeed(isLocked, undefined)
          yield* Deferred.await(isOver)
        }),
      ),
    )
    yield* Deferred.await(isLocked)
    return Effect.andThen(Deferred.succeed(isOver, undefined), Fiber.join(locking))
  })

describe("several processes on one queue", () => {
  it.effect("send each delivery once, and at most 5 of an endpoint at a time, while more come in", () =>
    Effect.gen(function* () {
      const all = yield* processes
      yield* Effect.provide(
        putDefinitions(
          organization,
          keys.map((key) => aMethod(key)),
        ),
        all[0],
      )
      const notified: Array<string> = []
      const handedOut: Array<string> = []
      const inFlight = new Map<string, number>()
      let most = 0
      const notifying = Effect.gen(function* () {
        for (let count = 0; count < 40; count++) {
          notified.push(...(yield* notify(organization, [...keys.slice(count % 5), ...keys])))
        }
      })
      const sending = Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        for (let idle = 0; idle < 20;) {
          const { claims } = yield* queue.claim({ limit: 20, leaseMs: 30_000 })
          idle = claims.length === 0 ? idle + 1 : 0
          for (const { delivery } of claims) {
            const { name } = delivery.alertMethod
            handedOut.push(delivery.notification.id)
            inFlight.set(name, (inFlight.get(name) ?? 0) + 1)
            most = Math.max(most, inFlight.get(name) ?? 0)
          }
          yield* Effect.yieldNow
          for (const { delivery } of claims) {
            const { name } = delivery.alertMethod
            inFlight.set(name, (inFlight.get(name) ?? 0) - 1)
          }
          const ends = claims.map(({ claimId }) => ({ claimId, attempt, outcome: delivered, random: 0 }))
          if (ends.length > 0) expect(yield* queue.settle(ends)).toEqual([])
        }
      })
      yield* Effect.all(
        [
          ...all.slice(0, 2).map((each) => Effect.provide(notifying, each)),
          ...all.map((each) => Effect.provide(sending, each)),
        ],
        { concurrency: "unbounded" },
      )
      yield* Effect.provide(sending, all[0])
      expect(handedOut.toSorted()).toEqual(notified.toSorted())
      expect(most).toBeLessThanOrEqual(endpointInFlightMax)
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/alerting §7: open an alert once, however many are asked with one key or for one subject",
    () =>
      Effect.gen(function* () {
        const all = yield* processes
        const subject = { slo: { project: "shop", name: "checkout" } }
        let opened = 0
        const trigger = (n: number) =>
          Effect.flatMap(AlertStore, (store) =>
            store.change(
              organization,
              { subject, id: `a-${n}` },
              n % 2 === 0 ? { key: "k", fingerprint: "f" } : undefined,
              ({ latest }) => {
                const receipt = {
                  alertId: latest?.id ?? `a-${n}`,
                  isChanged: latest === undefined,
                  deliveries: [],
                }
                if (latest !== undefined) return Result.succeed({ receipt })
                opened++
                const content = aNotificationContent(organization)
                const [alertMethod = { project: "", name: "" }] = keys
                const put = {
                  id: `a-${n}`,
                  definedAt: 0,
                  subject,
                  status: "triggered",
                  conditions: [],
                  alertMethods: [],
                  triggeredAt: 0,
                } as const
                return Result.succeed({
                  put,
                  event: { content, deliveries: [{ id: `d-${n}`, alertMethod }] },
                  receipt,
                })
              },
            ),
          )
        const receipts = yield* Effect.forEach(
          Array.from({ length: 30 }, (_, n) => n),
          (n) => Effect.provide(trigger(n), all[n % 3] ?? all[0]),
          { concurrency: "unbounded" },
        )
        expect(new Set(receipts.map(({ alertId }) => alertId)).size).toBe(1)
        expect(opened).toBe(1)
      }).pipe(Effect.provide(layer)),
  )

  it.live("forget what they were reading of an organization that another one has taken meanwhile", () =>
    Effect.gen(function* () {
      const [one, two] = yield* processes
      const sql = yield* SqlClient.SqlClient
      const [key = { project: "", name: "" }] = keys
      yield* Effect.provide(putDefinitions(organization, [aMethod(key)]), one)
      const ids = yield* Effect.provide(
        notify(
          organization,
          Array.from({ length: endpointInFlightMax }, () => key),
        ),
        two,
      )
      const queue = yield* Effect.provide(DeliveryQueue, one)
      const claim = Effect.map(queue.claim({ limit: 20, leaseMs: 30_000 }), ({ claims }) => claims)
      const unlock = yield* lock("endpoints")
      // The process takes the organization, and cannot read what is due.
      expect(yield* claim).toEqual([])
      // Another process takes it, and gives it back.
      yield* sql`UPDATE queue_owners SET owner = NULL, epoch = epoch + 1, next_due_at = 0`
      // It notices when it polls, which it does once a second.
      yield* Effect.sleep(1_100)
      expect(yield* claim).toEqual([])
      yield* unlock
      const claimed = yield* claimsOf(claim, ids.length)
      expect(claimed.map(({ delivery }) => delivery.notification.id).toSorted()).toEqual(ids.toSorted())
    }).pipe(Effect.scoped, Effect.provide(layer)),
  )

  it.effect("read what is due again when the answer to a statement that took wakes is lost", () =>
    Effect.gen(function* () {
      const [one, two] = yield* processes
      const sql = yield* SqlClient.SqlClient
      const [key = { project: "", name: "" }, other = key] = keys
      yield* Effect.provide(putDefinitions(organization, [aMethod(key), aMethod(other)]), one)
      const queue = yield* Effect.provide(DeliveryQueue, one)
      const claim = Effect.map(queue.claim({ limit: 20, leaseMs: 30_000 }), ({ claims }) =>
        claims.map(({ delivery }) => delivery.notification.id),
      )
      const first = yield* Effect.provide(notify(organization, [key]), two)
      expect(yield* claim).toEqual(first)
      const second = yield* Effect.provide(notify(organization, [key, other]), two)
      yield* passTime(1_000)
      let lost = 0
      const losing = Effect.provideService(claim, Statement.CurrentTransformer, (statement) => {
        if (!statement.compile()[0].includes("DELETE FROM delivery_wakes")) return Effect.succeed(statement)
        lost++
        const run = Effect.provideService(Effect.orDie(statement), Statement.CurrentTransformer, undefined)
        return Effect.as(run, sql`SELECT 1 / 0`)
      })
      expect(yield* losing).toEqual([])
      expect(lost).toBe(1)
      yield* passTime(1_000)
      expect((yield* claim).toSorted()).toEqual(second.toSorted())
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.provide(layer)),
  )

  it.effect("send again what was settled by a statement whose answer was lost", () =>
    Effect.gen(function* () {
      const [one] = yield* processes
      const sql = yield* SqlClient.SqlClient
      const [key = { project: "", name: "" }] = keys
      yield* Effect.provide(putDefinitions(organization, [aMethod(key)]), one)
      const ids = yield* Effect.provide(notify(organization, [key]), one)
      const queue = yield* Effect.provide(DeliveryQueue, one)
      const claim = Effect.map(queue.claim({ limit: 20, leaseMs: 30_000 }), ({ claims }) => claims)
      const ends = (yield* claim).map(({ claimId }) => ({
        claimId,
        attempt,
        outcome: { kind: "failed" as const },
        random: 0.5,
      }))
      expect(ends).toHaveLength(1)
      // As the first settlement left it.
      yield* sql`UPDATE delivery_queue SET sending = NULL, is_retry = true, due_at = 5000`
      expect(yield* queue.settle(ends)).toEqual(ends.map(({ claimId }) => claimId))
      yield* passTime(5_000)
      expect((yield* claim).map(({ delivery }) => delivery.notification.id)).toEqual(ids)
    }).pipe(Effect.provide(layer)),
  )

  it.live("hand out no more than was asked for, also when statements were slow", () =>
    Effect.gen(function* () {
      const [one] = yield* processes
      yield* Effect.provide(
        putDefinitions(
          organization,
          keys.map((key) => aMethod(key)),
        ),
        one,
      )
      const ids = yield* Effect.provide(notify(organization, keys), one)
      const queue = yield* Effect.provide(DeliveryQueue, one)
      const claim = (limit: number) => queue.claim({ limit, leaseMs: 30_000 })
      const unlock = yield* lock("notifications")
      expect((yield* claim(10)).claims).toEqual([])
      yield* unlock
      const first = yield* Effect.repeat(Effect.andThen(Effect.sleep(50), claim(3)), {
        until: ({ claims }) => claims.length > 0,
      })
      expect(first).toMatchObject({ claims: { length: 3 }, nextDueInMs: 0 })
      const claims = yield* claimsOf(
        Effect.map(claim(10), (others) => others.claims),
        ids.length - 3,
      )
      const claimed = [...first.claims, ...claims].map(({ delivery }) => delivery.notification.id)
      expect(claimed.toSorted()).toEqual(ids.toSorted())
    }).pipe(Effect.scoped, Effect.provide(layer)),
  )

  it.live("signal that a new URL has made deliveries due", () =>
    Effect.gen(function* () {
      const all = yield* processes
      const hints = yield* Effect.provide(
        Effect.flatMap(DeliveryQueue, ({ hints }) => hints),
        all[0],
      )
      const [key = { project: "", name: "" }] = keys
      let count = 0
      const change = Effect.suspend(() =>
        Effect.provide(
          putDefinitions(organization, [aMethod(key, { url: `https://hooks.example.com/${++count}` })]),
          all[1],
        ),
      )
      // The first is not there before: nothing is reset.
      yield* change
      expect(yield* Queue.poll(hints)).toMatchObject({ _tag: "None" })
      yield* Effect.raceFirst(
        Queue.take(hints),
        Effect.timeout(Effect.forever(Effect.delay(change, 50)), 10_000),
      )
    }).pipe(Effect.provide(layer)),
  )

  it.live("signal deliveries created by another one", () =>
    Effect.gen(function* () {
      const all = yield* processes
      const hints = yield* Effect.provide(
        Effect.flatMap(DeliveryQueue, ({ hints }) => hints),
        all[0],
      )
      const notifyOften = Effect.forever(Effect.delay(Effect.provide(notify(organization, keys), all[1]), 50))
      yield* Effect.raceFirst(Queue.take(hints), Effect.timeout(notifyOften, 10_000))
    }).pipe(Effect.provide(layer)),
  )

  it.effect("spend no attempt on a method whose secrets do not open, and continue with the others", () =>
    Effect.gen(function* () {
      const [one] = yield* processes
      const [locked = { project: "", name: "" }, open = { project: "", name: "" }] = keys
      yield* Effect.provide(putDefinitions(organization, [aMethod(locked), aMethod(open)]), one)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE definitions SET sealed = 'x' WHERE name = ${locked.name}`
      const [id = ""] = yield* Effect.provide(notify(organization, [locked, open]), one)
      const queue = yield* Effect.provide(DeliveryQueue, one)
      const log = yield* Effect.provide(DeliveryLog, one)
      const { claims } = yield* queue.claim({ limit: 10, leaseMs: 30_000 })
      expect(claims.map(({ delivery }) => delivery.alertMethod)).toEqual([open])
      expect(Option.getOrThrow(yield* log.find(organization, id)).delivery).toMatchObject({
        state: "pending",
        attemptsUsed: 0,
      })
      expect((yield* queue.claim({ limit: 10, leaseMs: 30_000 })).nextDueInMs).toBe(senderFaultDelayMs)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.provide(layer)),
  )
})
