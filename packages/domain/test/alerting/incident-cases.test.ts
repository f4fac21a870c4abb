import { HashNode } from "@tocsin/adapters-http/crypto"
import {
  anSlo,
  calendarOf,
  changeDefinitions,
  instantOf,
  putDefinitions,
  removeSlos,
} from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { receiveAlert } from "@tocsin/domain"
import type { AlertSilence } from "@tocsin/domain/adapter"
import { decode, durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { AlertStore, DeliveryLog } from "@tocsin/domain/ports"
import { recurrence } from "../../src/codec/Recurrence.ts"
import { MemoryStores } from "@tocsin/adapters-memory"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import {
  alertsOf,
  anHour,
  aPolicy,
  at,
  badFrom,
  before,
  hook,
  organization,
  pager,
  pass,
  policyKey,
  record,
  sentBy,
  sentFor,
  type Script,
  sloKey,
  start,
  watch,
} from "../../../../test/alerting/Incident.ts"

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer)

type Context = Layer.Success<typeof stores> | Scope.Scope

const test = (what: string, effect: Effect.Effect<void, unknown, Context>): void =>
  it.effect(what, () => Effect.provide(effect, stores))

/** Over an hour with 10 events a minute and 10 bad minutes from 10 on, it is met from 12 to 22, and not from 22.5 on. */
const fast: Condition = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 5,
  alertingWindow: durationOf("5m"),
}
const badMinutes = badFrom(10, 20)
const slo = anHour()

const allAlerts = Effect.gen(function* () {
  const { items } = yield* (yield* AlertStore).list(organization, {}, { limit: 500 })
  return items.toSorted((a, b) => a.triggeredAt - b.triggeredAt)
})

const allNotifications = Effect.gen(function* () {
  const { items } = yield* (yield* DeliveryLog).list(organization, {}, { limit: 500 })
  return items.map(({ notification }) => notification).toReversed()
})

