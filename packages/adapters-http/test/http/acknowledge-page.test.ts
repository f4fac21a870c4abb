import * as AcknowledgeTokensJose from "../../src/crypto/AcknowledgeTokensJose.ts"
import { AccessLog } from "@tocsin/adapters-http/server"
import { WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { dispatchDeliveries } from "@tocsin/domain"
import { acknowledgeLinkLifetimeMs } from "@tocsin/domain/limits"
import { DeliveryLog } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { aMethod, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer, send } from "../../../../test/http/api-client.ts"
import { masterKey } from "../../../../test/http/api-ports.ts"
import { ask, hook, organization, slo, test } from "../../../../test/http/delivery-client.ts"

const baseUrl = "https://tocsin.example.com/slo"

const lastBody = (recording: Recording.WebhookTransportRecording) =>
  new TextDecoder().decode(recording.requests.at(-1)?.body)

/** The body of the latest request, once there are more than `before`. */
const sentAfter = (recording: Recording.WebhookTransportRecording, before: number) =>
  Effect.gen(function* () {
    yield* TestClock.adjust("1 second")
    // The tokens of links are signed on another thread.
    while (recording.requests.length === before)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    return lastBody(recording)
  })

/** Sends an alert whose message is the link; returns the path and query of the page on this server. */
const linkOf = (recording: Recording.WebhookTransportRecording, alert: object = {}) =>
  Effect.gen(function* () {
    yield* putDefinitions(organization, [aMethod(hook, { template: '["$acknowledge_link"]' })])
    yield* dispatchDeliveries({ baseUrl, shutdownGraceMs: 0 })
    const triggered = { status: "triggered", slo, objective: "good", alertMethods: [hook], ...alert }
    const before = recording.requests.length
    const { alertId, deliveries } = (yield* ask("POST", "/api/alerts", { body: triggered })).json
    const [url] = JSON.parse(yield* sentAfter(recording, before))
    return {
      alertId,
      deliveryId: deliveries[0].id,
      link: url.slice("https://tocsin.example.com/slo".length),
      url,
    }
  })

const alertOf = (id: string) =>
  Effect.map(
    ask("GET", `/api/get/alert?name=${encodeURIComponent(id)}`, { headers: { project: "*" } }),
    ({ json }) => json[0].spec,
  )

describe("what is kept of a link", () => {
  it.effect("spec/alerting §19: its token is in no log", () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => lines.push(line))])
    const logged = apiServer.pipe(
      Layer.provide(AccessLog.layer((text) => lines.push(text))),
      Layer.provide(Layer.merge(logger, Layer.succeed(References.MinimumLogLevel, "All"))),
    )
    return Effect.gen(function* () {
      const tokens = AcknowledgeTokensJose.make(masterKey)
      const expiresAt = (yield* Clock.currentTimeMillis) + 60_000
      const token = yield* tokens.issue({ organization, alertId: "unknown" }, expiresAt)
      yield* Effect.provide(
        Effect.forEach(["GET", "POST"], (method) => send(`/acknowledge?token=${token}`, { method })),
        logged,
      )
      expect(lines.join("")).toContain('"path":"/acknowledge"')
      expect(lines.join("")).not.toContain(token.slice(-20))
    })
  })
})

