import { countedAlertsMax, displayNameMaxCharacters } from "@tocsin/domain/limits"
import { DeliveryQueue } from "@tocsin/domain/ports"
import { searchSlosPerSecond } from "@tocsin/domain/rate-limit"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const apply = (headers: Readonly<Record<string, string>>, definitions: ReadonlyArray<object>) =>
  Effect.map(
    send("/api/apply", {
      method: "PUT",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(
        definitions.map((definition) => ({ apiVersion: "tocsin/v1alpha", ...definition })),
      ),
    }),
    (response) => expect([response.status, response.text]).toEqual([200, response.text]),
  )

const aMethod = (name: string, project = "default") => ({
  kind: "AlertMethod",
  metadata: { name, project, displayName: name.toUpperCase() },
  spec: { webhook: { url: "https://hooks.example.com/s3cr3t", templateFields: ["slo_name"] } },
})

const aProject = (name: string) => ({ kind: "Project", metadata: { name } })

interface MethodPage {
  readonly data: ReadonlyArray<{
    readonly definition: { readonly metadata: { readonly name: string; readonly project: string } }
    readonly state: string
    readonly health: object
    readonly latestDelivery?: object
  }>
  readonly links: { readonly self: string; readonly next?: string }
}

const methodsAt = (path: string, headers: Readonly<Record<string, string>>) =>
  Effect.map(send(path, { headers }), (response) => JSON.parse(response.text) as MethodPage)

const namesOf = ({ data }: MethodPage) =>
  data.map(({ definition: { metadata } }) => `${metadata.project}/${metadata.name}`)

const aService = (project: string, name: string) => ({ kind: "Service", metadata: { project, name } })

const anSlo = (project: string, name: string, displayName = name, service = "web") => ({
  kind: "SLO",
  metadata: { name, project, displayName },
  spec: {
    service,
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [{ name: "fast", target: 0.9 }],
  },
})

interface SloPage {
  readonly data: ReadonlyArray<{ readonly name: string; readonly project: { readonly name: string } }>
  readonly links: { readonly self: string; readonly next?: string }
}

