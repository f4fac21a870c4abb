import { aMethod, notify, putDefinitions, removeMethod } from "@tocsin/testing/fixtures"
import { describe, expect } from "@tocsin/testing/vitest"
import { WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { dispatchDeliveries } from "@tocsin/domain"
import { Signer, TransportFailure } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { createHash } from "node:crypto"
import { ask, hook, organization, start, test } from "../../../../test/http/delivery-client.ts"

const healthy = { isDisabled: false, failures: 0, isPaused: false, inFlight: 0, isAllPaused: false }

const inShop = { headers: { project: "shop" } }

const definition = {
  apiVersion: "tocsin/v1alpha",
  kind: "AlertMethod",
  metadata: { name: "new", project: "shop" },
  spec: {
    webhook: {
      url: "https://Hooks.example.com:443/in?token=s3cret",
      templateFields: ["slo_name", "alert_policy_conditions[]", "slo_details_link"],
      headers: [
        { name: "X-Team", value: "payments" },
        { name: "X-Token", value: "hunter2", isSecret: true },
      ],
    },
  },
}

describe("POST /api/alertmethods/test", () => {
  const recording = Recording.make()
  test(
    "spec/delivery §15: tests a definition that is not stored, logs nothing, and sends stored secrets only where they were sent before",
    Effect.gen(function* () {
      const post = (definition: object, options = {}) =>
        ask("POST", "/api/alertmethods/test", { body: { definition }, ...options })
      const url = "https://hook.example.com/hook"
      const header = { name: "X-Key", isSecret: true }
      yield* putDefinitions(organization, [
        aMethod(hook, { url, headers: [{ ...header, value: Redacted.make("s3cret") }] }),
      ])
      const definition = (name: string, to: string) => ({
        apiVersion: "tocsin/v1alpha",
        kind: "AlertMethod",
        metadata: { name, project: "shop" },
        spec: {
          webhook: { url: to, templateFields: ["slo_name"], headers: [{ ...header, value: "[hidden]" }] },
        },
      })
      const kept = yield* post(definition("hook", `${url}?another=1`))
      expect([kept.status, kept.json.message]).toEqual([200, "Test completed successfully!"])
      expect(kept.json).not.toHaveProperty("deliveryId")
      expect(kept.text).not.toContain("s3cret")
      expect(recording.requests[0]?.headers).toContainEqual(["X-Key", "s3cret"])
      const moved = yield* post(definition("hook", "https://elsewhere.example.com/"))
      expect([moved.status, moved.json.errors[0].source.propertyName]).toEqual([
        400,
        "definition.spec.webhook.headers[0].value",
      ])
      const unknown = yield* post(definition("new", url))
      expect(unknown.status).toBe(400)
      expect((yield* post({ kind: "Service" })).status).toBe(400)
      expect((yield* post(definition("hook", url), { role: "viewer" })).status).toBe(403)
      expect(recording.requests).toHaveLength(1)
      expect((yield* ask("GET", "/api/deliveries")).json.data).toEqual([])
      for (let count = 1; count < 5; count++) expect((yield* post(definition("hook", url))).status).toBe(200)
      expect((yield* post(definition("hook", url))).status).toBe(429)
    }),
    recording,
  )
})

describe("POST /api/alertmethods/{name}/test", () => {
  const recording = Recording.make()
  test(
    "spec/delivery §15: sends one notification with sample values and returns its success",
    Effect.gen(function* () {
      const response = yield* ask("POST", "/api/alertmethods/hook/test", inShop)
      expect([response.status, response.json.message]).toEqual([200, "Test completed successfully!"])
      expect(response.json).not.toHaveProperty("detail")
      expect(response.json.attempt).toMatchObject({
        number: 1,
        status: 204,
        startedAt: "2026-01-30T12:00:00.000Z",
      })
      expect(recording.requests.length).toBe(1)
      const headers = new Map(recording.requests[0]?.headers)
      expect(headers.get("Notification-Event")).toBe("test")
      expect(headers.get("Notification-Attempt")).toBe("1")
      expect(headers.get("Signature")).toMatch(/^sig1=:.+:$/)
      expect(JSON.parse(new TextDecoder().decode(recording.requests[0]?.body))).toEqual({
        slo: "checkout-latency",
        id: headers.get("Notification-Id"),
        status: "test",
      })
      const logged = yield* ask("GET", "/api/deliveries")
      expect(logged.json.data).toMatchObject([
        { id: response.json.deliveryId, event: "test", state: "delivered", attempt: 1 },
      ])
    }),
    recording,
  )

  const previewed = Recording.make()
  test(
    "spec/delivery §16: a test returns the request that was sent, with the values of secret headers hidden and without the URL",
    Effect.gen(function* () {
      const project = { apiVersion: "tocsin/v1alpha", kind: "Project", metadata: { name: "shop" } }
      const applied = yield* ask("PUT", "/api/apply", { body: [project, definition] })
      expect(applied.status).toBe(200)
      const response = yield* ask("POST", "/api/alertmethods/new/test", inShop)
      const [sent] = previewed.requests
      expect(response.json.request).toEqual({
        method: "POST",
        headers: sent?.headers.map(([name, value]) => ({
          name,
          value: name === "X-Token" ? "[hidden]" : value,
        })),
        body: new TextDecoder().decode(sent?.body),
      })
      expect(sent?.headers).toContainEqual(["X-Token", "hunter2"])
      expect(JSON.stringify(response.json)).not.toMatch(/s3cret|hunter2|hooks\.example/)
    }),
    previewed,
  )

  const answers = [
    Recording.responseOf(404),
    new TransportFailure({
      reason: "tls_invalid",
      detail: "the certificate expired on 2026-01-02",
      isReusedSocketReset: false,
      isInfrastructureFault: false,
    }),
    new TransportFailure({
      reason: "sender_unavailable",
      detail: "the sender's proxy is away",
      isReusedSocketReset: false,
      isInfrastructureFault: true,
    }),
    Recording.responseOf(302),
  ]
  test(
    "spec/delivery §15, spec/templates §3: says Test failed and what is wrong",
    Effect.gen(function* () {
      const details: Array<unknown> = []
      for (let n = 0; n < answers.length; n++) {
        const response = yield* ask("POST", "/api/alertmethods/hook/test", inShop)
        expect([response.status, response.json.message]).toEqual([200, "Test failed"])
        details.push([response.json.detail, response.json.attempt.reason])
        yield* TestClock.adjust("5 seconds")
      }
      expect(details).toEqual([
        ["responded with 404", "http_status"],
        ["the certificate expired on 2026-01-02", "tls_invalid"],
        ["the sender's proxy is away", "sender_unavailable"],
        ["responded with 302; redirects are not followed", "redirect_rejected"],
      ])
      expect((yield* ask("GET", "/api/alertmethods/hook/health", inShop)).json).toEqual(healthy)
    }),
    Recording.make((_, n) => answers[n - 1] ?? Recording.responseOf(204)),
  )

  test(
    "spec/delivery §15: at most one test per method per 5 s",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [aMethod({ project: "shop", name: "other" })])
      const statusOf = (name: string) =>
        Effect.map(ask("POST", `/api/alertmethods/${name}/test`, inShop), ({ status }) => status)
      expect(yield* statusOf("hook")).toBe(200)
      const rejected = yield* ask("POST", "/api/alertmethods/hook/test", inShop)
      expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([429, "5"])
      expect(yield* statusOf("other")).toBe(200)
      yield* TestClock.adjust(4999)
      expect(yield* statusOf("hook")).toBe(429)
      yield* TestClock.adjust(1)
      expect(yield* statusOf("hook")).toBe(200)
    }),
  )

  test(
    "spec/alerting §7: needs the role editor and a method that exists in the project of the header",
    Effect.gen(function* () {
      expect((yield* ask("POST", "/api/alertmethods/hook/test", { ...inShop, role: "viewer" })).status).toBe(
        403,
      )
      expect((yield* ask("POST", "/api/alertmethods/unknown/test", inShop)).status).toBe(404)
      expect((yield* ask("POST", "/api/alertmethods/hook/test")).status).toBe(404)
      expect(
        (yield* ask("POST", "/api/alertmethods/hook/test", { ...inShop, organization: "x" })).status,
      ).toBe(404)
    }),
  )
})