describe("the page that acknowledges an alert", () => {
  const echo = Recording.make(({ body }) => Recording.responseOf(200, new TextDecoder().decode(body)))
  test(
    "spec/alerting §19, spec/templates §8: only the button acknowledges, once, and the token is not logged",
    Effect.gen(function* () {
      const { alertId, deliveryId, link, url } = yield* linkOf(echo)
      expect(url).toMatch(/^https:\/\/tocsin\.example\.com\/slo\/acknowledge\?token=[\w.-]+$/)
      for (const method of ["GET", "HEAD", "GET"]) {
        const page = yield* send(link, { method })
        expect(page.status).toBe(200)
        expect((yield* alertOf(alertId)).acknowledgement).toBeUndefined()
      }
      const { text, headers } = yield* send(link)
      expect(text).toContain("<dd>shop/checkout</dd>")
      expect(text).toContain('<form method="post"><button>Acknowledge alert</button></form>')
      expect(text).not.toContain("<script")
      expect(text).not.toContain(link.slice("/acknowledge?token=".length))
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^;]+; /)

      yield* TestClock.adjust("9 minutes")
      const first = yield* send(link, { method: "POST" })
      expect([first.status, first.text]).toEqual([
        200,
        expect.stringContaining("<h1>Alert acknowledged</h1>"),
      ])
      const { acknowledgement } = yield* alertOf(alertId)
      expect(acknowledgement).toEqual({ by: "link", at: "2026-01-30T12:09:01.000Z" })
      yield* TestClock.adjust("9 minutes")
      for (const method of ["GET", "POST"]) {
        const again = yield* send(link, { method })
        expect([again.status, again.text]).toEqual([200, first.text])
        expect(again.text).toContain("<dd>link</dd>")
        expect(again.text).toContain("<dd>2026-01-30T12:09:01Z</dd>")
        expect(again.text).not.toContain("<button")
      }

      const log = yield* ask("GET", `/api/deliveries/${deliveryId}`)
      expect(log.json.attempts[0].responseBody).toBe(
        '["https://tocsin.example.com/slo/acknowledge?token=[hidden]"]',
      )
      const stored = yield* (yield* DeliveryLog).find(organization, deliveryId)
      expect(JSON.stringify(stored)).not.toContain(link.slice("/acknowledge?token=".length, 40))
    }),
    echo,
  )

  const recording = Recording.make()
  test(
    "spec/alerting §19: explains links that are expired, and alerts that were closed, or acknowledged by someone else",
    Effect.gen(function* () {
      const tokens = AcknowledgeTokensJose.make(masterKey)
      const { alertId, link } = yield* linkOf(recording, { conditions: ["<b>", "&"] })
      yield* TestClock.adjust(acknowledgeLinkLifetimeMs - 2_000)
      expect((yield* send(link)).status).toBe(200)
      yield* TestClock.adjust("2 seconds")
      for (const method of ["GET", "POST"]) {
        const { status, text } = yield* send(link, { method })
        expect([status, text]).toEqual([410, expect.stringContaining("The link has expired.")])
      }
      expect((yield* alertOf(alertId)).acknowledgement).toBeUndefined()

      const linkTo = (alert: string, org = organization) =>
        Effect.map(
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            tokens.issue({ organization: org, alertId: alert }, now + 60_000),
          ),
          (token) => `/acknowledge?token=${token}`,
        )
      const resolved = { status: "resolved", slo, objective: "good", alertId }
      yield* ask("POST", "/api/alerts", { body: resolved })
      const closed = yield* send(yield* linkTo(alertId), { method: "POST" })
      expect([closed.status, closed.text]).toEqual([409, expect.stringContaining("The alert is resolved.")])
      expect(closed.text).not.toContain("<button")
      expect((yield* send(yield* linkTo(alertId))).status).toBe(409)

      const other = yield* linkOf(recording, { objective: "great" })
      yield* ask("POST", `/api/alerts/${other.alertId}/acknowledge`)
      const { by } = (yield* alertOf(other.alertId)).acknowledgement
      const late = yield* send(other.link, { method: "POST" })
      expect([late.status, late.text]).toEqual([200, expect.stringContaining(`<dd>${by}</dd>`)])

      expect((yield* send(yield* linkTo(other.alertId, "other"), { method: "POST" })).status).toBe(404)
      const trial = yield* send("/acknowledge?token=test", { method: "POST" })
      expect([trial.status, trial.text]).toEqual([200, expect.stringContaining("test notification")])
      expect((yield* send("/acknowledge", { method: "DELETE" })).status).toBe(405)
    }),
    recording,
  )

  const forged = Recording.make()
  test(
    "spec/alerting §19, spec/rate-limits §3: rejects forged tokens, and limits them without blocking valid ones",
    Effect.gen(function* () {
      const { alertId, link } = yield* linkOf(forged)
      const [head, payload, mac] = link.slice("/acknowledge?token=".length).split(".")
      const otherKey = AcknowledgeTokensJose.make(Redacted.make(new Uint8Array(32)))
      const expiresAt = (yield* Clock.currentTimeMillis) + 60_000
      const invalid = [
        "",
        "%00",
        `${head}.${payload}`,
        `${head}.${payload}.${mac.slice(0, -2)}`,
        yield* otherKey.issue({ organization, alertId }, expiresAt),
      ]
      for (const token of invalid) {
        const { status, text } = yield* send(`/acknowledge?token=${token}`, { method: "POST" })
        expect([status, text]).toEqual([403, expect.stringContaining("<h1>Invalid link</h1>")])
      }
      const limited = yield* send(`/acknowledge?token=${head}`)
      expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"])
      expect((yield* alertOf(alertId)).acknowledgement).toBeUndefined()
      expect((yield* send(link, { method: "POST" })).status).toBe(200)
      expect((yield* alertOf(alertId)).acknowledgement.by).toBe("link")
    }),
    forged,
  )

  const resolving = Recording.make()
  test(
    "spec/templates §8: the link is empty when the alert is resolved, and a test in tests",
    Effect.gen(function* () {
      yield* linkOf(resolving)
      yield* putDefinitions(organization, [
        aMethod(hook, { template: '["$acknowledge_link"]', sendResolution: true }),
      ])
      const before = resolving.requests.length
      yield* ask("POST", "/api/alerts", { body: { status: "resolved", slo, objective: "good" } })
      expect(yield* sentAfter(resolving, before)).toBe('[""]')
      yield* ask("POST", "/api/alertmethods/hook/test", { headers: { project: "shop" } })
      expect(lastBody(resolving)).toMatch(/^\["http:\/\/.+\/acknowledge\?token=test"\]$/)
    }),
    resolving,
  )
})
