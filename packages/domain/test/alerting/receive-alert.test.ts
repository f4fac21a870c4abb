import { HashNode } from "@tocsin/adapters-http/crypto"
import { moveSlos, receiveAlert } from "@tocsin/domain"
import type { Service } from "@tocsin/domain/adapter"
import type { AlertPolicy } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import { receiveAlertmanager } from "@tocsin/formats/alertmanager"
import { AlertStore, type DefinitionStore, DeliveryLog } from "@tocsin/domain/ports"
import {
  aMethod,
  anSlo,
  changeDefinitions,
  putDefinitions,
  removeMethod,
  removeSlos,
} from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { alertMaxAheadMs } from "../../src/alerting/Alert.ts"

const organization = "acme"
const start = Date.UTC(2026, 0, 30, 12)
const slo = { project: "shop", name: "checkout" }
const hook = { project: "shop", name: "hook" }
const pager = { project: "ops", name: "pager" }

const service: Service = {
  kind: "Service",
  metadata: { project: "shop", name: "web", labels: { tier: ["gold"] } },
  spec: {},
}

const policy: AlertPolicy = {
  kind: "AlertPolicy",
  metadata: { project: "shop", name: "fast-burn", labels: { team: ["a"] } },
  spec: {
    description: "Burns fast",
    severity: "High",
    coolDown: durationOf("5m"),
    conditions: [{ measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: durationOf("5m") }],
    alertMethods: [hook, pager],
  },
}

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer)

const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof stores>>): void =>
  it.effect(what, () =>
    TestClock.setTime(start).pipe(
      Effect.andThen(
        putDefinitions(organization, [
          service,
          anSlo(slo),
          policy,
          aMethod(hook),
          aMethod(pager, { sendResolution: true }),
        ]),
      ),
      Effect.andThen(effect),
      Effect.provide(stores),
    ),
  )

const triggered = {
  status: "triggered",
  slo,
  objective: "good",
  alertPolicy: { project: "shop", name: "fast-burn" },
}
const resolved = { ...triggered, status: "resolved" }
const withoutPolicy = { status: "triggered", slo, alertMethods: [pager] }

const receive = (body: object, idempotencyKey?: string) =>
  receiveAlert(organization, { body, idempotencyKey })

const issuesOf = (body: object) =>
  Effect.map(Effect.flip(receive(body)), (error) =>
    error._tag === "AlertIsInvalid" ? error.issues.map(({ path, code }) => [path, code]) : error._tag,
  )

const notificationOf = (id: string | undefined) =>
  Effect.flatMap(DeliveryLog, (log) =>
    Effect.map(log.find(organization, id ?? ""), (found) => Option.getOrThrow(found).delivery.notification),
  )

const countDeliveries = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.list(organization, {}, { limit: 500 }), ({ items }) => items.length),
)

