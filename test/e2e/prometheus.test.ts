import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Redacted from "effect/Redacted"
import { startPrometheus } from "../indicator/PrometheusServer.ts"
import { eventually, startStoringServer } from "./clocked-server.ts"

const store = { kind: "memory", masterKey: Redacted.make(new Uint8Array(32).fill(5)) } as const

const definitionsWith = (url: string, good: string) => [
  {
    apiVersion: "tocsin/v1alpha",
    kind: "Service",
    metadata: { name: "shop", project: "default" },
  },
  {
    apiVersion: "tocsin/v1alpha",
    kind: "SLO",
    metadata: { name: "checkout", project: "default" },
    spec: {
      service: "shop",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [{ name: "taken", target: 0.9 }],
      indicator: { prometheus: { url, good, total: "total" } },
    },
  },
]

it.live(
  "spec/data-sources §9: a server tests an indicator, and reads its counts over sockets, and reports progress and problems",
  () =>
    Effect.gen(function* () {
      const prometheus = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startPrometheus(({ query }) => {
            if (query === "last_over_time(good[1m])") return () => 19
            if (query === "last_over_time(total[1m])") return () => 20
            return {
              status: 400,
              contentType: "application/json",
              body: '{"status":"error","errorType":"bad_data","error":"2:7: parse error: unclosed left parenthesis"}',
            }
          }),
        ),
        ({ close }) => Effect.promise(close),
      )
      const { send, login } = yield* startStoringServer({ store })
      const headers = { ...(yield* login), project: "default" }
      const apply = (good: string) =>
        send("PUT", "/api/apply", {
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify(definitionsWith(prometheus.url, good)),
        })
      const test = (good: string, index = 1) =>
        send("POST", "/api/indicators/test", {
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({ definition: definitionsWith(prometheus.url, good)[index] }),
        })
      const tested = yield* test("good")
      expect([tested.status, tested.json.counts.length, tested.json.problem]).toEqual([200, 60, undefined])
      const { from, to, counts } = tested.json
      expect(Date.parse(to) - Date.parse(from)).toBe(3_600_000)
      expect(Date.now() - Date.parse(to)).toBeLessThan(120_000)
      expect(counts[0]).toEqual({ timestamp: from, good: 19, total: 20 })
      const failed = yield* test("sum(wrong)")
      expect([failed.status, failed.json.counts, failed.json.problem.reason]).toEqual([
        200,
        [],
        "query_invalid",
      ])
      const misspelled = yield* test("sum(")
      expect([misspelled.status, misspelled.json.errors[0].source.propertyName]).toEqual([
        400,
        "definition.spec.indicator.prometheus.good",
      ])
      const otherKind = yield* test("good", 0)
      expect([otherKind.status, otherKind.json.errors[0].source.propertyName]).toEqual([
        400,
        "definition.kind",
      ])
      // Neither is stored.
      expect((yield* send("GET", "/api/slos/checkout/indicator", { headers })).status).toBe(404)
      yield* test("good")
      yield* test("good")
      yield* test("good")
      expect((yield* test("good")).status).toBe(429)

      expect((yield* apply("good")).status).toBe(200)

      const state = send("GET", "/api/slos/checkout/indicator", { headers })
      const read = yield* eventually(state, ({ json }) => Date.now() - Date.parse(json.readTo ?? 0) < 120_000)
      expect(read.json).toEqual({
        readTo: expect.stringMatching(/:00\.000Z$/),
        succeededAt: expect.any(String),
        failures: 0,
      })
      const record = send("GET", "/api/v2/slos/checkout", { headers })
      const updated = yield* eventually(record, ({ json }) => json.objectives[0].reliability !== undefined)
      expect(updated.json.objectives[0]).toMatchObject({
        reliability: 0.95,
        errorBudgetRemainingPercentage: 0.5,
      })
      for (const { path, step, start, end } of prometheus.queries) {
        expect([path, step]).toEqual(["/api/v1/query_range", 60])
        expect((end - start) / 60).toBeLessThan(11_000)
      }

      const rejected = yield* apply("sum(\nwrong")
      expect(rejected.status).toBe(400)
      expect(rejected.json.errors).toEqual([
        {
          title: 'is not valid PromQL at line 2, column 6: a ")" is missing',
          code: "invalid_format",
          source: { propertyName: "[1].spec.indicator.prometheus.good" },
        },
      ])
      expect((yield* apply("sum(wrong)")).status).toBe(200)
      const wrong = yield* eventually(state, ({ json }) => json.problem !== undefined)
      expect(wrong.json).toEqual({
        failures: 1,
        problem: {
          reason: "query_invalid",
          detail: "the server rejected the expression: 2:7: parse error: unclosed left parenthesis",
          at: expect.any(String),
        },
      })
      // The counts that were read before are still there.
      expect((yield* record).json.objectives[0].reliability).toBe(0.95)
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
)