describe("an alert of the evaluation", () => {
  test(
    "spec/alerting §3: has its subject, and its times by the clock and by the data",
    Effect.gen(function* () {
      const lasting = { ...fast, lastsFor: durationOf("2m") }
      yield* before(slo, aPolicy([lasting, { measurement: "burnedBudget", op: "gte", value: 0.1 }]))
      yield* watch
      yield* pass(slo, badMinutes, 0, 90)
      const [listed] = yield* allAlerts
      const { items } = yield* (yield* AlertStore).list(
        organization,
        { ids: [listed?.id ?? ""] },
        { limit: 1 },
      )
      const [alert] = items
      expect(alert).toEqual({
        id: listed?.id,
        subject: { slo: sloKey, objective: "good", alertPolicy: policyKey },
        status: "resolved",
        severity: "High",
        conditions: [
          "Average burn rate is at least 5 over the last 5 minutes and this condition lasts for 2 minutes",
          "Remaining error budget is 90%",
        ],
        policyConditions: [
          {
            measurement: "averageBurnRate",
            op: "gte",
            value: 5,
            alertingWindow: "5m",
            lastsFor: "2m",
            metSince: at(12),
          },
          { measurement: "burnedBudget", op: "gte", value: 0.1 },
        ],
        evidence: {
          target: 0.9,
          groups: [
            [
              {
                condition: alert?.conditions[0],
                measurement: "averageBurnRate",
                isMet: true,
                detail: "The average burn rate is 10; at least 5 is required",
                value: 10,
                threshold: 5,
                range: { from: at(10), to: at(15) },
                events: { good: 0, total: 40 },
              },
              {
                condition: "Remaining error budget is 90%",
                measurement: "burnedBudget",
                isMet: true,
                detail: "The burned share of the error budget is 67.8%; at least 10% is required",
                value: 0.677966101695,
                threshold: 0.1,
                range: { from: at(-45), to: at(15) },
                events: { good: 550, total: 590 },
              },
            ],
          ],
        },
        coolDown: "5m",
        service: "web",
        definedAt: at(-120),
        alertMethods: [hook, pager],
        triggeredAt: at(14),
        triggeredMetricAt: at(13),
        // One condition that is not met ends it, although a tenth is burned until the bad minutes leave the hour.
        resolvedAt: at(27.5),
        resolvedMetricAt: at(26),
      })
      const [first, , last] = yield* allNotifications
      expect(first).toMatchObject({
        event: "alert.triggered",
        at: at(14),
        alertId: alert?.id,
        severity: "High",
        conditions: alert?.conditions,
        slo: sloKey,
        objective: { name: "good" },
        alertPolicy: { name: "fast-burn" },
      })
      expect(last).toMatchObject({ event: "alert.resolved", at: at(27.5), alertId: alert?.id })
    }),
  )

  test(
    "spec/alerting §3: ends with the short window, so that a second outage within the long one notifies again",
    Effect.gen(function* () {
      const burns = (alertingWindow: string): Condition => ({
        measurement: "averageBurnRate",
        op: "gte",
        value: 14.4,
        alertingWindow: durationOf(alertingWindow),
      })
      const overDays = anHour({
        timeWindow: { unit: "Day", count: 28 },
        objectives: [{ name: "good", target: 0.99 }],
      })
      yield* before(overDays, aPolicy([burns("1h"), burns("5m")]))
      yield* watch
      yield* TestClock.adjust("30 seconds")
      // The counts of each minute come when it is over.
      for (let minute = 0; minute < 140; minute++) {
        yield* TestClock.adjust("30 seconds")
        yield* TestClock.adjust("30 seconds")
        const isBad = (minute >= 20 && minute < 35) || (minute >= 65 && minute < 80)
        yield* record(overDays, [[minute, isBad ? 0 : 10]])
      }
      expect(yield* alertsOf()).toEqual([
        ["resolved", 29, 44],
        ["resolved", 66, 89],
      ])
      expect(yield* sentBy()).toEqual([...sentFor(29, 44), ...sentFor(66, 89)])
    }),
  )

  test(
    "spec/alerting §14: of one policy with groups is kept from one group to the next, and ends with the last",
    Effect.gen(function* () {
      const burns = (value: number, alertingWindow: string): Condition => ({
        measurement: "averageBurnRate",
        op: "gte",
        value,
        alertingWindow: durationOf(alertingWindow),
      })
      const day = anHour({ timeWindow: { unit: "Day", count: 28 } })
      const quick = { conditions: [burns(8, "10m")] }
      const slow = { conditions: [burns(1.4, "1h"), burns(1, "5m")] }
      const { conditions: _, ...spec } = aPolicy([]).spec
      yield* before(day, { ...aPolicy([]), spec: { ...spec, conditionGroups: [quick, slow] } })
      yield* watch
      // All are bad for 8 minutes, then a fifth for half an hour.
      yield* pass(day, (minute) => (minute < 10 || minute >= 48 ? 10 : minute < 18 ? 0 : 8), 0, 80)
      // A burn rate of 8 over 10 minutes at 17.5, until 18; of 1.4 over the hour from 20 on, and of 1 over 5 minutes until 50.5.
      const [seen, ...more] = yield* alertsOf()
      expect(more).toEqual([])
      expect(seen?.[0]).toBe("resolved")
      expect(seen?.[1]).toBe(17.5)
      expect(seen?.[2]).toBeGreaterThan(53)
      expect(seen?.[2]).toBeLessThan(59)
      const [alert] = yield* allAlerts
      expect(alert?.conditions).toEqual(["Average burn rate is at least 8 over the last 10 minutes"])
    }),
  )

  test(
    "spec/alerting §13: needs as many events, and bad ones, as its conditions say",
    Effect.gen(function* () {
      const few = { ...fast, minEvents: 51 }
      const some = { ...fast, minBadEvents: 30 }
      yield* before(
        anHour({ alertPolicies: ["few", "some"] }),
        aPolicy([few], {}, "few"),
        aPolicy([some], {}, "some"),
      )
      yield* watch
      yield* pass(slo, badMinutes, 0, 30)
      // There are 50 events in 5 minutes; 30 of them are bad after 3 bad minutes.
      expect(yield* alertsOf("few")).toEqual([])
      expect(yield* alertsOf("some")).toEqual([["resolved", 12.5, 27]])
    }),
  )

  test(
    "spec/templates §8: notifies of when the error budget is exhausted, as forecast at that time",
    Effect.gen(function* () {
      const day = anHour({
        timeWindow: { unit: "Day", count: 1 },
        objectives: [{ name: "good", target: 0.97 }],
      })
      yield* before(day, aPolicy([{ ...fast, value: 10 }]))
      yield* watch
      yield* pass(day, badMinutes, 0, 13)
      const [first] = yield* allNotifications
      // Of 1,320 events 20 are bad, and of the 600 of the last hour.
      const remaining = 0.03 * 1_320 - 20
      const lost = 20 / 60 - (0.03 * 600) / 60 + remaining / 1_440
      expect(first).toMatchObject({
        event: "alert.triggered",
        at: at(11.5),
        budgetExhaustedAt: at(12 + Math.ceil(remaining / lost)),
      })
    }),
  )

  test(
    "spec/alerting §3: is one while it is bad again within the cool-down, and another after it",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]))
      yield* watch
      const script: Script = (minute) =>
        (minute >= 10 && minute < 20) || (minute >= 25 && minute < 28) || (minute >= 40 && minute < 43)
          ? 0
          : 10
      yield* pass(slo, script, 0, 60)
      // Met again at 27, half a minute before the cool-down is over; and not from 30.5 on.
      expect(yield* alertsOf()).toEqual([
        ["resolved", 12, 35.5],
        ["resolved", 42, 50.5],
      ])
      expect(yield* sentBy()).toEqual([...sentFor(12, 35.5), ...sentFor(42, 50.5)])
    }),
  )

  test(
    "spec/alerting §3: is canceled when its policy changes, and another one triggers while it is bad; not for a description",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]))
      yield* watch
      yield* pass(slo, badMinutes, 0, 40, {
        13: putDefinitions(organization, [aPolicy([fast], { description: "Burns fast" })]),
        15: putDefinitions(organization, [aPolicy([fast], { severity: "Low" })]),
      })
      expect(yield* alertsOf()).toEqual([
        ["policy_changed", 12, 15.5],
        ["resolved", 15.5, 27.5],
      ])
      expect((yield* sentBy()).filter(([minute]) => minute === 15.5)).toEqual([
        [15.5, "alert.triggered", "hook"],
        [15.5, "alert.resolved", "pager"],
        [15.5, "alert.triggered", "pager"],
      ])
      expect((yield* allAlerts).map(({ severity }) => severity)).toEqual(["High", "Low"])
    }),
  )

  test(
    "spec/alerting §3: is kept when durations are written in other units",
    Effect.gen(function* () {
      const lasting = (value: string, lastsFor: string): Condition => ({
        measurement: "timeToBurnEntireBudget",
        op: "lte",
        value: durationOf(value),
        lastsFor: durationOf(lastsFor),
      })
      yield* before(slo, aPolicy([lasting("72h", "1m"), fast]))
      yield* watch
      const rewritten = aPolicy([lasting("4320m", "60s"), { ...fast, alertingWindow: durationOf("300s") }], {
        coolDown: durationOf("300s"),
      })
      yield* pass(slo, badMinutes, 0, 15, { 13: putDefinitions(organization, [rewritten]) })
      expect(yield* alertsOf()).toEqual([["triggered", 12]])
      const otherwise = aPolicy([lasting("4321m", "60s"), { ...fast, alertingWindow: durationOf("300s") }])
      yield* pass(slo, badMinutes, 15, 17, { 15: putDefinitions(organization, [otherwise]) })
      expect((yield* alertsOf())[0]).toEqual(["policy_changed", 12, 15.5])
    }),
  )

  const changes: ReadonlyArray<readonly [string, Slo, string]> = [
    ["its target changes", anHour({ objectives: [{ name: "good", target: 0.5 }] }), "slo_changed"],
    ["its window changes", anHour({ timeWindow: { unit: "Hour", count: 2 } }), "slo_changed"],
    ["its objective goes", anHour({ objectives: [{ name: "better", target: 0.1 }] }), "detached"],
    ["its SLO names the policy no longer", anHour({ alertPolicies: [] }), "detached"],
  ]
  for (const [what, changed, reason] of changes) {
    test(
      `spec/alerting §3: is canceled when ${what}`,
      Effect.gen(function* () {
        yield* before(slo, aPolicy([fast]))
        yield* watch
        yield* pass(slo, badMinutes, 0, 15, {})
        // A policy that is named no longer may be deleted with it.
        const gone =
          changed.spec.alertPolicies.length === 0 ? [{ kind: "AlertPolicy" as const, ...policyKey }] : []
        yield* changeDefinitions(organization, [changed], gone)
        yield* pass(changed, () => 10, 15, 17)
        expect((yield* alertsOf())[0]).toEqual([reason, 12, 15])
        expect((yield* sentBy()).filter(([, event]) => event === "alert.resolved")).toEqual([
          [15, "alert.resolved", "pager"],
        ])
        const resolution = (yield* allNotifications).find(({ event }) => event === "alert.resolved")
        expect(resolution).toMatchObject({ objective: { name: "good" }, alertPolicy: { name: "fast-burn" } })
      }),
    )
  }

  test(
    "spec/alerting §3: is canceled when a new calendar window begins with a full budget",
    Effect.gen(function* () {
      const calendar = calendarOf({ startTime: "2026-01-01 12:15:00", timeZone: "UTC" })
      const daily = anHour({ timeWindow: { unit: "Day", count: 1, calendar } })
      yield* before(daily, aPolicy([{ measurement: "burnedBudget", op: "gte", value: 0.3 }]))
      yield* watch
      yield* pass(daily, badMinutes, 0, 20)
      // 50 of 1,360 events are bad at 14.5, all of 10 at 15.5.
      expect(yield* alertsOf()).toEqual([
        ["window_ended", 14.5, 15],
        ["triggered", 15.5],
      ])
      expect(yield* sentBy()).toEqual([...sentFor(14.5, 15), ...sentFor(15.5)])
    }),
  )

  test(
    "spec/alerting §3: is canceled with its SLO without a notification, unless it is resolved externally",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]))
      yield* watch
      yield* pass(slo, badMinutes, 0, 15)
      yield* removeSlos(organization, [sloKey])
      yield* putDefinitions(organization, [slo])
      yield* pass(slo, () => 10, 15, 17)
      expect(yield* alertsOf()).toEqual([["deleted", 12, 14.5]])
      expect(yield* sentBy()).toEqual(sentFor(12))
      const [alert] = yield* allAlerts
      yield* receiveAlert(organization, { body: { status: "resolved", slo: sloKey, alertId: alert?.id } })
      expect(yield* sentBy()).toEqual(sentFor(12, 16.5))
    }),
  )
})

