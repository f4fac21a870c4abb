import { describe, expect, it } from "../EffectTest.ts"
import type { AlertStore } from "@tocsin/domain/alerting/AlertStore"
import type { DefinitionStore } from "@tocsin/domain/definition/DefinitionStore"
import { Limits } from "@tocsin/domain/Limits"
import type { Attempt, AttemptOutcome } from "@tocsin/domain/notification/Attempt"
import { type ClaimedDelivery, DeliveryQueue } from "@tocsin/domain/delivery/DeliveryQueue"
import { unknownHealth } from "@tocsin/domain/delivery/EndpointHealth"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import { aMethod, removeMethod, ring, settleAllDue } from "./deliveries.ts"
import { pagingLaws } from "./paging-laws.ts"
import { putDefinitions } from "./slo-definitions.ts"
import * as fc from "fast-check"

type Stores = DeliveryQueue | AlertStore | DefinitionStore

const organization = "acme"
const hook = { project: "shop", name: "hook" }
const other = { project: "shop", name: "other" }
const start = Date.UTC(2026, 0, 30)
const leaseMs = 30_000

const claim = (limit: number) => Effect.flatMap(DeliveryQueue, (queue) => queue.claim({ limit, leaseMs }))

const settle = (claimed: ReadonlyArray<ClaimedDelivery>, outcome: AttemptOutcome) =>
  Effect.flatMap(DeliveryQueue, (queue) =>
    queue.settle(
      claimed.map(({ claimId, delivery }) => ({
        claimId,
        attempt: attemptOf(delivery.attempt),
        outcome,
        random: 0.5,
      })),
    ),
  )

const attemptOf = (number: number): Attempt => ({
  number,
  startedAt: start,
  durationMs: 3,
  headMs: 2,
  status: 500,
})

const idsOf = (claimed: ReadonlyArray<ClaimedDelivery>) =>
  claimed.map(({ delivery }) => delivery.notification.id)

const find = (id: string, of = organization) => Effect.flatMap(DeliveryQueue, (queue) => queue.find(of, id))

const stateOf = (id: string) => Effect.map(find(id), (found) => Option.getOrThrow(found).delivery.state)

/**
 * What every `DeliveryQueue` does, together with the stores that fill it. `layer` gives empty ones, whose clock stands
 * at 0 and moves by `passTime`, in milliseconds.
 */