describe("spec/alert-methods §8: POST /api/alertmethods/preview", () => {
  const recording = Recording.make()
  test(
    "spec/alerting §7: shows body, headers and signature base; nothing is stored, sent or signed",
    Effect.gen(function* () {
      const response = yield* ask("POST", "/api/alertmethods/preview", { body: definition, role: "viewer" })
      expect(response.status).toBe(200)
      const { body, headers, signatureBase } = response.json
      expect(JSON.parse(body)).toMatchObject({
        slo_name: "checkout-latency",
        slo_details_link: "http://localhost:8080/slos/default/checkout-latency",
      })
      const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`
      const { keyId } = yield* (yield* Signer).current("acme")
      const params = `("@method" "@authority" "@path" "content-digest" "content-type");created=${start / 1000};keyid="${keyId}";alg="ed25519"`
      expect(headers).toEqual([
        { name: "Content-Type", value: "application/json" },
        { name: "Content-Digest", value: digest },
        { name: "Signature-Input", value: `sig1=${params}` },
        { name: "Notification-Event", value: "alert.triggered" },
        { name: "Notification-Id", value: expect.any(String) },
        { name: "Notification-Attempt", value: "1" },
        { name: "X-Team", value: "payments" },
        { name: "X-Token", value: "[hidden]" },
      ])
      expect(signatureBase).toBe(
        [
          '"@method": POST',
          '"@authority": hooks.example.com',
          '"@path": /in',
          `"content-digest": ${digest}`,
          '"content-type": application/json',
          `"@signature-params": ${params}`,
        ].join("\n"),
      )
      expect(response.text).not.toContain("s3cret")
      expect(response.text).not.toContain("hunter2")
      expect(recording.requests).toEqual([])
      expect((yield* ask("GET", "/api/get/alertmethod?name=new", inShop)).json).toEqual([])
    }),
    recording,
  )

  test(
    "spec/definitions §8: shows neither the URL nor the values that are stored",
    Effect.gen(function* () {
      const url = "https://stored.example.com/s3cret-path"
      yield* putDefinitions(organization, [aMethod({ project: "shop", name: "new" }, { url })])
      const { webhook } = definition.spec
      const headers = [{ name: "X-Team", value: "payments" }]
      const body = { ...definition, spec: { webhook: { ...webhook, headers, url: "[hidden]" } } }
      const response = yield* ask("POST", "/api/alertmethods/preview", { body, role: "viewer" })
      expect(response.json.signatureBase).toContain('"@authority": [hidden]\n"@path": [hidden]\n')
      expect(response.text).not.toContain("stored.example.com")
      expect(response.text).not.toContain("s3cret")
      yield* removeMethod(organization, { project: "shop", name: "new" })
      const rejected = yield* ask("POST", "/api/alertmethods/preview", { body })
      expect([rejected.status, rejected.json.errors[0].code]).toEqual([400, "hidden_without_stored"])
    }),
  )

  test(
    "spec/definitions §8: does not reveal to a viewer whether a URL has the stored one's host",
    Effect.gen(function* () {
      const url = "https://stored.example.com/in"
      const secret = { name: "X-Token", value: Redacted.make("hunter2"), isSecret: true }
      yield* putDefinitions(organization, [
        aMethod({ project: "shop", name: "new" }, { url, headers: [secret] }),
      ])
      const { webhook } = definition.spec
      const headers = [{ name: "X-Token", value: "[hidden]", isSecret: true }]
      for (const guess of ["https://stored.example.com/", "https://other.example.com/"]) {
        const body = { ...definition, spec: { webhook: { ...webhook, headers, url: guess } } }
        const response = yield* ask("POST", "/api/alertmethods/preview", { body, role: "viewer" })
        expect([response.status, response.json.headers.at(-1)]).toEqual([
          200,
          { name: "X-Token", value: "[hidden]" },
        ])
      }
    }),
  )

  test(
    "spec/alerting §7: reads YAML, reports every issue, and accepts one alert method",
    Effect.gen(function* () {
      const yaml = (text: string) =>
        ask("POST", "/api/alertmethods/preview", {
          body: text,
          headers: { "content-type": "application/yaml" },
        })
      const head = "apiVersion: tocsin/v1alpha\nkind: AlertMethod\nmetadata: {name: new, project: shop}\n"
      const ok = yield* yaml(
        `${head}spec:\n  webhook:\n    url: https://example.com\n    template: '{"a":"$slo_name"}'\n`,
      )
      expect([ok.status, ok.json.body]).toEqual([200, '{"a":"checkout-latency"}'])
      const bad = yield* yaml(
        `${head}spec:\n  webhook:\n    url: http://example.com\n    template: '$nope'\n`,
      )
      expect(bad.status).toBe(400)
      expect(
        bad.json.errors.map(({ source }: { source: { propertyName: string } }) => source.propertyName),
      ).toEqual(["spec.webhook.template", "spec.webhook.url"])
      expect(
        (yield* ask("POST", "/api/alertmethods/preview", { body: [definition, definition] })).status,
      ).toBe(400)
      const project = { apiVersion: "tocsin/v1alpha", kind: "Project", metadata: { name: "p" } }
      const other = yield* ask("POST", "/api/alertmethods/preview", { body: project })
      expect(other.json.errors).toEqual([
        { title: "must be AlertMethod", code: "not_allowed_value", source: { propertyName: "kind" } },
      ])
    }),
  )
})

