import { describe, expect, it } from "./EffectTest.ts"
import {
  type AttemptOutcome,
  bulkResendPollMs,
  bulkResendsRunningMax,
  bulkResendWaitMaxMs,
  type ResendFilter,
  uuidV7,
} from "@tocsin/domain/adapter"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  type AlertStore,
  BulkResendStore,
  type DefinitionStore,
  DeliveryLog,
  DeliveryQueue,
  EndpointStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { aMethod, aNotification, notify, settleAllDue } from "./deliveries.ts"
import { pagingLaws } from "./paging-laws.ts"
import { putDefinitions } from "./slo-definitions.ts"

type Stores = BulkResendStore | DeliveryQueue | DeliveryLog | EndpointStore | AlertStore | DefinitionStore

const organization = "acme"
const hook = { project: "shop", name: "hook" }
const other = { project: "shop", name: "other" }
const start = Date.UTC(2026, 0, 30)
const readMax = 100
const notDelivered: ResendFilter = { states: ["exhausted", "failed"] }

/** Notifies the methods and settles the deliveries; returns their IDs in the order of creation. */
const settled = (methods: ReadonlyArray<ProjectKey>, outcome: AttemptOutcome, of = organization) =>
  Effect.tap(
    Effect.map(notify(of, methods), (ids) => ids.toSorted()),
    settleAllDue(outcome),
  )

const times = (count: number, key = hook) => Array.from({ length: count }, () => key)

const add = (filter: ResendFilter, of = organization) =>
  Effect.gen(function* () {
    const store = yield* BulkResendStore
    const count = yield* store.count(of, filter, readMax)
    return yield* store.add(of, { id: yield* uuidV7, filter, ...count })
  })

const step = (batchMax: number) =>
  Effect.flatMap(BulkResendStore, (store) => store.step({ batchMax, readMax }))

const found = (id: string) =>
  Effect.flatMap(BulkResendStore, (store) =>
    Effect.map(store.find(organization, id), (resend) => Option.getOrThrow(resend)),
  )

const pending = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.list(organization, { states: ["pending"] }, { limit: 500 }), ({ items }) =>
    items.map(({ notification }) => notification.id).toSorted(),
  ),
)

/**
 * What every `BulkResendStore` does, together with the queue whose deliveries it resends. `layer` gives empty ones,
 * whose clock starts at 0 and moves by `passTime`, in milliseconds.
 */
