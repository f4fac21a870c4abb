import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const forecast = (headers: Readonly<Record<string, string>>) =>
  send("/api/slos/checkout/forecast", { headers })

describe("GET /api/slos/{name}/forecast", () => {
  it.effect("spec/slos §12: returns the forecast of each objective, to a viewer too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12, 0, 30))
      const timeWindow = { unit: "Hour", count: 10 } as const
      yield* putDefinitions("acme", [anSlo({ project: "shop", name: "checkout" }, { timeWindow })])
      const headers = { ...(yield* headersOf("acme")), project: "shop" }
      const recorded = yield* send("/api/slos/checkout/counts", {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify([
          { objective: "good", at: "2026-01-30T08:00:00Z", good: 1000, total: 1000 },
          { objective: "good", at: "2026-01-30T11:59:00Z", good: 100, total: 105 },
        ]),
      })
      expect(recorded.status).toBe(204)
      const viewer = { ...(yield* headersOf("acme", "viewer")), project: "shop" }
      const response = yield* forecast(viewer)
      expect([response.status, JSON.parse(response.text)]).toEqual([
        200,
        {
          asOf: "2026-01-30T12:01:00.000Z",
          objectives: [
            {
              name: "good",
              outlook: "Exhausting",
              // 6.05 / (5 - 1.05 + 6.05 / 10) hours.
              exhaustedAt: "2026-01-30T13:21:00.000Z",
              earliestAt: "2026-01-30T13:21:00.000Z",
            },
            { name: "great" },
          ],
        },
      ])
      expect(response.headers.get("ratelimit-policy")).toBe('"series";q=10;w=1')
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/slos §12: is of an SLO of the organization, in a project that is named", () =>
    Effect.gen(function* () {
      yield* putDefinitions("acme", [anSlo({ project: "shop", name: "checkout" })])
      const withoutProject = yield* forecast(yield* headersOf("acme"))
      expect([withoutProject.status, errorsOf(withoutProject)[0]?.code]).toEqual([400, "project_required"])
      const foreign = yield* forecast({ ...(yield* headersOf("other")), project: "shop" })
      expect([foreign.status, errorsOf(foreign)[0]?.code]).toEqual([404, "slo_not_found"])
      expect((yield* forecast({ project: "shop" })).status).toBe(401)
    }).pipe(Effect.provide(apiServer)),
  )
})