describe("an alert method's health", () => {
  test(
    "spec/delivery §9: is shown, and a disabled method can be enabled again, by editors",
    Effect.gen(function* () {
      const health = (role: "viewer" | "editor" = "viewer") =>
        ask("GET", "/api/alertmethods/hook/health", { ...inShop, role })
      expect((yield* health()).json).toEqual(healthy)
      yield* dispatchDeliveries({ baseUrl: "https://tocsin.example.com", shutdownGraceMs: 0 })
      yield* notify(organization, [hook])
      yield* TestClock.adjust(1)
      expect((yield* health()).json).toEqual({
        isDisabled: true,
        // The attempt may end before or after the clock has moved on.
        disabledAt: expect.stringMatching(/^2026-01-30T12:00:00\.00[01]Z$/),
        disabledBecause: "gone",
        failures: 1,
        failingSince: expect.stringMatching(/^2026-01-30T12:00:00\.00[01]Z$/),
        isPaused: false,
        inFlight: 0,
        isAllPaused: false,
      })
      const enable = (role: "viewer" | "editor") =>
        ask("POST", "/api/alertmethods/hook/enable", { ...inShop, role })
      expect((yield* enable("viewer")).status).toBe(403)
      expect((yield* enable("editor")).json).toEqual(healthy)
      expect((yield* ask("GET", "/api/alertmethods/unknown/health", inShop)).status).toBe(404)
      expect((yield* ask("POST", "/api/alertmethods/unknown/enable", inShop)).status).toBe(404)
    }),
    Recording.make(() => Recording.responseOf(410)),
  )
})

