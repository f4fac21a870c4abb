import { DeliverySchedule, senderFaultDelayMs, storedHealth, unknownHealth } from "@tocsin/domain/adapter"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import { SecretBox } from "@tocsin/domain/ports"
import { aMethod, notify, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import { DeliveryHints } from "../../src/delivery/DeliveryHints.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import { makeOrganizationWork } from "../../src/delivery/OrganizationWork.ts"
import type { Waiting } from "../../src/delivery/OwnedQueue.ts"
import { makeQueueClaiming } from "../../src/delivery/QueueClaiming.ts"
import { makeQueueLoading } from "../../src/delivery/QueueLoading.ts"
import { makeQueueOwnership } from "../../src/delivery/QueueOwnership.ts"
import { type HeldClaims, makeQueueSettling } from "../../src/delivery/QueueSettling.ts"
import { headsMax } from "../../src/delivery/QueueStatements.ts"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const organization = "acme"
const alertMethod = { project: "shop", name: "on-call" }
const leaseMs = 30_000
const request = { limit: 100, leaseMs }

/** The parts of a process's queue. */
const aProcess = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const schedule = new DeliverySchedule<Waiting>()
  const claims: HeldClaims = new Map()
  const ownership = makeQueueOwnership(sql, yield* Clock.Clock, schedule, () => claims.clear())
  const work = yield* makeOrganizationWork
  const loading = makeQueueLoading(sql, ownership, work)
  const settling = makeQueueSettling(sql, Effect.succeed(false), ownership, schedule, claims)
  /** Looks at an organization, and waits until that has ended. */
  const look = (id: OrganizationId) => Effect.flatMap(loading.startLooking(id), Fiber.join)
  const parts = { schedule, ownership, work, loading, settling, claims }
  const claiming = makeQueueClaiming(sql, yield* SecretBox, yield* DeliveryHints, parts)
  /** Claims what is due. */
  const claim = Effect.map(claiming.claim(request), ({ claims }) =>
    claims.map(({ claimId, delivery }) => ({
      id: delivery.notification.id,
      claimId,
      attempt: delivery.attempt,
    })),
  )
  return { ...parts, claiming, look, claim }
})

const settled = (
  { claimId, attempt }: { readonly claimId: string; readonly attempt: number },
  kind: "delivered" | "failed",
) => ({ claimId, attempt: { number: attempt, startedAt: 0, durationMs: 1 }, outcome: { kind }, random: 0.5 })

const stores = Layer.mergeAll(AlertStorePg.layer, DefinitionStorePg.layer).pipe(Layer.provideMerge(layer))

/** Stores events for the alert method; returns the IDs of their deliveries. */
const notifyTimes = (count: number, key: ProjectKey = alertMethod) =>
  Effect.andThen(
    putDefinitions(organization, [aMethod(key)]),
    Effect.map(Effect.replicateEffect(notify(organization, [key]), count), (ids) => ids.flat()),
  )

