import type { Condition } from "@tocsin/domain/alerting"
import { recordCounts } from "@tocsin/domain"
import { metrics } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy, at, organization, policyKey, sloKey } from "../../../../test/alerting/Incident.ts"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const burns: Condition = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 2,
  alertingWindow: durationOf("6h"),
}

/** Records 10 events of each of some minutes, of which `bad` are bad. */
const post = (from: number, to: number, bad: number) =>
  recordCounts(organization, {
    ...sloKey,
    body: Array.from({ length: to - from }, (_, index) => ({
      objective: "good",
      at: new Date(at(from + index)).toISOString(),
      bad,
      total: 10,
    })),
  })

const heldCount = (reason: string) =>
  Effect.map(Metric.value(metrics.alertsHeld.of(reason)), ({ count }) => count)

const held = (query = "", project = "shop") =>
  Effect.gen(function* () {
    const headers = { ...(yield* headersOf(organization, "viewer")), project }
    return yield* send(`/api/alerts/held${query}`, { headers })
  })

const detail =
  "Changed most recently at 2026-01-30T12:00:30Z: minutes from 2026-01-30T07:00:00Z to 2026-01-30T09:00:00Z. Without the change, the conditions are not met"

const ofMonth = anSlo(sloKey, {
  timeWindow: { unit: "Day", count: 28 },
  objectives: [{ name: "good", target: 0.9 }],
  alertPolicies: [policyKey.name],
})

/** Good events of two hours, and an import of bad ones long before them; the clock is in the middle of minute 0. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(at(-0.5))
  yield* putDefinitions(organization, [aPolicy([burns], { alertMethods: [] }), ofMonth])
  yield* post(-120, 0, 0)
  yield* TestClock.setTime(at(0.5))
  yield* post(-300, -180, 10)
})

describe("an alert that is held", () => {
  it.effect("spec/alerting §24: is listed with its reason while it is held, and counted once", () =>
    Effect.gen(function* () {
      const before = yield* heldCount("past_changed")
      yield* prepare
      const response = yield* held()
      expect(response.status).toBe(200)
      const expected = {
        data: [
          {
            slo: sloKey,
            objective: "good",
            alertPolicy: policyKey,
            since: "2026-01-30T12:00:30.000Z",
            reason: "past_changed",
            detail,
          },
        ],
        hasMore: false,
      }
      expect(JSON.parse(response.text)).toEqual(expected)
      // It stays held since then with each later evaluation, and it is not an alert.
      yield* TestClock.setTime(at(2))
      yield* post(0, 2, 0)
      for (const [query, project] of [
        ["", "*"],
        ["?slo=checkout", "shop"],
        ["?slo=checkout", "*"],
        ["?slo=", "shop"],
      ] as const)
        expect(JSON.parse((yield* held(query, project)).text), `${query} ${project}`).toEqual(expected)
      expect((yield* heldCount("past_changed")) - before).toBe(1)
      const headers = { ...(yield* headersOf(organization, "viewer")), project: "*" }
      expect(JSON.parse((yield* send("/api/get/alert", { headers })).text)).toEqual([])
      const none = { data: [], hasMore: false }
      for (const [query, project] of [
        ["?slo=other", "shop"],
        ["", "default"],
      ] as const)
        expect(JSON.parse((yield* held(query, project)).text)).toEqual(none)
      const foreign = { ...(yield* headersOf("other", "viewer")), project: "*" }
      expect(JSON.parse((yield* send("/api/alerts/held", { headers: foreign })).text)).toEqual(none)
      // The history is corrected: nothing is held any more.
      yield* post(-300, -180, 0)
      expect(JSON.parse((yield* held()).text)).toEqual(none)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/alerting §24: has its reason in the explanation", () =>
    Effect.gen(function* () {
      yield* prepare
      yield* TestClock.setTime(at(1))
      const headers = { ...(yield* headersOf(organization, "viewer")), project: "shop" }
      const response = yield* send("/api/slos/checkout/explain?alertPolicy=fast-burn", { headers })
      expect(JSON.parse(response.text).minutes[0].objectives[0]).toMatchObject({
        name: "good",
        isMet: true,
        held: { reason: "past_changed", detail },
      })
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/alerting §24: is listed while the latest counts are old, until there are later ones", () =>
    Effect.gen(function* () {
      const counted = yield* heldCount("counts_old")
      yield* TestClock.setTime(at(0.5))
      yield* putDefinitions(organization, [aPolicy([burns], { alertMethods: [] }), ofMonth])
      yield* post(-240, -90, 10)
      const old = {
        reason: "counts_old",
        detail: "The latest minute with counts ended more than an hour before this evaluation",
      }
      expect(JSON.parse((yield* held()).text)).toEqual({
        data: [
          {
            slo: sloKey,
            objective: "good",
            alertPolicy: policyKey,
            since: "2026-01-30T12:00:30.000Z",
            ...old,
          },
        ],
        hasMore: false,
      })
      yield* TestClock.setTime(at(1))
      const headers = { ...(yield* headersOf(organization, "viewer")), project: "shop" }
      const explained = yield* send("/api/slos/checkout/explain?alertPolicy=fast-burn", { headers })
      expect(JSON.parse(explained.text).minutes[0].objectives[0]).toMatchObject({ isMet: true, held: old })
      // Another evaluation that finds it held is not another time.
      yield* post(-89, -88, 10)
      expect(JSON.parse((yield* held()).text).data).toMatchObject([old])
      expect((yield* heldCount("counts_old")) - counted).toBe(1)
      yield* post(-2, 1, 10)
      expect(JSON.parse((yield* held()).text)).toEqual({ data: [], hasMore: false })
      expect(JSON.parse((yield* send("/api/get/alert", { headers })).text)).toHaveLength(1)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/alerting §24: is listed and counted while the data source is not read to the present", () =>
    Effect.gen(function* () {
      const counted = yield* heldCount("source_behind")
      yield* TestClock.setTime(at(-0.5))
      const url = sourceUrlOf("http://127.0.0.1:9090")
      const indicator = { prometheus: { url, good: "good", total: "total" } }
      const unread = { ...ofMonth, spec: { ...ofMonth.spec, indicator } }
      yield* putDefinitions(organization, [aPolicy([burns], { alertMethods: [] }), unread])
      for (let minute = 0; minute < 3; minute++) {
        yield* TestClock.setTime(at(minute + 0.5))
        yield* post(minute - 30, minute, 10)
        expect(JSON.parse((yield* held()).text).data).toMatchObject([
          { since: "2026-01-30T12:00:30.000Z", reason: "source_behind" },
        ])
      }
      expect((yield* heldCount("source_behind")) - counted).toBe(1)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("is not listed by a filter that is not known", () =>
    Effect.gen(function* () {
      const response = yield* held("?slos=checkout")
      expect(response.status).toBe(400)
      expect(errorsOf(response)).toMatchObject([{ code: "unknown_property" }])
    }).pipe(Effect.provide(apiServer)),
  )
})