it.live(
  "spec/data-sources §1: distinguishes an SLO without an indicator from one that does not exist, to members of its organization",
  () =>
    Effect.gen(function* () {
      const { send, login } = yield* startStoringServer({ store })
      const headers = { ...(yield* login), project: "default" }
      const [service, slo] = definitionsWith("", "")
      const { indicator: _indicator, ...spec } = slo?.spec ?? {}
      yield* send("PUT", "/api/apply", {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify([service, { ...slo, spec }]),
      })
      const without = yield* send("GET", "/api/slos/checkout/indicator", { headers })
      expect([without.status, without.json.errors[0].code]).toEqual([404, "indicator_not_found"])
      const unknown = yield* send("GET", "/api/slos/other/indicator", { headers })
      expect([unknown.status, unknown.json.errors[0].code]).toEqual([404, "slo_not_found"])
      const nobody = yield* send("GET", "/api/slos/checkout/indicator", {
        headers: { organization: headers.organization, project: "default" },
      })
      expect(nobody.status).toBe(401)
    }).pipe(Effect.scoped),
)

it.live(
  "spec/data-sources §10: a server backfills a range over sockets, and its status changes at once when it is complete",
  () =>
    Effect.gen(function* () {
      const events = { good: 19, isUp: true }
      const rangeEnd = Math.floor(Date.now() / 60_000) * 60_000 - 86_400_000
      const rangeFrom = rangeEnd - 10 * 86_400_000
      const prometheus = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startPrometheus(({ query, start }) => {
            if (!events.isUp && start * 1_000 > rangeFrom + 3 * 86_400_000) {
              return { status: 503, contentType: "text/plain", body: "not now" }
            }
            return () => (query === "last_over_time(good[1m])" ? events.good : 20)
          }),
        ),
        ({ close }) => Effect.promise(close),
      )
      const { send, login, token } = yield* startStoringServer({ store })
      const headers = { ...(yield* login), project: "default" }
      const json = { ...headers, "content-type": "application/json" }
      yield* send("PUT", "/api/apply", {
        headers: json,
        body: JSON.stringify(definitionsWith(prometheus.url, "good")),
      })
      const path = "/api/slos/checkout/indicator/backfill"
      const state = send("GET", "/api/slos/checkout/indicator", { headers })
      yield* eventually(state, ({ json }) => Date.now() - Date.parse(json.readTo ?? 0) < 120_000)
      const range = { from: new Date(rangeFrom).toISOString(), to: new Date(rangeEnd).toISOString() }
      const begin = (body: unknown, by = json) =>
        send("POST", path, { headers: by, body: JSON.stringify(body) })

      const unknown = yield* send("GET", path, { headers })
      expect([unknown.status, unknown.json.errors[0].code]).toEqual([404, "backfill_not_found"])
      const future = yield* begin({ from: range.to, to: new Date(Date.now() + 3_600_000).toISOString() })
      expect([future.status, future.json.errors[0].source.propertyName]).toEqual([400, "to"])
      const viewer = yield* token(undefined, "other")
      const asViewer = { ...json, authorization: `Bearer ${viewer.json.access_token}`, organization: "other" }
      expect((yield* begin(range, asViewer)).status).toBe(403)

      events.good = 10
      events.isUp = false
      const started = yield* begin(range)
      expect([started.status, started.json]).toMatchObject([202, { ...range, state: "running", percent: 0 }])
      const running = yield* begin(range)
      expect([running.status, running.json.errors[0].code]).toEqual([409, "backfill_running"])
      const backfill = send("GET", path, { headers })
      const waiting = yield* eventually(backfill, (answer) => answer.json.failures > 0)
      expect(waiting.json).toMatchObject({ state: "running", percent: 30, firstMinute: range.from })
      const record = send("GET", "/api/v2/slos/checkout", { headers })
      expect((yield* record).json.objectives[0].reliability).toBe(0.95)

      const canceled = yield* send("DELETE", path, { headers })
      expect([canceled.status, canceled.json]).toMatchObject([
        200,
        { state: "canceled", reason: "requested" },
      ])
      events.isUp = true
      const resumed = yield* send("POST", `${path}/resume`, { headers })
      expect([resumed.status, resumed.json]).toMatchObject([202, { state: "running", percent: 30 }])
      const complete = yield* eventually(backfill, (answer) => answer.json.state !== "running")
      expect(complete.json).toMatchObject({ ...range, state: "complete", percent: 100, readTo: range.to })
      const again = yield* send("POST", `${path}/resume`, { headers })
      expect([again.status, again.json.errors[0].code]).toEqual([409, "backfill_not_resumable"])
      // 10 of 28 days have 50% instead of 95%; a few minutes of the present may too.
      const changed = yield* eventually(record, (answer) => answer.json.objectives[0].reliability < 0.9)
      expect(changed.json.objectives[0].reliability).toBeCloseTo(0.95 - (0.45 * 10) / 28, 3)
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
)
