import { describe, expect } from "./EffectTest.ts"
import { deliveriesInFlightMax } from "@tocsin/domain"
import { endpointInFlightMax, reservedShare } from "@tocsin/domain/adapter"
import { DeliveryQueue, EndpointStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import { aMethod, removeMethod, notify, settleAllDue } from "./deliveries.ts"
import {
  attemptOf,
  claim,
  type DeliveryStores,
  find,
  healthOf,
  hook,
  idsOf,
  leaseMs,
  makeTest,
  organization,
  other,
  settle,
  start,
  stateOf,
} from "./delivery-steps.ts"
import { putDefinitions } from "./slo-definitions.ts"

/**
 * What every `DeliveryQueue` does, together with the stores that fill it. `layer` gives empty ones, whose clock is at 0
 * and advances by `passTime`, in milliseconds.
 */
export const deliveryQueueContract = <E>(
  name: string,
  layer: Layer.Layer<DeliveryStores, E>,
  passTime: (milliseconds: number) => Effect.Effect<void> = TestClock.adjust,
): void => {
  const test = makeTest(layer, passTime)

  describe(`DeliveryQueue ${name}`, () => {
    test(
      "returns what is due once, with the alert method as it is stored",
      Effect.gen(function* () {
        const [id = ""] = yield* notify(organization, [hook])
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
      "spec/delivery §5: hands a failed delivery out again at its time, not before, under the same ID",
      Effect.gen(function* () {
        const [id] = yield* notify(organization, [hook])
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
      "spec/delivery §7: returns again what a process that died had claimed, and no longer listens to that one",
      Effect.gen(function* () {
        const [id = ""] = yield* notify(organization, [hook])
        const dead = (yield* claim(10)).claims
        yield* passTime(leaseMs)
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
      "holds what was claimed for as long as its lease is renewed, by a claim too",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        yield* notify(organization, [hook])
        yield* claim(10)
        yield* notify(organization, [other])
        yield* passTime(leaseMs - 1)
        expect((yield* claim(10)).claims.length).toBe(1)
        yield* passTime(leaseMs - 1)
        yield* queue.renew(leaseMs)
        yield* passTime(leaseMs - 1)
        expect((yield* claim(10)).claims).toEqual([])
        yield* passTime(leaseMs)
        const again = (yield* claim(10)).claims
        expect(again.map(({ delivery }) => [delivery.attempt, delivery.attemptsUsed])).toEqual([
          [2, 1],
          [2, 1],
        ])
      }),
    )

    test(
      "takes back what was not sent, without a spent attempt",
      Effect.gen(function* () {
        yield* notify(organization, [hook])
        const { claims } = yield* claim(10)
        yield* (yield* DeliveryQueue).release([{ claimId: claims[0]?.claimId ?? "", delayMs: 1000 }])
        expect(yield* claim(10)).toEqual({ claims: [], nextDueInMs: 1000 })
        yield* passTime(1000)
        expect((yield* claim(10)).claims[0]?.delivery).toMatchObject({ attempt: 2, attemptsUsed: 1 })
      }),
    )

    test(
      "settles a batch: each delivery on its own, and returns the lost ones",
      Effect.gen(function* () {
        yield* notify(organization, [hook, other, hook])
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
        yield* notify(
          organization,
          Array.from({ length: 12 }, () => hook),
        )
        const { claims } = yield* claim(100)
        expect(claims.length).toBe(endpointInFlightMax)
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
        yield* notify(
          organization,
          big.flatMap((key) => [key, key, key, key]),
        )
        yield* notify("small", [hook, hook, hook])
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
        yield* notify(organization, many)
        yield* settleAllDue({ kind: "failed" })
        yield* passTime(5000)
        yield* notify(organization, many)
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
        yield* notify(organization, many)
        yield* settleAllDue({ kind: "failed" })
        yield* passTime(5000)
        yield* notify(organization, many)
        const attempts: Array<number | undefined> = []
        for (let count = 0; count < 8; count++) attempts.push((yield* claim(1)).claims[0]?.delivery.attempt)
        expect(attempts.filter((attempt) => attempt === 1).length).toBe(4)
        expect(attempts.filter((attempt) => attempt === 2).length).toBe(4)
      }),
    )

    test(
      "spec/delivery §8: gives one organization alone almost half of the capacity, and others what is left",
      Effect.gen(function* () {
        const many = Array.from({ length: 60 }, (_, index) => ({ project: "shop", name: `many-${index}` }))
        yield* putDefinitions(
          organization,
          many.map((key) => aMethod(key)),
        )
        yield* putDefinitions("small", [aMethod(hook)])
        yield* notify(
          organization,
          many.flatMap((key) => [key, key, key, key, key]),
        )
        const first = yield* claim(deliveriesInFlightMax)
        const share = first.claims.length
        expect(share).toBeLessThan(deliveriesInFlightMax / 2)
        expect(share).toBeGreaterThanOrEqual((deliveriesInFlightMax * (1 - reservedShare)) / 2 - 1)
        // What waits for others of its organization to end is not due.
        expect(first.nextDueInMs).toBeUndefined()
        expect(yield* claim(deliveriesInFlightMax)).toEqual({ claims: [], nextDueInMs: undefined })
        const [small] = yield* notify("small", [hook])
        expect(idsOf((yield* claim(deliveriesInFlightMax)).claims)).toEqual([small])
        yield* settle(first.claims.slice(0, 10), { kind: "delivered" })
        const next = (yield* claim(deliveriesInFlightMax)).claims
        expect(next.length).toBeGreaterThan(0)
        expect(next.length).toBeLessThanOrEqual(10)
      }),
    )

    test(
      "spec/delivery §8: gives an organization that had nothing in flight capacity, whatever others have to send",
      Effect.gen(function* () {
        const big = ["big-1", "big-2", "big-3"]
        const many = Array.from({ length: 52 }, (_, index) => ({ project: "shop", name: `many-${index}` }))
        for (const each of big) {
          yield* putDefinitions(
            each,
            many.map((key) => aMethod(key)),
          )
          yield* notify(
            each,
            many.flatMap((key) => [key, key, key, key, key]),
          )
        }
        const { claims, nextDueInMs } = yield* claim(deliveriesInFlightMax)
        expect(nextDueInMs).toBeUndefined()
        const counts = big.map(
          (each) => claims.filter(({ delivery }) => delivery.notification.organization === each).length,
        )
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        const [id] = yield* notify(organization, [hook])
        expect(idsOf((yield* claim(1)).claims)).toEqual([id])
      }),
    )

    test(
      "reports that more is due only when the limit cut it off",
      Effect.gen(function* () {
        yield* notify(organization, [hook, hook, other])
        expect((yield* claim(2)).nextDueInMs).toBe(0)
        expect(yield* claim(2)).toMatchObject({ claims: { length: 1 }, nextDueInMs: undefined })
      }),
    )

    test(
      "spec/delivery §10: gives nothing to an endpoint that fails in a row, then one probe, then ever more",
      Effect.gen(function* () {
        yield* notify(
          organization,
          Array.from({ length: 20 }, () => hook),
        )
        yield* settle((yield* claim(100)).claims, { kind: "failed" })
        const open = yield* claim(100)
        expect(open.claims).toEqual([])
        // The retries are due before the breaker lets one through.
        expect(open.nextDueInMs).toBeGreaterThanOrEqual(5000)
        expect(open.nextDueInMs).toBeLessThanOrEqual(30_000)
        expect((yield* healthOf(hook)).circuitOpenUntil).toBe(start + 30_000)
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
      "retries in time when the clock is set back, and ends an open circuit within its length",
      Effect.gen(function* () {
        const hour = 3_600_000
        const [id] = yield* notify(organization, [other])
        yield* settle((yield* claim(1)).claims, { kind: "failed" })
        yield* notify(
          organization,
          Array.from({ length: 10 }, () => hook),
        )
        yield* settle((yield* claim(100)).claims, { kind: "failed" })
        expect((yield* healthOf(hook)).circuitOpenUntil).toBe(start + 30_000)
        yield* passTime(-hour)
        expect((yield* claim(100)).claims).toEqual([])
        yield* passTime(5000)
        expect(idsOf((yield* claim(100)).claims)).toEqual([id])
        yield* passTime(25_000)
        const probe = (yield* claim(100)).claims
        expect(probe.map(({ delivery }) => delivery.alertMethod)).toEqual([hook])
        // What is added from then on is due at once.
        const [later] = yield* notify(organization, [other])
        expect(idsOf((yield* claim(100)).claims)).toEqual([later])
      }),
    )

    test(
      "loses nothing when the clock is set forward",
      Effect.gen(function* () {
        const [first = "", second = ""] = yield* notify(organization, [other, other])
        const { claims } = yield* claim(2)
        yield* settle(claims.slice(0, 1), { kind: "failed" })
        yield* passTime(3_600_000)
        const [third = ""] = yield* notify(organization, [hook])
        const again = (yield* claim(10)).claims
        expect(idsOf(again).toSorted()).toEqual([first, second, third].toSorted())
        expect(yield* settle(again, { kind: "delivered" })).toEqual([])
        for (const id of [first, second, third]) expect(yield* stateOf(id)).toBe("delivered")
      }),
    )

    test(
      "claims nothing while all deliveries are paused, whatever single alert methods are",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const endpoints = yield* EndpointStore
        yield* queue.setPaused(true)
        yield* endpoints.setPaused(organization, hook, true)
        yield* endpoints.setPaused(organization, hook, false)
        yield* notify(organization, [hook, other])
        expect(yield* claim(10)).toEqual({ claims: [], nextDueInMs: undefined })
        expect(yield* queue.pauseState).toEqual({ isPaused: true, inFlight: 0 })
        yield* queue.setPaused(true)
        yield* queue.setPaused(false)
        expect((yield* claim(10)).claims.length).toBe(2)
        expect(yield* queue.pauseState).toEqual({ isPaused: false, inFlight: 2 })
      }),
    )

    test(
      "spec/telemetry §2: knows what is due, for how long, and which alert methods are blocked",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const endpoints = yield* EndpointStore
        expect((yield* queue.backlog).oldestDueMs).toBeUndefined()
        yield* notify(organization, [hook, hook, other])
        // It knows of them once it has looked.
        const [first] = (yield* claim(1)).claims
        yield* passTime(2_000)
        const backlog = yield* queue.backlog
        expect(backlog).toMatchObject({ due: 2, blocked: { circuit_open: 0, disabled: 0, paused: 0 } })
        expect(backlog.oldestDueMs).toBeGreaterThanOrEqual(2_000)
        const paused = first?.delivery.alertMethod.name === hook.name ? other : hook
        yield* endpoints.setPaused(organization, paused, true)
        yield* claim(1)
        expect((yield* queue.backlog).blocked.paused).toBe(1)
      }),
    )

    test(
      "reports when the alert method of a delivery is gone",
      Effect.gen(function* () {
        yield* notify(organization, [hook])
        yield* removeMethod(organization, hook)
        expect((yield* claim(1)).claims[0]?.alertMethod).toBeUndefined()
      }),
    )

    test(
      "spec/delivery §5: resends settled deliveries, makes waiting ones due now, and keeps those in flight",
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const [id = ""] = yield* notify(organization, [hook])
        const sending = (yield* claim(1)).claims
        expect(Option.getOrThrow(yield* queue.resend(organization, id)).state).toBe("sending")
        yield* settle(sending, { kind: "failed" })
        expect(Option.getOrThrow(yield* queue.resend(organization, id))).toMatchObject({
          state: "pending",
          attemptsUsed: 0,
        })
        const expedited = (yield* claim(1)).claims
        expect(idsOf(expedited)).toEqual([id])
        yield* settle(expedited, { kind: "delivered" })
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
      "never returns a delivery twice to concurrent callers",
      Effect.gen(function* () {
        const many = Array.from({ length: 30 }, (_, index) => ({ project: "shop", name: `many-${index}` }))
        yield* putDefinitions(
          organization,
          many.map((key) => aMethod(key)),
        )
        const ids = yield* notify(organization, [...many, ...many])
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
      "signals new deliveries",
      Effect.scoped(
        Effect.gen(function* () {
          const hints = yield* (yield* DeliveryQueue).hints
          yield* notify(organization, [hook])
          yield* Queue.take(hints)
        }),
      ),
    )
  })
}
