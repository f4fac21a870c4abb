import { recordCounts } from "@tocsin/domain"
import type { Condition } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import type { BudgetAdjustment } from "@tocsin/domain/definitions"
import { anSlo, instantOf, putDefinitions, removeSlos } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy, at, organization, policyKey, sloKey } from "../../../../test/alerting/Incident.ts"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const burns: Condition = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 2,
  alertingWindow: durationOf("1h"),
}

const slo = anSlo(sloKey, {
  timeWindow: { unit: "Day", count: 28 },
  objectives: [{ name: "good", target: 0.9 }],
  alertPolicies: [policyKey.name],
})

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

const excluding = (from: number, to: number): BudgetAdjustment => ({
  kind: "BudgetAdjustment",
  metadata: { project: sloKey.project, name: "drill" },
  spec: {
    reason: "A drill",
    slos: [sloKey],
    period: {
      startTime: instantOf(new Date(at(from)).toISOString()),
      endTime: instantOf(new Date(at(to)).toISOString()),
    },
  },
})

const read = (path: string, of = organization) =>
  Effect.gen(function* () {
    const headers = { ...(yield* headersOf(of, "viewer")), project: "*" }
    return yield* send(path, { headers })
  })

interface FoundAlert {
  readonly metadata: { readonly name: string }
  readonly spec: object
}

const alertsOf = (query: string) =>
  Effect.map(read(`/api/get/alert${query}`), ({ text }) => JSON.parse(text) as ReadonlyArray<FoundAlert>)

const findAlert = Effect.gen(function* () {
  const [listed] = yield* alertsOf("")
  expect(listed?.spec).not.toHaveProperty("evidence")
  const [found] = yield* alertsOf(`?name=${listed?.metadata.name}`)
  return found ?? { metadata: { name: "" }, spec: {} }
})

const evidenceOf = (id: string, of?: string) =>
  Effect.map(read(`/api/alerts/${id}/evidence`, of), ({ text }) => JSON.parse(text) as object)

describe("the evidence of an alert", () => {
  it.effect(
    "spec/alerting §26: stays as it was measured, beside what later changes make of the same minutes",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(at(-0.5))
        yield* putDefinitions(organization, [aPolicy([burns], { alertMethods: [] }), slo])
        yield* post(-120, -30, 0)
        yield* TestClock.setTime(at(0.5))
        yield* post(-30, 0, 10)
        const condition = {
          condition: "Average burn rate is at least 2 over the last 1 hour",
          measurement: "averageBurnRate",
          isMet: true,
          detail: "The average burn rate is 5.085; at least 2 is required",
          value: 5.08474576271,
          threshold: 2,
          from: "2026-01-30T11:01:00.000Z",
          to: "2026-01-30T12:01:00.000Z",
          good: 290,
          total: 590,
        }
        const frozen = { target: 0.9, conditionGroups: [{ isMet: true, conditions: [condition] }] }
        const alert = yield* findAlert
        const { name: id } = alert.metadata
        expect(alert.spec).toMatchObject({ status: "Triggered", evidence: frozen })
        const withNow = (now: object, rest: object) => ({
          triggeredAt: "2026-01-30T12:00:30.000Z",
          target: 0.9,
          conditionGroups: [{ isMet: true, conditions: [{ ...condition, now }] }],
          ...rest,
        })
        const asThen = withNow(
          { good: 290, total: 590, value: 5.08474576271 },
          { isChanged: false, adjustments: [] },
        )
        expect(yield* evidenceOf(id)).toEqual(asThen)

        // Later minutes are not those that were measured.
        yield* TestClock.setTime(at(5.5))
        yield* post(0, 5, 0)
        expect(yield* evidenceOf(id)).toEqual(asThen)

        yield* post(-30, -20, 0)
        expect(yield* evidenceOf(id)).toEqual(
          withNow({ good: 390, total: 590, value: 3.38983050847 }, { isChanged: true, adjustments: [] }),
        )
        yield* putDefinitions(organization, [excluding(-30, -10)])
        const drill = { project: sloKey.project, name: "drill", reason: "A drill" }
        expect(yield* evidenceOf(id)).toEqual(
          withNow({ good: 290, total: 390, value: 2.5641025641 }, { isChanged: true, adjustments: [drill] }),
        )
        expect((yield* findAlert).spec).toMatchObject({ evidence: frozen })

        // The evidence outlives the SLO.
        yield* removeSlos(organization, [sloKey])
        expect(yield* evidenceOf(id)).toMatchObject({
          isChanged: false,
          conditionGroups: frozen.conditionGroups,
        })
        const missing = yield* read(`/api/alerts/${id}/evidence`, "globex")
        expect(missing.status).toBe(404)
        expect(errorsOf(missing)).toMatchObject([{ code: "alert_not_found" }])
      }).pipe(Effect.provide(apiServer)),
  )
})
