import { HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { CountStore, SloStore } from "@tocsin/domain/ports"
import { refreshStatus } from "../../src/refresh/RefreshStatus.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { aMethod, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  alertsOf,
  anHour,
  aPolicy,
  at,
  hook,
  organization,
  pager,
  sloKey,
} from "../../../../test/alerting/Incident.ts"

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer)

type Context = Layer.Success<typeof stores>

const test = (what: string, effect: Effect.Effect<void, unknown, Context>): void =>
  it.effect(what, () => Effect.provide(effect, stores))

/** Good and total events of a minute; `undefined`: no counts come. */
type Traffic = (minute: number) => readonly [good: number, total: number] | undefined

const countsOf = (traffic: Traffic, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index).flatMap((minute) => {
    const [good, total] = traffic(minute) ?? []
    return good === undefined || total === undefined
      ? []
      : [{ objective: "good", at: at(minute), good, total }]
  })

const recordTraffic = (traffic: Traffic, from: number, to: number) =>
  Effect.flatMap(CountStore, (store) =>
    store.record(organization, [{ slo: sloKey, counts: countsOf(traffic, from, to) }]),
  )

/** Defines an SLO two hours before the start, and its history from `from` on; then lets minutes pass. */
const live = (slo: Slo, conditions: ReadonlyArray<Condition>, traffic: Traffic, to: number, from = -120) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at(-120))
    const definitions = [aMethod(hook), aMethod(pager), aPolicy(conditions), slo]
    yield* putDefinitions(organization, definitions)
    yield* TestClock.setTime(at(-0.5))
    yield* recordTraffic(traffic, from, 0)
    for (let minute = 0; minute <= to; minute++) {
      yield* TestClock.setTime(at(minute + 0.25))
      if (minute > 0) yield* recordTraffic(traffic, minute - 1, minute)
      yield* refreshStatus(organization, sloKey)
    }
  })

const statusOf = Effect.map(
  Effect.flatMap(SloStore, (store) => store.find(organization, sloKey)),
  (found) => Option.getOrThrow(found).statuses.get("good"),
)

/** Ten good events a minute, and none in some minutes although they have counts. */
const idle =
  (from: number, to: number): Traffic =>
  (minute) =>
    minute >= from && minute < to ? [0, 0] : [10, 10]

const burns = (value: number, alertingWindow: string): Condition => ({
  measurement: "averageBurnRate",
  op: "gte",
  value,
  alertingWindow: durationOf(alertingWindow),
})

const fewerThan = (value: number, per: string, usual?: { weeks: number; minEvents: number }): Condition => ({
  measurement: "fewerThan",
  op: "lt",
  value,
  alertingWindow: durationOf(per),
  ...(usual !== undefined && { usual }),
})

const noData = (treatZeroAsNoData: boolean) => ({
  anomalyConfig: {
    noData: { alertMethods: [hook], alertAfter: durationOf("10m"), treatZeroAsNoData },
  },
})

