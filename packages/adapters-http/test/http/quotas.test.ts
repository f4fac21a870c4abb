import { NodeApiServer } from "@tocsin/adapters-http"
import {
  costlyAtOncePerOrganizationMax,
  costlyAtOnceMax,
  type RequestsInProgress,
  CostlyRequestsInProgress as InProgress,
  costlyUnitsPerWindow,
} from "@tocsin/domain/rate-limit"
import { Quotas } from "@tocsin/domain"
import { AlertStore, DefinitionStore } from "@tocsin/domain/ports"
import { aMethod, anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { aService } from "../../../../test/definition/valid-definitions.ts"
import { apiPorts } from "../../../../test/http/api-ports.ts"
import { ask, hook, organization, slo, start } from "../../../../test/http/delivery-client.ts"

const quotas = {
  definitions: 5,
  alertsPerSecond: 3,
  countRequestsPerSecond: 2,
  deliveriesPerMinute: 4,
  notificationBytes: 2_000,
  historyBytes: 1_000_000,
}

const inProgress: RequestsInProgress = { byOrganization: new Map(), total: 0 }

const ports = Layer.mergeAll(apiPorts, Layer.succeed(Quotas, quotas), Layer.succeed(InProgress, inProgress))

const server = Layer.provideMerge(NodeApiServer.layer({ host: "127.0.0.1", port: 0 }), ports)

const test = (
  what: string,
  effect: Effect.Effect<void, unknown, Layer.Success<typeof server> | Scope.Scope>,
): void =>
  it.effect(what, () =>
    TestClock.setTime(start).pipe(
      Effect.andThen(putDefinitions(organization, [anSlo(slo), aMethod(hook)])),
      Effect.andThen(effect),
      Effect.provide(Layer.fresh(server)),
    ),
  )

const errorOf = (answer: { readonly json: ReturnType<typeof JSON.parse> }) => answer.json.errors[0]

const apply = (names: ReadonlyArray<string>, query = "") =>
  ask("PUT", `/api/apply${query}`, { body: names.map((name) => aService(name, "default")) })

const alert = (alertId: string) => ({ status: "triggered", slo, alertMethods: [hook], alertId })

describe("the quotas of an organization", () => {
  test(
    "spec/rate-limits §7: definitions beyond the quota are 403, in a dry run too; updating and deleting are not",
    Effect.gen(function* () {
      expect((yield* apply(["a", "b", "c"])).status).toBe(200)
      for (const query of ["", "?dry_run=true"]) {
        const beyond = yield* apply(["a", "d"], query)
        expect([beyond.status, errorOf(beyond).code]).toEqual([403, "definitions_quota_exceeded"])
        expect(errorOf(beyond).detail).toContain(
          "can have 5 definitions, has 5, and this request would create 1",
        )
      }
      const described = { ...aService("a", "default"), spec: { description: "new" } }
      expect((yield* ask("PUT", "/api/apply", { body: described })).status).toBe(200)
      expect((yield* ask("DELETE", "/api/delete/service?name=b", { body: undefined })).status).toBe(204)
      expect((yield* apply(["d"])).status).toBe(200)
      const stored = yield* (yield* DefinitionStore).list(organization, { kind: "Service" }, { limit: 10 })
      expect(stored.items.map(({ definition }) => definition.metadata.name)).toEqual(["a", "c", "d"])
    }),
  )

  test(
    "spec/rate-limits §7: alerts beyond the quota are 429 and name the limit; a group counts with each of its alerts",
    Effect.gen(function* () {
      const report = ask("POST", "/api/alerts", { body: alert("one") })
      for (const status of [202, 200, 200, 429]) expect((yield* report).status).toBe(status)
      const beyond = yield* report
      expect(errorOf(beyond)).toMatchObject({
        code: "rate_limit_exceeded",
        detail: "The limit alerts is 3 in 1 s.",
      })
      expect(beyond.headers.get("retry-after")).toBe("1")
      expect(beyond.headers.get("ratelimit-policy")).toBe('"alerts";q=3;w=1')
      const group = (count: number) => ({
        version: "4",
        alerts: Array.from({ length: count }, (_, index) => ({
          status: "resolved",
          labels: { tocsin_slo: slo.name, tocsin_project: slo.project },
          startsAt: "2026-01-30T11:00:00Z",
          endsAt: "2026-01-30T11:30:00Z",
          fingerprint: `f${index}`,
        })),
      })
      yield* TestClock.adjust("1 second")
      expect((yield* ask("POST", "/api/alertmanager", { body: group(2) })).status).toBe(200)
      expect((yield* ask("POST", "/api/alertmanager", { body: group(2) })).status).toBe(429)
      // More than the quota, so that it is accepted only alone.
      expect((yield* ask("POST", "/api/alertmanager", { body: group(4) })).status).toBe(429)
      yield* TestClock.adjust("1 second")
      expect((yield* ask("POST", "/api/alertmanager", { body: group(4) })).status).toBe(200)
    }),
  )

  test(
    "spec/rate-limits §7: deliveries beyond the quota are 429, and what is repeated or notifies nobody has none",
    Effect.gen(function* () {
      for (const [index, status] of [202, 202, 202, 202, 429].entries()) {
        yield* TestClock.adjust("1 second")
        expect((yield* ask("POST", "/api/alerts", { body: alert(`a-${index}`) })).status).toBe(status)
      }
      yield* TestClock.adjust("1 second")
      expect((yield* ask("POST", "/api/alerts", { body: alert("a-0") })).status).toBe(200)
      const beyond = yield* ask("POST", "/api/alerts", { body: alert("a-4") })
      expect(errorOf(beyond).detail).toBe("The limit deliveries is 4 in 60 s.")
      expect(Number(beyond.headers.get("retry-after"))).toBeGreaterThan(50)
      const deliveries = yield* ask("GET", "/api/deliveries")
      expect(deliveries.json.data).toHaveLength(4)
      yield* TestClock.adjust("1 minute")
      expect((yield* ask("POST", "/api/alerts", { body: alert("a-4") })).status).toBe(202)
    }),
  )

  test(
    "spec/rate-limits §7: stored notifications beyond the quota are 403, and what notifies nobody is accepted",
    Effect.gen(function* () {
      const store = yield* AlertStore
      const stored = Effect.map(store.storedNotifications(organization), (all) => all[0]?.bytes ?? 0)
      const large = { ...alert("a-0"), conditions: Array.from({ length: 20 }, () => "x".repeat(100)) }
      expect((yield* ask("POST", "/api/alerts", { body: large })).status).toBe(202)
      const bytes = yield* stored
      expect(bytes).toBeGreaterThan(quotas.notificationBytes)
      const beyond = yield* ask("POST", "/api/alerts", { body: alert("a-1") })
      expect([beyond.status, errorOf(beyond).code]).toEqual([403, "notifications_quota_exceeded"])
      expect(errorOf(beyond).detail).toContain(`can store 2000 bytes of notifications and stores ${bytes}.`)
      expect((yield* ask("GET", "/api/deliveries")).json.data).toHaveLength(1)
      yield* TestClock.adjust("1 second")
      expect((yield* ask("POST", "/api/alerts", { body: alert("a-0") })).status).toBe(200)
      const silent = { status: "resolved", slo, alertId: "a-0" }
      expect((yield* ask("POST", "/api/alerts", { body: silent })).status).toBe(202)
      const group = {
        version: "4",
        alerts: [
          {
            status: "firing",
            labels: {
              tocsin_slo: slo.name,
              tocsin_project: slo.project,
              tocsin_alert_methods: hook.name,
            },
            startsAt: "2026-01-30T11:00:00Z",
            fingerprint: "f",
          },
        ],
      }
      expect((yield* ask("POST", "/api/alertmanager", { body: group })).status).toBe(403)
      expect(yield* stored).toBe(bytes)
    }),
  )

  test(
    "spec/rate-limits §7: a group beyond the quota of deliveries is accepted in parts",
    Effect.gen(function* () {
      const labels = { tocsin_slo: slo.name, tocsin_project: slo.project, tocsin_alert_methods: hook.name }
      const group = {
        version: "4",
        alerts: Array.from({ length: 6 }, (_, index) => ({
          status: "firing",
          labels,
          startsAt: "2026-01-30T11:00:00Z",
          fingerprint: `f${index}`,
        })),
      }
      const first = yield* ask("POST", "/api/alertmanager", { body: group })
      expect([first.status, errorOf(first).detail]).toEqual([429, "The limit deliveries is 4 in 60 s."])
      expect((yield* ask("GET", "/api/deliveries")).json.data).toHaveLength(4)
      yield* TestClock.adjust("1 minute")
      const second = yield* ask("POST", "/api/alertmanager", { body: group })
      expect(second.status).toBe(200)
      const outcomes = second.json.alerts.map(({ outcome }: { readonly outcome: string }) => outcome)
      expect(outcomes.filter((outcome: string) => outcome === "triggered")).toHaveLength(2)
      expect((yield* ask("GET", "/api/deliveries")).json.data).toHaveLength(6)
    }),
  )

  test(
    "spec/rate-limits §7: requests with counts beyond the quota are 429, of one SLO and of several together",
    Effect.gen(function* () {
      const one = ask("POST", `/api/slos/${slo.name}/counts`, { body: [], headers: { project: slo.project } })
      const several = ask("POST", "/api/counts", { body: [] })
      expect([(yield* one).status, (yield* several).status]).toEqual([204, 204])
      for (const request of [one, several]) {
        const beyond = yield* request
        expect([beyond.status, errorOf(beyond).detail]).toEqual([
          429,
          "The limit count-requests is 2 in 1 s.",
        ])
      }
    }),
  )
})

describe("costly requests", () => {
  const definition = { body: aService("a", "default") }
  const requests = [
    ask("PUT", "/api/apply?dry_run=true", definition),
    ask("DELETE", "/api/delete?dry_run=true", definition),
    ask("POST", "/api/alertmethods/preview", { ...definition, role: "viewer" }),
    ask("GET", "/api/get/service?labels=a:b"),
    ask("GET", "/api/get/service", { headers: { accept: "application/yaml" } }),
    ask("GET", "/api/get/alerts", { headers: { accept: "application/yaml" } }),
  ]

  test(
    "spec/rate-limits §8: a limit of their own counts the size of the body",
    Effect.gen(function* () {
      const large = { body: { ...aService("a", "default"), padding: "x".repeat(1_000_000) } }
      for (const [method, path] of [
        ["PUT", "/api/apply?dry_run=true"],
        ["POST", "/api/alertmethods/preview"],
      ] as const) {
        const statuses: Array<number> = []
        for (let index = 0; index < 5; index++) statuses.push((yield* ask(method, path, large)).status)
        // Each counts 62 times.
        expect(statuses).toEqual([400, 400, 400, 400, 429])
        const small = Effect.map(ask(method, path, definition), ({ status }) => status)
        const rest = yield* Effect.replicateEffect(small, costlyUnitsPerWindow - 4 * 62 + 1)
        expect(rest.filter((status) => status !== 429)).toHaveLength(costlyUnitsPerWindow - 4 * 62)
      }
      for (const [index, request] of requests.entries()) {
        const beyond = yield* request
        const limit = index < 2 ? "costly-writes" : "costly-reads"
        expect([beyond.status, errorOf(beyond).detail]).toEqual([429, `The limit ${limit} is 300 in 10 s.`])
      }
      expect((yield* ask("GET", "/api/get/service")).status).toBe(200)
    }),
  )

  test(
    "spec/rate-limits §8: more at the same time are 429, of one organization or of all",
    Effect.gen(function* () {
      for (const [ofOrganization, total, limit] of [
        [costlyAtOncePerOrganizationMax, costlyAtOncePerOrganizationMax, costlyAtOncePerOrganizationMax],
        [0, costlyAtOnceMax, costlyAtOnceMax],
      ] as const) {
        inProgress.byOrganization.set(organization, ofOrganization)
        inProgress.total = total
        for (const request of requests) {
          const beyond = yield* request
          expect([beyond.status, errorOf(beyond).code]).toEqual([429, "concurrency_limit_exceeded"])
          expect(errorOf(beyond).detail).toContain(`At most ${limit} costly requests`)
          expect(beyond.headers.get("retry-after")).toBe("1")
        }
      }
      inProgress.byOrganization.clear()
      inProgress.total = 0
      // Those that fail end too.
      for (const request of requests) expect((yield* request).status).not.toBe(429)
      expect(inProgress).toEqual({ byOrganization: new Map(), total: 0 })
    }),
  )
})
