import {
  type StatusPageSubscription,
  subscriberEndpoint,
  subscriptionsPerPageMax,
} from "@tocsin/domain/features/status-page"
import {
  DeliveryLog,
  type DeliveryQueue,
  EndpointStore,
  type NotifiedEvent,
  redact,
  reveal,
  StatusPageSubscriptionStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { aNotificationContent } from "./deliveries.ts"
import { claim, settle } from "./delivery-steps.ts"
import { describe, expect, it } from "./EffectTest.ts"

type Stores = StatusPageSubscriptionStore | DeliveryLog | DeliveryQueue | EndpointStore

const start = Date.UTC(2026, 0, 30, 12)

const aSubscription = (
  id: string,
  changes: Partial<StatusPageSubscription> = {},
): StatusPageSubscription => ({
  id,
  project: "shop",
  kind: "email",
  contact: redact(`${id}@example.com`),
  token: redact(`token-${id}`),
  createdAt: start,
  ...changes,
})

const pending = (id: string, expiresAt = start + 1_000) => aSubscription(id, { expiresAt })
const confirmed = (id: string, confirmedAt = start, project = "shop") =>
  aSubscription(id, { confirmedAt, project })

const tokenHashOf = ({ token }: StatusPageSubscription) => `hash of ${reveal(token)}`

const anEvent = (organization: string, deliveries: Readonly<Record<string, string>>): NotifiedEvent => ({
  content: aNotificationContent(organization),
  deliveries: Object.entries(deliveries).map(([id, subscription]) => ({
    id,
    alertMethod: subscriberEndpoint({ project: "shop", id: subscription }),
  })),
})

const put = (
  subscription: StatusPageSubscription,
  {
    organization = "acme",
    now = start,
    event,
  }: { organization?: string; now?: number; event?: NotifiedEvent } = {},
) =>
  Effect.flatMap(StatusPageSubscriptionStore, (store) =>
    store.put(organization, subscription, tokenHashOf(subscription), now, event),
  )

const plain = ({ contact, token, ...rest }: StatusPageSubscription) => ({
  ...rest,
  contact: reveal(contact),
  token: reveal(token),
})

const find = (id: string, organization = "acme") =>
  Effect.flatMap(StatusPageSubscriptionStore, (store) =>
    Effect.map(store.find(organization, id), (found) => Option.getOrUndefined(Option.map(found, plain))),
  )

const listed = (project: string | undefined, organization = "acme") =>
  Effect.flatMap(StatusPageSubscriptionStore, (store) =>
    Effect.map(store.list(organization, project, { limit: 10 }), ({ items }) => items.map(({ id }) => id)),
  )

const deliveryIds = (organization = "acme") =>
  Effect.flatMap(DeliveryLog, (log) =>
    Effect.map(log.list(organization, {}, { limit: 100 }), ({ items }) =>
      items.map(({ notification }) => notification.id).toSorted(),
    ),
  )

/** What every `StatusPageSubscriptionStore` does; `layer` gives empty stores. */
export const statusPageSubscriptionStoreContract = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(Effect.andThen(TestClock.setTime(start), effect), layer))

  describe(`StatusPageSubscriptionStore ${name}`, () => {
    test(
      "finds a subscription by its ID, its recipient and its token, and no other one",
      Effect.gen(function* () {
        const store = yield* StatusPageSubscriptionStore
        const [a, b] = [pending("a"), confirmed("b", start, "pay")]
        for (const each of [a, b]) expect(yield* put(each)).toBe("stored")
        expect(
          yield* put(aSubscription("c", { kind: "webhook", confirmedAt: start }), { organization: "globex" }),
        ).toBe("stored")
        expect(yield* find("a")).toEqual(plain(a))
        expect(yield* find("b")).toEqual(plain(b))
        expect(yield* find("a", "globex")).toBeUndefined()
        expect(yield* find("\u0000")).toBeUndefined()
        const byContact = (project: string) =>
          Effect.map(store.findContact("acme", project, redact("A@Example.com")), Option.isSome)
        expect([yield* byContact("shop"), yield* byContact("pay")]).toEqual([true, false])
        const byToken = (token: string) =>
          Effect.map(store.findToken(token), (found) =>
            Option.getOrUndefined(
              Option.map(found, ({ organization, subscription: { id } }) => [organization, id]),
            ),
          )
        expect(yield* byToken("hash of token-c")).toEqual(["globex", "c"])
        expect(yield* byToken("hash of token-d")).toBeUndefined()
        expect(yield* listed(undefined)).toEqual(["a", "b"])
        expect(yield* listed("pay")).toEqual(["b"])
        expect((yield* store.list("acme", undefined, { limit: 1 })).hasMore).toBe(true)
        expect(
          (yield* store.list("acme", undefined, { limit: 1, after: "a" })).items.map(({ id }) => id),
        ).toEqual(["b"])
      }),
    )

    test(
      "confirms a subscription once, and deletes what expired",
      Effect.gen(function* () {
        const store = yield* StatusPageSubscriptionStore
        yield* put(pending("a"))
        yield* put(pending("b"))
        expect(yield* store.confirm("acme", "a", start + 999)).toBe(true)
        expect(yield* store.confirm("acme", "a", start + 999)).toBe(false)
        expect(yield* store.confirm("acme", "b", start + 1_000)).toBe(false)
        expect(yield* find("a")).toEqual(plain(confirmed("a", start + 999)))
        yield* put(pending("c", start + 5_000), { now: start + 1_000 })
        expect(yield* listed("shop")).toEqual(["a", "c"])
        // Again, with a later end.
        yield* put(pending("c", start + 9_000), { now: start + 2_000 })
        expect(yield* store.confirm("acme", "c", start + 8_000)).toBe(true)
        expect([yield* store.remove("acme", "a"), yield* store.remove("acme", "a")]).toEqual([true, false])
        expect(yield* store.remove("globex", "c")).toBe(false)
        expect(yield* listed("shop")).toEqual(["c"])
      }),
    )

    test(
      "has one subscription of a recipient, and enqueues only with one that is stored",
      Effect.gen(function* () {
        const a = pending("a")
        expect(yield* put(a, { event: anEvent("acme", { "d-1": "a" }) })).toBe("stored")
        const other = { ...pending("b"), contact: a.contact }
        expect(yield* put(other, { event: anEvent("acme", { "d-2": "b" }) })).toBe("known")
        expect(yield* deliveryIds()).toEqual(["d-1"])
        expect(yield* listed("shop")).toEqual(["a"])
      }),
    )

    test(
      "rejects every subscription of a page that is full",
      Effect.gen(function* () {
        for (let n = 0; n < subscriptionsPerPageMax; n++) yield* put(confirmed(`${10_000 + n}`))
        expect(yield* put(pending("more"), { event: anEvent("acme", { "d-1": "more" }) })).toBe("full")
        expect(yield* put(confirmed("10000"))).toBe("full")
        expect(yield* put(confirmed("more", start, "pay"))).toBe("stored")
        expect(yield* deliveryIds()).toEqual([])
      }),
    )

    test(
      "deletes the health of the endpoint with a subscription, which what is in flight does not bring back",
      Effect.gen(function* () {
        const store = yield* StatusPageSubscriptionStore
        const endpoints = yield* EndpointStore
        const failures = Effect.forEach(["removed", "expired", "kept", "late"], (id) =>
          Effect.map(
            endpoints.find("acme", subscriberEndpoint({ project: "shop", id })),
            ({ health }) => health.failures,
          ),
        )
        for (const id of ["removed", "kept", "late"]) yield* put(confirmed(id))
        yield* put(pending("expired", start + 5_000))
        const recipients = { "d-1": "removed", "d-2": "expired", "d-3": "kept", "d-4": "late" }
        const announcement = { key: "k", knownUntil: start + 9_000 }
        yield* store.announce("acme", "shop", announcement, anEvent("acme", recipients))
        const { claims } = yield* claim(10)
        const late = claims.filter(({ delivery }) => delivery.notification.id === "d-4")
        yield* settle(
          claims.filter((each) => !late.includes(each)),
          { kind: "failed" },
        )
        expect(yield* failures).toEqual([1, 1, 1, 0])
        for (const id of ["removed", "late"]) expect(yield* store.remove("acme", id)).toBe(true)
        yield* put(confirmed("other"), { now: start + 5_000 })
        expect(yield* failures).toEqual([0, 0, 1, 0])
        yield* settle(late, { kind: "failed" })
        expect(yield* failures).toEqual([0, 0, 1, 0])
      }),
    )

    test(
      "gives each page to one caller at a time, and forgets those without subscriptions",
      Effect.gen(function* () {
        const store = yield* StatusPageSubscriptionStore
        yield* put(confirmed("a"))
        yield* put(confirmed("b", start, "pay"))
        yield* put(pending("c", start + 10), { organization: "globex" })
        const claim = (now: number, limit = 10) =>
          Effect.map(store.claim(now, limit, 1_000), (claimed) =>
            claimed.map(({ organization, project }) => `${organization}/${project}`).toSorted(),
          )
        const first = yield* claim(start, 2)
        expect(first).toHaveLength(2)
        expect(first).toContain("globex/shop")
        expect([...first, ...(yield* claim(start))].toSorted()).toEqual([
          "acme/pay",
          "acme/shop",
          "globex/shop",
        ])
        expect(yield* claim(start + 999)).toEqual([])
        expect(yield* claim(start + 1_000)).toEqual(["acme/pay", "acme/shop"])
        // The clock was set back.
        expect(yield* claim(start - 10_000)).toEqual(["acme/pay", "acme/shop"])
        expect(yield* find("c", "globex")).toBeUndefined()
      }),
    )

    test(
      "announces each key once to those who had confirmed, and forgets it afterwards",
      Effect.gen(function* () {
        const store = yield* StatusPageSubscriptionStore
        yield* put(confirmed("b", start + 5))
        yield* put(confirmed("a", start))
        yield* put(pending("c"))
        yield* put(confirmed("d", start, "pay"))
        expect(yield* store.recipients("acme", "shop", start)).toEqual(["a"])
        expect(yield* store.recipients("acme", "shop", start + 5)).toEqual(["a", "b"])
        const announcement = { key: "k", knownUntil: start + 100 }
        const announce = (id: string) =>
          store.announce(
            "acme",
            "shop",
            announcement,
            anEvent("acme", { [`${id}-1`]: "a", [`${id}-2`]: "b" }),
          )
        const unannounced = (now: number) => store.unannounced("acme", "shop", ["j", "k"], now)
        expect(yield* unannounced(start)).toEqual(["j", "k"])
        expect([yield* announce("x"), yield* announce("y")]).toEqual([true, false])
        expect(yield* deliveryIds()).toEqual(["x-1", "x-2"])
        expect(yield* unannounced(start + 100)).toEqual(["j"])
        expect(yield* store.unannounced("acme", "pay", ["k"], start)).toEqual(["k"])
        expect(yield* unannounced(start + 101)).toEqual(["j", "k"])
        expect(
          yield* store.announce("acme", "shop", { ...announcement, key: "none" }, anEvent("acme", {})),
        ).toBe(true)
      }),
    )
  })
}
