import { AcknowledgeTokensJose, HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores, WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { deliveriesInFlightMax, dispatchDeliveries } from "@tocsin/domain"
import { senderFaultDelayMs } from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import {
  type AcknowledgeTokens,
  DeliveryLog,
  DeliveryQueue,
  type Sha256,
  Signer,
  TransportFailure,
  type WebhookRequest,
  type WebhookTransport,
  StoreIsUnavailable,
} from "@tocsin/domain/ports"
import { deliveryLeaseMs, dispatchPollMaxMs, storeRetryMaxMs } from "../../src/delivery/DispatchDeliveries.ts"
import { aMethod, notify, putDefinitions, removeMethod } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { testSigner, testKey, testKeyPublished, verifierOfKeys } from "../../../../test/signature/TestKey.ts"

const organization: OrganizationId = "acme"
const hook = { project: "shop", name: "hook" }
const start = Date.UTC(2026, 0, 30)
const options = { baseUrl: "https://tocsin.example.com", shutdownGraceMs: 20_000 }
const acknowledgeTokens = AcknowledgeTokensJose.layer(Redacted.make(new Uint8Array(32)))

/** Runs a test with the stores in memory and a transport with the given responses; the clock is at `start`. */
const withStores = <E>(
  recording: Recording.WebhookTransportRecording,
  effect: Effect.Effect<
    void,
    E,
    | Layer.Success<typeof MemoryStores.layer>
    | Sha256
    | WebhookTransport
    | Signer
    | AcknowledgeTokens
    | Scope.Scope
  >,
) =>
  TestClock.setTime(start).pipe(
    Effect.andThen(putDefinitions(organization, [aMethod(hook)])),
    Effect.andThen(Effect.scoped(effect)),
    Effect.provide(
      Layer.mergeAll(MemoryStores.layer, recording.layer, testSigner, HashNode.layer, acknowledgeTokens),
    ),
    Effect.provideService(References.MinimumLogLevel, "None"),
  )

const find = (id: string) =>
  Effect.flatMap(DeliveryLog, (log) => Effect.map(log.find(organization, id), Option.getOrThrow))

const header = (request: WebhookRequest | undefined, name: string) =>
  request?.headers.find(([each]) => each === name)?.[1]

const bodyOf = (request: WebhookRequest | undefined): unknown =>
  JSON.parse(new TextDecoder().decode(request?.body))

/** Lets background fibers do what they can at this moment. */
const settleDown = TestClock.adjust(1)

describe("dispatchDeliveries", () => {
  it.effect("spec/signatures §1: sends a signed notification with its own and the custom headers", () => {
    const recording = Recording.make()
    return withStores(
      recording,
      Effect.gen(function* () {
        const header1 = { name: "X-Team", value: Redacted.make("payments"), isSecret: false }
        const header2 = { name: "Authorization", value: Redacted.make("Bearer s3cret"), isSecret: true }
        yield* putDefinitions(organization, [aMethod(hook, { headers: [header1, header2] })])
        yield* dispatchDeliveries(options)
        const [id = ""] = yield* notify(organization, [hook])
        yield* settleDown
        const [request] = recording.requests
        expect(recording.requests.length).toBe(1)
        expect(request?.url.href).toBe("https://hook.example.com/hook")
        expect(request?.headers.map(([name]) => name)).toEqual([
          "Content-Type",
          "Content-Digest",
          "Signature-Input",
          "Signature",
          "Notification-Event",
          "Notification-Id",
          "Notification-Attempt",
          "X-Team",
          "Authorization",
        ])
        expect(header(request, "Content-Type")).toBe("application/json")
        expect(header(request, "Notification-Event")).toBe("alert.triggered")
        expect(header(request, "Notification-Id")).toBe(id)
        expect(header(request, "Notification-Attempt")).toBe("1")
        expect(header(request, "X-Team")).toBe("payments")
        expect(bodyOf(request)).toEqual({ slo: "checkout", id, status: "triggered" })
        const { signature } = yield* Effect.promise(() =>
          verifierOfKeys([testKeyPublished], { now: () => start }).verify({
            method: "POST",
            authority: "hook.example.com",
            target: "/hook",
            headers: request?.headers ?? [],
            body: request?.body ?? new Uint8Array(),
          }),
        )
        expect(signature.label).toBe("sig1")
        const { delivery, attempts } = yield* find(id)
        expect(delivery.state).toBe("delivered")
        expect(attempts).toEqual([
          {
            number: 1,
            startedAt: start,
            durationMs: 0,
            headMs: 0,
            status: 204,
            responseBody: "",
            sent: {
              created: start / 1_000,
              keyId: expect.any(String),
              contentDigest: expect.any(String),
              bodyBytes: 83,
            },
          },
        ])
      }),
    )
  })

  it.effect(
    "spec/signatures §15: notifications with the same URL and body have signatures of different seconds",
    () => {
      const recording = Recording.make()
      return withStores(
        recording,
        Effect.gen(function* () {
          yield* putDefinitions(organization, [aMethod(hook, { template: '"An alert was triggered."' })])
          yield* dispatchDeliveries(options)
          for (let n = 0; n < 3; n++) yield* notify(organization, [hook])
          yield* settleDown
          expect(recording.requests).toHaveLength(1)
          yield* TestClock.adjust(998)
          expect(recording.requests).toHaveLength(1)
          yield* TestClock.adjust(1)
          expect(recording.requests).toHaveLength(2)
          yield* TestClock.adjust(1_000)
          expect(recording.requests).toHaveLength(3)
          const created = recording.requests.map((request) =>
            Number(/;created=(\d+);/.exec(header(request, "Signature-Input") ?? "")?.[1]),
          )
          expect(created).toEqual([0, 1, 2].map((seconds) => start / 1_000 + seconds))
          expect(new Set(recording.requests.map((request) => header(request, "Signature"))).size).toBe(3)
          expect(new Set(recording.requests.map((request) => header(request, "Content-Digest"))).size).toBe(1)
          const ids = recording.requests.map((request) => header(request, "Notification-Id") ?? "")
          for (const [index, id] of ids.entries()) {
            expect((yield* find(id)).attempts).toMatchObject([{ startedAt: start + index * 1_000 }])
          }
        }),
      )
    },
  )

  it.effect(
    "spec/delivery §5, spec/delivery §6: retries at the right times, with the same ID and a new signature, until it succeeds",
    () => {
      const recording = Recording.make((_, n) => Recording.responseOf(n < 4 ? 500 : 200, "no"))
      return withStores(
        recording,
        Effect.gen(function* () {
          yield* dispatchDeliveries(options)
          const [id = ""] = yield* notify(organization, [hook])
          yield* settleDown
          for (const [index, seconds] of [5, 30, 120].entries()) {
            yield* settleDown
            const { state, dueAt } = (yield* find(id)).delivery
            const waitMs = dueAt - (yield* Clock.currentTimeMillis)
            expect(state).toBe("pending")
            // The clock has moved by a millisecond or two since the attempt ended.
            expect(waitMs).toBeGreaterThanOrEqual(seconds * 800 - 2)
            expect(waitMs).toBeLessThanOrEqual(seconds * 1_200)
            yield* TestClock.adjust(waitMs - 1)
            expect(recording.requests.length).toBe(index + 1)
            yield* TestClock.adjust(1)
            expect(recording.requests.length).toBe(index + 2)
          }
          expect(new Set(recording.requests.map((each) => header(each, "Notification-Id")))).toEqual(
            new Set([id]),
          )
          expect(recording.requests.map((each) => header(each, "Notification-Attempt"))).toEqual([
            "1",
            "2",
            "3",
            "4",
          ])
          expect(new Set(recording.requests.map((each) => header(each, "Signature"))).size).toBe(4)
          const { delivery, attempts } = yield* find(id)
          expect(delivery.state).toBe("delivered")
          expect(attempts[0]).toMatchObject({
            number: 1,
            status: 500,
            reason: "http_status",
            detail: "responded with 500",
            responseBody: "no",
          })
        }),
      )
    },
  )

  it.effect("spec/delivery §5: fails after 11 attempts, and restarts when it is resent", () => {
    const recording = Recording.make(() => Recording.responseOf(503))
    return withStores(
      recording,
      Effect.gen(function* () {
        const [id = ""] = yield* notify(organization, [hook])
        // The process ends between the attempts, which are hours apart.
        for (let days = 0; days < 15; days++) {
          yield* Effect.scoped(Effect.andThen(dispatchDeliveries(options), settleDown))
          yield* TestClock.adjust("29 hours")
        }
        expect(recording.requests.length).toBe(11)
        expect((yield* find(id)).delivery.state).toBe("exhausted")
        yield* (yield* DeliveryQueue).resend(organization, id)
        yield* Effect.scoped(Effect.andThen(dispatchDeliveries(options), settleDown))
        expect(recording.requests.length).toBe(12)
        expect(header(recording.requests.at(-1), "Notification-Id")).toBe(id)
      }),
    )
  })

  it.effect("spec/delivery §5: waits as long as Retry-After asks for", () => {
    const recording = Recording.make((_, n) =>
      n === 1 ? { ...Recording.responseOf(429), retryAfterSeconds: 60 } : Recording.responseOf(200),
    )
    return withStores(
      recording,
      Effect.gen(function* () {
        yield* dispatchDeliveries(options)
        yield* notify(organization, [hook])
        yield* TestClock.adjust("59 seconds")
        expect(recording.requests.length).toBe(1)
        yield* TestClock.adjust("2 seconds")
        expect(recording.requests.length).toBe(2)
      }),
    )
  })

  it.effect(
    "spec/templates §10: keeps a delivery whose body is too large, failed, without sending it",
    () => {
      const recording = Recording.make()
      return withStores(
        recording,
        Effect.gen(function* () {
          const template = JSON.stringify("$slo_details_link".repeat(3800))
          yield* putDefinitions(organization, [aMethod(hook, { template })])
          yield* dispatchDeliveries({ ...options, baseUrl: `https://${"a".repeat(60)}.example.com` })
          const [id = ""] = yield* notify(organization, [hook])
          yield* settleDown
          expect(recording.requests).toEqual([])
          const { delivery, attempts } = yield* find(id)
          expect(delivery.state).toBe("failed")
          expect(attempts[0]).toMatchObject({ number: 1, reason: "body_too_large" })
        }),
      )
    },
  )

  it.effect("fails what a deleted alert method was to send, in words", () => {
    const recording = Recording.make()
    return withStores(
      recording,
      Effect.gen(function* () {
        const [id = ""] = yield* notify(organization, [hook])
        yield* removeMethod(organization, hook)
        yield* dispatchDeliveries(options)
        yield* settleDown
        expect(recording.requests).toEqual([])
        expect((yield* find(id)).attempts[0]).toMatchObject({ reason: "method_not_found" })
        expect((yield* find(id)).delivery.state).toBe("failed")
      }),
    )
  })

  it.effect("spec/delivery §3: sends nothing more after 410", () => {
    const recording = Recording.make(() => Recording.responseOf(410))
    return withStores(
      recording,
      Effect.gen(function* () {
        yield* dispatchDeliveries(options)
        yield* notify(organization, [hook])
        yield* settleDown
        const [id = ""] = yield* notify(organization, [hook])
        yield* settleDown
        expect(recording.requests.length).toBe(1)
        expect((yield* find(id)).attempts[0]).toMatchObject({ reason: "method_disabled" })
      }),
    )
  })

  it.effect("spends no attempt on a fault of the service", () => {
    const recording = Recording.make((_, n) =>
      n === 1
        ? new TransportFailure({
            reason: "sender_unavailable",
            detail: "the sender could not make the attempt",
            isReusedSocketReset: false,
            isInfrastructureFault: true,
          })
        : Recording.responseOf(200),
    )
    return withStores(
      recording,
      Effect.gen(function* () {
        yield* dispatchDeliveries(options)
        const [id = ""] = yield* notify(organization, [hook])
        yield* settleDown
        expect((yield* find(id)).delivery).toMatchObject({ state: "pending", attemptsUsed: 0 })
        yield* TestClock.adjust(senderFaultDelayMs + 1000)
        const { delivery, attempts } = yield* find(id)
        expect(delivery).toMatchObject({ state: "delivered", attempt: 2, attemptsUsed: 1 })
        expect(attempts.map(({ number }) => number)).toEqual([2])
      }),
    )
  })

  it.effect("spends no attempt while no key can sign", () => {
    const recording = Recording.make()
    const isAway = { now: true }
    const awaySigner = Layer.succeed(Signer, {
      current: () =>
        isAway.now
          ? Effect.fail(
              new StoreIsUnavailable({
                store: "Signer",
                operation: "current",
                isRetryable: true,
                cause: "away",
              }),
            )
          : Effect.succeed(testKey),
    })
    return withStores(
      recording,
      Effect.gen(function* () {
        yield* dispatchDeliveries(options).pipe(Effect.provide(awaySigner))
        const [id = ""] = yield* notify(organization, [hook])
        yield* settleDown
        expect((yield* find(id)).delivery).toMatchObject({ state: "pending", attemptsUsed: 0 })
        isAway.now = false
        yield* TestClock.adjust(senderFaultDelayMs + 1000)
        expect((yield* find(id)).delivery.state).toBe("delivered")
      }),
    )
  })

  it.effect(
    "spec/delivery §7: another process takes over what a killed one was sending, once its lease has run out",
    () => {
      const recording = Recording.make()
      return withStores(
        recording,
        Effect.gen(function* () {
          const [id = ""] = yield* notify(organization, [hook])
          // A killed process claims, sends, and is never heard of again.
          const queue = yield* DeliveryQueue
          yield* queue.claim({ limit: 10, leaseMs: deliveryLeaseMs })
          yield* TestClock.adjust(deliveryLeaseMs)
          yield* dispatchDeliveries(options)
          yield* TestClock.adjust(0)
          expect(recording.requests.length).toBe(1)
          expect(header(recording.requests[0], "Notification-Attempt")).toBe("2")
          expect(header(recording.requests[0], "Notification-Id")).toBe(id)
          expect(deliveryLeaseMs + dispatchPollMaxMs).toBeLessThanOrEqual(60_000)
        }),
      )
    },
  )

  it.effect("renews the lease of an attempt that takes long", () => {
    const recording = Recording.make(() =>
      Effect.delay(Effect.succeed(Recording.responseOf(200)), "2 minutes"),
    )
    return withStores(
      recording,
      Effect.gen(function* () {
        yield* dispatchDeliveries(options)
        yield* dispatchDeliveries(options)
        const [id = ""] = yield* notify(organization, [hook])
        for (let seconds = 0; seconds < 140; seconds += 20) yield* TestClock.adjust("20 seconds")
        expect(recording.requests.length).toBe(1)
        expect((yield* find(id)).delivery.state).toBe("delivered")
      }),
    )
  })

  it.effect("spec/delivery §7: two dispatchers on one queue send each delivery once", () => {
    const recording = Recording.make(() =>
      Effect.delay(Effect.succeed(Recording.responseOf(200)), "50 millis"),
    )
    return withStores(
      recording,
      Effect.gen(function* () {
        const methods = Array.from({ length: 40 }, (_, index) => ({ project: "shop", name: `m-${index}` }))
        yield* putDefinitions(
          organization,
          methods.map((key) => aMethod(key)),
        )
        yield* dispatchDeliveries(options)
        yield* dispatchDeliveries(options)
        const ids: Array<string> = []
        for (let round = 0; round < 10; round++) {
          ids.push(...(yield* notify(organization, methods)))
          yield* TestClock.adjust(20)
        }
        for (let passed = 0; passed < 20; passed++) yield* TestClock.adjust(60)
        const sent = recording.requests.map((each) => header(each, "Notification-Id"))
        expect(sent.length).toBe(400)
        expect(new Set(sent)).toEqual(new Set(ids))
      }),
    )
  })

  it.effect("one endpoint that hangs holds nobody else up", () => {
    const hanging = { project: "shop", name: "hanging" }
    const arrivedAt: Array<number> = []
    const recording = Recording.make((request) =>
      Effect.flatMap(Clock.Clock, (clock) => {
        if (request.url.host.startsWith("hanging")) {
          return Effect.delay(Effect.succeed(Recording.responseOf(200)), "3 seconds")
        }
        arrivedAt.push(clock.currentTimeMillisUnsafe() - start)
        return Effect.succeed(Recording.responseOf(200))
      }),
    )
    return withStores(
      recording,
      Effect.gen(function* () {
        yield* putDefinitions(organization, [aMethod(hanging)])
        yield* notify(
          organization,
          Array.from({ length: 200 }, () => hanging),
        )
        yield* dispatchDeliveries({ ...options, shutdownGraceMs: 0 })
        yield* settleDown
        expect(recording.requests.length).toBe(5)
        yield* notify(
          organization,
          Array.from({ length: 200 }, () => hook),
        )
        for (let passed = 0; passed < 5; passed++) yield* TestClock.adjust(10)
        expect(arrivedAt.length).toBe(200)
        expect(Math.max(...arrivedAt)).toBeLessThanOrEqual(100)
      }),
    )
  })

  it.effect("one organization whose receivers are slow leaves capacity for the others", () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ project: "shop", name: `slow-${index}` }))
    const recording = Recording.make((request) =>
      request.url.host.startsWith("slow")
        ? Effect.delay(Effect.succeed(Recording.responseOf(200)), "14 seconds")
        : Recording.responseOf(200),
    )
    return withStores(
      recording,
      Effect.gen(function* () {
        yield* putDefinitions(
          "big",
          many.map((key) => aMethod(key)),
        )
        const slow = yield* notify(
          "big",
          many.flatMap((key) => [key, key, key, key, key]),
        )
        yield* dispatchDeliveries({ ...options, shutdownGraceMs: 0 })
        yield* settleDown
        const inFlight = recording.requests.length
        expect(inFlight).toBeGreaterThan(deliveriesInFlightMax / 4)
        expect(inFlight).toBeLessThan(deliveriesInFlightMax / 2)
        const [id = ""] = yield* notify(organization, [hook])
        yield* settleDown
        expect((yield* find(id)).delivery.state).toBe("delivered")
        for (let seconds = 0; seconds < 45; seconds += 15) yield* TestClock.adjust("15 seconds")
        expect(recording.requests.length).toBe(slow.length + 1)
      }),
    )
  })

  it.effect("a failed release is repeated without settling again what is settled", () => {
    const fault = new TransportFailure({
      reason: "sender_unavailable",
      detail: "the sender could not make the attempt",
      isReusedSocketReset: false,
      isInfrastructureFault: true,
    })
    const recording = Recording.make((_, n) => (n === 1 ? fault : Recording.responseOf(200)))
    const calls: Array<string> = []
    return withStores(
      recording,
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const failing = DeliveryQueue.of({
          ...queue,
          settle: (settlements) =>
            Effect.suspend(() => {
              calls.push("settle")
              return queue.settle(settlements)
            }),
          release: (releases) =>
            Effect.suspend(() => {
              calls.push("release")
              const away = { operation: "release", isRetryable: true, cause: "away" }
              const count = calls.filter((call) => call === "release").length
              return count < 3
                ? new StoreIsUnavailable({ store: "DeliveryQueue", ...away })
                : queue.release(releases)
            }),
        })
        yield* Effect.provideService(dispatchDeliveries(options), DeliveryQueue, failing)
        const [released = "", settled = ""] = (yield* notify(organization, [hook, hook])).toSorted()
        yield* settleDown
        expect(calls).toContain("release")
        yield* TestClock.adjust("1 second")
        yield* TestClock.adjust("1 second")
        expect(calls.toSorted()).toEqual(["release", "release", "release", "settle"])
        expect((yield* find(settled)).delivery.state).toBe("delivered")
        expect((yield* find(released)).delivery).toMatchObject({ state: "pending", attemptsUsed: 0 })
      }),
    )
  })

  it.effect("on shutdown, finishes and settles what is in flight, and claims nothing more", () => {
    const recording = Recording.make(() =>
      Effect.delay(Effect.succeed(Recording.responseOf(200)), "2 seconds"),
    )
    return withStores(
      recording,
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* Scope.provide(dispatchDeliveries(options), scope)
        const ids = yield* notify(organization, [hook, hook, hook, hook, hook, hook])
        yield* settleDown
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.await(closing)
        const states = yield* Effect.forEach(ids, (id) =>
          Effect.map(find(id), ({ delivery }) => delivery.state),
        )
        expect(states.filter((state) => state === "delivered").length).toBe(5)
        expect(states.filter((state) => state === "pending").length).toBe(1)
        yield* TestClock.adjust("1 minute")
        expect(recording.requests.length).toBe(5)
      }),
    )
  })

  it.effect("on shutdown, gives back what is not finished within the grace, without a spent attempt", () => {
    const recording = Recording.make(() => Effect.never)
    return withStores(
      recording,
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* Scope.provide(dispatchDeliveries(options), scope)
        const [id = ""] = yield* notify(organization, [hook])
        yield* settleDown
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* TestClock.adjust(options.shutdownGraceMs + 1)
        yield* Fiber.await(closing)
        expect((yield* find(id)).delivery).toMatchObject({ state: "pending", attempt: 1, attemptsUsed: 0 })
      }),
    )
  })

  it.effect("survives a queue that is unavailable, and settles what it sent meanwhile", () => {
    const recording = Recording.make()
    const isAway = { now: false }
    const fault = (operation: string) =>
      new StoreIsUnavailable({ store: "DeliveryQueue", operation, isRetryable: true, cause: "away" })
    return withStores(
      recording,
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const flaky = DeliveryQueue.of({
          ...queue,
          claim: (request) => Effect.suspend(() => (isAway.now ? fault("claim") : queue.claim(request))),
          settle: (batch) => Effect.suspend(() => (isAway.now ? fault("settle") : queue.settle(batch))),
          renew: (leaseMs) => Effect.suspend(() => (isAway.now ? fault("renew") : queue.renew(leaseMs))),
        })
        yield* dispatchDeliveries(options).pipe(Effect.provideService(DeliveryQueue, flaky))
        const [first = ""] = yield* notify(organization, [hook])
        yield* TestClock.adjust(0)
        isAway.now = true
        const [second = ""] = yield* notify(organization, [hook])
        yield* TestClock.adjust("10 seconds")
        isAway.now = false
        yield* TestClock.adjust("10 seconds")
        expect((yield* find(first)).delivery.state).toBe("delivered")
        expect((yield* find(second)).delivery.state).toBe("delivered")
        expect(recording.requests.length).toBe(2)
      }),
    )
  })

  it.effect("survives a defect of the queue, and one of an attempt", () => {
    const defects = { left: 1 }
    const recording = Recording.make((_, n) =>
      n === 1 ? Effect.die(new Error("a defect of the transport")) : Recording.responseOf(200),
    )
    return withStores(
      recording,
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const broken = DeliveryQueue.of({
          ...queue,
          claim: (request) =>
            Effect.suspend(() =>
              defects.left-- > 0 ? Effect.die(new Error("a defect of the queue")) : queue.claim(request),
            ),
        })
        yield* dispatchDeliveries(options).pipe(Effect.provideService(DeliveryQueue, broken))
        const [id = ""] = yield* notify(organization, [hook])
        yield* TestClock.adjust(storeRetryMaxMs + senderFaultDelayMs + 1000)
        expect((yield* find(id)).delivery).toMatchObject({ state: "delivered", attempt: 2, attemptsUsed: 1 })
      }),
    )
  })

  it.effect("sends with the current alert method, not the one at the time of the alert", () => {
    const recording = Recording.make((_, n) => Recording.responseOf(n === 1 ? 500 : 200))
    return withStores(
      recording,
      Effect.gen(function* () {
        yield* dispatchDeliveries(options)
        yield* notify(organization, [hook])
        yield* settleDown
        yield* putDefinitions(organization, [
          aMethod(hook, { url: "https://new.example.com/", template: '"$slo_name"' }),
        ])
        yield* TestClock.adjust("10 seconds")
        expect(recording.requests.map(({ url }) => url.authority)).toEqual([
          "hook.example.com",
          "new.example.com",
        ])
        expect(bodyOf(recording.requests[1])).toBe("checkout")
      }),
    )
  })
})