describe("an outage without traffic", () => {
  test(
    "spec/alerting §4: is data by default, so that no alert opens",
    Effect.gen(function* () {
      yield* live(anHour(noData(false)), [burns(5, "5m")], idle(20, 60), 60)
      expect(yield* alertsOf(null)).toEqual([])
      expect(yield* alertsOf()).toEqual([])
      expect(yield* statusOf).toMatchObject({ reliability: 1 })
    }),
  )

  test(
    "spec/alerting §4: opens a no-data alert with treatZeroAsNoData, which resolves with the first event",
    Effect.gen(function* () {
      yield* live(anHour(noData(true)), [burns(5, "5m")], idle(20, 60), 70)
      const [alert, ...others] = yield* alertsOf(null)
      expect(others).toEqual([])
      // The last event was in minute 19.
      expect(alert?.[1]).toBeGreaterThanOrEqual(29)
      expect(alert?.[1]).toBeLessThan(31)
      expect(alert?.[2]).toBeGreaterThanOrEqual(61)
      expect(alert?.[2]).toBeLessThan(62)
    }),
  )

  test(
    "spec/slos §14: pages within minutes where minutes without data count as bad, from a total of 0 at once",
    Effect.gen(function* () {
      const slo = anHour({
        objectives: [{ name: "good", target: 0.9, absent: "bad" }],
        ...noData(true),
      })
      yield* live(slo, [burns(5, "5m"), burns(1, "30m")], idle(20, 60), 40)
      const [alert] = yield* alertsOf()
      // Three of 30 minutes are a burn rate of 1; each is known at its end.
      expect(alert?.slice(0, 2)).toEqual(["triggered", 23.25])
      // 20 of 60 minutes are missing, each as much as one with 10 events.
      expect((yield* statusOf)?.reliability).toBeCloseTo(1 - 20 / 59, 9)
    }),
  )

  test(
    "spec/slos §14: pages also when no counts come, five minutes later, and does not count what may still come",
    Effect.gen(function* () {
      const slo = anHour({ objectives: [{ name: "good", target: 0.9, absent: "bad" }] })
      const gap: Traffic = (minute) => (minute >= 20 ? undefined : [10, 10])
      yield* live(slo, [burns(5, "5m"), burns(1, "30m")], gap, 40)
      expect((yield* alertsOf())[0]?.slice(0, 2)).toEqual(["triggered", 27.25])
      // Minutes 20 to 35 are missing; 36 to 40 may still come.
      expect((yield* statusOf)?.reliability).toBeCloseTo(1 - 16 / 55, 9)
    }),
  )

  test(
    "spec/alerting §25: opens an alert of fewer events than a number, and resolves it",
    Effect.gen(function* () {
      yield* live(anHour(), [fewerThan(25, "5m")], idle(20, 40), 60)
      // At most two of five minutes have events from minute 22 on, which is known at its end.
      expect(yield* alertsOf()).toEqual([["resolved", 23.25, 48.25]])
    }),
  )

  test(
    "spec/alerting §25: does not take the time before the first counts for one without events",
    Effect.gen(function* () {
      const traffic: Traffic = (minute) => (minute < 10 ? undefined : [10, 10])
      yield* live(anHour(), [fewerThan(295, "30m")], traffic, 80)
      expect(yield* alertsOf()).toEqual([])
    }),
  )

  test(
    "spec/alerting §25: opens an alert of fewer events than usual at that time of the week, not of a quiet night",
    Effect.gen(function* () {
      const week = 7 * 24 * 60
      // Every week is quiet from minute 20 on; in the present one, nothing comes from minute 60 on.
      const traffic: Traffic = (minute) => {
        const ofWeek = ((minute % week) + week) % week
        if (minute >= 60) return [0, 0]
        return ofWeek >= 20 && ofWeek < 120 ? [1, 1] : [10, 10]
      }
      const condition = fewerThan(0.5, "30m", { weeks: 2, minEvents: 20 })
      yield* live(anHour(), [condition], traffic, 85, -2 * week - 120)
      const [alert, ...others] = yield* alertsOf()
      expect(others).toEqual([])
      // Fewer than 15 of the usual 30: sixteen minutes without events.
      expect(alert?.slice(0, 2)).toEqual(["triggered", 76.25])
    }),
  )
})

describe("time slices of a sparse service", () => {
  /** One event in ten minutes, all of them bad for six hours. */
  const sparse: Traffic = (minute) => {
    if (minute % 10 !== 0) return [0, 0]
    return minute >= 60 ? [0, 1] : [1, 1]
  }
  const sliced = (spec: Partial<Slo["spec"]> = {}): Slo =>
    anHour({
      timeWindow: { unit: "Day", count: 28 },
      budgetingMethod: "Timeslices",
      objectives: [{ name: "good", target: 0.99, timeSliceTarget: 0.9 }],
      ...spec,
    })
  const page = [burns(13.44, "1h"), burns(13.44, "5m")]

  test(
    "spec/slos §2: are bad in one of ten minutes by default, which never reaches a burn rate of 13.44 over an hour",
    Effect.gen(function* () {
      yield* live(sliced(), page, sparse, 120)
      expect(yield* alertsOf()).toEqual([])
    }),
  )

  test(
    "spec/slos §2: are as bad as those with events where others are ignored, and page with the second one of six",
    Effect.gen(function* () {
      yield* live(sliced({ emptyTimeSlices: "ignored" }), page, sparse, 120)
      expect((yield* alertsOf())[0]?.[1]).toBe(61.25)
    }),
  )

  test(
    "spec/slos §2: have the state of the latest minute with events, and page after a few minutes, once",
    Effect.gen(function* () {
      yield* live(sliced({ emptyTimeSlices: "lastState" }), page, sparse, 400)
      const alerts = yield* alertsOf()
      expect(alerts).toHaveLength(1)
      expect(alerts[0]?.[0]).toBe("triggered")
      // 13.44% of an hour: nine minutes.
      expect(alerts[0]?.[1]).toBeGreaterThan(60)
      expect(alerts[0]?.[1]).toBeLessThanOrEqual(69.25)
      // Of 28 days, 341 minutes are bad.
      expect((yield* statusOf)?.reliability).toBeCloseTo(1 - 341 / (28 * 1440), 9)
    }),
  )
})