describe("the SLOs of the console", () => {
  const path = "/api/console/slos"

  const slosAt = (target: string, headers: Readonly<Record<string, string>>) =>
    Effect.map(send(target, { headers }), ({ status, text }) => {
      expect([status, text]).toEqual([200, text])
      return JSON.parse(text) as SloPage
    })

  const slosOf = ({ data }: SloPage) => data.map(({ project, name }) => `${project.name}/${name}`)

  const filled = Effect.gen(function* () {
    const headers = yield* headersOf("acme")
    yield* apply(headers, [aProject("pay"), aProject("shop")])
    yield* apply(headers, [aService("pay", "web"), aService("shop", "web"), aService("shop", "search")])
    yield* apply(headers, [
      anSlo("pay", "checkout", "Zahlung über 100 €"),
      anSlo("pay", "refund"),
      anSlo("shop", "checkout", "Checkout & Co"),
      anSlo("shop", "find", "Find", "search"),
    ])
    return headers
  })

  it.effect(
    "spec/console §4: are those of version 2, found by a part of their names, project and service",
    () =>
      Effect.gen(function* () {
        const headers = yield* filled
        const all = yield* slosAt(path, headers)
        expect(slosOf(all)).toEqual(["pay/checkout", "pay/refund", "shop/checkout", "shop/find"])
        const listed = JSON.parse((yield* send("/api/v2/slos", { headers })).text) as SloPage
        expect(all.data).toEqual(listed.data)
        for (const [query, found] of [
          ["search=CHECK", ["pay/checkout", "shop/checkout"]],
          ["search=%C3%9CBER", ["pay/checkout"]],
          ["search=%26+co", ["shop/checkout"]],
          ["search=%25", []],
          ["project=shop", ["shop/checkout", "shop/find"]],
          ["service=search", ["shop/find"]],
          ["search=&project=&service=web", ["pay/checkout", "pay/refund", "shop/checkout"]],
          ["search=check&project=pay&service=web", ["pay/checkout"]],
          ["search=check&service=search", []],
        ] as const) {
          expect([query, slosOf(yield* slosAt(`${path}?${query}`, headers))]).toEqual([query, found])
          yield* TestClock.adjust("1 second")
        }
        expect(slosOf(yield* slosAt(path, yield* headersOf("other")))).toEqual([])
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/console §4: come in pages, whose links carry what is looked for", () =>
    Effect.gen(function* () {
      const headers = yield* filled
      const first = yield* slosAt(`${path}?search=%26+co%25&limit=1`, headers)
      expect(first.links).toEqual({ self: `${path}?limit=1&cursor=&search=%26+co%25` })
      const page = yield* slosAt(`${path}?search=C&limit=1`, headers)
      expect(slosOf(page)).toEqual(["pay/checkout"])
      const next = yield* slosAt(page.links.next ?? "", headers)
      expect([slosOf(next), next.links.next]).toEqual([["shop/checkout"], undefined])
      const ofList = JSON.parse((yield* send("/api/v2/slos?limit=1", { headers })).text) as SloPage
      const cursor = new URLSearchParams(ofList.links.next?.split("?")[1]).get("cursor")
      const refused = yield* send(`${path}?cursor=${cursor}`, { headers })
      expect([refused.status, errorsOf(refused)[0]?.code]).toEqual([400, "cursor_invalid"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/console §4: are looked for 10 times a second, apart from the list, in at most 253 characters",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("acme")
        const long = (characters: number) => send(`${path}?search=${"x".repeat(characters)}`, { headers })
        expect((yield* long(displayNameMaxCharacters)).status).toBe(200)
        const tooLong = yield* long(displayNameMaxCharacters + 1)
        expect([tooLong.status, errorsOf(tooLong)[0]?.code]).toEqual([400, "search_too_long"])
        for (let count = 2; count < searchSlosPerSecond; count++) yield* slosAt(path, headers)
        const refused = yield* send(path, { headers: yield* headersOf("acme", "viewer") })
        expect([refused.status, refused.headers.get("ratelimit-policy")]).toEqual([
          429,
          '"console-slos";q=10;w=1',
        ])
        expect((yield* send("/api/v2/slos", { headers })).status).toBe(200)
        expect((yield* send(path)).status).toBe(401)
      }).pipe(Effect.provide(apiServer)),
  )
})

describe("the alert methods of the console", () => {
  it.effect("spec/console §4: return the health of each, with its latest delivery, and no secret", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
      const headers = yield* headersOf("acme")
      yield* apply(headers, [aService("default", "web"), anSlo("default", "checkout")])
      yield* apply(
        headers,
        ["gone", "notified", "unused", "waiting"].map((name) => aMethod(name)),
      )
      const accepted = yield* send("/api/alerts", {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          status: "triggered",
          slo: { name: "checkout", project: "default" },
          objective: "fast",
          alertMethods: ["gone", "notified", "waiting"].map((name) => ({ name, project: "default" })),
        }),
      })
      expect(accepted.status).toBe(202)
      const queue = yield* DeliveryQueue
      const { claims } = yield* queue.claim({ limit: 10, leaseMs: 30_000 })
      yield* queue.settle(
        claims.map(({ claimId, delivery: { alertMethod, attempt } }) => ({
          claimId,
          attempt: { number: attempt, startedAt: Date.UTC(2026, 0, 30, 12), durationMs: 3 },
          outcome: ({ gone: { kind: "gone" }, notified: { kind: "delivered" } } as const)[
            alertMethod.name as "gone" | "notified"
          ] ?? { kind: "failed" },
          random: 0.5,
        })),
      )
      const viewer = yield* headersOf("acme", "viewer")
      const page = yield* methodsAt("/api/console/alertmethods", viewer)
      expect(
        page.data.map(({ definition, state, latestDelivery }) => [
          definition.metadata.name,
          state,
          latestDelivery,
        ]),
      ).toMatchObject([
        ["gone", "disabled", { state: "failed", attempt: 1 }],
        ["notified", "healthy", { state: "delivered", settledAt: "2026-01-30T12:00:00.000Z" }],
        ["unused", "unused", undefined],
        ["waiting", "failing", { state: "pending", attempt: 1 }],
      ])
      expect(page.data[0]).toMatchObject({
        definition: {
          apiVersion: "tocsin/v1alpha",
          kind: "AlertMethod",
          metadata: { displayName: "GONE" },
          spec: { webhook: { url: "[hidden]", templateFields: ["slo_name"] } },
        },
        health: { isDisabled: true, disabledBecause: "gone", failures: 1, isPaused: false, inFlight: 0 },
      })
      expect(JSON.stringify(page)).not.toContain("s3cr3t")
      const paused = yield* send("/api/alertmethods/unused/pause", { method: "POST", headers })
      expect(paused.status).toBe(200)
      const states = Effect.map(methodsAt("/api/console/alertmethods", viewer), ({ data }) =>
        data.map(({ state }) => state),
      )
      expect(yield* states).toEqual(["disabled", "healthy", "paused", "failing"])
      yield* queue.setPaused(true)
      expect(yield* states).toEqual(["disabled", "paused", "paused", "paused"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/console §4: come in pages, of all projects or of one", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      yield* apply(headers, [aProject("a"), aProject("b")])
      yield* apply(headers, [aMethod("y", "b"), aMethod("x", "b"), aMethod("x", "a"), aMethod("z")])
      const path = "/api/console/alertmethods"
      const first = yield* methodsAt(`${path}?limit=2`, headers)
      expect(namesOf(first)).toEqual(["a/x", "b/x"])
      expect(first.links.self).toBe(`${path}?limit=2&cursor=`)
      const second = yield* methodsAt(first.links.next ?? "", headers)
      expect(namesOf(second)).toEqual(["b/y", "default/z"])
      expect(second.links.next).toBeUndefined()
      const ofProject = yield* methodsAt(`${path}?project=b&limit=1&cursor=`, headers)
      expect([namesOf(ofProject), ofProject.links.self]).toEqual([
        ["b/x"],
        `${path}?limit=1&cursor=&project=b`,
      ])
      expect(namesOf(yield* methodsAt(ofProject.links.next ?? "", headers))).toEqual(["b/y"])
      expect((yield* methodsAt(path, yield* headersOf("other"))).data).toEqual([])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/console §4: are rejected without access, and with an invalid page", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      expect((yield* send("/api/console/alertmethods")).status).toBe(401)
      for (const [query, code] of [
        ["limit=501", "limit_invalid"],
        ["cursor=x", "cursor_invalid"],
      ] as const) {
        const refused = yield* send(`/api/console/alertmethods?${query}`, { headers })
        expect([refused.status, errorsOf(refused)[0]?.code]).toEqual([400, code])
      }
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("the status of the console", () => {
  const statusAt = (headers: Readonly<Record<string, string>>) =>
    Effect.map(send("/api/console/status", { headers }), ({ status, text }) => [status, JSON.parse(text)])

  it.effect("spec/console §4: counts the open alerts of the organization, up to a hundred", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      yield* apply(headers, [aService("default", "web"), aMethod("on-call")])
      const slos = Array.from({ length: countedAlertsMax + 3 }, (_, at) => anSlo("default", `slo-${at}`))
      yield* apply(headers, slos)
      const trigger = (status: string, alertId: string, at: number) =>
        send("/api/alerts", {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({
            status,
            alertId,
            slo: { name: `slo-${at}`, project: "default" },
            objective: "fast",
            alertMethods: [{ name: "on-call", project: "default" }],
            conditions: ["Burns"],
          }),
        }).pipe(
          Effect.tap(({ status, text }) => Effect.sync(() => expect([status, text]).toEqual([202, text]))),
        )
      expect(yield* statusAt(headers)).toEqual([200, { activeAlerts: 0 }])
      yield* trigger("triggered", "a-1", 1)
      yield* trigger("triggered", "a-2", 2)
      yield* trigger("resolved", "a-2", 2)
      expect(yield* statusAt(headers)).toEqual([200, { activeAlerts: 1 }])
      yield* TestClock.adjust("1 second")
      expect(yield* statusAt(yield* headersOf("other", "viewer"))).toEqual([200, { activeAlerts: 0 }])
      for (let at = 3; at <= countedAlertsMax + 1; at++) yield* trigger("triggered", `a-${at}`, at)
      expect(yield* statusAt(headers)).toEqual([200, { activeAlerts: countedAlertsMax }])
      yield* TestClock.adjust("1 second")
      yield* trigger("triggered", "a-200", 2)
      expect(yield* statusAt(headers)).toEqual([200, { activeAlerts: countedAlertsMax }])
      expect((yield* send("/api/console/status")).status).toBe(401)
    }).pipe(Effect.provide(apiServer)),
  )
})
