import { aMethod, anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect } from "@tocsin/testing/vitest"
import { durationOf } from "@tocsin/domain/codec"
import { receiveAlertmanager } from "@tocsin/formats/alertmanager"
import { AlertStore, DeliveryLog } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync } from "node:fs"
import recorded from "../../../../test/vectors/alertmanager.json" with { type: "json" }
import { basicOf, send } from "../../../../test/http/api-client.ts"
import { ask, organization, slo, test } from "../../../../test/http/delivery-client.ts"

const onCall = { project: "shop", name: "on-call" }

/** With an alert method, on the day after the recording. */
const withMethod = Effect.andThen(
  TestClock.setTime(Date.UTC(2026, 10, 22)),
  putDefinitions(organization, [aMethod(onCall, { sendResolution: true })]),
)

/** Sends a group as Alertmanager does, with the credentials of its configuration. */
const notify = (group: object) =>
  Effect.flatMap(basicOf(organization), ({ authorization }) => notifyAs(authorization, group))

const notifyAs = (authorization: string, group: object, query = `?organization=${organization}`) =>
  Effect.map(
    send(`/api/alertmanager${query}`, {
      method: "POST",
      headers: { ...recorded.headers, authorization },
      body: JSON.stringify(group),
    }),
    (answer) => ({ ...answer, json: JSON.parse(answer.text) }),
  )

const outcomesOf = (json: { readonly alerts: ReadonlyArray<{ readonly outcome: string }> }) =>
  json.alerts.map(({ outcome }) => outcome)

/** The notifications, oldest first. */
const notifications = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.list(organization, {}, { limit: 500 }), ({ items }) =>
    items.map(({ notification }) => `${notification.event} ${notification.alertId}`).toReversed(),
  ),
)

const alerts = Effect.flatMap(AlertStore, (store) =>
  Effect.map(store.list(organization, {}, { limit: 500 }), ({ items }) => items),
)

const alertA = "f35678174ef93de5-2026-11-21T20:15:25.123Z"
const alertB = "cd41092767267f52-2026-11-21T20:15:25.123Z"

/** The group with what `change` makes of its first alert. */
const withFirst = (group: typeof recorded.firing, change: object) => ({
  ...group,
  alerts: group.alerts.map((alert, index) => (index === 0 ? { ...alert, ...change } : alert)),
})

const [first] = recorded.firing.alerts

