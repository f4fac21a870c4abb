import { durationOf } from "@tocsin/domain/codec"
import { CountStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy } from "../../../../test/alerting/Incident.ts"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const now = Date.UTC(2026, 0, 30, 12)
const minute = 60_000
const key = { project: "shop", name: "checkout" }

const burning = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 5,
  alertingWindow: durationOf("5m"),
} as const

/** 10 events in each of the last 60 minutes, all bad from 20 to 10 minutes ago. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const { conditions: _, ...spec } = aPolicy([], { alertMethods: [] }).spec
  const groups = [
    { conditions: [burning, { ...burning, minEvents: 51 }] },
    { conditions: [{ measurement: "burnedBudget", op: "gte", value: 2 } as const] },
  ]
  yield* putDefinitions("acme", [
    { ...aPolicy([]), spec: { ...spec, conditionGroups: groups } },
    anSlo(key, {
      timeWindow: { unit: "Minute", count: 60 },
      objectives: [{ name: "good", target: 0.9 }],
    }),
  ])
  const counts = Array.from({ length: 60 }, (_, index) => ({
    objective: "good",
    at: now - (60 - index) * minute,
    good: index >= 40 && index < 50 ? 0 : 10,
    total: 10,
  }))
  yield* (yield* CountStore).record("acme", [{ slo: key, counts }])
})

interface Explained {
  readonly at: string
  readonly objectives: ReadonlyArray<{ readonly isMet: boolean }>
}

const explain = (
  headers: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
  name = "checkout",
) =>
  send(`/api/slos/${name}/explain?${new URLSearchParams(query)}`, {
    headers: { project: "shop", ...headers },
  })

const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof apiServer>>): void =>
  it.effect(what, () => Effect.provide(Effect.andThen(prepare, effect), apiServer))

describe("GET /api/slos/{name}/explain", () => {
  test(
    "spec/alerting §18: says for each objective and minute which conditions are met, and why not",
    Effect.gen(function* () {
      const viewer = yield* headersOf("acme", "viewer")
      const response = yield* explain(viewer, {
        alertPolicy: "fast-burn",
        from: "2026-01-30T11:41:00Z",
        to: "2026-01-30T11:43:00Z",
      })
      expect(response.status).toBe(200)
      const { from, to, minutes } = JSON.parse(response.text)
      expect([from, to]).toEqual(["2026-01-30T11:41:00.000Z", "2026-01-30T11:43:00.000Z"])
      expect(minutes.map(({ at, objectives }: Explained) => [at, objectives[0]?.isMet])).toEqual([
        ["2026-01-30T11:41:00.000Z", false],
        ["2026-01-30T11:42:00.000Z", false],
      ])
      // At 11:42 the latest counts are those of 11:41: two bad minutes of four with counts.
      expect(minutes[0].objectives[0].conditionGroups).toEqual([
        {
          isMet: false,
          conditions: [
            {
              condition: "Average burn rate is at least 5 over the last 5 minutes",
              isMet: true,
              measurement: "averageBurnRate",
              value: 5,
              threshold: 5,
              detail: "The average burn rate is 5; at least 5 is required",
              from: "2026-01-30T11:38:00.000Z",
              to: "2026-01-30T11:43:00.000Z",
              good: 20,
              total: 40,
            },
            {
              condition: "Average burn rate is at least 5 over the last 5 minutes with at least 51 events",
              isMet: false,
              measurement: "averageBurnRate",
              value: 5,
              threshold: 5,
              reason: "min_events",
              detail: "There are 40 events in the range; at least 51 are required",
              from: "2026-01-30T11:38:00.000Z",
              to: "2026-01-30T11:43:00.000Z",
              good: 20,
              total: 40,
            },
          ],
        },
        {
          isMet: false,
          conditions: [
            {
              condition: "Remaining error budget is -100%",
              isMet: false,
              measurement: "burnedBudget",
              value: expect.closeTo(0.476, 2),
              threshold: 2,
              reason: "value",
              detail: expect.stringMatching(
                /^The burned share of the error budget is \d\d\.\d+%; at least 200% is required$/,
              ),
              from: "2026-01-30T10:43:00.000Z",
              to: "2026-01-30T11:43:00.000Z",
              good: 400,
              total: 420,
            },
          ],
        },
      ])
    }),
  )

  test(
    "spec/alerting §18: is of the last minute by default, and of no data where there is none",
    Effect.gen(function* () {
      const viewer = yield* headersOf("acme", "viewer")
      const { minutes } = JSON.parse((yield* explain(viewer, { alertPolicy: "fast-burn" })).text)
      expect(minutes.map(({ at }: Explained) => at)).toEqual(["2026-01-30T11:59:00.000Z"])
      const early = { from: "2026-01-30T10:00:00Z", to: "2026-01-30T10:01:00Z" }
      const before = JSON.parse((yield* explain(viewer, { alertPolicy: "fast-burn", ...early })).text)
      expect(before.minutes[0].objectives[0].conditionGroups[0].conditions[0]).toMatchObject({
        isMet: false,
        reason: "no_data",
        detail: "There is no data in the range",
        total: 0,
      })
    }),
  )

  test(
    "spec/alerting §18: rejects unknown SLOs and policies, and ranges that are long or in the future",
    Effect.gen(function* () {
      const viewer = yield* headersOf("acme", "viewer")
      const codes = (query: Readonly<Record<string, string>>, name?: string) =>
        Effect.map(explain(viewer, query, name), (response) => [
          response.status,
          errorsOf(response).map(({ code }) => code),
        ])
      const alertPolicy = "fast-burn"
      expect(yield* codes({ alertPolicy }, "other")).toEqual([404, ["slo_not_found"]])
      expect(yield* codes({ alertPolicy: "other" })).toEqual([404, ["alert_policy_not_found"]])
      expect(yield* codes({})).toEqual([404, ["alert_policy_not_found"]])
      expect(errorsOf(yield* explain(viewer, {})).map(({ detail }) => detail)).toEqual([
        "Specify the name of an alert policy of the project in alertPolicy.",
      ])
      const range = (from: string, to: string) => codes({ alertPolicy, from, to })
      expect(yield* range("2026-01-30T10:00:00Z", "2026-01-30T11:01:00Z")).toEqual([400, ["range_too_long"]])
      expect(yield* range("2026-01-30T13:00:00Z", "2026-01-30T13:01:00Z")).toEqual([400, ["range_invalid"]])
      expect(yield* codes({ alertPolicy, from: "2026-01-30T10:00:00Z" })).toEqual([400, ["range_incomplete"]])
    }),
  )
})