describe("an external alert", () => {
  const triggered = {
    status: "triggered",
    slo: sloKey,
    objective: "good",
    alertPolicy: policyKey,
    alertId: "theirs",
  }
  const receive = (body: object) => receiveAlert(organization, { body })
  const silenceFrom = (minute: number, duration: string): AlertSilence => ({
    kind: "AlertSilence",
    metadata: { project: "shop", name: "move" },
    spec: {
      slo: sloKey.name,
      period: { startTime: instantOf(new Date(at(minute)).toISOString()), duration: durationOf(duration) },
    },
  })

  test(
    "spec/alerting §3: that is open is adopted: no notification is sent again, and the policy resolves it",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]))
      yield* watch
      yield* pass(slo, badMinutes, 0, 40, { 11: receive({ ...triggered, alertMethods: [pager] }) })
      expect(yield* alertsOf()).toEqual([["resolved", 11, 27.5]])
      expect(yield* sentBy()).toEqual([
        [11, "alert.triggered", "pager"],
        [27.5, "alert.resolved", "pager"],
      ])
    }),
  )

  test(
    "spec/alerting §3: can resolve a policy's alert, which notifies again only for the next incident",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]))
      yield* watch
      const again: Script = (minute) => (minute >= 40 && minute < 43 ? 0 : badMinutes(minute))
      const { alertId: _, ...resolved } = { ...triggered, status: "resolved" }
      yield* pass(slo, again, 0, 60, { 15: receive(resolved) })
      expect(yield* alertsOf()).toEqual([
        ["resolved", 12, 15],
        ["resolved", 42, 50.5],
      ])
      expect(yield* sentBy()).toEqual([...sentFor(12, 15), ...sentFor(42, 50.5)])
    }),
  )

  test(
    "spec/alerting §6, spec/alerting §3: can resolve a policy's alert under a silence, and no notification follows when the silence ends",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]), silenceFrom(15, "20m"))
      yield* watch
      const { alertId: _, ...resolved } = { ...triggered, status: "resolved" }
      yield* pass(slo, badMinutes, 0, 45, { 20: receive(resolved) })
      expect(yield* alertsOf()).toEqual([["resolved", 12, 20]])
      expect(yield* sentBy()).toEqual(sentFor(12, 20))
    }),
  )

  test(
    "spec/alerting §3: is resolved with the conditions too when a policy's alert was resolved externally before it, and the next one notifies",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]))
      yield* watch
      const again: Script = (minute) => (minute >= 40 && minute < 43 ? 0 : badMinutes(minute))
      const { alertId: _, ...resolved } = { ...triggered, status: "resolved" }
      yield* pass(slo, again, 0, 60, {
        15: receive(resolved),
        17: receive({ ...triggered, alertMethods: [pager] }),
      })
      expect(yield* alertsOf()).toEqual([
        ["resolved", 12, 15],
        ["resolved", 17, 27.5],
        ["resolved", 42, 50.5],
      ])
      expect(yield* sentBy()).toEqual([
        ...sentFor(12, 15),
        [17, "alert.triggered", "pager"],
        [27.5, "alert.resolved", "pager"],
        ...sentFor(42, 50.5),
      ])
    }),
  )

  test(
    "spec/alerting §6, spec/alerting §3: that followed a policy's alert under a silence sends its resolution when the silence ends",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]), silenceFrom(14, "20m"))
      yield* watch
      const { alertId: _, ...resolved } = { ...triggered, status: "resolved" }
      yield* pass(slo, badMinutes, 0, 45, { 15: receive(resolved), 17: receive(triggered) })
      expect(yield* alertsOf()).toEqual([
        ["resolved", 12, 15],
        ["resolved", 17, 27.5],
      ])
      expect(yield* sentBy()).toEqual([...sentFor(12, 15), ...sentFor(17, 34)])
    }),
  )

  test(
    "spec/alerting §10: notifies of a policy's silenced alert, which does not notify again when the silence ends",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]), silenceFrom(5, "20m"))
      yield* watch
      yield* pass(slo, badMinutes, 0, 15)
      const [held] = yield* allAlerts
      expect(held).toMatchObject({ isSilenced: true, alertMethods: [] })
      const receipt = yield* receive({ ...triggered, severity: "Low", conditions: ["Orders fail"] })
      expect(receipt).toMatchObject({ alertId: held?.id, isChanged: true, deliveries: [{}, {}] })
      expect((yield* receive(triggered)).isChanged).toBe(false)
      yield* pass(slo, badMinutes, 15, 40)
      expect(yield* alertsOf()).toEqual([["resolved", 12, 27.5]])
      expect(yield* sentBy()).toEqual(sentFor(14.5, 27.5))
      expect((yield* allNotifications)[0]).toMatchObject({
        event: "alert.triggered",
        at: at(12),
        severity: "Low",
        conditions: ["Orders fail"],
      })
      expect((yield* allAlerts)[0]).not.toHaveProperty("isSilenced")
    }),
  )

  test(
    "spec/alerting §10: that notified of a policy's alert under a silence sends its resolution when the silence ends",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]), silenceFrom(5, "30m"))
      yield* watch
      yield* pass(slo, badMinutes, 0, 45, { 15: receive({ ...triggered, alertMethods: [pager] }) })
      expect(yield* alertsOf()).toEqual([["resolved", 12, 27.5]])
      expect(yield* sentBy()).toEqual([
        [15, "alert.triggered", "pager"],
        [35, "alert.resolved", "pager"],
      ])
    }),
  )

  test(
    "spec/alerting §3: that was resolved externally as a policy's alert is not notified again when that alert is canceled",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]))
      yield* watch
      const { alertId: _, ...resolved } = { ...triggered, status: "resolved" }
      yield* pass(slo, badMinutes, 0, 40, {
        14: receive(resolved),
        15: receive(triggered),
        16: receive(resolved),
        17: putDefinitions(organization, [aPolicy([fast], { severity: "Low" })]),
      })
      expect(yield* alertsOf()).toEqual([
        ["resolved", 12, 14],
        ["resolved", 15, 16],
        ["resolved", 17.5, 27.5],
      ])
      expect(yield* sentBy()).toEqual([...sentFor(12, 14), ...sentFor(15, 16), ...sentFor(17.5, 27.5)])
    }),
  )

  test(
    "spec/alerting §3: sends no notification while a policy's alert is open",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]))
      yield* watch
      yield* pass(slo, badMinutes, 0, 40, { 13: receive(triggered) })
      expect(yield* alertsOf()).toEqual([["resolved", 12, 27.5]])
      expect(yield* sentBy()).toEqual(sentFor(12, 27.5))
    }),
  )
})