describe("ownership", () => {
  it.effect("is of one process, until its lease has lapsed", () =>
    Effect.gen(function* () {
      const one = yield* aProcess
      const other = yield* aProcess
      yield* notifyTimes(1)
      expect(yield* one.ownership.poll(leaseMs)).toEqual([organization])
      expect(yield* other.ownership.poll(leaseMs)).toEqual([organization])
      const taken = yield* one.ownership.take(organization)
      expect(yield* other.ownership.take(organization)).toBeUndefined()
      expect([one, other].map(({ ownership }) => [...ownership.all()].length)).toEqual([1, 0])

      yield* passTime(leaseMs)
      // It lives on, while the first one does not come back.
      expect(yield* other.ownership.poll(leaseMs)).toContain(organization)
      const retaken = yield* other.ownership.take(organization)
      expect(retaken?.epoch).toBeGreaterThan(taken?.epoch ?? Infinity)
      const before = one.ownership.process
      yield* one.ownership.extendLease(leaseMs)
      expect(one.ownership.process).not.toBe(before)
      expect([...one.ownership.all()]).toEqual([])
    }).pipe(Effect.provide(stores)),
  )

  it.effect(
    "is lost when another process has taken the organization, and given up when nothing happens",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { ownership, loading, look } = yield* aProcess
        yield* ownership.extendLease(leaseMs)
        const lost = yield* ownership.take("lost")
        yield* ownership.take("idle")
        yield* sql`UPDATE queue_owners SET epoch = epoch + 1, owner = 'other' WHERE organization = 'lost'`
        yield* ownership.poll(leaseMs)
        expect([...ownership.all()].map((queue) => queue.organization)).toEqual(["idle"])
        expect(lost !== undefined && ownership.owns(lost)).toBe(false)
        const reread: Array<OrganizationId> = []
        for (let passed = 0; passed < 120_000; passed += 20_000) {
          expect([...ownership.all()]).toHaveLength(1)
          yield* passTime(20_000)
          // Also not when it was just given up: it would be taken again.
          expect(yield* ownership.poll(leaseMs)).toEqual([])
          // Once after it was taken, it is read again.
          for (const each of loading.unread()) {
            reread.push(each)
            yield* look(each)
          }
        }
        expect(reread).toEqual(["idle"])
        expect([...ownership.all()]).toEqual([])
        const owners = yield* sql`SELECT owner, next_due_at FROM queue_owners WHERE organization = 'idle'`
        expect(owners).toEqual([{ owner: null, next_due_at: null }])
      }).pipe(Effect.provide(stores)),
  )

  it.effect("stays when something is handed over while others are given up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clock = yield* Clock.Clock
      let released = 0
      /** Hands something over for the second organization once the first one is released. */
      const watched = new Proxy(sql, {
        apply: (target, self, given: Parameters<typeof sql>) => {
          const [strings] = given
          if (strings[0]?.includes("UPDATE queue_owners SET owner = NULL") === true && ++released === 1) {
            ownership.find("second")?.addUnplaced(alertMethod, 0)
          }
          return Reflect.apply(target, self, given)
        },
      })
      const ownership = makeQueueOwnership(watched, clock, new DeliverySchedule<Waiting>(), () => {})
      yield* ownership.extendLease(leaseMs)
      for (const id of ["first", "second", "third"]) {
        const queue = yield* ownership.take(id)
        if (queue !== undefined) queue.rereadAt = Number.POSITIVE_INFINITY
      }
      yield* sql`
        INSERT INTO delivery_queue
          (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
        VALUES ('third', 'unknown', 1, 'shop', 'on-call', 'n', false, 1, 1, 0, 0)`
      for (let passed = 0; passed < 60_000; passed += 20_000) {
        yield* passTime(20_000)
        yield* ownership.poll(leaseMs)
      }
      expect(released).toBe(2)
      expect([...ownership.all()].map((queue) => queue.organization)).toEqual(["second"])
      expect(
        yield* sql`SELECT organization, next_due_at FROM queue_owners WHERE owner IS NULL ORDER BY organization`,
      ).toEqual([
        { organization: "first", next_due_at: null },
        // Something waits that the process did not know of.
        { organization: "third", next_due_at: 0 },
      ])
    }).pipe(Effect.provide(stores)),
  )

  it.effect("ends with the process, and what waits is taken at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ownership, look } = yield* aProcess
      yield* notifyTimes(1)
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      yield* ownership.take("idle")
      yield* ownership.releaseAll
      // What is enqueued from then on comes with wakes.
      expect([...ownership.all()]).toEqual([])
      expect(
        yield* sql`SELECT organization, owner, next_due_at FROM queue_owners ORDER BY organization`,
      ).toEqual([
        { organization, owner: null, next_due_at: 0 },
        // Whoever owned it before may have enqueued something that is not read yet.
        { organization: "idle", owner: null, next_due_at: 0 },
      ])
    }).pipe(Effect.provide(stores)),
  )
})

describe("loading", () => {
  it.effect("reads the first deliveries of each endpoint, and further ones when these run out", () =>
    Effect.gen(function* () {
      const { ownership, schedule, look, claim, settling } = yield* aProcess
      const ids = yield* notifyTimes(45)
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      const waiting = () => schedule.find(organization, alertMethod)?.lanes.first.size
      expect(waiting()).toBe(20)
      const sent: Array<string> = []
      for (;;) {
        const claimed = yield* claim
        if (claimed.length === 0) break
        sent.push(...claimed.map(({ id }) => id))
        expect(yield* settling.end(claimed.map((each) => settled(each, "delivered")))).toEqual([])
      }
      // All are due at the same time, so the order is that of their IDs.
      expect(sent).toEqual(ids.toSorted())
      expect(ownership.find(organization)?.isIdle).toBe(true)
    }).pipe(Effect.provide(stores)),
  )

  it.effect("reads again what its wakes were about when reading failed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ownership, schedule, loading, look } = yield* aProcess
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      yield* notifyTimes(1)
      yield* sql`ALTER TABLE endpoints RENAME TO other_endpoints`
      yield* look(organization)
      yield* sql`ALTER TABLE other_endpoints RENAME TO endpoints`
      // The statement may as well have failed after it had taken them.
      yield* sql`DELETE FROM delivery_wakes`
      expect(schedule.find(organization, alertMethod)).toBeUndefined()
      expect(loading.unread()).toEqual([organization])
      yield* look(organization)
      expect(schedule.find(organization, alertMethod)?.lanes.first.size).toBe(1)
      expect(loading.unread()).toEqual([])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.provide(stores)),
  )
})

