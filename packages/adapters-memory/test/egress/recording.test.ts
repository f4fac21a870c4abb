import { responseOf, make } from "../../src/WebhookTransportRecording.ts"
import { TransportFailure, WebhookTransport } from "@tocsin/domain/ports"
import { it as effectIt } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { requestTo } from "../../../../test/egress/receiver.ts"

const first = requestTo("https://hooks.example.com/1")
const second = requestTo("https://hooks.example.com/2")

describe("the transport that records", () => {
  it("returns 204 and keeps the values received, in order", async () => {
    const recording = make()
    const answers = await Effect.runPromise(Effect.forEach([first, second], recording.transport.send))
    expect(answers).toEqual([responseOf(204), responseOf(204)])
    expect(recording.requests).toEqual([first, second])
  })

  it("returns or fails as its function does, which counts requests from 1", async () => {
    const refused = new TransportFailure({
      reason: "connect_refused",
      detail: "the receiver refused the connection",
      isReusedSocketReset: false,
      isInfrastructureFault: false,
    })
    const recording = make((request, n) => (n === 1 ? refused : responseOf(200, request.url.path)))
    const outcomes = await WebhookTransport.pipe(
      Effect.flatMap(({ send }) =>
        Effect.forEach([first, second], (request) => Effect.result(send(request))),
      ),
      Effect.provide(recording.layer),
      Effect.runPromise,
    )
    expect(outcomes.map(Result.merge)).toEqual([refused, responseOf(200, "/2")])
  })

  effectIt.effect("a receiver that hangs takes its time by the clock, and is recorded at once", () =>
    Effect.gen(function* () {
      const recording = make(() => Effect.as(Effect.sleep("3 seconds"), responseOf(200)))
      const fiber = yield* Effect.forkChild(recording.transport.send(first))
      yield* TestClock.adjust("2999 millis")
      expect(recording.requests).toEqual([first])
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(fiber)).toEqual(responseOf(200))
    }),
  )

  it("keeps the last 10,000 requests", async () => {
    const recording = make()
    await Effect.runPromise(
      Effect.forEach(
        Array.from({ length: 10_001 }, (_, n) => (n === 0 ? first : second)),
        recording.transport.send,
        { discard: true },
      ),
    )
    expect(recording.requests).toHaveLength(10_000)
    expect(recording.requests).not.toContain(first)
  })
})
