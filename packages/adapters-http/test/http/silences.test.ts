import { durationOf } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy } from "../../../../test/alerting/Incident.ts"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect } from "@tocsin/testing/vitest"
import { ask, hook, organization, start, test } from "../../../../test/http/delivery-client.ts"

const aSilence = (spec: object, name = "night", project = "shop") => ({
  apiVersion: "tocsin/v1alpha",
  kind: "AlertSilence",
  metadata: { name, project },
  spec,
})

const preview = (spec: object, options: { readonly name?: string; readonly project?: string } = {}) =>
  ask("POST", "/api/alertsilences/preview", {
    body: aSilence(spec, options.name, options.project),
    role: "viewer",
  })

const hour = { duration: "1h" }

const labelled = (
  name: string,
  labels: Readonly<Record<string, ReadonlyArray<string>>>,
  project = "shop",
) => {
  const definition = anSlo({ project, name }, { alertPolicies: ["fast"] })
  return { ...definition, metadata: { ...definition.metadata, labels } }
}

const slos = Effect.gen(function* () {
  const fast = aPolicy([], { alertMethods: [] })
  const policy = (name: string) => ({ ...fast, metadata: { project: "shop", name } })
  const definitions = [
    { kind: "Project", metadata: { name: "shop" }, spec: {} } as const,
    policy("fast"),
    policy("slow"),
    labelled("checkout", { team: ["payments"], env: ["prod"] }),
    labelled("refund", { team: ["payments"], env: ["dev"] }),
    labelled("search", { team: ["web"], env: ["prod"] }),
    labelled("checkout", { team: ["payments"] }, "other"),
  ]
  yield* putDefinitions(organization, definitions)
  yield* putDefinitions("other", definitions)
})

const trigger = (name: string, alert: object, project = "shop") =>
  Effect.gen(function* () {
    yield* TestClock.adjust("1 minute")
    const body = { status: "triggered", slo: { project, name }, alertMethods: [hook], ...alert }
    return (yield* ask("POST", "/api/alerts", { body })).json.alertId as string
  })

