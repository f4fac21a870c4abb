import { describe, expect, it } from "@effect/vitest"
import type { Alert } from "@tocsin/domain/alerting/Alert"
import { AlertStore, type AlertChange, type AlertReceipt } from "@tocsin/domain/alerting/AlertStore"
import { DeliveryQueue } from "@tocsin/domain/notification/DeliveryQueue"
import { Limits } from "@tocsin/domain/Limits"
import { err, ok } from "@tocsin/domain/Result"
import { Effect, type Layer, Option, TestClock } from "effect"
import fc from "fast-check"
import { aNotification } from "./deliveries.ts"
import { pagingLaws } from "./paging-laws.ts"

type Stores = AlertStore | DeliveryQueue

const organization = "acme"
const subject = { slo: { project: "shop", name: "checkout" }, objective: "good" }
const hook = { project: "shop", name: "hook" }

const alertOf = (id: string, change: Partial<Alert> = {}): Alert => ({
  id,
  subject,
  status: "triggered",
  conditions: [],
  definedAt: 0,
  alertMethods: [hook],
  triggeredAt: 0,
  ...change,
})

const receiptOf = (alertId: string): AlertReceipt => ({ alertId, isChanged: true, deliveries: [] })

const opening = (alert: Alert, deliveryId = `delivery-of-${alert.id}`): AlertChange => ({
  put: alert,
  rings: [{ notification: aNotification(organization, deliveryId), alertMethod: hook }],
  receipt: receiptOf(alert.id),
})

const change = (
  alert: Alert,
  idempotency?: { readonly key: string; readonly fingerprint: string },
  of = organization,
) =>
  Effect.flatMap(AlertStore, (store) =>
    store.change(of, { subject: alert.subject, id: alert.id }, idempotency, () => ok(opening(alert))),
  )

const find = (id: string | undefined, of = organization) =>
  Effect.flatMap(AlertStore, (store) => store.find(of, { subject, id }))

const hasDelivery = (id: string) =>
  Effect.flatMap(DeliveryQueue, (queue) => Effect.map(queue.find(organization, id), Option.isSome))

/**
 * What every `AlertStore` does, together with the queue that it fills. `layer` gives empty ones, whose clock moves by
 * `passTime`, in milliseconds.
 */