export const deliveryQueueContract = <E>(
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

  describe(`DeliveryQueue ${name}`, () => {
    test(
      "hands out what is due once, with the alert method as it is stored",
      Effect.gen(function* () {
        const [id = ""] = yield* ring(organization, [hook])
        const { claims } = yield* claim(10)
        expect(idsOf(claims)).toEqual([id])
        expect(claims[0]?.delivery).toMatchObject({
          state: "sending",
          attempt: 1,
          attemptsUsed: 1,
          alertMethod: hook,
        })
        expect(claims[0]?.alertMethod?.definition).toEqual(aMethod(hook))
        expect(claims[0]?.isDisabled).toBe(false)
        expect((yield* claim(10)).claims).toEqual([])
        expect(yield* stateOf(id)).toBe("sending")
        expect(yield* settle(claims, { kind: "delivered" })).toEqual([])
        expect(Option.getOrThrow(yield* find(id))).toMatchObject({
          delivery: { state: "delivered", settledAt: start },
          attempts: [attemptOf(1)],
        })
        expect((yield* claim(10)).claims).toEqual([])
      }),
    )

    test(
      "3.5: hands a failed delivery out again at its time, not before, under the same ID",
      Effect.gen(function* () {
        const [id] = yield* ring(organization, [hook])
        yield* settle((yield* claim(10)).claims, { kind: "failed" })
        const waiting = yield* claim(10)
        expect(waiting).toEqual({ claims: [], nextDueInMs: 5000 })
        yield* passTime(4999)
        expect((yield* claim(10)).claims).toEqual([])
        yield* passTime(1)
        const { claims } = yield* claim(10)
        expect(idsOf(claims)).toEqual([id])
        expect(claims[0]?.delivery).toMatchObject({ attempt: 2, attemptsUsed: 2 })
      }),
    )

    test(
      "3.7: hands out again what a process that died had claimed, and no longer listens to that one",
      Effect.gen(function* () {
        const [id = ""] = yield* ring(organization, [hook])
        const dead = (yield* claim(10)).claims
        yield* passTime(leaseMs - 1)
        expect((yield* claim(10)).claims).toEqual([])
        yield* passTime(1)
        const { claims } = yield* claim(10)
        expect(idsOf(claims)).toEqual([id])
        expect(claims[0]?.delivery).toMatchObject({ attempt: 2, attemptsUsed: 1 })
        expect(claims[0]?.claimId).not.toBe(dead[0]?.claimId)
        expect(yield* settle(dead, { kind: "delivered" })).toEqual([dead[0]?.claimId])
        yield* (yield* DeliveryQueue).release([{ claimId: dead[0]?.claimId ?? "", delayMs: 0 }])
        expect(yield* stateOf(id)).toBe("sending")
        expect(yield* settle(claims, { kind: "delivered" })).toEqual([])
      }),
    )

    test(
      "holds a claim for as long as its lease is renewed",
      Effect.gen(function* () {
        yield* ring(organization, [hook])
        const { claims } = yield* claim(10)
        yield* passTime(leaseMs - 1)
        yield* (yield* DeliveryQueue).renew([claims[0]?.claimId ?? "", "unknown"], leaseMs)
        yield* passTime(leaseMs - 1)
        expect((yield* claim(10)).claims).toEqual([])
        yield* passTime(1)
        expect((yield* claim(10)).claims.length).toBe(1)
      }),
    )

    test(
      "takes back what was not sent, without a spent attempt",
      Effect.gen(function* () {
        yield* ring(organization, [hook])
        const { claims } = yield* claim(10)
        yield* (yield* DeliveryQueue).release([{ claimId: claims[0]?.claimId ?? "", delayMs: 1000 }])
        expect(yield* claim(10)).toEqual({ claims: [], nextDueInMs: 1000 })
        yield* passTime(1000)
        expect((yield* claim(10)).claims[0]?.delivery).toMatchObject({ attempt: 2, attemptsUsed: 1 })
      }),
    )

    test(
      "settles a batch: each delivery on its own, those that were lost told",
      Effect.gen(function* () {
        yield* ring(organization, [hook, other, hook])
        const { claims } = yield* claim(10)
        const queue = yield* DeliveryQueue
        const lost = yield* queue.settle([
          ...claims.map(({ claimId }, index) => ({
            claimId,
            attempt: attemptOf(1),
            outcome: { kind: index === 1 ? ("failed" as const) : ("delivered" as const) },
            random: 0,
          })),
          { claimId: "unknown", attempt: attemptOf(1), outcome: { kind: "delivered" }, random: 0 },
        ])
        expect(lost).toEqual(["unknown"])
        const states = yield* Effect.forEach(idsOf(claims), stateOf)
        expect(states).toEqual(["delivered", "pending", "delivered"])
      }),
    )

    test(
      "gives an endpoint at most 5 at once, and more as they are settled",
      Effect.gen(function* () {
        yield* ring(
          organization,
          Array.from({ length: 12 }, () => hook),
        )
        const { claims } = yield* claim(100)
        expect(claims.length).toBe(Limits.endpointInFlightMax)
        expect((yield* claim(100)).claims).toEqual([])
        yield* settle(claims.slice(0, 2), { kind: "delivered" })
        expect((yield* claim(100)).claims.length).toBe(2)
      }),
    )

    test(
      "has endpoints take turns, and organizations before them",
      Effect.gen(function* () {
        const big = Array.from({ length: 4 }, (_, index) => ({ project: "shop", name: `big-${index}` }))
        yield* putDefinitions(
          organization,
          big.map((key) => aMethod(key)),
        )
        yield* putDefinitions("small", [aMethod(hook)])
        yield* ring(
          organization,
          big.flatMap((key) => [key, key, key, key]),
        )
        yield* ring("small", [hook, hook, hook])
        const { claims } = yield* claim(6)
        const of = (organization: string) =>
          claims.filter(({ delivery }) => delivery.notification.organization === organization)
        expect(of("small").length).toBe(3)
        expect(new Set(of(organization).map(({ delivery }) => delivery.alertMethod.name)).size).toBe(3)
      }),
    )

    test(
      "keeps a share of a claim for first attempts while retries are due, and gives all of it otherwise",
      Effect.gen(function* () {
        const many = Array.from({ length: 8 }, (_, index) => ({ project: "shop", name: `many-${index}` }))
        yield* putDefinitions(
          organization,
          many.map((key) => aMethod(key)),
        )
        yield* ring(organization, many)
        yield* settleAllDue({ kind: "failed" })
        yield* passTime(5000)
        yield* ring(organization, many)
        const { claims } = yield* claim(8)
        expect(claims.filter(({ delivery }) => delivery.attempt === 1).length).toBe(4)
        expect(claims.filter(({ delivery }) => delivery.attempt === 2).length).toBe(4)
        expect((yield* claim(100)).claims.length).toBe(8)
      }),
    )

    test(
      "shares claims of one delivery between first attempts and retries",
      Effect.gen(function* () {
        const many = Array.from({ length: 8 }, (_, index) => ({ project: "shop", name: `many-${index}` }))
        yield* putDefinitions(
          organization,
          many.map((key) => aMethod(key)),
        )
        yield* ring(organization, many)
        yield* settleAllDue({ kind: "failed" })
        yield* passTime(5000)
        yield* ring(organization, many)
        const attempts: Array<number | undefined> = []
        for (let count = 0; count < 8; count++) attempts.push((yield* claim(1)).claims[0]?.delivery.attempt)
        expect(attempts.filter((attempt) => attempt === 1).length).toBe(4)
        expect(attempts.filter((attempt) => attempt === 2).length).toBe(4)
      }),
    )

    test(
      "gives an organization no more than its share of a process, and the rest to others",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const max = Limits.organizationInFlightMax
        const many = Array.from({ length: max / 4 }, (_, index) => ({
          project: "shop",
          name: `many-${index}`,
        }))
        yield* putDefinitions(
          organization,
          many.map((key) => aMethod(key)),
        )
        yield* putDefinitions("small", [aMethod(hook)])
        yield* ring(
          organization,
          many.flatMap((key) => [key, key, key, key, key]),
        )
        const first = yield* claim(Limits.deliveriesInFlightMax)
        expect(first.claims.length).toBe(max)
        const inFlight = new Map([[organization, max]])
        const held = yield* queue.claim({ limit: max, leaseMs, inFlight })
        // What is held back is due for whoever has room: until then nothing but a lease can be.
        expect(held).toEqual({ claims: [], nextDueInMs: leaseMs })
        const [small] = yield* ring("small", [hook])
        expect(idsOf((yield* queue.claim({ limit: max, leaseMs, inFlight })).claims)).toEqual([small])
        yield* settle(first.claims.slice(0, 3), { kind: "delivered" })
        const next = yield* queue.claim({ limit: max, leaseMs, inFlight: new Map([[organization, max - 3]]) })
        expect(next.claims.length).toBe(3)
        expect((yield* claim(max)).claims.length).toBeGreaterThan(0)
      }),
    )

    test(
      "3.8: gives nothing to an endpoint that fails in a row, then one probe, then ever more",
      Effect.gen(function* () {
        yield* ring(
          organization,
          Array.from({ length: 20 }, () => hook),
        )
        yield* settle((yield* claim(100)).claims, { kind: "failed" })
        const open = yield* claim(100)
        expect(open.claims).toEqual([])
        // The retries are due before the breaker lets one through.
        expect(open.nextDueInMs).toBeGreaterThanOrEqual(5000)
        expect(open.nextDueInMs).toBeLessThanOrEqual(30_000)
        expect((yield* (yield* DeliveryQueue).health(organization, hook)).circuitOpenUntil).toBe(
          start + 30_000,
        )
        yield* passTime(29_999)
        expect(yield* claim(100)).toEqual({ claims: [], nextDueInMs: 1 })
        yield* passTime(1)
        const probe = yield* claim(100)
        expect(probe.claims.length).toBe(1)
        yield* settle(probe.claims, { kind: "delivered" })
        expect((yield* claim(100)).claims.length).toBe(2)
      }),
    )

    test(
      "3.3: tells that an endpoint which answered 410 is disabled, until it is enabled",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        yield* ring(organization, [hook, ...Array.from({ length: 9 }, () => hook)])
        const { claims } = yield* claim(1)
        yield* settle(claims, { kind: "gone" })
        expect(yield* stateOf(idsOf(claims)[0] ?? "")).toBe("failed")
        expect((yield* queue.health(organization, hook)).disabled).toEqual({ at: start, because: "gone" })
        const rest = (yield* claim(100)).claims
        expect(rest.map(({ isDisabled }) => isDisabled)).toEqual(Array.from({ length: 9 }, () => true))
        yield* settle(rest, { kind: "undeliverable" })
        expect((yield* queue.enable(organization, hook)).disabled).toBeUndefined()
        expect((yield* queue.enable(organization, hook)).inFlightMax).toBe(1)
        yield* ring(organization, [hook, hook])
        const afterwards = (yield* claim(100)).claims
        expect(afterwards.map(({ isDisabled }) => isDisabled)).toEqual([false])
      }),
    )

    test(
      "forgets how an endpoint answered when its URL changes or its method is deleted, and only then",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const goneAt = (at: string) =>
          Effect.gen(function* () {
            yield* ring(organization, [hook])
            yield* settle((yield* claim(1)).claims, { kind: "gone" })
            expect((yield* queue.health(organization, hook)).disabled, at).toBeDefined()
          })
        const isDisabled = Effect.map(
          queue.health(organization, hook),
          ({ disabled }) => disabled !== undefined,
        )
        yield* goneAt("first")
        yield* putDefinitions(organization, [aMethod(hook, { template: "{}" })])
        expect(yield* isDisabled).toBe(true)
        yield* putDefinitions(organization, [aMethod(hook, { url: "https://elsewhere.example.com/" })])
        expect(yield* isDisabled).toBe(false)
        yield* goneAt("second")
        yield* removeMethod(organization, hook)
        yield* putDefinitions(organization, [aMethod(hook, { url: "https://elsewhere.example.com/" })])
        expect(yield* isDisabled).toBe(false)
      }),
    )

    test(
      "3.3: learns nothing about a receiver from an attempt that went to the one before it",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const elsewhere = aMethod(hook, { url: "https://elsewhere.example.com/" })
        const [id = ""] = yield* ring(organization, [hook])
        const before = (yield* claim(1)).claims
        yield* putDefinitions(organization, [elsewhere])
        yield* settle(before, { kind: "gone" })
        expect(yield* stateOf(id)).toBe("failed")
        expect(yield* queue.health(organization, hook)).toEqual(unknownHealth)

        yield* ring(organization, [hook])
        const last = (yield* claim(1)).claims
        yield* removeMethod(organization, hook)
        yield* putDefinitions(organization, [elsewhere])
        yield* settle(last, { kind: "delivered" })
        expect(yield* queue.health(organization, hook)).toEqual(unknownHealth)

        yield* ring(organization, [hook])
        yield* settle((yield* claim(1)).claims, { kind: "gone" })
        expect((yield* queue.health(organization, hook)).disabled).toBeDefined()
      }),
    )

    test(
      "claims nothing of an alert method that is paused, or of any when all are, until they are resumed",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const ofHook = { organization, alertMethod: hook }
        yield* ring(organization, [hook])
        const inFlight = (yield* claim(10)).claims
        yield* queue.setPaused(ofHook, true)
        yield* queue.setPaused(ofHook, true)
        expect(yield* queue.pauseState(ofHook)).toEqual({ isPaused: true, sending: 1 })
        yield* ring(organization, [hook, other])
        const others = (yield* claim(10)).claims
        expect(others.map(({ delivery }) => delivery.alertMethod)).toEqual([other])
        expect(yield* settle([...inFlight, ...others], { kind: "delivered" })).toEqual([])
        expect(yield* queue.pauseState(ofHook)).toEqual({ isPaused: true, sending: 0 })
        expect((yield* claim(10)).claims).toEqual([])

        yield* queue.setPaused("all", true)
        yield* queue.setPaused(ofHook, false)
        yield* ring(organization, [other])
        expect(yield* claim(10)).toEqual({ claims: [], nextDueInMs: undefined })
        expect(yield* queue.pauseState("all")).toEqual({ isPaused: true, sending: 0 })
        yield* queue.setPaused("all", false)
        expect((yield* claim(10)).claims.length).toBe(2)
        expect(yield* queue.pauseState("all")).toEqual({ isPaused: false, sending: 2 })
      }),
    )

    test(
      "pauses a method that has had no delivery yet, and forgets the pause when it is deleted",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const ofHook = { organization, alertMethod: hook }
        yield* queue.setPaused(ofHook, true)
        yield* ring(organization, [hook])
        expect((yield* claim(10)).claims).toEqual([])
        yield* removeMethod(organization, hook)
        expect((yield* claim(10)).claims.length).toBe(1)
        expect((yield* queue.pauseState(ofHook)).isPaused).toBe(false)
      }),
    )

    test(
      "7.7: tells of alert methods, in the order asked for, how they answer and their latest delivery",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const unknown = { project: "shop", name: "unknown" }
        const nothing = { endpoint: unknownHealth, pause: { isPaused: false, sending: 0 } }
        expect(yield* queue.activities(organization, [hook, unknown])).toEqual([nothing, nothing])
        expect(yield* queue.activities(organization, [])).toEqual([])

        const [ofOther = "", settled = ""] = yield* ring(organization, [other, hook])
        yield* settle((yield* claim(10)).claims, { kind: "delivered" })
        const [told, toldOther] = yield* queue.activities(organization, [hook, other])
        expect(told).toMatchObject({
          endpoint: { failures: 0, lastSuccessAt: start },
          latestDelivery: { notification: { id: settled }, state: "delivered", settledAt: start },
        })
        expect(toldOther?.latestDelivery?.notification.id).toBe(ofOther)

        yield* passTime(1000)
        const [pending = ""] = yield* ring(organization, [hook])
        yield* settle((yield* claim(10)).claims, { kind: "failed" })
        yield* queue.setPaused({ organization, alertMethod: hook }, true)
        const [, failing] = yield* queue.activities(organization, [other, hook])
        expect(failing).toEqual({
          endpoint: yield* queue.health(organization, hook),
          pause: { isPaused: true, sending: 0 },
          latestDelivery: Option.getOrThrow(yield* find(pending)).delivery,
        })
        expect(failing?.latestDelivery).toMatchObject({ state: "pending", attempt: 1 })

        yield* queue.setPaused({ organization, alertMethod: hook }, false)
        yield* queue.resend(organization, pending)
        yield* claim(10)
        const [sending] = yield* queue.activities(organization, [hook])
        expect(sending).toMatchObject({ pause: { sending: 1 }, latestDelivery: { state: "sending" } })
        expect(yield* queue.activities("another", [hook])).toEqual([nothing])
      }),
    )

    test(
      "tells when the alert method of a delivery is gone",
      Effect.gen(function* () {
        yield* ring(organization, [hook])
        yield* removeMethod(organization, hook)
        expect((yield* claim(1)).claims[0]?.alertMethod).toBeUndefined()
      }),
    )

    test(
      "3.5: resends what is settled, hastens what is waiting, and leaves alone what is being sent",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const [id = ""] = yield* ring(organization, [hook])
        const sending = (yield* claim(1)).claims
        expect(Option.getOrThrow(yield* queue.resend(organization, id)).state).toBe("sending")
        yield* settle(sending, { kind: "failed" })
        expect(Option.getOrThrow(yield* queue.resend(organization, id))).toMatchObject({
          state: "pending",
          attemptsUsed: 0,
        })
        const hastened = (yield* claim(1)).claims
        expect(idsOf(hastened)).toEqual([id])
        yield* settle(hastened, { kind: "delivered" })
        yield* queue.resend(organization, id)
        yield* queue.resend(organization, id)
        const again = (yield* claim(10)).claims
        expect(idsOf(again)).toEqual([id])
        expect(again[0]?.delivery).toMatchObject({ attempt: 3, attemptsUsed: 1 })
        yield* settle(again, { kind: "delivered" })
        expect(Option.getOrThrow(yield* find(id)).attempts.map(({ number }) => number)).toEqual([1, 2, 3])
        expect(Option.isNone(yield* queue.resend(organization, "unknown"))).toBe(true)
        expect(Option.isNone(yield* queue.resend("another", id))).toBe(true)
      }),
    )

    test(
      "lists deliveries by alert method, state, event and time",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const [first = ""] = yield* ring(organization, [hook])
        yield* settle((yield* claim(1)).claims, { kind: "delivered" })
        yield* passTime(1000)
        const [second = ""] = yield* ring(organization, [other])
        const listed = (query: Parameters<typeof queue.list>[1]) =>
          Effect.map(queue.list(organization, query, { limit: 10 }), ({ items }) =>
            items.map(({ notification }) => notification.id),
          )
        expect(yield* listed({})).toEqual([second, first])
        expect(yield* listed({ alertMethod: hook })).toEqual([first])
        expect(yield* listed({ alertMethod: { project: "shop" } })).toEqual([second, first])
        expect(yield* listed({ alertMethod: { project: "elsewhere", name: "hook" } })).toEqual([])
        expect(yield* listed({ states: ["delivered", "failed"] })).toEqual([first])
        expect(yield* listed({ states: ["pending"] })).toEqual([second])
        yield* passTime(1000)
        const [third = ""] = yield* ring(organization, [hook], undefined, "alert.resolved")
        expect(yield* listed({ events: ["alert.triggered"] })).toEqual([second, first])
        expect(yield* listed({ events: ["alert.resolved", "no_data.detected"] })).toEqual([third])
        expect(yield* listed({ events: ["no_data.detected"], states: ["pending"] })).toEqual([])
        expect(yield* listed({ from: start, to: start + 1000 })).toEqual([first])
        expect(yield* listed({ from: start + 1000 })).toEqual([third, second])
        expect((yield* queue.list("another", {}, { limit: 10 })).items).toEqual([])
        expect(Option.isNone(yield* find(first, "another"))).toBe(true)
      }),
    )

    test(
      "6.0: lists the deliveries of one alert, whatever its ID is made of, settled or not, in pages",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const listed = (alertId: string, of = organization) =>
          Effect.map(queue.list(of, { alertId }, { limit: 10 }), ({ items }) =>
            items.map(({ notification }) => notification.id),
          )
        const ringFor = (alertId: string, methods: ReadonlyArray<typeof hook>) =>
          Effect.tap(ring(organization, methods, undefined, "alert.triggered", alertId), passTime(1))
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
          (yield* queue.list(organization, { alertId: "a", states: ["delivered"] }, { limit: 10 })).items,
        ).toHaveLength(1)
        const read: Array<string> = []
        for (let hasMore = true; hasMore;) {
          const page = yield* queue.list(
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

    test(
      "never hands out a delivery twice, however many ask at once",
      Effect.gen(function* () {
        const many = Array.from({ length: 30 }, (_, index) => ({ project: "shop", name: `many-${index}` }))
        yield* putDefinitions(
          organization,
          many.map((key) => aMethod(key)),
        )
        const ids = yield* ring(organization, [...many, ...many])
        const claims = yield* Effect.all(
          Array.from({ length: 12 }, () => claim(7)),
          { concurrency: "unbounded" },
        )
        const rest = yield* claim(100)
        const handedOut = [...claims, rest].flatMap((each) => idsOf(each.claims))
        expect(handedOut.length).toBe(60)
        expect(new Set(handedOut)).toEqual(new Set(ids))
      }),
    )

    test(
      "hints at what comes in",
      Effect.scoped(
        Effect.gen(function* () {
          const hints = yield* (yield* DeliveryQueue).hints
          yield* ring(organization, [hook])
          yield* Queue.take(hints)
        }),
      ),
    )
  })

  pagingLaws(`deliveries ${name}`, {
    layer,
    key: fc.uuid({ version: 7 }),
    compare: (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1),
    add: (scope, id) => ring(scope, [hook], [id]),
    page: (scope, request) =>
      Effect.flatMap(DeliveryQueue, (queue) =>
        Effect.map(queue.list(scope, {}, request), ({ items, hasMore }) => ({
          items: items.map(({ notification }) => notification.id),
          hasMore,
        })),
      ),
  })
}
