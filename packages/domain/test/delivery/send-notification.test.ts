import { HashNode } from "@tocsin/adapters-http/crypto"
import { WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { TransportFailure, WebhookTransport } from "@tocsin/domain/ports"
import { sampleVariableValues } from "@tocsin/domain/template"
import { aMethod } from "@tocsin/testing/fixtures"
import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { testSigner } from "../../../../test/signature/TestKey.ts"
import { failureOfStatus } from "../../src/notification/Attempt.ts"
import { prepareMethod } from "../../src/notification/NotificationRequest.ts"
import { makeSendNotification } from "../../src/notification/SendNotification.ts"

const sender = (transport: WebhookTransport["Service"]) =>
  makeSendNotification.pipe(
    Effect.provide(Layer.mergeAll(HashNode.layer, testSigner, Layer.succeed(WebhookTransport, transport))),
  )

it.effect("spec/delivery §17: an attempt starts when its wait is over, whatever becomes of it", () =>
  Effect.gen(function* () {
    const failed = new TransportFailure({
      reason: "connect_refused",
      detail: "the receiver refused the connection",
      isReusedSocketReset: false,
      isInfrastructureFault: false,
      waitedMs: 4_000,
    })
    const { transport, requests } = Recording.make((_, n) =>
      n === 1
        ? Effect.as(Effect.sleep(4_200), {
            status: 204,
            waitedMs: 4_000,
            headMs: 150,
            totalMs: 200,
            body: "",
          })
        : Effect.andThen(Effect.sleep(4_200), Effect.fail(failed)),
    )
    const send = yield* sender(transport)
    const prepared = prepareMethod(aMethod({ project: "shop", name: "hook" }))
    const attempt = (notification_id: string) =>
      send(
        prepared,
        { id: notification_id, event: "alert.triggered", attempt: 1 },
        { ...sampleVariableValues, organization: "globex", notification_id },
      )
    yield* TestClock.setTime(1_000_000)
    const [delivered, refused] = yield* Effect.all([attempt("n-1"), attempt("n-2")], {
      concurrency: 2,
    }).pipe(
      Effect.forkChild,
      Effect.tap(() => TestClock.adjust(4_200)),
      Effect.flatMap(Fiber.join),
    )
    expect(delivered.attempt).toMatchObject({ startedAt: 1_004_000, durationMs: 200 })
    expect(refused.attempt).toMatchObject({ startedAt: 1_004_000, durationMs: 200 })
    expect(requests.map(({ organization }) => organization)).toEqual(["globex", "globex"])
  }),
)

it.each([
  [200, "success"],
  [202, "success"],
  [204, "success"],
  [299, "success"],
  [301, "redirect_rejected"],
  [304, "redirect_rejected"],
  [307, "redirect_rejected"],
  [400, "http_status"],
  [404, "http_status"],
  [410, "http_status"],
  [429, "http_status"],
  [500, "http_status"],
  [599, "http_status"],
])("spec/delivery §3: only 2xx is a success: %d is %s", (status, reason) => {
  expect(failureOfStatus(status)?.reason ?? "success").toBe(reason)
})

it("spec/delivery §3: names the status of a failure", () => {
  expect(failureOfStatus(404)?.detail).toBe("responded with 404")
  expect(failureOfStatus(302)?.detail).toBe("responded with 302; redirects are not followed")
})
