import { expect, it } from "../EffectTest.ts"
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
      expect([tested.status, tested.json.minutes.length, tested.json.problem]).toEqual([200, 60, undefined])
      const { from, to, minutes } = tested.json
      expect(Date.parse(to) - Date.parse(from)).toBe(3_600_000)
      expect(Date.now() - Date.parse(to)).toBeLessThan(120_000)
      expect(minutes[0]).toEqual({ timestamp: from, good: 19, total: 20 })
      const failed = yield* test("sum(wrong)")
      expect([failed.status, failed.json.minutes, failed.json.problem.reason]).toEqual([
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
  60_000,
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