describe("pausing an alert method", () => {
  const recording = Recording.make()
  test(
    "spec/delivery §13: nothing is delivered until it is resumed, by editors",
    Effect.gen(function* () {
      const post = (verb: string, role: "viewer" | "editor" = "editor") =>
        ask("POST", `/api/alertmethods/hook/${verb}`, { ...inShop, role })
      yield* dispatchDeliveries({ baseUrl: "https://tocsin.example.com", shutdownGraceMs: 0 })
      expect([(yield* post("pause", "viewer")).status, (yield* post("resume", "viewer")).status]).toEqual([
        403, 403,
      ])
      for (let times = 0; times < 2; times++)
        expect((yield* post("pause")).json).toEqual({ ...healthy, isPaused: true })
      yield* notify(organization, [hook])
      yield* TestClock.adjust("1 minute")
      expect(recording.requests.length).toBe(0)
      const health = ask("GET", "/api/alertmethods/hook/health", { ...inShop, role: "viewer" })
      expect((yield* health).json).toEqual({ ...healthy, isPaused: true })
      for (let times = 0; times < 2; times++)
        expect((yield* post("resume")).json).toMatchObject({ isPaused: false })
      yield* TestClock.adjust(1)
      expect(recording.requests.length).toBe(1)
    }),
    recording,
  )

  test(
    "spec/delivery §13: a method that does not exist, or is another organization's, cannot be paused",
    Effect.gen(function* () {
      for (const verb of ["pause", "resume"]) {
        expect((yield* ask("POST", `/api/alertmethods/unknown/${verb}`, inShop)).status).toBe(404)
        const foreign = yield* ask("POST", `/api/alertmethods/hook/${verb}`, {
          ...inShop,
          organization: "another",
        })
        expect(foreign.status).toBe(404)
      }
    }),
  )
})