describe("refilling", () => {
  it.effect("is made up for when it has failed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ownership, schedule, loading, look } = yield* aProcess
      yield* notifyTimes(45)
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      const queue = ownership.find(organization)
      if (queue === undefined) throw new Error("The process owns the organization")
      while ((schedule.find(organization, alertMethod)?.lanes.first.size ?? 0) >= headsMax / 4) {
        const chosen = schedule.choose(1, ownership.now())
        for (const { delivery } of chosen) {
          queue.start(delivery)
          queue.end({ id: delivery.id, alertMethod, isRetry: false }, ownership.now())
        }
      }
      const chosen = schedule.choose(1, ownership.now())
      for (const { delivery } of chosen) queue.start(delivery)
      yield* sql`ALTER TABLE delivery_queue RENAME TO other_queue`
      const started = yield* Effect.all(loading.startRefilling(queue, chosen))
      expect(started).toHaveLength(1)
      yield* Fiber.awaitAll(started)
      yield* sql`ALTER TABLE other_queue RENAME TO delivery_queue`
      expect(loading.unread()).toEqual([organization])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.provide(stores)),
  )
})

describe("settling", () => {
  it.effect("schedules the next attempt, and writes the health that changes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ownership, schedule, look, claim, settling } = yield* aProcess
      yield* notifyTimes(1)
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      expect(yield* settling.end((yield* claim).map((each) => settled(each, "failed")))).toEqual([])
      const endpoint = schedule.find(organization, alertMethod)
      expect(endpoint).toMatchObject({ health: { failures: 1 }, inFlight: 0 })
      const [row] = yield* sql<{
        due_at: number
        sending: number | null
      }>`SELECT due_at, sending FROM delivery_queue`
      expect(row?.sending).toBeNull()
      expect(endpoint?.lanes.retry.nextDueAt).toBe(row?.due_at)
      const [{ health } = { health: "" }] = yield* sql<{
        readonly health: string
      }>`SELECT health FROM endpoints`
      expect(Result.getOrThrow(storedHealth.read(health, undefined))).toEqual(endpoint?.health)
    }).pipe(Effect.provide(stores)),
  )

  it.effect("reports claims that another epoch has taken, and looks at the organization again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ownership, schedule, loading, look, claim, settling } = yield* aProcess
      yield* notifyTimes(2)
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      const [lost, held] = yield* claim
      if (lost === undefined || held === undefined) throw new Error("Two deliveries are due")
      yield* sql`UPDATE delivery_queue SET sending = sending + 1 WHERE id = ${lost.id}`
      expect(yield* settling.end([settled(lost, "delivered"), settled(held, "delivered")])).toEqual([
        lost.claimId,
      ])
      expect(yield* sql`SELECT id FROM delivery_attempts`).toEqual([{ id: held.id }])
      expect(schedule.inFlight).toBe(0)
      expect(loading.unread()).toEqual([organization])
      // An unknown claim is lost, and nothing is written for it.
      expect(yield* settling.end([settled(held, "delivered")])).toEqual([held.claimId])
    }).pipe(Effect.provide(stores)),
  )

  it.effect(
    "has claims that cannot be settled wait for another attempt, which this epoch can claim again",
    () =>
      Effect.gen(function* () {
        const { ownership, schedule, claims, look, claim, settling } = yield* aProcess
        const ids = yield* notifyTimes(1)
        yield* ownership.extendLease(leaseMs)
        yield* look(organization)
        settling.abandon((yield* claim).map((each) => settled(each, "delivered")))
        expect(claims.size).toBe(0)
        expect(yield* claim).toEqual([])
        expect(schedule.nextDueAt(ownership.now())).toBe(ownership.now() + senderFaultDelayMs)
        yield* passTime(senderFaultDelayMs)
        expect((yield* claim).map(({ id }) => id)).toEqual(ids)
      }).pipe(Effect.provide(stores)),
  )
})