export const bulkResendStoreContract = <E>(
  name: string,
  layer: Layer.Layer<Stores, E>,
  passTime: (milliseconds: number) => Effect.Effect<void> = TestClock.adjust,
): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () =>
      passTime(start).pipe(
        Effect.andThen(putDefinitions(organization, [aMethod(hook), aMethod(other)])),
        Effect.andThen(effect),
        Effect.provide(layer),
      ),
    )

  /** Takes steps until nothing runs any more, every delivery that becomes due being delivered; gives which. */
  const runToTheEnd = (batchMax: number) =>
    Effect.gen(function* () {
      const resent: Array<string> = []
      for (let idle = 0; idle < 2;) {
        idle = (yield* step(batchMax)) ? 0 : idle + 1
        resent.push(...(yield* settleAllDue({ kind: "delivered" })))
        yield* passTime(bulkResendPollMs)
      }
      return resent
    })

  describe(`BulkResendStore ${name}`, () => {
    test(
      "spec/resends §2: never resends a test of an alert method",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const [wanted = ""] = yield* settled([hook], { kind: "undeliverable" })
        const id = yield* uuidV7
        const notification = { ...aNotification(organization, id), event: "test" as const, alertId: "" }
        const attempt = { number: 1, startedAt: start, durationMs: 3, status: 500 }
        yield* queue.logTest({ notification, alertMethod: hook, attempt, state: "failed" })
        const { id: resend, matched } = yield* add(notDelivered)
        expect(matched).toBe(1)
        yield* step(10)
        expect(yield* pending).toEqual([wanted])
        expect((yield* found(resend)).resent).toBe(1)
      }),
    )

    test(
      "spec/resends §2: resends what was not delivered, batch by batch in the order of creation, each once",
      Effect.gen(function* () {
        yield* settled(times(2), { kind: "delivered" })
        const failed = yield* settled([hook, other, hook], { kind: "gone" })
        const endpoints = yield* EndpointStore
        for (const key of [hook, other]) yield* endpoints.enable(organization, key)
        yield* passTime(1)
        const [last = ""] = yield* settled([other], { kind: "undeliverable" })
        const resend = yield* add(notDelivered)
        expect(resend).toEqual({
          id: resend.id,
          organization,
          filter: notDelivered,
          createdAt: start + 1,
          matched: 4,
          mayMatchMore: false,
          resent: 0,
          state: "running",
        })
        expect(yield* step(2)).toBe(true)
        expect(yield* pending).toEqual(failed.slice(0, 2))
        expect(yield* found(resend.id)).toEqual({ ...resend, resent: 2 })
        const { delivery } = Option.getOrThrow(
          yield* (yield* DeliveryLog).find(organization, failed[0] ?? ""),
        )
        expect(delivery).toMatchObject({ state: "pending", attempt: 1, attemptsUsed: 0, dueAt: start + 1 })
        expect(delivery).not.toHaveProperty("settledAt")
        expect((yield* runToTheEnd(2)).toSorted()).toEqual([...failed, last])
        expect(yield* found(resend.id)).toMatchObject({ resent: 4, state: "done", endedAt: start + 1001 })
        expect(yield* step(2)).toBe(false)
      }),
    )

    test(
      "spec/resends §3: counts and resends by alert method, state and time of creation",
      Effect.gen(function* () {
        const [delivered = ""] = yield* settled([hook], { kind: "delivered" })
        yield* passTime(1000)
        const [failed = ""] = yield* settled([hook], { kind: "undeliverable" })
        yield* passTime(1000)
        const [ofOther = ""] = yield* settled([other], { kind: "undeliverable" })
        yield* notify(organization, [hook])
        const store = yield* BulkResendStore
        const all: ResendFilter = { states: ["delivered", "failed"] }
        const expected: ReadonlyArray<readonly [ResendFilter, ReadonlyArray<string>]> = [
          [notDelivered, [failed, ofOther]],
          [{ states: ["exhausted"] }, []],
          [{ states: ["delivered"] }, [delivered]],
          [all, [delivered, failed, ofOther]],
          [{ ...all, alertMethod: hook }, [delivered, failed]],
          [{ ...notDelivered, alertMethod: hook }, [failed]],
          [{ ...notDelivered, alertMethod: { project: "elsewhere", name: "hook" } }, []],
          [{ ...all, from: start + 1000 }, [failed, ofOther]],
          [{ ...all, to: start + 1000 }, [delivered]],
          [{ ...all, from: start + 1000, to: start + 2000 }, [failed]],
          [{ ...all, alertMethod: other, from: start + 2000, to: start + 2001 }, [ofOther]],
        ]
        yield* settleAllDue({ kind: "failed" })
        for (const [filter, ids] of expected) {
          const what = JSON.stringify(filter)
          expect(yield* store.count(organization, filter, readMax), what).toEqual({
            matched: ids.length,
            mayMatchMore: false,
          })
          expect((yield* store.count("another", filter, readMax)).matched, what).toBe(0)
          yield* add(filter)
          yield* step(10)
          const resent = (yield* pending).filter((id) => [delivered, failed, ofOther].includes(id))
          expect(resent, what).toEqual(ids)
          const queue = yield* DeliveryQueue
          const { claims } = yield* queue.claim({ limit: 100, leaseMs: 30_000 })
          yield* queue.settle(
            claims.map(({ claimId, delivery }) => ({
              claimId,
              attempt: { number: delivery.attempt, startedAt: start, durationMs: 3 },
              outcome: { kind: delivery.notification.id === delivered ? "delivered" : "undeliverable" },
              random: 0,
            })),
          )
        }
      }),
    )

    test(
      "spec/resends §3: reads no more for a count than it may, and says that more may match",
      Effect.gen(function* () {
        yield* settled(times(3), { kind: "undeliverable" })
        const store = yield* BulkResendStore
        const count = (max: number) => store.count(organization, notDelivered, max)
        expect(yield* count(2)).toEqual({ matched: 2, mayMatchMore: true })
        expect(yield* count(3)).toEqual({ matched: 3, mayMatchMore: false })
      }),
    )

    test(
      "spec/resends §2: takes only what was settled when it was asked for, and none again that fails again",
      Effect.gen(function* () {
        const [early = ""] = yield* settled([hook], { kind: "undeliverable" })
        const [unsettled = ""] = yield* notify(organization, [other])
        const { claims } = yield* (yield* DeliveryQueue).claim({ limit: 1, leaseMs: 30_000 })
        const resend = yield* add(notDelivered)
        expect(resend.matched).toBe(1)
        yield* passTime(1)
        const attempt = { number: 1, startedAt: start, durationMs: 3 }
        yield* (yield* DeliveryQueue).settle(
          claims.map(({ claimId }) => ({ claimId, attempt, outcome: { kind: "gone" }, random: 0 })),
        )
        yield* settled(times(3), { kind: "undeliverable" })
        expect(yield* step(1)).toBe(true)
        expect(yield* pending).toEqual([early])
        yield* settleAllDue({ kind: "undeliverable" })
        for (let count = 0; count < 3; count++) {
          yield* passTime(bulkResendPollMs)
          yield* step(1)
        }
        expect(yield* pending).toEqual([])
        expect(yield* found(resend.id)).toMatchObject({ resent: 1, state: "done" })
        const { delivery } = Option.getOrThrow(yield* (yield* DeliveryLog).find(organization, unsettled))
        expect(delivery.attempt).toBe(1)
      }),
    )

    test(
      "spec/resends §3: continues with the next batch once half of the latest one was attempted, or after 10 s",
      Effect.gen(function* () {
        const ids = yield* settled(times(12), { kind: "undeliverable" })
        const resend = yield* add(notDelivered)
        const resent = Effect.map(found(resend.id), (each) => each.resent)
        const stepAfter = (ms: number) => Effect.andThen(passTime(ms), Effect.andThen(step(4), resent))
        expect(yield* stepAfter(0)).toBe(4)
        expect(yield* stepAfter(bulkResendPollMs - 1)).toBe(4)
        expect(yield* stepAfter(1)).toBe(4)
        const queue = yield* DeliveryQueue
        const { claims } = yield* queue.claim({ limit: 2, leaseMs: 60_000 })
        expect(claims.map(({ delivery }) => ids.indexOf(delivery.notification.id) < 4)).toEqual([true, true])
        expect(yield* stepAfter(bulkResendPollMs)).toBe(8)
        for (let waited = bulkResendPollMs; waited < bulkResendWaitMaxMs; waited += 1000)
          expect(yield* stepAfter(bulkResendPollMs)).toBe(8)
        expect(yield* stepAfter(bulkResendPollMs)).toBe(12)
        expect(yield* found(resend.id)).toMatchObject({ state: "done" })
      }),
    )

    test(
      "spec/resends §3: goes on when the clock is set back, also with what was settled before",
      Effect.gen(function* () {
        const ids = yield* settled(times(6), { kind: "undeliverable" })
        const running = yield* add(notDelivered)
        yield* step(2)
        yield* passTime(-3_600_000)
        // The first batch was not attempted.
        yield* step(2)
        yield* passTime(bulkResendPollMs)
        expect(yield* step(2)).toBe(true)
        expect(yield* pending).toEqual(ids.slice(0, 4))
        expect((yield* runToTheEnd(2)).toSorted()).toEqual(ids)
        expect(yield* found(running.id)).toMatchObject({ resent: 6, state: "done" })

        const later = yield* settled(times(3), { kind: "undeliverable" })
        yield* passTime(-3_600_000)
        const created = yield* add(notDelivered)
        expect(created).toMatchObject({ matched: 3, createdAt: expect.toSatisfy((at) => at < start) })
        expect((yield* runToTheEnd(2)).toSorted()).toEqual(later)
        expect(yield* found(created.id)).toMatchObject({ resent: 3, state: "done" })
      }),
    )

    test(
      "spec/resends §4: cancels what runs, once, and leaves due what it made due",
      Effect.gen(function* () {
        const ids = yield* settled(times(4), { kind: "undeliverable" })
        const store = yield* BulkResendStore
        const resend = yield* add(notDelivered)
        yield* step(2)
        yield* passTime(5)
        const canceled = { ...resend, resent: 2, state: "canceled", endedAt: start + 5 }
        expect(Option.getOrThrow(yield* store.cancel(organization, resend.id))).toEqual(canceled)
        yield* passTime(5000)
        expect(yield* step(2)).toBe(false)
        expect(yield* pending).toEqual(ids.slice(0, 2))
        expect(Option.getOrThrow(yield* store.cancel(organization, resend.id))).toEqual(canceled)
        expect(yield* found(resend.id)).toEqual(canceled)
        expect(Option.isNone(yield* store.cancel(organization, "unknown"))).toBe(true)
        expect(Option.isNone(yield* store.cancel("another", resend.id))).toBe(true)
        expect(Option.isNone(yield* store.find("another", resend.id))).toBe(true)

        const again = yield* add(notDelivered)
        expect(again.matched).toBe(2)
        yield* runToTheEnd(2)
        const done = yield* found(again.id)
        expect(done).toMatchObject({ resent: 2, state: "done" })
        expect(Option.getOrThrow(yield* store.cancel(organization, again.id))).toEqual(done)
      }),
    )

    test(
      "spec/resends §5: lets an organization have five running, however many are asked for at once; one that ends makes room",
      Effect.gen(function* () {
        yield* settled(times(2), { kind: "undeliverable" })
        const store = yield* BulkResendStore
        const first = yield* add(notDelivered)
        const asked = yield* Effect.all(
          Array.from({ length: 12 }, () => Effect.result(add(notDelivered))),
          { concurrency: "unbounded" },
        )
        const refused = asked.flatMap((each) => (each._tag === "Failure" ? [each.failure._tag] : []))
        expect(refused).toEqual(Array.from({ length: 8 }, () => "BulkResendsAreTooMany"))
        const listed = yield* store.list(organization, { limit: 100 })
        expect(listed.items.length).toBe(bulkResendsRunningMax)
        expect((yield* add(notDelivered, "another")).state).toBe("running")

        yield* store.cancel(organization, first.id)
        yield* store.cancel(organization, first.id)
        expect((yield* add(notDelivered)).state).toBe("running")
        expect((yield* Effect.flip(add(notDelivered)))._tag).toBe("BulkResendsAreTooMany")
        yield* runToTheEnd(10)
        for (let count = 0; count < bulkResendsRunningMax; count++) yield* add(notDelivered)
        expect((yield* Effect.flip(add(notDelivered)))._tag).toBe("BulkResendsAreTooMany")
      }),
    )

    test(
      "spec/resends §3: has those that run take turns",
      Effect.gen(function* () {
        yield* settled(times(3), { kind: "undeliverable" })
        yield* putDefinitions("small", [aMethod(hook)])
        yield* settled([hook], { kind: "undeliverable" }, "small")
        const big = yield* add(notDelivered)
        yield* passTime(1)
        const small = yield* add(notDelivered, "small")
        const store = yield* BulkResendStore
        expect([yield* step(1), yield* step(1), yield* step(1)]).toEqual([true, true, false])
        expect(yield* found(big.id)).toMatchObject({ resent: 1, state: "running" })
        expect(Option.getOrThrow(yield* store.find("small", small.id))).toMatchObject({
          resent: 1,
          state: "done",
        })
      }),
    )

    test(
      "spec/resends §3: leaves to first attempts their share of a claim, and the endpoints' turns to others",
      Effect.gen(function* () {
        const many = Array.from({ length: 8 }, (_, index) => ({ project: "shop", name: `many-${index}` }))
        yield* putDefinitions(
          organization,
          many.map((key) => aMethod(key)),
        )
        yield* settled([...many, ...many, ...many], { kind: "undeliverable" })
        yield* add(notDelivered)
        yield* step(100)
        const fresh = yield* notify(organization, many)
        const { claims } = yield* (yield* DeliveryQueue).claim({ limit: 8, leaseMs: 30_000 })
        const isFresh = claims.map(({ delivery }) => fresh.includes(delivery.notification.id))
        expect(isFresh.filter(Boolean).length).toBe(4)
        expect(new Set(claims.map(({ delivery }) => delivery.alertMethod.name)).size).toBeGreaterThanOrEqual(
          4,
        )
      }),
    )

    test(
      "spec/resends §3: resends each delivery once, however many take steps at once, beside one that resends by itself",
      Effect.gen(function* () {
        const ids = yield* settled([...times(20), ...times(20, other)], { kind: "undeliverable" })
        const resends = [yield* add(notDelivered), yield* add({ ...notDelivered, alertMethod: hook })]
        const queue = yield* DeliveryQueue
        const steps = Effect.gen(function* () {
          for (let count = 0; count < 4; count++) {
            yield* step(3)
            yield* Effect.yieldNow
          }
        })
        const singly = Effect.forEach(ids.slice(0, 6), (id) => queue.resend(organization, id))
        for (let round = 0; round < 20; round++) {
          const [, byId] = yield* Effect.all([Effect.replicateEffect(steps, 4).pipe(Effect.asVoid), singly], {
            concurrency: "unbounded",
          })
          expect(byId.every(Option.isSome)).toBe(true)
          yield* settleAllDue({ kind: "delivered" })
          yield* passTime(bulkResendWaitMaxMs)
        }
        const ended = yield* Effect.forEach(resends, ({ id }) => found(id))
        expect(ended.map(({ state }) => state)).toEqual(["done", "done"])
        const log = yield* DeliveryLog
        const attempts = yield* Effect.forEach(ids.slice(6), (id) =>
          Effect.map(log.find(organization, id), (logged) => Option.getOrThrow(logged).delivery.attempt),
        )
        expect(new Set(attempts)).toEqual(new Set([2]))
        const total = ended.reduce((sum, { resent }) => sum + resent, 0)
        expect(total).toBeGreaterThanOrEqual(34)
        expect(total).toBeLessThanOrEqual(40)
      }),
    )
  })

  pagingLaws(`bulk resends ${name}`, {
    layer,
    key: fc.uuid({ version: 7 }),
    compare: (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1),
    add: (scope, id) =>
      Effect.flatMap(BulkResendStore, (store) =>
        // Only a few may run.
        Effect.andThen(
          store.add(scope, { id, filter: notDelivered, matched: 0, mayMatchMore: false }),
          store.cancel(scope, id),
        ),
      ),
    page: (scope, request) =>
      Effect.flatMap(BulkResendStore, (store) =>
        Effect.map(store.list(scope, request), ({ items, hasMore }) => ({
          items: items.map(({ id }) => id),
          hasMore,
        })),
      ),
  })
}
