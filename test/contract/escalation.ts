import { acknowledgeAlert, refreshStatus } from "@tocsin/domain"
import type { AlertSilence } from "@tocsin/domain/adapter"
import type { AlertPolicy } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import {
  AlertStore,
  type CountStore,
  type DefinitionStore,
  DeliveryLog,
  type RateLimiter,
  type SloStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
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
  record,
  sloKey,
  start,
} from "../alerting/Incident.ts"
import { instantOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"

type Stores = AlertStore | CountStore | DefinitionStore | DeliveryLog | RateLimiter | SloStore

const slo = anHour()

/** The conditions are met from 12 to 32, and the alert resolves at 37.5. */
const script = badFrom(10, 30)

/** Notifies the hook twice more after 3 and 6 minutes, and the pager after 5. */
const policyOf = (spec: Partial<AlertPolicy["spec"]> = {}): AlertPolicy =>
  aPolicy([{ measurement: "averageBurnRate", op: "gte", value: 5, alertingWindow: durationOf("5m") }], {
    alertMethods: [hook],
    renotify: { every: durationOf("3m"), atMost: 2 },
    then: [{ after: durationOf("5m"), alertMethods: [pager] }],
    ...spec,
  })

const silenced = (from: number, to: number): AlertSilence => ({
  kind: "AlertSilence",
  metadata: { project: "shop", name: "night" },
  spec: {
    slo: sloKey.name,
    period: {
      startTime: instantOf(new Date(at(from)).toISOString()),
      endTime: instantOf(new Date(at(to)).toISOString()),
    },
  },
})

const triggered = (minute: number, ...methods: ReadonlyArray<string>) =>
  methods.map((method) => [minute, "alert.triggered", method] as const)

/** The notifications, with the minutes at which their IDs, which are UUIDv7, were made. */
const sent = Effect.gen(function* () {
  const { items } = yield* (yield* DeliveryLog).list(organization, {}, { limit: 500 })
  return items
    .map(({ notification: { id, event }, alertMethod }) => {
      const madeAt = Number.parseInt(id.replace("-", "").slice(0, 12), 16)
      return [(madeAt - start) / 60_000, event, alertMethod.name] as const
    })
    .toSorted((a, b) => a[0] - b[0] || (a[2] < b[2] ? -1 : 1))
})

const acknowledge = Effect.gen(function* () {
  const { items } = yield* (yield* AlertStore).list(organization, {}, { limit: 10 })
  return yield* acknowledgeAlert(organization, items.at(-1)?.id ?? "", "ana")
})

/**
 * How alerts are sent again and escalate, whatever stores keep them. `refresh` computes the status of the SLO; where it does so
 * in several processes at once, the outcome is the same.
 */
export const escalationContract = <E>(
  name: string,
  layer: Layer.Layer<Stores, E>,
  refresh: Effect.Effect<unknown, unknown, Stores> = refreshStatus(organization, sloKey),
): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  /** Refreshes every half minute, with the counts of each minute in its middle. */
  const pass = (from: number, to: number) =>
    Effect.gen(function* () {
      for (let minute = from; minute < to; minute += 0.5) {
        yield* TestClock.setTime(at(minute))
        if (minute % 1 === 0.5) yield* record(slo, [[minute - 0.5, script(minute - 0.5) ?? 0]])
        yield* refresh
      }
    })

  describe(`the escalation of alerts ${name}`, () => {
    test(
      "spec/alerting §16: sends an alert again, and to other alert methods, which are notified of its resolution too",
      Effect.gen(function* () {
        yield* before(slo, policyOf())
        yield* pass(0, 45)
        expect(yield* alertsOf()).toEqual([["resolved", 12, 37.5]])
        expect(yield* sent).toEqual([
          ...triggered(12, "hook"),
          ...triggered(15, "hook"),
          ...triggered(17, "pager"),
          ...triggered(18, "hook", "pager"),
          [37.5, "alert.resolved", "pager"],
        ])
        const { items } = yield* (yield* DeliveryLog).list(organization, {}, { limit: 100 })
        expect(new Set(items.map(({ notification }) => notification.id)).size).toBe(items.length)
        expect(new Set(items.map(({ notification }) => notification.alertId)).size).toBe(1)
      }),
    )

    test(
      "spec/alerting §16: sends nothing more of an alert that is acknowledged, but its resolution",
      Effect.gen(function* () {
        yield* before(slo, policyOf({ alertMethods: [pager] }))
        yield* pass(0, 16)
        yield* acknowledge
        yield* pass(16, 45)
        expect(yield* sent).toEqual([
          ...triggered(12, "pager"),
          ...triggered(15, "pager"),
          [37.5, "alert.resolved", "pager"],
        ])
        const { items } = yield* (yield* AlertStore).list(organization, {}, { limit: 10 })
        expect(items).toMatchObject([
          { status: "resolved", acknowledgement: { by: "ana", at: at(15.5) }, alertMethods: [pager] },
        ])
      }),
    )

    test(
      "spec/alerting §16: sends what is due during a silence when it ends, once",
      Effect.gen(function* () {
        yield* before(slo, policyOf(), silenced(14, 22))
        yield* pass(0, 37)
        expect(yield* sent).toEqual([
          ...triggered(12, "hook"),
          ...triggered(22, "hook", "pager"),
          ...triggered(25, "hook", "pager"),
        ])
      }),
    )

    test(
      "spec/alerting §16: counts from the first notification of an alert that triggered during a silence",
      Effect.gen(function* () {
        yield* before(slo, policyOf(), silenced(5, 20))
        yield* pass(0, 37)
        expect(yield* sent).toEqual([
          ...triggered(20, "hook"),
          ...triggered(23, "hook"),
          ...triggered(25, "pager"),
          ...triggered(26, "hook", "pager"),
        ])
      }),
    )

    test(
      "spec/alerting §16: does not make up for repetitions that no server was there to send",
      Effect.gen(function* () {
        yield* before(slo, policyOf())
        yield* pass(0, 13)
        yield* TestClock.setTime(at(28))
        yield* record(
          slo,
          Array.from({ length: 15 }, (_, index) => [13 + index, 0] as const),
        )
        yield* refresh
        yield* pass(28.5, 37)
        expect(yield* sent).toEqual([
          ...triggered(12, "hook"),
          ...triggered(28, "hook", "pager"),
          ...triggered(31, "hook", "pager"),
        ])
      }),
    )

    test(
      "spec/alerting §16: follows the policy as it is while the alert is open",
      Effect.gen(function* () {
        const { renotify: _, then: __, ...spec } = policyOf().spec
        const plain = { ...policyOf(), spec }
        yield* before(slo, plain)
        yield* pass(0, 16)
        yield* putDefinitions(organization, [policyOf()])
        yield* pass(16, 22)
        yield* putDefinitions(organization, [plain])
        yield* pass(22, 37)
        expect(yield* sent).toEqual([
          ...triggered(12, "hook"),
          ...triggered(19, "hook"),
          ...triggered(21, "pager"),
        ])
        expect(yield* alertsOf()).toEqual([["triggered", 12]])
      }),
    )
  })
}