describe("claiming", () => {
  it.effect("hands out what is due, at most as much as is asked for, with its method and content", () =>
    Effect.gen(function* () {
      const { claiming, claims } = yield* aProcess
      const ids = yield* notifyTimes(3)
      const first = yield* claiming.claim({ ...request, limit: 2 })
      expect(first.claims).toHaveLength(2)
      expect(first.nextDueInMs).toBe(0)
      const second = yield* claiming.claim(request)
      expect(second.claims).toHaveLength(1)
      expect(second.nextDueInMs).toBeUndefined()
      const all = [...first.claims, ...second.claims]
      expect(all.map(({ delivery }) => delivery.notification.id).toSorted()).toEqual(ids.toSorted())
      expect(all.map(({ claimId }) => claimId).toSorted()).toEqual([...claims.keys()].toSorted())
      for (const { alertMethod: method, delivery, isDisabled } of all) {
        expect(method?.definition.metadata).toMatchObject(alertMethod)
        expect(delivery).toMatchObject({ alertMethod, state: "sending", attempt: 1 })
        expect(isDisabled).toBe(false)
      }
    }).pipe(Effect.provide(stores)),
  )

  it.effect("claims nothing that was deleted, or that a later owner has claimed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { claiming, ownership, schedule, look } = yield* aProcess
      const [deleted, kept] = yield* notifyTimes(2)
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      yield* sql`DELETE FROM delivery_queue WHERE id = ${deleted ?? ""}`
      const { claims } = yield* claiming.claim(request)
      expect(claims.map(({ delivery }) => delivery.notification.id)).toEqual([kept])
      expect(schedule.inFlight).toBe(1)

      yield* notifyTimes(1)
      yield* look(organization)
      yield* sql`UPDATE delivery_queue SET sending = 1000 WHERE sending IS NULL`
      expect((yield* claiming.claim(request)).claims).toEqual([])
      expect(yield* sql`SELECT FROM delivery_queue WHERE sending = 1000`).toHaveLength(1)
      expect(schedule.inFlight).toBe(1)
    }).pipe(Effect.provide(stores)),
  )

  it.effect("waits for a moment when its statements fail, and then claims the same", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { claiming, claims, look, ownership } = yield* aProcess
      const ids = yield* notifyTimes(1)
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      yield* sql`ALTER TABLE delivery_queue RENAME TO other_queue`
      expect(yield* claiming.claim(request)).toEqual({ claims: [], nextDueInMs: 1_000 })
      yield* sql`ALTER TABLE other_queue RENAME TO delivery_queue`
      expect(claims.size).toBe(0)
      yield* passTime(1_000)
      const again = yield* claiming.claim(request)
      expect(again.claims.map(({ delivery }) => delivery.notification.id)).toEqual(ids)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.provide(stores)),
  )

  it.effect("releases what it claimed of a method that was paused meanwhile, and nothing while all are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { claiming, claims, ownership, look, schedule } = yield* aProcess
      yield* notifyTimes(1)
      yield* ownership.extendLease(leaseMs)
      yield* look(organization)
      yield* sql`
        INSERT INTO endpoints (organization, project, name, health, is_paused)
        VALUES (${organization}, 'shop', 'on-call', ${storedHealth.write(unknownHealth).json}, true)`
      expect(yield* claiming.claim(request)).toEqual({ claims: [], nextDueInMs: undefined })
      expect(claims.size).toBe(0)
      expect(schedule.find(organization, alertMethod)).toMatchObject({ isPaused: true, inFlight: 0 })
      expect(yield* sql`SELECT sending FROM delivery_queue`).toEqual([{ sending: null }])

      const other = { project: "shop", name: "other" }
      yield* notifyTimes(1, other)
      yield* look(organization)
      claiming.setPaused(true)
      expect(yield* claiming.claim(request)).toEqual({ claims: [], nextDueInMs: undefined })
      claiming.setPaused(false)
      const { claims: sent } = yield* claiming.claim(request)
      expect(sent.map(({ delivery }) => delivery.alertMethod)).toEqual([other])
    }).pipe(Effect.provide(stores)),
  )
})