describe("a silence", () => {
  const aSilence = (from: number, to: number, alertPolicy?: ProjectKey): AlertSilence => ({
    kind: "AlertSilence",
    metadata: { project: "shop", name: "night-work" },
    spec: {
      slo: sloKey.name,
      ...(alertPolicy !== undefined && { alertPolicy }),
      period: {
        startTime: instantOf(new Date(at(from)).toISOString()),
        endTime: instantOf(new Date(at(to)).toISOString()),
      },
    },
  })

  test(
    "spec/alerting §6: suppresses notifications until it ends, but not the alert",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]), aSilence(5, 25, policyKey))
      yield* watch
      yield* pass(slo, badMinutes, 0, 20)
      expect(yield* alertsOf()).toEqual([["triggered", 12]])
      expect((yield* allAlerts)[0]).toMatchObject({ isSilenced: true, alertMethods: [] })
      expect(yield* sentBy()).toEqual([])
      yield* pass(slo, badMinutes, 20, 40)
      expect(yield* sentBy()).toEqual([
        [25, "alert.triggered", "hook"],
        [25, "alert.triggered", "pager"],
        [27.5, "alert.resolved", "pager"],
      ])
      expect((yield* allNotifications)[0]).toMatchObject({ event: "alert.triggered", at: at(12) })
      expect((yield* allAlerts)[0]).not.toHaveProperty("isSilenced")
    }),
  )

  test(
    "spec/alerting §17: that recurs suppresses notifications until its occurrence ends",
    Effect.gen(function* () {
      const recurring: AlertSilence = {
        kind: "AlertSilence",
        metadata: { project: "shop", name: "lunch" },
        spec: {
          slo: sloKey.name,
          recurrence: Result.getOrThrow(
            decode(
              recurrence,
              {
                startTime: "2026-01-01 13:05:00",
                timeZone: "Europe/Berlin",
                rrule: "FREQ=DAILY",
                duration: "20m",
              },
              {},
            ),
          ),
        },
      }
      yield* before(slo, aPolicy([fast]), recurring)
      yield* watch
      yield* pass(slo, badMinutes, 0, 40)
      expect(yield* sentBy()).toEqual([
        [25, "alert.triggered", "hook"],
        [25, "alert.triggered", "pager"],
        [27.5, "alert.resolved", "pager"],
      ])
    }),
  )

  test(
    "spec/alerting §6: has nothing sent of an alert that begins and ends under it",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]), aSilence(5, 40))
      yield* watch
      yield* pass(slo, badMinutes, 0, 45)
      expect(yield* alertsOf()).toEqual([["resolved", 12, 27.5]])
      expect(yield* sentBy()).toEqual([])
      expect((yield* allAlerts)[0]).toMatchObject({ isSilenced: true })
    }),
  )

  test(
    "spec/alerting §6: suppresses the resolution of an alert notified before it",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]), aSilence(15, 35))
      yield* watch
      yield* pass(slo, badMinutes, 0, 45)
      expect(yield* alertsOf()).toEqual([["resolved", 12, 27.5]])
      expect(yield* sentBy()).toEqual(sentFor(12, 35))
    }),
  )

  test(
    "spec/alerting §6: is over when it is deleted, and is not for other policies",
    Effect.gen(function* () {
      const slow = aPolicy([fast], {}, "slow-burn")
      const both = anHour({ alertPolicies: ["fast-burn", "slow-burn"] })
      yield* before(both, aPolicy([fast]), slow, aSilence(5, 60, policyKey))
      yield* watch
      const key = { kind: "AlertSilence", project: "shop", name: "night-work" } as const
      yield* pass(both, badMinutes, 0, 40, { 20: changeDefinitions(organization, [], [key]) })
      expect(yield* sentBy("slow-burn")).toEqual(sentFor(12, 27.5))
      expect(yield* sentBy("fast-burn")).toEqual([
        [20.5, "alert.triggered", "hook"],
        [20.5, "alert.triggered", "pager"],
        [27.5, "alert.resolved", "pager"],
      ])
    }),
  )
})

