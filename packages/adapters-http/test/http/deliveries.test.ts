import { attempt as attemptSchema } from "@tocsin/api"
import { aMethod, notify, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { dispatchDeliveries } from "@tocsin/domain"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { ask, hook, organization, start, test } from "../../../../test/http/delivery-client.ts"

interface ShownRequest {
  readonly body: string
  readonly bodyState: string
  readonly attempts: ReadonlyArray<{
    readonly number: number
    readonly isBodyAsSent: boolean
    readonly signatureBase: string
    readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
  }>
}

const dispatch = dispatchDeliveries({ baseUrl: "https://tocsin.example.com", shutdownGraceMs: 0 })

it("spec/alerting §7: durations are in tenths of a millisecond", () => {
  const encode = Schema.encodeSync(attemptSchema)
  const attempt = { number: 1, startedAt: 0, durationMs: 12.345678, connectMs: 0.04999, headMs: 3 }
  expect(encode(attempt)).toEqual({
    number: 1,
    startedAt: "1970-01-01T00:00:00.000Z",
    durationMs: 12.3,
    connectMs: 0,
    headMs: 3,
  })
  expect(encode({ number: 1, startedAt: 0, durationMs: 1 })).not.toHaveProperty("headMs")
})

describe("the log of deliveries", () => {
  const recording = Recording.make((_, n) => Recording.responseOf(n === 1 ? 503 : 200, "a response"))
  test(
    "spec/alerting §7: returns a delivery with its attempts, and nothing secret",
    Effect.gen(function* () {
      const url = "https://hook.example.com/token-s3cret"
      yield* putDefinitions(organization, [aMethod(hook, { url })])
      yield* dispatch
      const [id = ""] = yield* notify(organization, [hook])
      yield* TestClock.adjust(1)
      const pending = yield* ask("GET", `/api/deliveries/${id}`, { role: "viewer" })
      expect(pending.json).toEqual({
        id,
        alertMethod: hook,
        state: "pending",
        event: "alert.triggered",
        alertId: "alert-1",
        slo: { project: "shop", name: "checkout" },
        attempt: 1,
        attemptsUsed: 1,
        createdAt: "2026-01-30T12:00:00.000Z",
        nextAttemptAt: expect.stringMatching(/^2026-01-30T12:00:0[4-6]/),
        attempts: [
          {
            number: 1,
            startedAt: "2026-01-30T12:00:00.000Z",
            durationMs: 0,
            headMs: 0,
            status: 503,
            reason: "http_status",
            detail: "responded with 503",
            responseBody: "a response",
            sent: {
              created: start / 1_000,
              keyId: expect.any(String),
              contentDigest: expect.stringMatching(/^sha-256=:/),
              bodyBytes: expect.any(Number),
            },
          },
        ],
      })
      yield* TestClock.adjust("7 seconds")
      const delivered = yield* ask("GET", `/api/deliveries/${id}`)
      expect(delivered.json).toMatchObject({ state: "delivered", attempt: 2, settledAt: expect.any(String) })
      expect(delivered.json).not.toHaveProperty("nextAttemptAt")
      expect(delivered.text).not.toContain("s3cret")
    }),
    recording,
  )

  const sent = Recording.make((_, n) => Recording.responseOf(n === 1 ? 503 : 200))
  test(
    "spec/delivery §14: shows what each attempt sent, without the URL, secret headers and the signature, and whether the body is the same",
    Effect.gen(function* () {
      const url = "https://hook.example.com/token-s3cret"
      const header = (name: string, value: string, isSecret: boolean) => ({
        name,
        value: Redacted.make(value),
        isSecret,
      })
      const headers = [header("X-Team", "payments", false), header("X-Key", "s3cret-key", true)]
      yield* putDefinitions(organization, [aMethod(hook, { url, headers })])
      yield* dispatch
      const [id = ""] = yield* notify(organization, [hook])
      yield* TestClock.adjust("7 seconds")
      const path = `/api/console/deliveries/${id}/request`
      const shown = yield* ask("GET", path, { role: "viewer" })
      expect(shown.text).not.toContain("s3cret")
      const [first, second] = sent.requests
      const { json } = shown as { readonly json: ShownRequest }
      expect(json.bodyState).toBe("as_sent")
      expect(json.body).toBe(new TextDecoder().decode(first?.body))
      expect(json.attempts.map(({ number, isBodyAsSent }) => [number, isBodyAsSent])).toEqual([
        [1, true],
        [2, true],
      ])
      for (const [at, request] of [first, second].entries()) {
        expect(json.attempts[at]?.headers.map(({ name, value }) => [name, value])).toEqual(
          request?.headers
            .filter(([name]) => name !== "Signature")
            .map(([name, value]) => [name, name === "X-Key" ? "[hidden]" : value]),
        )
        const input = request?.headers.find(([name]) => name === "Signature-Input")?.[1] ?? ""
        expect(json.attempts[at]?.signatureBase).toContain(input.slice("sig1=".length))
        expect(json.attempts[at]?.signatureBase).toContain('"@path": [hidden]')
      }
      yield* putDefinitions(organization, [aMethod(hook, { url, template: '{"changed":"$slo_name"}' })])
      expect((yield* ask("GET", path)).json).toMatchObject({
        bodyState: "changed",
        body: '{"changed":"checkout"}',
        attempts: [{ isBodyAsSent: false }, { isBodyAsSent: false }],
      })
      yield* putDefinitions(organization, [aMethod(hook, { url, template: '{"ack":"$acknowledge_link"}' })])
      const linked = yield* ask("GET", path)
      expect(linked.json.bodyState).toBe("link_hidden")
      expect(linked.json.body).toContain("?token=[hidden]")
      yield* ask("DELETE", "/api/delete/alertmethod?name=hook", { headers: { project: "shop" } })
      expect((yield* ask("GET", path)).json).toMatchObject({ bodyState: "method_deleted" })
      expect((yield* ask("GET", path, { organization: "globex" })).status).toBe(404)
      expect((yield* ask("GET", "/api/console/deliveries/none/request")).status).toBe(404)
    }),
    sent,
  )

  const rejecting = Recording.make(() => Recording.responseOf(500))
  test(
    "spec/delivery §15: has a test as a delivery, which cannot be resent",
    Effect.gen(function* () {
      const tested = yield* ask("POST", "/api/alertmethods/hook/test", { headers: { project: "shop" } })
      const { deliveryId } = tested.json as { readonly deliveryId: string }
      const logged = yield* ask("GET", `/api/deliveries/${deliveryId}`)
      expect(logged.json).toMatchObject({
        event: "test",
        state: "exhausted",
        alertMethod: hook,
        attempts: [{ number: 1, status: 500 }],
      })
      expect(logged.json).not.toHaveProperty("alertId")
      expect((yield* ask("GET", "/api/deliveries?event=test")).json.data).toHaveLength(1)
      const shown = yield* ask("GET", `/api/console/deliveries/${deliveryId}/request`)
      expect(shown.json).toMatchObject({ bodyState: "as_sent", body: tested.json.request.body })
      const resent = yield* ask("POST", `/api/deliveries/${deliveryId}/resend`)
      expect([resent.status, resent.json.errors[0].code]).toEqual([409, "test_not_resent"])
    }),
    rejecting,
  )

  test(
    "spec/alerting §7: is read in pages whose links carry the filters",
    Effect.gen(function* () {
      const other = { project: "shop", name: "other" }
      yield* notify(organization, [hook, other, hook, hook])
      const ids: Array<string> = []
      let path: string | undefined =
        "/api/deliveries?limit=2&alertMethod=hook&project=shop&state=pending&state=failed&event=alert.triggered"
      let pages = 0
      while (path !== undefined) {
        const page: { readonly status: number; readonly json: Page } = yield* ask("GET", path)
        expect(page.status).toBe(200)
        expect(page.json.links.self).toContain(
          "alertMethod=hook&project=shop&state=pending&state=failed&event=alert.triggered",
        )
        ids.push(...page.json.data.map(({ id }) => id))
        path = page.json.links.next
        pages++
      }
      expect([pages, ids.length, new Set(ids).size]).toEqual([2, 3, 3])
      expect(ids).toEqual(ids.toSorted().toReversed())
      const delivered = yield* ask("GET", "/api/deliveries?state=delivered")
      expect(delivered.json).toEqual({
        data: [],
        links: { self: "/api/deliveries?limit=500&cursor=&state=delivered" },
      })
      expect((yield* ask("GET", "/api/deliveries?to=2026-01-30T12:00:00Z")).json.data).toEqual([])
      expect((yield* ask("GET", "/api/deliveries?from=2026-01-30T12:00:00Z")).json.data.length).toBe(4)
    }),
  )

  test(
    "spec/delivery §14: lists those of one alert, by its exact ID",
    Effect.gen(function* () {
      const ofAlert = (alertId: string) =>
        notify(organization, [hook, hook], undefined, "alert.triggered", alertId)
      yield* ofAlert("burn")
      const ids = yield* ofAlert("burn&1=%")
      const first: { readonly json: Page } = yield* ask(
        "GET",
        "/api/deliveries?limit=1&alertId=burn%261%3D%25",
      )
      const second: { readonly json: Page } = yield* ask("GET", first.json.links.next ?? "")
      const read = [...first.json.data, ...second.json.data].map(({ id }) => id)
      expect(read).toEqual(ids.toSorted().toReversed())
      expect(second.json.links).not.toHaveProperty("next")
      expect((yield* ask("GET", "/api/deliveries?alertId=bur")).json.data).toEqual([])
      expect((yield* ask("GET", "/api/deliveries?alertId=")).json.data).toHaveLength(4)
    }),
  )

  test(
    "spec/errors §2: rejects invalid parameters and reports what is not found",
    Effect.gen(function* () {
      const [id = ""] = yield* notify(organization, [hook])
      const codeOf = (path: string) =>
        Effect.map(ask("GET", path), ({ status, json }) => [status, json.errors[0].code])
      expect(yield* codeOf("/api/deliveries?state=lost")).toEqual([400, "state_invalid"])
      expect(yield* codeOf("/api/deliveries?event=lost")).toEqual([400, "event_invalid"])
      expect(yield* codeOf("/api/deliveries?from=yesterday")).toEqual([400, "date_time_invalid"])
      expect(yield* codeOf("/api/deliveries?limit=501")).toEqual([400, "limit_invalid"])
      expect(yield* codeOf("/api/deliveries?cursor=x")).toEqual([400, "cursor_invalid"])
      expect(yield* codeOf("/api/deliveries/unknown")).toEqual([404, "delivery_not_found"])
      expect((yield* ask("GET", `/api/deliveries/${id}`, { organization: "another" })).status).toBe(404)
    }),
  )

  const failing = Recording.make((_, n) => Recording.responseOf(n === 1 ? 410 : 200))
  test(
    "spec/delivery §5: a delivery can be resent, by editors",
    Effect.gen(function* () {
      yield* dispatch
      const [id = ""] = yield* notify(organization, [hook])
      yield* TestClock.adjust(1)
      const path = `/api/deliveries/${id}/resend`
      expect((yield* ask("GET", `/api/deliveries/${id}`)).json.state).toBe("failed")
      expect((yield* ask("POST", path, { role: "viewer" })).status).toBe(403)
      expect((yield* ask("POST", path, { organization: "another" })).status).toBe(404)
      yield* ask("POST", "/api/alertmethods/hook/enable", { headers: { project: "shop" } })
      const resent = yield* ask("POST", path)
      expect([resent.status, resent.json.state]).toEqual([202, "pending"])
      // In the next second, as the body is the same.
      yield* TestClock.adjust(1_000)
      expect((yield* ask("GET", `/api/deliveries/${id}`)).json).toMatchObject({
        state: "delivered",
        attempt: 2,
      })
    }),
    failing,
  )
})

interface Page {
  readonly data: ReadonlyArray<{ readonly id: string }>
  readonly links: { readonly self: string; readonly next?: string }
}
