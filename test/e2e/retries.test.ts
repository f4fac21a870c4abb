import { createNotificationVerifier } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { expect, it } from "@tocsin/testing/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeCertificates } from "../egress/certificates.ts"
import { eventually, startClockedServer } from "./clocked-server.ts"
import { methodYaml, withSlo } from "./definitions.ts"
import { headerOf, type ReceiverAnswer, startReceiver, toFetchRequest } from "./https-receiver.ts"

const answers: ReadonlyArray<ReceiverAnswer> = [
  { status: 500 },
  { status: 503, headers: { "retry-after": "40" } },
  { status: 204 },
]

it.effect(
  "spec/delivery §5, spec/delivery §6: a receiver that fails at first gets its retries, with new signatures and the same Notification-Id",
  () =>
    Effect.gen(function* () {
      const certificates = yield* Effect.promise(() => makeCertificates())
      const receiver = yield* Effect.acquireRelease(
        Effect.promise(() => startReceiver(certificates, (_, n) => answers[n - 1] ?? { status: 500 })),
        ({ close }) => Effect.promise(close),
      )
      const server = yield* startClockedServer({ caPem: certificates.ca })
      const headers = yield* server.login
      const method = methodYaml("on-call", `${receiver.url}/hook`, "templateFields: [alert_id]")
      const applied = yield* server.send("PUT", "/api/apply", {
        headers: { ...headers, "content-type": "application/yaml" },
        body: withSlo(method),
      })
      expect(applied.status).toBe(200)
      const accepted = yield* server.send("POST", "/api/alerts", {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          status: "triggered",
          alertId: "a-1",
          slo: { name: "checkout", project: "default" },
          alertMethods: [{ name: "on-call", project: "default" }],
        }),
      })
      expect(accepted.status).toBe(202)
      const [{ id }] = accepted.json.deliveries
      const delivery = server.send("GET", `/api/deliveries/${id}`, { headers })

      const waits: Array<number> = []
      for (let attempt = 1; attempt < answers.length; attempt++) {
        const { json } = yield* eventually(delivery, ({ json }) => json.attempts.length === attempt)
        expect(json).toMatchObject({ state: "pending", attempt })
        const now = yield* Clock.currentTimeMillis
        waits.push((Date.parse(json.nextAttemptAt) - now) / 1_000)
        // The time is rounded down to the millisecond.
        yield* TestClock.adjust(Date.parse(json.nextAttemptAt) - now - 1)
        expect(receiver.received).toHaveLength(attempt)
        yield* TestClock.adjust(2)
      }
      const { json: log } = yield* eventually(delivery, ({ json }) => json.state === "delivered")

      // Within 20% of 5 s; then 30 s, which Retry-After lengthens.
      const [first = 0, second = 0] = waits
      expect(first).toBeGreaterThanOrEqual(3.9)
      expect(first).toBeLessThanOrEqual(6)
      expect(second).toBeGreaterThanOrEqual(39.9)
      expect(second).toBeLessThanOrEqual(41)

      expect(log.attempts).toMatchObject([
        { number: 1, status: 500, reason: "http_status" },
        { number: 2, status: 503, reason: "http_status" },
        { number: 3, status: 204 },
      ])
      const { received } = receiver
      expect(received.map((each) => headerOf(each, "notification-id"))).toEqual([id, id, id])
      expect(received.map((each) => headerOf(each, "notification-attempt"))).toEqual(["1", "2", "3"])
      expect(new Set(received.map(({ body }) => body.toString()))).toEqual(new Set(['{"alert_id":"a-1"}']))

      const created = received.map((each) =>
        Number(/;created=(\d+);/.exec(headerOf(each, "signature-input"))?.[1]),
      )
      // Each attempt is signed right before it starts, which can be in the next second.
      const started: ReadonlyArray<number> = log.attempts.map(({ startedAt }: { startedAt: string }) =>
        Math.floor(Date.parse(startedAt) / 1_000),
      )
      for (const [index, at] of created.entries()) {
        expect(at).toBeLessThanOrEqual(started[index] ?? 0)
        expect(at).toBeGreaterThan(started[index - 1] ?? 0)
      }
      for (const [index, each] of received.entries()) {
        const now = () => (created[index] ?? 0) * 1_000
        const verifier = createNotificationVerifier({
          baseUrl: server.url,
          authority: new URL(each.url).host,
          maxAgeSeconds: 0,
          maxAheadSeconds: 0,
          now,
        })
        const verified = yield* Effect.promise(() => verifyFetchRequest(verifier, toFetchRequest(each)))
        expect(verified.attempt).toBe(index + 1)
      }
    }),
)