describe("missing data", () => {
  const watched = anHour({
    alertPolicies: [],
    anomalyConfig: { noData: { alertMethods: [hook, pager], alertAfter: durationOf("15m") } },
  })
  const noneFrom =
    (from: number, to: number): Script =>
    (minute) =>
      minute >= from && minute < to ? undefined : 10
  const sent = (detected: number, resolved?: number) => [
    [detected, "no_data.detected", "hook"],
    [detected, "no_data.detected", "pager"],
    ...(resolved === undefined ? [] : [[resolved, "alert.resolved", "pager"]]),
  ]

  test(
    "spec/delivery §1, spec/alerting §4: notifies when it has lasted, and resolves with the next counts",
    Effect.gen(function* () {
      yield* before(watched)
      yield* watch
      // The latest minute before is 9.
      yield* pass(watched, noneFrom(10, 40), 0, 60)
      const [alert] = yield* allAlerts
      expect(alert).toEqual({
        id: alert?.id,
        subject: { slo: sloKey, objective: "good", anomaly: "NoData" },
        status: "resolved",
        conditions: ["No data for 15 minutes"],
        service: "web",
        anomaly: { type: "NoData", alertAfter: "15m" },
        definedAt: at(-120),
        alertMethods: [hook, pager],
        triggeredAt: at(24),
        triggeredMetricAt: at(9),
        resolvedAt: at(40.5),
        resolvedMetricAt: at(40),
      })
      expect(yield* sentBy(null)).toEqual(sent(24, 40.5))
      expect((yield* allNotifications)[0]).toMatchObject({
        event: "no_data.detected",
        noDataAlertAfter: "15m",
        anomalyType: "no_data",
      })
      expect(yield* allAlerts).toHaveLength(1)
    }),
  )

  test(
    "spec/alerting §4: is not resolved by counts of old minutes, and notifies again when it recurs",
    Effect.gen(function* () {
      yield* before(watched)
      yield* watch
      const script: Script = (minute) => (minute < 10 || minute === 40 ? 10 : undefined)
      yield* pass(watched, script, 0, 60, {
        30: record(watched, [
          [5, 0],
          [12, 10],
        ]),
      })
      expect(yield* sentBy(null)).toEqual([...sent(24, 40.5), ...sent(55)])
    }),
  )

  test(
    "spec/alerting §4: of an objective that never had counts is counted from the SLO's last change",
    Effect.gen(function* () {
      yield* before(slo)
      const empty: Slo = { ...watched, metadata: { ...watched.metadata, name: "empty" } }
      yield* putDefinitions(organization, [empty])
      yield* watch
      yield* pass(slo, () => 10, 0, 20, {
        3: putDefinitions(organization, [{ ...empty, spec: { ...empty.spec, description: "Soon" } }]),
      })
      expect(yield* sentBy(null)).toEqual(sent(18))
    }),
  )

  test(
    "spec/alerting §4: is of objectives with counts of their own, and not of composite ones",
    Effect.gen(function* () {
      yield* before(slo)
      const components = [{ slo: sloKey, objective: "good", weight: 1, whenDelayed: "Ignore" } as const]
      const composite = { name: "all", target: 0.9, composite: { maxDelay: "5m", components } }
      const shop = { ...watched.metadata, name: "shop" }
      yield* putDefinitions(organization, [
        { ...watched, metadata: shop, spec: { ...watched.spec, objectives: [composite] } },
      ])
      yield* watch
      yield* pass(slo, noneFrom(10, 40), 0, 40)
      expect(yield* allAlerts).toEqual([])
    }),
  )

  test(
    "spec/alerting §5: does not fire for counts that arrive within a minute after the server was down, and fires then for others",
    Effect.gen(function* () {
      const other: Slo = { ...watched, metadata: { ...watched.metadata, name: "other" } }
      yield* before(watched, other)
      yield* record(other, [[-1, 10]])
      yield* TestClock.setTime(at(60))
      yield* watch
      yield* TestClock.adjust("30 seconds")
      yield* record(watched, [[60, 10]])
      yield* TestClock.adjust("1 minute")
      expect(yield* sentBy(null)).toEqual(sent(61))
      expect((yield* allAlerts).map(({ subject }) => subject.slo.name)).toEqual(["other"])
    }),
  )

  test(
    "spec/alerting §4: old counts that arrive first fire no alert, as a new indicator reads the oldest first",
    Effect.gen(function* () {
      yield* before(slo)
      const empty: Slo = { ...watched, metadata: { ...watched.metadata, name: "empty" } }
      yield* putDefinitions(organization, [empty])
      yield* watch
      const old = (minute: number) => record(empty, [[minute, 10]])
      yield* pass(slo, () => 10, 0, 12, { 2: old(-120), 3: old(-60), 4: old(4) })
      expect(yield* sentBy(null)).toEqual([])
      yield* pass(slo, () => 10, 12, 25)
      expect(yield* sentBy(null)).toEqual(sent(19))
    }),
  )

  test(
    "spec/alerting §4: of an objective that never had counts is not over when the SLO changes, but with the first counts",
    Effect.gen(function* () {
      yield* before(slo)
      const empty: Slo = { ...watched, metadata: { ...watched.metadata, name: "empty" } }
      yield* putDefinitions(organization, [empty])
      yield* watch
      yield* pass(slo, () => 10, 0, 40, {
        20: putDefinitions(organization, [{ ...empty, spec: { ...empty.spec, description: "Soon" } }]),
        30: record(empty, [[30, 10]]),
      })
      expect(yield* sentBy(null)).toEqual(sent(14.5, 30))
    }),
  )

  test(
    "spec/alerting §4: is suppressed by a silence of the whole SLO, and canceled when monitoring of missing data is removed",
    Effect.gen(function* () {
      const silence: AlertSilence = {
        kind: "AlertSilence",
        metadata: { project: "shop", name: "move" },
        spec: {
          slo: sloKey.name,
          period: { startTime: instantOf(new Date(start).toISOString()), duration: durationOf("30m") },
        },
      }
      yield* before(watched, silence)
      yield* watch
      yield* pass(watched, noneFrom(10, 60), 0, 50, { 40: putDefinitions(organization, [slo]) })
      expect(
        (yield* allAlerts).map(({ reason, triggeredAt, resolvedAt }) => [reason, triggeredAt, resolvedAt]),
      ).toEqual([["detached", at(24), at(40.5)]])
      expect(yield* sentBy(null)).toEqual(sent(30, 40.5))
    }),
  )
})