describe("POST /api/alertmanager", () => {
  test(
    "spec/alertmanager §3: each alert of a group notifies once, resolves once, and notifies again when it fires again",
    Effect.gen(function* () {
      yield* withMethod
      const answers = []
      for (const group of [
        recorded.firing,
        recorded.firing,
        recorded.firingAgain,
        recorded.oneResolved,
        recorded.oneResolved,
        recorded.refired,
        recorded.truncated,
      ]) {
        const { status, json } = yield* notify(group)
        answers.push([status, ...outcomesOf(json)])
      }
      expect(answers).toEqual([
        [200, "triggered", "triggered"],
        [200, "unchanged", "unchanged"],
        [200, "unchanged", "unchanged"],
        [200, "resolved", "unchanged"],
        [200, "unchanged", "unchanged"],
        [200, "triggered", "unchanged"],
        [200, "unchanged", "unchanged"],
      ])
      expect((yield* notifications).toSorted()).toEqual(
        [
          `alert.triggered ${alertA}`,
          `alert.triggered ${alertB}`,
          `alert.resolved ${alertA}`,
          `alert.triggered ${alertA}`,
        ].toSorted(),
      )
      expect((yield* alerts).map(({ id, status, subject }) => [id, status, subject.evaluation])).toEqual([
        [alertA, "triggered", "f35678174ef93de5"],
        [alertB, "triggered", "cd41092767267f52"],
      ])
    }),
  )

  test(
    "spec/alertmanager §1: the response has the outcome of each alert, and the number of truncated ones",
    Effect.gen(function* () {
      yield* withMethod
      const { json } = yield* notify(recorded.truncated)
      expect(json).toEqual({
        alerts: [alertA, alertB].map((alertId) => ({
          fingerprint: alertId.slice(0, 16),
          outcome: "triggered",
          alertId,
          deliveries: [{ id: expect.any(String), alertMethod: onCall }],
        })),
        truncatedAlerts: 1,
      })
      const found = yield* ask("GET", `/api/deliveries/${json.alerts[0].deliveries[0].id}`)
      expect(found.json).toMatchObject({ slo, alertId: alertA, event: "alert.triggered" })
    }),
  )

  test(
    "spec/alertmanager §3: an alert that fires again replaces one whose resolution was never reported",
    Effect.gen(function* () {
      yield* withMethod
      yield* notify(recorded.firing)
      const later = withFirst(recorded.firing, { startsAt: "2026-11-21T21:00:00Z" })
      expect(outcomesOf((yield* notify(later)).json)).toEqual(["triggered", "unchanged"])
      // What is sent late speaks of the one before.
      expect(outcomesOf((yield* notify(recorded.firing)).json)).toEqual(["unchanged", "unchanged"])
      expect((yield* alerts).map(({ id, status }) => [id, status])).toEqual([
        ["f35678174ef93de5-2026-11-21T21:00:00.000Z", "triggered"],
        [alertA, "resolved"],
        [alertB, "triggered"],
      ])
      expect(yield* notifications).toHaveLength(3)
    }),
  )

  test(
    "spec/alertmanager §3: resolving an unknown alert is not an error",
    Effect.gen(function* () {
      yield* withMethod
      const { status, json } = yield* notify(recorded.oneResolved)
      expect([status, ...outcomesOf(json)]).toEqual([200, "unknown", "triggered"])
    }),
  )

  test(
    "spec/alertmanager §3: resolving an unknown alert keeps a later one open",
    Effect.gen(function* () {
      yield* withMethod
      yield* notify(withFirst(recorded.firing, { startsAt: "2026-11-21T21:00:00Z" }))
      // It began at 20:15:25, and ended at 20:15:39.
      expect(outcomesOf((yield* notify(recorded.oneResolved)).json)).toEqual(["unknown", "unchanged"])
      expect((yield* alerts).map(({ status }) => status)).toEqual(["triggered", "triggered"])
      const ended = { status: "resolved", startsAt: "2026-11-21T20:59:59Z", endsAt: "2026-11-21T21:30:00Z" }
      expect(outcomesOf((yield* notify(withFirst(recorded.firing, ended))).json)).toEqual([
        "resolved",
        "unchanged",
      ])
    }),
  )

  test(
    "spec/alertmanager §4: valid alerts are accepted where others are rejected, and are resolved",
    Effect.gen(function* () {
      yield* withMethod
      const labels = { ...first?.labels, tocsin_slo: "payments", tocsin_alert_methods: "shop/on-call,nobody" }
      const wrong = { labels, fingerprint: "0000000000000001" }
      const answer = yield* notify(withFirst(recorded.firing, wrong))
      expect(answer.status).toBe(200)
      expect(answer.json.alerts).toEqual([
        {
          fingerprint: "0000000000000001",
          outcome: "rejected",
          issues: [
            {
              path: "alerts[0].labels.tocsin_alert_methods",
              code: "not_found",
              message: "must name an alert method that exists; check the name and the project",
            },
            {
              path: "alerts[0].labels.tocsin_slo",
              code: "not_found",
              message: "must name an SLO that exists; check the name and the project",
            },
          ],
        },
        expect.objectContaining({ outcome: "triggered", alertId: alertB }),
      ])
      expect(outcomesOf((yield* notify(withFirst(recorded.firing, wrong))).json)).toEqual([
        "rejected",
        "unchanged",
      ])
      expect(yield* notifications).toEqual([`alert.triggered ${alertB}`])
      // Once the referenced objects exist, it notifies.
      yield* putDefinitions(organization, [
        anSlo({ project: "shop", name: "payments" }),
        aMethod({ project: "shop", name: "nobody" }),
      ])
      expect(outcomesOf((yield* notify(withFirst(recorded.firing, wrong))).json)).toEqual([
        "triggered",
        "unchanged",
      ])
      expect(yield* notifications).toHaveLength(3)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )

  const logs: Array<string> = []
  const logger = Logger.layer([
    Logger.make(({ message, fiber }) => {
      logs.push(JSON.stringify([message, fiber.getRef(References.CurrentLogAnnotations)]))
    }),
  ])
  test(
    "spec/alertmanager §4: the log has a few of the issues of an alert that was made to have many",
    Effect.gen(function* () {
      yield* withMethod
      const methods = Array.from({ length: 100 }, (_, index) => `${index}/`).join(",")
      const labels = { ...first?.labels, tocsin_alert_methods: methods }
      const group = withFirst(recorded.firing, { labels })
      const receipt = yield* receiveAlertmanager(organization, group)
      expect(receipt.alerts[0]).toMatchObject({
        outcome: "rejected",
        issues: Array.from({ length: 100 }, () => ({})),
      })
      expect(logs).toHaveLength(1)
      expect(logs[0]?.match(/tocsin_alert_methods/g)).toHaveLength(10)
    }).pipe(Effect.provide(logger)),
  )

  test(
    "spec/alertmanager §2: an alert always has a severity, and one that is not known is reported and logged",
    Effect.gen(function* () {
      yield* withMethod
      const policy = { project: "shop", name: "tickets" }
      const conditions = [{ measurement: "averageBurnRate", op: "gte", value: 2 }] as const
      const spec = {
        severity: "Low",
        conditions,
        alertMethods: [onCall],
        coolDown: durationOf("5m"),
      } as const
      yield* putDefinitions(organization, [{ kind: "AlertPolicy", metadata: policy, spec }])
      logs.length = 0
      const received = (severity: string | undefined, more: object, parameter?: string) =>
        Effect.gen(function* () {
          const labels = {
            ...first?.labels,
            severity,
            tocsin_case: JSON.stringify([severity, more, parameter]),
          }
          const alert = { ...first, fingerprint: undefined, labels: { ...labels, ...more } }
          const group = { ...recorded.firing, alerts: [alert] }
          const receipt = yield* receiveAlertmanager(organization, group, { severity: parameter })
          const [outcome] = receipt.alerts
          const stored = (yield* alerts).find(
            ({ id }) => outcome?.outcome === "triggered" && id === outcome.alertId,
          )
          const warnings = outcome?.outcome === "triggered" ? outcome.warnings : undefined
          return [stored?.severity, warnings?.map(({ path, code, message }) => `${path} ${code} ${message}`)]
        })
      const message = (used: string) =>
        `alerts[0].labels.severity not_allowed_value is not a known severity, so ${used} is used; use Low, Medium, High or a synonym, such as warning or critical`
      const byPolicy = { tocsin_alert_policy: "tickets" }
      expect([
        yield* received("critical", {}),
        yield* received("disaster", {}),
        yield* received("disaster", {}, "high"),
        yield* received("disaster", byPolicy, "High"),
        yield* received(undefined, byPolicy, "High"),
        yield* received(undefined, {}, "Low"),
        yield* received(undefined, {}),
      ]).toEqual([
        ["High", undefined],
        ["Medium", [message("Medium")]],
        ["High", [message("High")]],
        ["Low", [message("the severity of the alert policy")]],
        ["Low", undefined],
        ["Low", undefined],
        ["Medium", undefined],
      ])
      expect(logs).toHaveLength(3)
      expect(logs[0]).toContain("Alertmanager alerts with an unknown severity")
    }).pipe(Effect.provide(logger)),
  )

  test(
    "spec/alertmanager §2: severity is one of the severities",
    Effect.gen(function* () {
      const { authorization } = yield* basicOf(organization)
      const query = `?organization=${organization}&severity=disaster`
      const { status, json } = yield* notifyAs(authorization, recorded.firing, query)
      expect([status, json.errors]).toMatchObject([
        400,
        [{ code: "severity_invalid", source: { propertyName: "severity", propertyValue: "disaster" } }],
      ])
    }),
  )

  test(
    "spec/annotations §3: an external alert without a policy is called one among the events of its SLO",
    Effect.gen(function* () {
      yield* withMethod
      yield* notify(recorded.firing)
      const from = "2026-11-21T20:00:00Z"
      const { json } = yield* ask(
        "GET",
        `/api/slos/checkout/annotations?from=${from}&to=2026-11-21T21:00:00Z`,
        { headers: { project: "shop" } },
      )
      expect(json.annotations.map(({ title }: { readonly title: string }) => title)).toEqual([
        "external alert",
        "external alert",
      ])
    }),
  )

  test(
    "spec/alertmanager §4: a group of which nothing can be taken is rejected, so that it is sent again",
    Effect.gen(function* () {
      yield* withMethod
      const alerts = recorded.firing.alerts.map((alert) => ({
        ...alert,
        labels: { ...alert.labels, tocsin_slo: "payments" },
      }))
      const { status, json } = yield* notify({ ...recorded.firing, alerts })
      expect([status, json]).toEqual([
        400,
        {
          errors: [0, 1].map((index) => ({
            title: "Invalid Alertmanager notification",
            code: "not_found",
            detail: "must name an SLO that exists; check the name and the project",
            source: { propertyName: `alerts[${index}].labels.tocsin_slo` },
          })),
        },
      ])
      const guide = readFileSync(new URL("../../../../docs/guides/alertmanager.md", import.meta.url), "utf8")
      const [, example = ""] = /^```json\n([^]*?)\n```$/m.exec(guide) ?? []
      expect((json as { errors: ReadonlyArray<unknown> }).errors).toEqual(
        expect.arrayContaining((JSON.parse(example) as { errors: Array<unknown> }).errors),
      )
      expect(yield* notifications).toEqual([])
      const malformed = yield* notify({ ...recorded.firing, alerts: [{}, 1] })
      expect(malformed.status).toBe(400)
      expect((yield* notify({ ...recorded.firing, alerts: [] })).json).toEqual({
        alerts: [],
        truncatedAlerts: 0,
      })
    }),
  )

  test(
    "spec/alertmanager §1: takes Basic credentials or a token, with the organization in the header or the query",
    Effect.gen(function* () {
      yield* withMethod
      const { authorization } = yield* basicOf(organization)
      expect((yield* notifyAs(authorization, recorded.firing)).status).toBe(200)
      const byToken = yield* ask("POST", "/api/alertmanager", { body: recorded.firing })
      expect([byToken.status, ...outcomesOf(byToken.json)]).toEqual([200, "unchanged", "unchanged"])
      const missing = yield* notifyAs(authorization, recorded.firing, "")
      expect([missing.status, missing.json.errors[0].code]).toEqual([400, "organization_missing"])
      const foreign = yield* notifyAs(authorization, recorded.firing, "?organization=globex")
      expect([foreign.status, foreign.json.errors[0].code]).toEqual([401, "invalid_credentials"])
      const nobody = yield* notifyAs("", recorded.firing)
      expect([nobody.status, nobody.json.errors[0].code]).toEqual([401, "access_token_missing"])
      const viewer = yield* basicOf(organization, "viewer")
      expect((yield* notifyAs(viewer.authorization, recorded.firing)).status).toBe(403)
    }),
  )

  test(
    "spec/alertmanager §3: wrong credentials are counted against their address, and keep no other client out",
    Effect.gen(function* () {
      yield* withMethod
      const wrong = `Basic ${btoa("nobody:0123456789abcdef")}`
      const statuses = []
      for (let count = 1; count <= 6; count++) statuses.push((yield* notifyAs(wrong, recorded.firing)).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
      expect((yield* notify(recorded.firing)).status).toBe(200)
    }),
  )

  test(
    "spec/alertmanager §1: a body that is no group is rejected, and nothing of it taken",
    Effect.gen(function* () {
      const { status, json } = yield* notify({ ...recorded.firing, version: "5" })
      expect([status, json.errors[0].source.propertyName]).toEqual([400, "version"])
      expect(yield* alerts).toEqual([])
    }),
  )
})
