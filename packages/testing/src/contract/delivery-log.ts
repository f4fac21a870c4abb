import { describe, expect } from "./EffectTest.ts"
import { uuidV7 } from "@tocsin/domain/adapter"
import { DeliveryLog, DeliveryQueue } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { aNotification, notify, settleAllDue } from "./deliveries.ts"
import {
  attemptOf,
  claim,
  type DeliveryStores,
  find,
  healthOf,
  hook,
  makeTest,
  organization,
  other,
  settle,
  start,
} from "./delivery-steps.ts"
import { pagingLaws } from "./paging-laws.ts"
import * as fc from "fast-check"

const sentFacts = { created: 1, keyId: "key", contentDigest: "sha-256=:AA==:", bodyBytes: 3 }

/**
 * What every `DeliveryLog` does, together with the stores that fill it. `layer` gives empty ones, whose clock is at 0
 * and advances by `passTime`, in milliseconds.
 */
export const deliveryLogContract = <E>(
  name: string,
  layer: Layer.Layer<DeliveryStores, E>,
  passTime: (milliseconds: number) => Effect.Effect<void> = TestClock.adjust,
): void => {
  const test = makeTest(layer, passTime)

  describe(`DeliveryLog ${name}`, () => {
    test(
      "lists deliveries by alert method, state, event and time",
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const [first = ""] = yield* notify(organization, [hook])
        yield* settle((yield* claim(1)).claims, { kind: "delivered" })
        yield* passTime(1000)
        const [second = ""] = yield* notify(organization, [other])
        const listed = (query: Parameters<typeof log.list>[1]) =>
          Effect.map(log.list(organization, query, { limit: 10 }), ({ items }) =>
            items.map(({ notification }) => notification.id),
          )
        expect(yield* listed({})).toEqual([second, first])
        expect(yield* listed({ alertMethod: hook })).toEqual([first])
        expect(yield* listed({ alertMethod: { project: "shop" } })).toEqual([second, first])
        expect(yield* listed({ alertMethod: { project: "elsewhere", name: "hook" } })).toEqual([])
        expect(yield* listed({ states: ["delivered", "failed"] })).toEqual([first])
        expect(yield* listed({ states: ["pending"] })).toEqual([second])
        yield* passTime(1000)
        const [third = ""] = yield* notify(organization, [hook], undefined, "alert.resolved")
        expect(yield* listed({ events: ["alert.triggered"] })).toEqual([second, first])
        expect(yield* listed({ events: ["alert.resolved", "no_data.detected"] })).toEqual([third])
        expect(yield* listed({ events: ["no_data.detected"], states: ["pending"] })).toEqual([])
        expect(yield* listed({ from: start, to: start + 1000 })).toEqual([first])
        expect(yield* listed({ from: start + 1000 })).toEqual([third, second])
        expect((yield* log.list("another", {}, { limit: 10 })).items).toEqual([])
        expect(Option.isNone(yield* find(first, "another"))).toBe(true)
      }),
    )

    test(
      "spec/delivery §14: says when a delivery was delivered first, whatever becomes of a resend",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const log = yield* DeliveryLog
        const [id = ""] = yield* notify(organization, [hook])
        const delivery = Effect.map(find(id), (found) => Option.getOrThrow(found).delivery)
        yield* settle((yield* claim(1)).claims, { kind: "failed" })
        expect(yield* delivery).not.toHaveProperty("deliveredAt")
        yield* passTime(5_000)
        yield* settle((yield* claim(1)).claims, { kind: "delivered" })
        const first = { state: "delivered", settledAt: start + 5_000, deliveredAt: start + 5_000 }
        expect(yield* delivery).toMatchObject(first)
        yield* passTime(1_000)
        yield* queue.resend(organization, id)
        expect(yield* delivery).toMatchObject({ state: "pending", deliveredAt: start + 5_000 })
        yield* settle((yield* claim(1)).claims, { kind: "gone" })
        const settled = { state: "failed", settledAt: start + 6_000, deliveredAt: start + 5_000 }
        expect(yield* delivery).toMatchObject(settled)
        yield* passTime(1_000)
        yield* queue.resend(organization, id)
        yield* settle((yield* claim(1)).claims, { kind: "delivered" })
        const [listed] = (yield* log.list(organization, {}, { limit: 1 })).items
        expect(listed).toMatchObject({
          state: "delivered",
          settledAt: start + 7_000,
          deliveredAt: start + 5_000,
        })
      }),
    )

    test(
      "spec/delivery §15: logs a test as a delivery that has ended, sends nothing, and leaves the health as it is",
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const queue = yield* DeliveryQueue
        yield* passTime(7)
        const id = yield* uuidV7
        const notification = { ...aNotification(organization, id), event: "test" as const, alertId: "" }
        const attempt = { ...attemptOf(1), lookupMs: 1, tcpMs: 2, tlsMs: 3, sent: sentFacts }
        yield* queue.logTest({ notification, alertMethod: hook, attempt, state: "exhausted" })
        const { delivery, attempts } = Option.getOrThrow(yield* find(id))
        expect(attempts).toEqual([attempt])
        expect(delivery).toEqual({
          notification,
          alertMethod: hook,
          state: "exhausted",
          attempt: 1,
          attemptsUsed: 1,
          createdAt: start + 7,
          dueAt: start + 7,
          settledAt: start + 7,
        })
        const listed = (query: Parameters<typeof log.list>[1]) =>
          Effect.map(log.list(organization, query, { limit: 10 }), ({ items }) => items.length)
        expect(yield* listed({ events: ["test"] })).toBe(1)
        expect(yield* listed({ events: ["alert.triggered"] })).toBe(0)
        expect(yield* listed({ states: ["exhausted"] })).toBe(1)
        expect(yield* listed({ alertMethod: hook })).toBe(1)
        expect(Option.isNone(yield* find(id, "another"))).toBe(true)
        yield* passTime(60_000)
        expect((yield* claim(1)).claims).toEqual([])
        expect((yield* healthOf(hook)).failures).toBe(0)
      }),
    )

    test(
      "spec/alerting §11: lists the deliveries of one alert, whatever its ID is made of, settled or not, in pages",
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const listed = (alertId: string, of = organization) =>
          Effect.map(log.list(of, { alertId }, { limit: 10 }), ({ items }) =>
            items.map(({ notification }) => notification.id),
          )
        const ringFor = (alertId: string, methods: ReadonlyArray<typeof hook>) =>
          Effect.tap(notify(organization, methods, undefined, "alert.triggered", alertId), passTime(1))
        // What is compared is JSON in one store: with quotes, backslashes and beginnings of one another.
        const alertIds = ["a", 'a"b', 'a"c', 'a\\"b', "a\\", 'a"', '"alertId":"a"', "%", "a_", "ab"]
        const ids = new Map<string, ReadonlyArray<string>>()
        for (const alertId of alertIds) ids.set(alertId, yield* ringFor(alertId, [hook]))
        yield* settleAllDue({ kind: "delivered" })
        for (const alertId of alertIds) {
          const later = yield* ringFor(alertId, [other, hook])
          expect(yield* listed(alertId), alertId).toEqual(
            [...(ids.get(alertId) ?? []), ...later].toSorted().toReversed(),
          )
        }
        for (const alertId of ["b", "A", "", "a\u0000", 'a"d']) expect(yield* listed(alertId)).toEqual([])
        expect(yield* listed("a", "another")).toEqual([])
        expect(
          (yield* log.list(organization, { alertId: "a", states: ["delivered"] }, { limit: 10 })).items,
        ).toHaveLength(1)
        const read: Array<string> = []
        for (let hasMore = true; hasMore;) {
          const page = yield* log.list(
            organization,
            { alertId: 'a"b' },
            { limit: 1, ...(read.length > 0 && { after: read.at(-1) ?? "" }) },
          )
          read.push(...page.items.map(({ notification }) => notification.id))
          hasMore = page.hasMore
        }
        expect(read).toEqual(yield* listed('a"b'))
      }),
    )
  })

  pagingLaws(`deliveries ${name}`, {
    layer,
    key: fc.uuid({ version: 7 }),
    compare: (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1),
    add: (scope, id) => notify(scope, [hook], [id]),
    page: (scope, request) =>
      Effect.flatMap(DeliveryLog, (log) =>
        Effect.map(log.list(scope, {}, request), ({ items, hasMore }) => ({
          items: items.map(({ notification }) => notification.id),
          hasMore,
        })),
      ),
  })
}