describe("a composite", () => {
  test(
    "spec/alerting §2: fires for the weighted minutes of its components",
    Effect.gen(function* () {
      const component = (name: string): Slo => ({
        ...slo,
        metadata: { project: "shop", name },
        spec: { ...slo.spec, alertPolicies: [] },
      })
      const checkout = component(sloKey.name)
      const search = component("search")
      const shop = anSlo(
        { project: "shop", name: "shop" },
        {
          timeWindow: { unit: "Minute", count: 60 },
          alertPolicies: [policyKey.name],
          objectives: [
            {
              name: "all",
              target: 0.9,
              composite: {
                maxDelay: durationOf("45m"),
                components: [checkout, search].map(({ metadata: { project, name } }) => ({
                  slo: { project, name },
                  objective: "good",
                  weight: 2,
                  whenDelayed: "Ignore",
                })),
              },
            },
          ],
        },
      )
      yield* before(checkout, search, aPolicy([fast]))
      yield* putDefinitions(organization, [shop])
      yield* watch
      for (let minute = 0; minute < 40; minute++) {
        yield* record(search, [[minute - 1, 10]])
        yield* pass(checkout, badMinutes, minute, minute + 1)
      }
      // Its components' counts are seen with the next look: half of the minutes 10 to 13 are bad at 14, 3 of the 8 of 17
      // to 20 at 21.
      expect(yield* alertsOf()).toEqual([["resolved", 14, 26]])
      expect(yield* sentBy()).toEqual(sentFor(14, 26))
      expect((yield* allAlerts)[0]).toMatchObject({
        subject: { slo: { project: "shop", name: "shop" }, objective: "all" },
        triggeredMetricAt: at(13),
      })
    }),
  )

  test(
    "spec/alerting §2: of the older form has an alert of its own beside those of its objectives",
    Effect.gen(function* () {
      const older = anHour({
        objectives: [
          { name: "good", target: 0.9 },
          { name: "great", target: 0.9 },
        ],
        composite: { target: 0.9, burnRateCondition: { value: 2, op: "gte" } },
      })
      yield* before(older, aPolicy([fast]))
      yield* watch
      yield* pass(older, badMinutes, 0, 40)
      const seen = (yield* allAlerts).map(({ subject, triggeredAt, resolvedAt }) => [
        subject.objective ?? "",
        triggeredAt,
        resolvedAt,
      ])
      expect(seen.toSorted()).toEqual([
        // Bad minutes count, as with Timeslices.
        ["", at(12.5), at(27)],
        ["good", at(12), at(27.5)],
        ["great", at(12), at(27.5)],
      ])
    }),
  )
})