describe("receiveAlert", () => {
  test(
    "spec/clients §3: an alert that arrives while its SLO is moved is not kept in the former project",
    Effect.gen(function* () {
      const store = yield* AlertStore
      const context = yield* Effect.context<DefinitionStore>()
      const body = { sloNames: ["checkout"], oldProject: "shop", newProject: "pay" }
      const moving = AlertStore.of({
        ...store,
        change: (...given) =>
          Effect.andThen(
            Effect.ignore(Effect.provide(moveSlos(organization, body, "ana"), context)),
            store.change(...given),
          ),
      })
      const rejected = yield* Effect.flip(Effect.provideService(receive(withoutPolicy), AlertStore, moving))
      expect(rejected).toMatchObject({ _tag: "AlertIsInvalid", issues: [{ path: "slo", code: "not_found" }] })
      expect((yield* store.list(organization, {}, { limit: 9 })).items).toEqual([])
      expect(yield* countDeliveries).toBe(0)
      const { alertId } = yield* receive({ ...withoutPolicy, slo: { ...slo, project: "pay" } })
      expect((yield* store.list(organization, { project: "pay" }, { limit: 9 })).items).toMatchObject([
        { id: alertId },
      ])
    }),
  )

  test(
    "spec/alerting §7: a triggered alert notifies its policy's methods with all that is known",
    Effect.gen(function* () {
      const receipt = yield* receive(triggered)
      expect(receipt.isChanged).toBe(true)
      expect(receipt.deliveries.map(({ alertMethod }) => alertMethod)).toEqual([hook, pager])
      expect(yield* notificationOf(receipt.deliveries[0]?.id)).toEqual({
        id: receipt.deliveries[0]?.id,
        event: "alert.triggered",
        organization,
        at: start,
        alertId: receipt.alertId,
        severity: "High",
        conditions: ["Average burn rate is at least 2 over the last 5 minutes"],
        slo,
        service: { name: "web", labels: { tier: ["gold"] } },
        objective: { name: "good" },
        alertPolicy: { name: "fast-burn", description: "Burns fast", labels: { team: ["a"] } },
      })
    }),
  )

  test(
    "spec/alerting §7: what the request says goes before what the policy says",
    Effect.gen(function* () {
      const receipt = yield* receive({
        ...triggered,
        alertMethods: [pager],
        severity: "low",
        conditions: ["Really"],
        alertId: "incident-42",
        at: "2026-01-30T11:00:00Z",
      })
      expect(receipt.alertId).toBe("incident-42")
      expect(receipt.deliveries.map(({ alertMethod }) => alertMethod)).toEqual([pager])
      expect(yield* notificationOf(receipt.deliveries[0]?.id)).toMatchObject({
        at: start - 3_600_000,
        alertId: "incident-42",
        severity: "Low",
        conditions: ["Really"],
      })
    }),
  )

  test(
    "spec/alerting §7: a second triggered for an open alert of the same policy and objective sends no notification",
    Effect.gen(function* () {
      const first = yield* receive(triggered)
      expect(yield* receive(triggered)).toEqual({ alertId: first.alertId, isChanged: false, deliveries: [] })
      expect(yield* receive({ ...triggered, alertId: "other" })).toMatchObject({ alertId: first.alertId })
      expect(yield* countDeliveries).toBe(2)
      const another = yield* receive({ ...triggered, objective: "great" })
      expect(another.isChanged).toBe(true)
      expect(another.alertId).not.toBe(first.alertId)
    }),
  )

  test(
    "spec/delivery §1: a resolved alert notifies the notified methods with sendResolution, once",
    Effect.gen(function* () {
      const { alertId } = yield* receive(triggered)
      yield* TestClock.adjust("1 minute")
      const receipt = yield* receive(resolved)
      expect(receipt).toMatchObject({ alertId, isChanged: true })
      expect(receipt.deliveries.map(({ alertMethod }) => alertMethod)).toEqual([pager])
      expect(yield* notificationOf(receipt.deliveries[0]?.id)).toMatchObject({
        event: "alert.resolved",
        alertId,
        at: start + 60_000,
        severity: "High",
        conditions: ["Average burn rate is at least 2 over the last 5 minutes"],
        alertPolicy: { name: "fast-burn" },
      })
      expect(yield* receive(resolved)).toEqual({ alertId, isChanged: false, deliveries: [] })
      const again = yield* receive(triggered)
      expect(again.isChanged).toBe(true)
      expect(again.alertId).not.toBe(alertId)
    }),
  )

  test(
    "spec/delivery §1: whether a method asks for the end counts when the alert ends",
    Effect.gen(function* () {
      yield* receive(triggered)
      yield* putDefinitions(organization, [aMethod(hook, { sendResolution: true })])
      yield* removeMethod(organization, pager)
      const receipt = yield* receive(resolved)
      expect(receipt.deliveries.map(({ alertMethod }) => alertMethod)).toEqual([hook])
    }),
  )

  test(
    "spec/alerting §7: alerts without a policy are distinguished by their IDs",
    Effect.gen(function* () {
      yield* receive({ ...withoutPolicy, alertId: "one" })
      expect((yield* receive({ ...withoutPolicy, alertId: "two" })).isChanged).toBe(true)
      expect((yield* receive({ ...withoutPolicy, alertId: "one" })).isChanged).toBe(false)
      expect(yield* receive({ status: "resolved", slo, alertId: "one" })).toMatchObject({
        alertId: "one",
        isChanged: true,
      })
      expect((yield* receive({ ...withoutPolicy, alertId: "one" })).isChanged).toBe(true)
    }),
  )

  test(
    "spec/alerting §7: an ID alone resolves an alert of a policy, with what the policy says",
    Effect.gen(function* () {
      yield* receive({ ...triggered, alertId: "incident-42" })
      const receipt = yield* receive({ status: "resolved", slo, alertId: "incident-42" })
      expect(yield* notificationOf(receipt.deliveries[0]?.id)).toMatchObject({
        objective: { name: "good" },
        alertPolicy: { name: "fast-burn" },
      })
    }),
  )

  test(
    "spec/alerting §7: an ID cannot be taken from an alert of another subject",
    Effect.gen(function* () {
      yield* receive({ ...triggered, alertId: "incident-42" })
      expect(yield* issuesOf({ ...triggered, objective: "great", alertId: "incident-42" })).toEqual([
        ["alertId", "duplicate"],
      ])
    }),
  )

  test(
    "spec/alerting §7: what does not exist is an issue with its path",
    Effect.gen(function* () {
      const unknown = { project: "shop", name: "unknown" }
      expect(
        yield* issuesOf({
          status: "triggered",
          slo: unknown,
          alertPolicy: unknown,
          alertMethods: [hook, unknown],
        }),
      ).toEqual([
        ["alertMethods[1]", "not_found"],
        ["alertPolicy", "not_found"],
        ["slo", "not_found"],
      ])
      expect(yield* issuesOf({ ...triggered, objective: "unknown" })).toEqual([["objective", "not_found"]])
      expect(yield* countDeliveries).toBe(0)
      const foreign = yield* Effect.flip(receiveAlert("another", { body: triggered }))
      expect(foreign._tag).toBe("AlertIsInvalid")
    }),
  )

  test(
    "spec/alerting §7: resolving an unknown alert is rejected; an alert of deleted definitions can be resolved",
    Effect.gen(function* () {
      expect(yield* issuesOf(resolved)).toBe("AlertNotFound")
      expect(yield* issuesOf({ status: "resolved", slo, alertId: "unknown" })).toBe("AlertNotFound")
      yield* receive(triggered)
      yield* removeSlos(organization, [slo])
      expect((yield* receive(resolved)).deliveries.length).toBe(1)
    }),
  )

  test(
    "spec/alerting §7: an alert that was open when its SLO or its policy was deleted does not keep the next one from notifying",
    Effect.gen(function* () {
      const former = yield* receive(triggered)
      yield* TestClock.adjust("1 minute")
      yield* putDefinitions(organization, [anSlo(slo, { description: "changed" })])
      expect((yield* receive(triggered)).isChanged).toBe(false)
      yield* removeSlos(organization, [slo])
      yield* putDefinitions(organization, [anSlo(slo)])
      // An outside evaluator may say that it happened before: that makes it no alert of the former SLO.
      const reopened = yield* receive({ ...triggered, at: "2026-01-30T11:00:00Z" })
      expect([reopened.isChanged, reopened.deliveries.length]).toEqual([true, 2])
      expect(reopened.alertId).not.toBe(former.alertId)
      expect(yield* receive(triggered)).toMatchObject({ alertId: reopened.alertId, isChanged: false })
      const open = yield* Effect.flatMap(AlertStore, (store) => store.list(organization, {}, { limit: 10 }))
      expect(open.items.filter(({ status }) => status === "triggered").map(({ id }) => id)).toEqual([
        reopened.alertId,
      ])

      yield* TestClock.adjust("1 minute")
      yield* changeDefinitions(organization, [], [{ kind: "AlertPolicy", ...policy.metadata }])
      yield* putDefinitions(organization, [policy])
      expect((yield* receive({ ...triggered, alertId: reopened.alertId })).isChanged).toBe(true)
      expect((yield* receive(resolved)).isChanged).toBe(true)
    }),
  )

  test(
    "spec/alerting §7: the end of an alert whose SLO was deleted leaves the open one of the SLO created again as it is",
    Effect.gen(function* () {
      yield* receive({ ...triggered, alertId: "former" })
      yield* TestClock.adjust("1 minute")
      yield* removeSlos(organization, [slo])
      yield* putDefinitions(organization, [anSlo(slo)])
      yield* receive({ ...triggered, alertId: "reopened" })
      expect(yield* receive({ ...resolved, alertId: "former" })).toMatchObject({ alertId: "former" })
      expect(yield* receive(triggered)).toMatchObject({ alertId: "reopened", isChanged: false })
      expect(yield* receive(resolved)).toMatchObject({ alertId: "reopened", isChanged: true })
    }),
  )

  test(
    "spec/alerting §7: with a policy, an ID that found another alert open at triggered ends that one",
    Effect.gen(function* () {
      yield* receive({ ...triggered, alertId: "a" })
      expect(yield* receive({ ...triggered, alertId: "b" })).toMatchObject({ alertId: "a", isChanged: false })
      const foreign = { status: "resolved", slo, alertId: "b" }
      expect(yield* issuesOf(foreign)).toBe("AlertNotFound")
      expect(yield* receive({ ...resolved, alertId: "b" })).toMatchObject({ alertId: "a", isChanged: true })
      expect(yield* receive({ ...resolved, alertId: "b" })).toMatchObject({ alertId: "a", isChanged: false })
      yield* receive({ ...triggered, alertId: "c" })
      expect(yield* receive({ ...resolved, alertId: "a" })).toMatchObject({ alertId: "a", isChanged: false })
    }),
  )

  test(
    "spec/alerting §9: the end of an alert that is older than the alert is rejected, and ends it where only clocks differ",
    Effect.gen(function* () {
      const { alertId } = yield* receive(triggered)
      const endAt = (at: number) => ({ ...resolved, at: new Date(at).toISOString() })
      const tooEarly = start - alertMaxAheadMs - 1
      const refused = yield* Effect.flip(receive(endAt(tooEarly)))
      expect(refused).toMatchObject({
        _tag: "AlertIsInvalid",
        issues: [
          {
            path: "at",
            code: "out_of_range",
            message: "must not be before the alert triggered, at 2026-01-30T12:00:00.000Z",
          },
        ],
      })
      expect((yield* receive(triggered)).isChanged).toBe(false)
      expect(yield* receive(endAt(start - alertMaxAheadMs))).toMatchObject({
        alertId,
        isChanged: true,
      })
      const store = yield* AlertStore
      const [alert] = (yield* store.list(organization, {}, { limit: 2 })).items
      expect(alert).toMatchObject({ status: "resolved", triggeredAt: start, resolvedAt: start })
    }),
  )

  test(
    "spec/alerting §9: an alert of a deleted SLO ends no earlier than it triggered",
    Effect.gen(function* () {
      const at = start + alertMaxAheadMs
      yield* receive({ ...triggered, at: new Date(at).toISOString() })
      yield* removeSlos(organization, [slo])
      const store = yield* AlertStore
      const [alert] = (yield* store.list(organization, {}, { limit: 2 })).items
      expect(alert).toMatchObject({ reason: "deleted", triggeredAt: at, resolvedAt: at })
    }),
  )

  test(
    "spec/alerting §9: of Alertmanager, an unknown end and future times are the time of receipt",
    Effect.gen(function* () {
      const send = (status: string, startsAt: string, endsAt: string) =>
        receiveAlertmanager(organization, {
          version: "4",
          alerts: [
            {
              status,
              fingerprint: "f1",
              startsAt,
              endsAt,
              labels: {
                tocsin_slo: slo.name,
                tocsin_project: slo.project,
                tocsin_alert_methods: "ops/pager",
              },
            },
          ],
        })
      const zero = "0001-01-01T00:00:00Z"
      yield* send("firing", "2036-01-01T00:00:00Z", zero)
      yield* TestClock.adjust("1 minute")
      const { alerts } = yield* send("resolved", "2036-01-01T00:00:00Z", zero)
      expect(alerts).toMatchObject([{ outcome: "resolved" }])
      const store = yield* AlertStore
      const [alert] = (yield* store.list(organization, {}, { limit: 2 })).items
      expect(alert).toMatchObject({ triggeredAt: start, resolvedAt: start + 60_000 })
    }),
  )

  test(
    "spec/alerting §8: the same Idempotency-Key gives the first response, whatever happened since",
    Effect.gen(function* () {
      const first = yield* receive(triggered, "key-1")
      expect(yield* receive(triggered, "key-1")).toEqual(first)
      yield* receive(resolved)
      yield* removeSlos(organization, [slo])
      expect(yield* receive(triggered, "key-1")).toEqual(first)
      const reused = yield* Effect.flip(receive({ ...triggered, objective: "great" }, "key-1"))
      expect(reused._tag).toBe("IdempotencyKeyIsReused")
    }),
  )

  test(
    "spec/alerting §7: the same alert reported many times at once notifies once",
    Effect.gen(function* () {
      const receipts = yield* Effect.all(
        Array.from({ length: 20 }, () => receive(triggered)),
        { concurrency: "unbounded" },
      )
      expect(new Set(receipts.map(({ alertId }) => alertId)).size).toBe(1)
      expect(receipts.filter(({ isChanged }) => isChanged).length).toBe(1)
      expect(yield* countDeliveries).toBe(2)
    }),
  )
})
