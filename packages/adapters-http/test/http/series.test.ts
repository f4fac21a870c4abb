import { anSlo, calendarOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"
import { seriesPerSecond } from "@tocsin/domain/rate-limit"

const start = Date.UTC(2026, 0, 30, 12)

const seriesAt = (query: string, headers: Readonly<Record<string, string>>) =>
  send(`/api/slos/checkout/series?${query}`, { headers: { ...headers, project: "shop" } })

const filled = Effect.gen(function* () {
  yield* TestClock.setTime(start + 10 * 60_000)
  yield* putDefinitions("acme", [anSlo({ project: "shop", name: "checkout" })])
  const headers = yield* headersOf("acme")
  const recorded = yield* send("/api/slos/checkout/counts", {
    method: "POST",
    headers: { ...headers, project: "shop", "content-type": "application/json" },
    body: JSON.stringify([{ objective: "good", at: "2026-01-30T12:03:00Z", good: 199, total: 200 }]),
  })
  expect(recorded.status).toBe(204)
  return headers
})

interface SeriesJson {
  readonly from: string
  readonly to: string
  readonly step: string
  readonly objectives: ReadonlyArray<{ readonly reliability: ReadonlyArray<number | null> }>
}

const range = "from=2026-01-30T11:55:00Z&to=2026-01-30T12:05:00Z"

describe("GET /api/slos/{name}/series", () => {
  it.effect("spec/console §5: returns events and budgets by steps, to a viewer too", () =>
    Effect.gen(function* () {
      yield* filled
      const response = yield* seriesAt(`${range}&step=5m`, yield* headersOf("acme", "viewer"))
      expect(response.status).toBe(200)
      expect(JSON.parse(response.text)).toEqual({
        from: "2026-01-30T11:55:00.000Z",
        to: "2026-01-30T12:05:00.000Z",
        step: "5m",
        objectives: [
          {
            name: "good",
            latestAt: "2026-01-30T12:03:00.000Z",
            counts: { good: [null, 199], total: [null, 200] },
            reliability: [null, 0.995],
            stepReliability: [null, 0.995],
            burnRate: [null, 0.5],
            errorBudgetRemainingPercentage: [null, 0.5],
          },
          {
            name: "great",
            counts: { good: [null, null], total: [null, null] },
            reliability: [null, null],
            stepReliability: [null, null],
            burnRate: [null, null],
            errorBudgetRemainingPercentage: [null, null],
          },
        ],
      })
      expect(response.headers.get("ratelimit-policy")).toBe('"series";q=10;w=1')
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/console §5: returns the burn rates of an objective over windows, as conditions measure them",
    () =>
      Effect.gen(function* () {
        const headers = yield* filled
        const burnRates = (query: string) =>
          Effect.map(seriesAt(`${range}&step=1m&${query}`, headers), ({ text }) => JSON.parse(text).burnRates)
        // A condition of 5 minutes ends with the minute after the latest counts.
        const since = (minute: number) => Array.from({ length: 10 }, (_, at) => (at < minute ? null : 0.5))
        expect(yield* burnRates("window=5m&window=1h")).toEqual([
          { window: "5m", values: since(8) },
          { window: "1h", values: since(8) },
        ])
        expect(yield* burnRates("window=5m&objective=great")).toEqual([{ window: "5m", values: since(10) }])
        expect(yield* burnRates("objective=great")).toBeUndefined()
        for (const query of ["window=4m", "window=90s", "window=169h", "window=x", "window=5m&".repeat(7)]) {
          const response = yield* seriesAt(`${range}&${query}`, headers)
          expect(response.status, query).toBe(400)
          expect(errorsOf(response), query).toMatchObject([{ code: "window_invalid" }])
        }
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/console §5: returns the current time window, also the future part of a calendar-aligned one",
    () =>
      Effect.gen(function* () {
        const headers = yield* filled
        const rangeOf = function* () {
          const response = yield* seriesAt("range=window", headers)
          expect(response.status).toBe(200)
          const { from, to, step, objectives } = JSON.parse(response.text) as SeriesJson
          return { from, to, step, known: objectives[0]?.reliability.filter((each) => each !== null).length }
        }
        expect(yield* rangeOf()).toEqual({
          from: "2026-01-02T12:00:00.000Z",
          to: "2026-01-30T13:00:00.000Z",
          step: "1h",
          known: 1,
        })
        const calendar = calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "UTC" })
        yield* putDefinitions("acme", [
          anSlo({ project: "shop", name: "checkout" }, { timeWindow: { unit: "Month", count: 1, calendar } }),
        ])
        expect(yield* rangeOf()).toEqual({
          from: "2026-01-01T00:00:00.000Z",
          to: "2026-02-01T00:00:00.000Z",
          step: "1h",
          known: 1,
        })
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/console §5: rejects what is no range, no step, no SLO, and more than ten in a second", () =>
    Effect.gen(function* () {
      const headers = yield* filled
      for (const [query, status, code] of [
        ["", 400, "range_incomplete"],
        [`${range}&step=2m`, 400, "step_invalid"],
        ["range=month", 400, "range_invalid"],
        [`${range}&range=window`, 400, "range_invalid"],
        ["from=2026-01-30T00:00:00Z&to=2027-03-06T00:00:01Z", 400, "range_too_long"],
      ] as const) {
        const rejected = yield* seriesAt(query, headers)
        expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([status, code])
      }
      const withoutProject = yield* send(`/api/slos/checkout/series?${range}`, { headers })
      expect(errorsOf(withoutProject)[0]?.code).toBe("project_required")
      const foreign = yield* seriesAt(range, yield* headersOf("other"))
      expect([foreign.status, errorsOf(foreign)[0]?.code]).toEqual([404, "slo_not_found"])
      expect((yield* seriesAt(range, {})).status).toBe(401)
      for (let count = 6; count < seriesPerSecond; count++) {
        expect((yield* seriesAt(range, headers)).status).toBe(200)
      }
      expect((yield* seriesAt(range, headers)).status).toBe(429)
    }).pipe(Effect.provide(apiServer)),
  )
})