describe("POST /api/alertsilences/preview", () => {
  test(
    "spec/alerting §21: lists the SLOs that the silence covers, and their open alerts",
    Effect.gen(function* () {
      yield* slos
      const fast = { alertPolicy: { project: "shop", name: "fast" }, objective: "good" }
      const slow = { alertPolicy: { project: "shop", name: "slow" }, objective: "good" }
      const ofCheckout = yield* trigger("checkout", fast)
      const slowOne = yield* trigger("checkout", slow)
      const ofRefund = yield* trigger("refund", fast)
      yield* trigger("search", fast)
      yield* trigger("checkout", fast, "other")
      // Notifications of alerts without a policy are never silenced.
      yield* trigger("checkout", { objective: "great", alertId: "disk" })
      const closed = yield* trigger("refund", slow)
      yield* ask("POST", "/api/alerts", {
        body: { status: "resolved", slo: { project: "shop", name: "refund" }, alertId: closed, ...slow },
      })

      const covered = (spec: object) =>
        Effect.map(preview({ period: hour, ...spec }), ({ status, text, json }) => {
          expect(status, text).toBe(200)
          expect([json.hasMoreSlos, json.hasMoreAlerts]).toEqual([false, false])
          return [
            json.slos.map((each: { name: string }) => each.name),
            json.alerts.map((each: { metadata: { name: string } }) => each.metadata.name),
          ]
        })
      expect(yield* covered({ slo: "checkout" })).toEqual([["checkout"], [slowOne, ofCheckout]])
      expect(yield* covered({ slo: "checkout", alertPolicy: { name: "slow" } })).toEqual([
        ["checkout"],
        [slowOne],
      ])
      const payments = { sloLabels: "team:payments" }
      expect(yield* covered(payments)).toEqual([
        ["checkout", "refund"],
        [ofRefund, slowOne, ofCheckout],
      ])
      expect(yield* covered({ sloLabels: "team:payments,env:dev" })).toEqual([["refund"], [ofRefund]])
      expect(yield* covered({ sloLabels: "tier" })).toEqual([[], []])
      const yaml = yield* ask("POST", "/api/alertsilences/preview", {
        headers: { "content-type": "application/yaml" },
        body: JSON.stringify(aSilence({ period: hour, ...payments })),
      })
      expect(yaml.json).toEqual((yield* preview({ period: hour, ...payments })).json)
      const listed = yield* ask("GET", "/api/get/alertsilence", { headers: { project: "*" } })
      expect(listed.json).toEqual([])
    }),
  )

  test(
    "spec/alerting §21: lists the current period and the next ones",
    Effect.gen(function* () {
      yield* slos
      const periods = (spec: object, name?: string) =>
        Effect.map(preview({ slo: "checkout", ...spec }, name === undefined ? {} : { name }), ({ json }) =>
          json.periods.map((each: { startTime: string; endTime: string }) => [each.startTime, each.endTime]),
        )
      const at = (ms: number) => new Date(start + ms).toISOString()
      const minutes = (n: number) => n * 60_000
      expect(yield* periods({ period: hour })).toEqual([[at(0), at(minutes(60))]])
      const since = { startTime: at(-minutes(30)), duration: "1h" }
      expect(yield* periods({ period: since })).toEqual([[at(-minutes(30)), at(minutes(30))]])
      expect(yield* periods({ period: { ...since, duration: "30m" } })).toEqual([])

      const daily = {
        startTime: "2026-01-01 12:30:00",
        timeZone: "Europe/Berlin",
        rrule: "FREQ=DAILY",
        duration: "1h",
      }
      const found = yield* periods({ recurrence: daily })
      expect(found).toHaveLength(10)
      expect(found.slice(0, 2)).toEqual([
        ["2026-01-30T11:30:00.000Z", "2026-01-30T12:30:00.000Z"],
        ["2026-01-31T11:30:00.000Z", "2026-01-31T12:30:00.000Z"],
      ])
      const rare = { ...daily, rrule: "FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=1" }
      expect(yield* periods({ recurrence: rare })).toEqual([
        ["2026-07-01T10:30:00.000Z", "2026-07-01T11:30:00.000Z"],
      ])
      expect(
        yield* periods({ recurrence: { ...daily, rrule: "FREQ=DAILY;UNTIL=20260130T000000Z" } }),
      ).toEqual([])

      // A silence that is applied already began when it was last changed.
      yield* putDefinitions(organization, [
        {
          kind: "AlertSilence",
          metadata: { project: "shop", name: "applied" },
          spec: { slo: "checkout", period: { duration: durationOf("1h") } },
        },
      ])
      yield* TestClock.adjust("10 minutes")
      expect(yield* periods({ period: hour }, "applied")).toEqual([[at(0), at(minutes(60))]])
      expect(yield* periods({ period: { duration: "2h" } }, "applied")).toEqual([
        [at(minutes(10)), at(minutes(130))],
      ])
    }),
  )

  test(
    "spec/alerting §21: reports every issue of the silence, as applying it does",
    Effect.gen(function* () {
      const issuesOf = (spec: object, project = "shop") =>
        Effect.map(preview(spec, { project }), ({ status, json }) => [
          status,
          ...json.errors.map((error: { source: { propertyName: string }; code: string }) => [
            error.source.propertyName,
            error.code,
          ]),
        ])
      expect(yield* issuesOf({ sloLabels: "," })).toEqual([
        400,
        ["spec.period", "required"],
        ["spec.sloLabels", "invalid_format"],
      ])
      yield* slos
      const missing = { slo: "gone", alertPolicy: { name: "gone" }, period: hour }
      expect(yield* issuesOf(missing)).toEqual([
        400,
        ["spec.alertPolicy.name", "not_found"],
        ["spec.slo", "not_found"],
      ])
      expect(yield* issuesOf(missing, "nowhere")).toEqual([400, ["metadata.project", "not_found"]])
      const other = yield* ask("POST", "/api/alertsilences/preview", {
        body: { apiVersion: "tocsin/v1alpha", kind: "Project", metadata: { name: "a" }, spec: {} },
      })
      expect([other.status, other.json.errors[0].source.propertyName]).toEqual([400, "kind"])
    }),
  )
})