export const alertStoreContract = <E>(
  name: string,
  layer: Layer.Layer<Stores, E>,
  passTime: (milliseconds: number) => Effect.Effect<void> = TestClock.adjust,
): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`AlertStore ${name}`, () => {
    test(
      "3.7: writes an alert and its deliveries together",
      Effect.gen(function* () {
        expect(yield* change(alertOf("a-1"))).toEqual(receiptOf("a-1"))
        expect(yield* find("a-1")).toEqual({ latest: alertOf("a-1"), withId: alertOf("a-1") })
        expect(yield* hasDelivery("delivery-of-a-1")).toBe(true)
      }),
    )

    test(
      "6.1: ends the alert of a former SLO together with opening the next, which is the latest",
      Effect.gen(function* () {
        const store = yield* AlertStore
        yield* change(alertOf("a-2"))
        const ended = alertOf("a-2", { status: "resolved", resolvedAt: 1 })
        yield* store.change(organization, { subject, id: undefined }, undefined, () =>
          ok({ ...opening(alertOf("a-1")), ended }),
        )
        expect(yield* find("a-2")).toEqual({ latest: alertOf("a-1"), withId: ended })
      }),
    )

    test(
      "3.7: writes nothing when the change is refused",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const reads = { subject, id: "a-1" }
        const refused = yield* Effect.flip(
          store.change(organization, reads, { key: "k", fingerprint: "f" }, () => err("no" as const)),
        )
        expect(refused).toBe("no")
        expect(yield* find("a-1")).toEqual({ latest: undefined, withId: undefined })
        expect(yield* change(alertOf("a-1"), { key: "k", fingerprint: "other" })).toEqual(receiptOf("a-1"))
      }),
    )

    test(
      "finds the latest alert of a subject, and alerts of other subjects by ID only",
      Effect.gen(function* () {
        const other = alertOf("a-2", { subject: { ...subject, objective: "great" } })
        yield* change(alertOf("a-1", { status: "resolved", resolvedAt: 1 }))
        yield* change(other)
        yield* change(alertOf("a-3"))
        expect((yield* find("a-2")).latest?.id).toBe("a-3")
        expect((yield* find("a-2")).withId).toEqual(other)
        expect(yield* find("a-1", "another")).toEqual({ latest: undefined, withId: undefined })
      }),
    )

    test(
      "6.1: gives the first receipt again for the same key and request, for 24 h",
      Effect.gen(function* () {
        const idempotency = { key: "k", fingerprint: "f" }
        yield* change(alertOf("a-1"), idempotency)
        expect(yield* change(alertOf("a-2"), idempotency)).toEqual(receiptOf("a-1"))
        expect(yield* hasDelivery("delivery-of-a-2")).toBe(false)
        yield* passTime(Limits.idempotencyKeyLifetimeMs - 1)
        expect(yield* change(alertOf("a-2"), idempotency)).toEqual(receiptOf("a-1"))
        yield* passTime(1)
        expect(yield* change(alertOf("a-2"), idempotency)).toEqual(receiptOf("a-2"))
      }),
    )

    test(
      "6.1: refuses the same key for another request, within one organization",
      Effect.gen(function* () {
        yield* change(alertOf("a-1"), { key: "k", fingerprint: "f" })
        const refused = yield* Effect.flip(change(alertOf("a-2"), { key: "k", fingerprint: "g" }))
        expect(refused).toMatchObject({ _tag: "IdempotencyKeyIsReused", key: "k" })
        expect((yield* find("a-2")).withId).toBeUndefined()
        expect(yield* change(alertOf("a-2"), { key: "k", fingerprint: "g" }, "another")).toEqual(
          receiptOf("a-2"),
        )
      }),
    )

    test(
      "6.1: decides once for the same key asked for at once, and once for the same subject",
      Effect.gen(function* () {
        const store = yield* AlertStore
        let opened = 0
        const trigger = (id: string, idempotency?: { readonly key: string; readonly fingerprint: string }) =>
          store.change(organization, { subject, id }, idempotency, ({ latest }) => {
            if (latest !== undefined) return ok({ rings: [], receipt: receiptOf(latest.id) })
            opened++
            return ok(opening(alertOf(id)))
          })
        const receipts = yield* Effect.all(
          [
            ...Array.from({ length: 10 }, (_, index) =>
              trigger(`k-${index}`, { key: "k", fingerprint: "f" }),
            ),
            ...Array.from({ length: 10 }, (_, index) => trigger(`a-${index}`)),
          ],
          { concurrency: "unbounded" },
        )
        expect(new Set(receipts.map(({ alertId }) => alertId)).size).toBe(1)
        expect(opened).toBe(1)
      }),
    )

    test(
      "lists alerts by the project of their SLO and by ID",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const elsewhere = { slo: { project: "elsewhere", name: "checkout" } }
        yield* change(alertOf("a-1"))
        yield* change(alertOf("a-2", { subject: elsewhere }))
        const listed = (query: Parameters<typeof store.list>[1]) =>
          Effect.map(store.list(organization, query, { limit: 10 }), ({ items }) => items.map(({ id }) => id))
        expect(yield* listed({})).toEqual(["a-1", "a-2"])
        expect(yield* listed({ project: "shop" })).toEqual(["a-1"])
        expect(yield* listed({ ids: ["a-2", "a-3"] })).toEqual(["a-2"])
      }),
    )
  })

  pagingLaws(`alerts ${name}`, {
    layer,
    key: fc.uuid(),
    compare: (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1),
    add: (scope, id) => change(alertOf(id, { subject: { ...subject, evaluation: id } }), undefined, scope),
    page: (scope, request) =>
      Effect.flatMap(AlertStore, (store) =>
        Effect.map(store.list(scope, {}, request), ({ items, hasMore }) => ({
          items: items.map(({ id }) => id),
          hasMore,
        })),
      ),
  })
}
