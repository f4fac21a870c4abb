import { describe, expect } from "./EffectTest.ts"
import { unknownHealth } from "@tocsin/domain/adapter"
import { DeliveryQueue, EndpointStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { aMethod, removeMethod, notify } from "./deliveries.ts"
import {
  claim,
  type DeliveryStores,
  find,
  healthOf,
  hook,
  idsOf,
  makeTest,
  organization,
  other,
  settle,
  start,
  stateOf,
} from "./delivery-steps.ts"
import { putDefinitions } from "./slo-definitions.ts"

/**
 * What every `EndpointStore` does, together with the stores that fill it. `layer` gives empty ones, whose clock is at 0
 * and advances by `passTime`, in milliseconds.
 */
export const endpointStoreContract = <E>(
  name: string,
  layer: Layer.Layer<DeliveryStores, E>,
  passTime: (milliseconds: number) => Effect.Effect<void> = TestClock.adjust,
): void => {
  const test = makeTest(layer, passTime)

  describe(`EndpointStore ${name}`, () => {
    test(
      "spec/delivery §3: reports an endpoint that responded 410 as disabled, until it is enabled",
      Effect.gen(function* () {
        const endpoints = yield* EndpointStore
        yield* notify(organization, [hook, ...Array.from({ length: 9 }, () => hook)])
        const { claims } = yield* claim(1)
        yield* settle(claims, { kind: "gone" })
        expect(yield* stateOf(idsOf(claims)[0] ?? "")).toBe("failed")
        expect((yield* healthOf(hook)).disabled).toEqual({ at: start, because: "gone" })
        const rest = (yield* claim(100)).claims
        expect(rest.map(({ isDisabled }) => isDisabled)).toEqual(Array.from({ length: 9 }, () => true))
        yield* settle(rest, { kind: "undeliverable" })
        expect((yield* endpoints.enable(organization, hook)).disabled).toBeUndefined()
        expect((yield* endpoints.enable(organization, hook)).inFlightMax).toBe(1)
        yield* notify(organization, [hook, hook])
        const afterwards = (yield* claim(100)).claims
        expect(afterwards.map(({ isDisabled }) => isDisabled)).toEqual([false])
      }),
    )

    test(
      "spec/console §12: finds the alert methods that are disabled, paused or failing, by project and name",
      Effect.gen(function* () {
        const endpoints = yield* EndpointStore
        expect(yield* endpoints.troubled(organization, 10)).toEqual([])
        yield* notify(organization, [other])
        yield* settle((yield* claim(1)).claims, { kind: "gone" })
        yield* endpoints.setPaused(organization, hook, true)
        yield* endpoints.setPaused("globex", hook, true)
        const both = [
          { alertMethod: hook, health: unknownHealth, isPaused: true },
          { alertMethod: other, health: yield* healthOf(other), isPaused: false },
        ]
        expect(both[1]?.health.disabled).toBeDefined()
        expect(yield* endpoints.troubled(organization, 10)).toEqual(both)
        const unknown = { ...hook, name: "unknown" }
        const stopped = yield* endpoints.stopped(organization, [unknown, other, hook])
        expect(stopped).toHaveLength(2)
        expect(stopped).toEqual(expect.arrayContaining([hook, other]))
        expect(yield* endpoints.stopped(organization, [])).toEqual([])
        expect(yield* endpoints.troubled(organization, 1)).toEqual(both.slice(0, 1))
        yield* endpoints.setPaused(organization, hook, false)
        yield* endpoints.enable(organization, other)
        expect(yield* endpoints.troubled(organization, 10)).toEqual([])
        yield* notify(organization, [other])
        yield* settle((yield* claim(1)).claims, { kind: "failed" })
        expect(yield* endpoints.troubled(organization, 10)).toMatchObject([
          { alertMethod: other, health: { failures: 1 } },
        ])
        // It is tried again.
        expect(yield* endpoints.stopped(organization, [hook, other])).toEqual([])
      }),
    )

    test(
      "resets the health of an endpoint only when its URL changes or its method is deleted",
      Effect.gen(function* () {
        const goneAt = (at: string) =>
          Effect.gen(function* () {
            yield* notify(organization, [hook])
            yield* settle((yield* claim(1)).claims, { kind: "gone" })
            expect((yield* healthOf(hook)).disabled, at).toBeDefined()
          })
        const isDisabled = Effect.map(healthOf(hook), ({ disabled }) => disabled !== undefined)
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
      "spec/delivery §3: learns nothing about a receiver from an attempt that went to the one before it",
      Effect.gen(function* () {
        const elsewhere = aMethod(hook, { url: "https://elsewhere.example.com/" })
        const [id = ""] = yield* notify(organization, [hook])
        const before = (yield* claim(1)).claims
        yield* putDefinitions(organization, [elsewhere])
        yield* settle(before, { kind: "gone" })
        expect(yield* stateOf(id)).toBe("failed")
        expect(yield* healthOf(hook)).toEqual(unknownHealth)

        yield* notify(organization, [hook])
        const last = (yield* claim(1)).claims
        yield* removeMethod(organization, hook)
        yield* putDefinitions(organization, [elsewhere])
        yield* settle(last, { kind: "delivered" })
        expect(yield* healthOf(hook)).toEqual(unknownHealth)

        yield* notify(organization, [hook])
        yield* settle((yield* claim(1)).claims, { kind: "gone" })
        expect((yield* healthOf(hook)).disabled).toBeDefined()
      }),
    )

    test(
      "spec/delivery §9: learns nothing from an attempt that was claimed before the alert method was enabled",
      Effect.gen(function* () {
        const endpoints = yield* EndpointStore
        yield* notify(organization, [hook, hook, hook])
        const { claims } = yield* claim(3)
        yield* settle(claims.slice(0, 1), { kind: "gone" })
        const enabled = yield* endpoints.enable(organization, hook)
        yield* settle(claims.slice(1, 2), { kind: "gone" })
        yield* settle(claims.slice(2), { kind: "failed" })
        expect(yield* healthOf(hook)).toEqual(enabled)
        // One that is not disabled is unchanged, and so is what counts.
        yield* notify(organization, [hook])
        const later = (yield* claim(1)).claims
        yield* endpoints.enable(organization, hook)
        yield* settle(later, { kind: "failed" })
        expect((yield* healthOf(hook)).failures).toBe(1)
      }),
    )

    test(
      "claims nothing for an alert method that is paused until it is resumed",
      Effect.gen(function* () {
        const endpoints = yield* EndpointStore
        const pauseOfHook = Effect.map(endpoints.find(organization, hook), ({ pause }) => pause)
        yield* notify(organization, [hook])
        const inFlight = (yield* claim(10)).claims
        yield* endpoints.setPaused(organization, hook, true)
        yield* endpoints.setPaused(organization, hook, true)
        expect(yield* pauseOfHook).toEqual({ isPaused: true, inFlight: 1 })
        yield* notify(organization, [hook, other])
        const others = (yield* claim(10)).claims
        expect(others.map(({ delivery }) => delivery.alertMethod)).toEqual([other])
        expect(yield* settle([...inFlight, ...others], { kind: "delivered" })).toEqual([])
        expect(yield* pauseOfHook).toEqual({ isPaused: true, inFlight: 0 })
        expect((yield* claim(10)).claims).toEqual([])
        yield* endpoints.setPaused(organization, hook, false)
        expect((yield* claim(10)).claims.length).toBe(1)
        expect(yield* pauseOfHook).toEqual({ isPaused: false, inFlight: 1 })
      }),
    )

    test(
      "pauses a method that has had no delivery yet, and forgets the pause when it is deleted",
      Effect.gen(function* () {
        const endpoints = yield* EndpointStore
        yield* endpoints.setPaused(organization, hook, true)
        yield* notify(organization, [hook])
        expect((yield* claim(10)).claims).toEqual([])
        yield* removeMethod(organization, hook)
        // A change of definitions sends no hint.
        yield* passTime(1000)
        expect((yield* claim(10)).claims.length).toBe(1)
        expect((yield* endpoints.find(organization, hook)).pause.isPaused).toBe(false)
      }),
    )

    test(
      "spec/console §4: returns health and latest delivery of alert methods, in the order requested",
      Effect.gen(function* () {
        const endpoints = yield* EndpointStore
        const unknown = { project: "shop", name: "unknown" }
        const nothing = { health: unknownHealth, pause: { isPaused: false, inFlight: 0 } }
        expect(yield* endpoints.activities(organization, [hook, unknown])).toEqual([nothing, nothing])
        expect(yield* endpoints.activities(organization, [])).toEqual([])

        const [ofOther = "", settled = ""] = yield* notify(organization, [other, hook])
        yield* settle((yield* claim(10)).claims, { kind: "delivered" })
        const [activity, activityOfOther] = yield* endpoints.activities(organization, [hook, other])
        expect(activity).toMatchObject({
          health: { failures: 0, lastSuccessAt: start },
          latestDelivery: { notification: { id: settled }, state: "delivered", settledAt: start },
        })
        expect(activityOfOther?.latestDelivery?.notification.id).toBe(ofOther)

        yield* passTime(1000)
        const [pending = ""] = yield* notify(organization, [hook])
        yield* settle((yield* claim(10)).claims, { kind: "failed" })
        yield* endpoints.setPaused(organization, hook, true)
        const [, failing] = yield* endpoints.activities(organization, [other, hook])
        expect(failing).toEqual({
          health: yield* healthOf(hook),
          pause: { isPaused: true, inFlight: 0 },
          latestDelivery: Option.getOrThrow(yield* find(pending)).delivery,
        })
        expect(failing?.latestDelivery).toMatchObject({ state: "pending", attempt: 1 })

        yield* endpoints.setPaused(organization, hook, false)
        yield* (yield* DeliveryQueue).resend(organization, pending)
        yield* claim(10)
        const [sending] = yield* endpoints.activities(organization, [hook])
        expect(sending).toMatchObject({ pause: { inFlight: 1 }, latestDelivery: { state: "sending" } })
        expect(yield* endpoints.activities("another", [hook])).toEqual([nothing])
      }),
    )
  })
}
