import { HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import { alertedDelayMaxMs } from "../../src/status/PastChanges.ts"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { recordCounts } from "@tocsin/domain"
import type { Definition } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import {
  findBackfill,
  pollIndicators,
  backfillIndicators,
  startBackfill,
} from "@tocsin/domain/features/data-source"
import { IndicatorStore, MetricsAreUnavailable, MetricSource, SloStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { aMethod, anSlo, calendarOf, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  alertsOf,
  anHour,
  aPolicy,
  at,
  before,
  hook,
  organization,
  pager,
  pass,
  policyKey,
  record,
  type Script,
  sentBy,
  sentFor,
  sloKey,
  start,
  watch,
} from "../../../../test/alerting/Incident.ts"

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer)

type Context = Layer.Success<typeof stores> | Scope.Scope

const test = (what: string, effect: Effect.Effect<void, unknown, Context>): void =>
  it.effect(what, () => Effect.provide(effect, stores))

const burns = (value: number, alertingWindow: string): Condition => ({
  measurement: "averageBurnRate",
  op: "gte",
  value,
  alertingWindow: durationOf(alertingWindow),
})

/** Good in all minutes but some; no counts at all from one minute to before another. */
const script =
  (bad: (minute: number) => boolean, [gapFrom, gapTo]: readonly [number, number]): Script =>
  (minute) =>
    minute >= gapFrom && minute < gapTo ? undefined : bad(minute) ? 0 : 10

describe("counts that are missing", () => {
  test(
    "spec/alerting §12: raise no burn rate: a gap that leaves only the bad part in the window triggers nothing",
    Effect.gen(function* () {
      const slo = anHour()
      // At most 12 bad of 60 minutes: a burn rate of 2. Of the 32 minutes before a gap, the window would later have only bad ones.
      yield* before(slo, aPolicy([burns(2.5, "1h")]))
      yield* watch
      yield* pass(
        slo,
        script((minute) => minute >= 20 && minute < 32, [32, 95]),
        0,
        150,
      )
      expect(yield* alertsOf()).toEqual([])
    }),
  )

  test(
    "spec/alerting §12: do not let a budget drop or a burned budget grow",
    Effect.gen(function* () {
      const slo = anHour()
      yield* before(
        slo,
        aPolicy([{ measurement: "burnedBudget", op: "gte", value: 2.5 }]),
        aPolicy(
          [{ measurement: "timeToBurnEntireBudget", op: "lte", value: durationOf("20m") }],
          {},
          "entire",
        ),
      )
      yield* putDefinitions(organization, [anHour({ alertPolicies: [policyKey.name, "entire"] })])
      yield* watch
      yield* pass(
        slo,
        script((minute) => minute >= 20 && minute < 32, [32, 95]),
        0,
        150,
      )
      expect(yield* alertsOf()).toEqual([])
      expect(yield* alertsOf("entire")).toEqual([])
    }),
  )

  test(
    "spec/alerting §12: do not count toward lastsFor",
    Effect.gen(function* () {
      const slo = anHour()
      const lasting: Condition = {
        measurement: "averageBurnRate",
        op: "gte",
        value: 1,
        lastsFor: durationOf("10m"),
      }
      yield* before(slo, aPolicy([lasting]))
      yield* watch
      // Met from 25.5 on, for 5 minutes until the gap, and again from 50.5 to before 53.
      yield* pass(
        slo,
        script((minute) => minute >= 20 && minute < 31, [31, 50]),
        0,
        50,
      )
      expect(yield* alertsOf()).toEqual([])
      yield* pass(slo, () => 0, 50, 65)
      expect(yield* alertsOf()).toEqual([["triggered", 50.5]])
    }),
  )

  test(
    "spec/alerting §12: for as long as the alerting window is, let an alert resolve after its cool-down",
    Effect.gen(function* () {
      const slo = anHour()
      yield* before(slo, aPolicy([burns(2, "10m")]))
      yield* watch
      yield* pass(
        slo,
        script((minute) => minute >= 10, [20, 100]),
        0,
        60,
      )
      // Two bad minutes of 10 at 11.5. The latest one ends at 20, the current minute included it is 21: without data from 30.
      expect(yield* alertsOf()).toEqual([["resolved", 11.5, 35]])
      expect(yield* sentBy()).toEqual(sentFor(11.5, 35))
    }),
  )

  test(
    "spec/alerting §12: let an alert resolve that measures no range longer than the window, after its cool-down",
    Effect.gen(function* () {
      const halfAnHour = anHour({ timeWindow: { unit: "Minute", count: 30 } })
      yield* before(halfAnHour, aPolicy([{ measurement: "burnedBudget", op: "gte", value: 3 }]))
      yield* watch
      yield* pass(
        halfAnHour,
        script((minute) => minute >= 10, [20, 100]),
        0,
        60,
      )
      // 9 bad minutes of 30 at 18.5. The latest one ends at 20, half an hour before 50.
      expect(yield* alertsOf()).toEqual([["resolved", 18.5, 55]])
    }),
  )

  test(
    "spec/alerting §12: raise no burn rate when a calendar window ends while they are missing",
    Effect.gen(function* () {
      const untilHalfPast = anHour({
        timeWindow: {
          unit: "Day",
          count: 1,
          calendar: calendarOf({ startTime: "2026-01-01 12:30:00", timeZone: "UTC" }),
        },
      })
      // 5 bad of 10 minutes, and of 9 when the tenth is missing; the last ten minutes later have only bad ones.
      yield* before(untilHalfPast, aPolicy([burns(6, "10m")]), aPolicy([burns(2, "10m")], {}, "half"))
      yield* putDefinitions(organization, [
        { ...untilHalfPast, spec: { ...untilHalfPast.spec, alertPolicies: [policyKey.name, "half"] } },
      ])
      yield* watch
      yield* pass(
        untilHalfPast,
        script((minute) => minute >= 20, [25, 50]),
        0,
        50,
      )
      expect(yield* alertsOf()).toEqual([])
      // Canceled when the window ended, but measured further on; the latest minute ended at 25, ten before 35.
      expect(yield* alertsOf("half")).toEqual([
        ["window_ended", 21.5, 30],
        ["resolved", 30, 40],
      ])
    }),
  )
})

describe("counts that are late", () => {
  test(
    "spec/alerting §12: trigger an alert within an hour, and none after it",
    Effect.gen(function* () {
      const slo = anHour({ timeWindow: { unit: "Day", count: 28 } })
      yield* before(slo, aPolicy([burns(0.05, "2h")]))
      yield* watch
      const [early, late] = [alertedDelayMaxMs / 60_000 - 2, alertedDelayMaxMs / 60_000 + 4]
      yield* TestClock.adjust(`${late} minutes`)
      yield* record(
        slo,
        [0, 1, 2].map((minute) => [minute - 1, 0] as const),
      )
      yield* TestClock.adjust("1 minute")
      expect(yield* alertsOf()).toEqual([])
      yield* TestClock.adjust(`${early} minutes`)
      yield* record(slo, [[late + 1, 0]])
      yield* TestClock.adjust("1 minute")
      expect(yield* alertsOf()).toHaveLength(1)
      // No later than its alerting window is long.
      yield* putDefinitions(organization, [aPolicy([burns(0.05, "30m")])])
      yield* TestClock.adjust("1 minute")
      yield* record(slo, [[late + 2, 0]])
      yield* TestClock.adjust("10 minutes")
      const states = (yield* alertsOf()).map(([state]) => state)
      expect(states).toEqual(["policy_changed"])
    }),
  )

  test(
    "spec/alerting §12: trigger nothing while a history is imported in parts, oldest first, unless the present is bad",
    Effect.gen(function* () {
      const slo = anSlo(sloKey, {
        timeWindow: { unit: "Day", count: 28 },
        objectives: [{ name: "good", target: 0.99 }],
        alertPolicies: [policyKey.name],
      })
      const burned: Condition = { measurement: "burnedBudget", op: "gte", value: 0.9 }
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [aMethod(hook), aMethod(pager), aPolicy([burned]), slo])
      yield* watch
      // Ten days with 4% of errors in the first two: 0.8 of the budget in the end, 4 times the budget on the way.
      for (let daysAgo = 10; daysAgo > 0; daysAgo--) {
        const body = Array.from({ length: 1_440 }, (_, minute) => ({
          objective: "good",
          at: new Date(at(minute - daysAgo * 1_440)).toISOString(),
          good: daysAgo > 8 ? 96 : 100,
          total: 100,
        }))
        yield* recordCounts(organization, { ...sloKey, body })
        yield* TestClock.adjust("1 second")
      }
      yield* TestClock.adjust("2 minutes")
      expect(yield* alertsOf()).toEqual([])
    }),
  )
})

describe("an indicator", () => {
  const day = 24 * 60
  const key = sloKey
  const indicator = {
    prometheus: { url: sourceUrlOf("http://a.example.com"), good: "good", total: "total" },
  }
  const read = (spec: Partial<Slo["spec"]>): Slo =>
    anSlo(key, {
      timeWindow: { unit: "Day", count: 28 },
      objectives: [{ name: "good", target: 0.99 }],
      alertPolicies: [policyKey.name],
      indicator,
      ...spec,
    })
  /** A data source that answers with the bad events of 100 in each minute, until it is unavailable. */
  const source = (
    bad: (minute: number) => number | undefined,
    isUp: (minute: number) => boolean,
    takesSeconds = 0,
  ) =>
    Layer.succeed(MetricSource, {
      readGaps: () => Effect.succeed([]),
      readNames: () => Effect.succeed({ names: [], isComplete: true }),
      readSeries: ({ expression, from, to }) =>
        Effect.flatMap(Effect.delay(Clock.currentTimeMillis, takesSeconds * 1_000), (now) => {
          if (!isUp((now - start) / 60_000))
            return Effect.fail(new MetricsAreUnavailable({ reason: "connect_refused", detail: "refused" }))
          const samples = []
          for (let instant = from; instant <= to; instant += 60_000) {
            const badEvents = bad((instant - start) / 60_000 - 1)
            if (badEvents === undefined) continue
            samples.push({ at: instant, value: expression === "good" ? 100 - badEvents : 100 })
          }
          return Effect.succeed(samples)
        }),
    })
  /** Polls each quarter of a minute instead of every second. */
  const poll = Effect.flatMap(Clock.Clock, (clock) => {
    const slower: Clock.Clock = Object.create(clock, {
      sleep: { value: () => clock.sleep(Duration.seconds(15)) },
    })
    return Effect.forkScoped(Effect.provideService(pollIndicators, Clock.Clock, slower))
  })
  /** Defines the SLO and the rest, reads its indicator and keeps its status current. */
  const begin = (...definitions: ReadonlyArray<Definition>) =>
    Effect.gen(function* () {
      yield* putDefinitions(organization, [aMethod(hook), aMethod(pager), ...definitions])
      yield* watch
      yield* poll
    })
  const reading = (
    what: string,
    layer: Layer.Layer<MetricSource>,
    effect: Effect.Effect<void, unknown, Context | MetricSource>,
  ): void => it.effect(what, () => Effect.provide(effect, Layer.merge(stores, layer)))

  const burned: Condition = { measurement: "burnedBudget", op: "gte", value: 0.9 }

  reading(
    "spec/alerting §12: pages for nothing while its history is read, however bad the first days of it were",
    source(
      (minute) => (minute < -10 * day ? undefined : minute < -8 * day ? 4 : 0),
      () => true,
      45,
    ),
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* begin(aPolicy([burned]), read({}))
      for (let minute = 0; minute < 70; minute++) yield* TestClock.adjust("1 minute")
      expect(yield* alertsOf()).toEqual([])
    }),
  )

  reading(
    "spec/alerting §12: pages for the last minutes while older ones are read, and for no window that begins in those",
    source(
      (minute) => (minute < -10 ? 0 : 50),
      () => true,
      45,
    ),
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [aPolicy([burns(14.4, "5m")], {}, "fast")])
      yield* begin(aPolicy([burned]), read({ alertPolicies: [policyKey.name, "fast"] }))
      yield* TestClock.adjust("1 minute")
      const indicator = Option.getOrThrow(yield* (yield* IndicatorStore).find(organization, key))
      expect(indicator.recent?.from).toBeGreaterThan(indicator.readTo)
      const [alert, ...others] = yield* alertsOf("fast")
      expect(alert?.[0]).toBe("triggered")
      expect(others).toEqual([])
      expect(yield* alertsOf()).toEqual([])
      for (let minute = 1; minute < 20; minute++) yield* TestClock.adjust("1 minute")
      const complete = Option.getOrThrow(yield* (yield* IndicatorStore).find(organization, key))
      expect(complete.recent).toBe(undefined)
      expect(yield* alertsOf()).toEqual([])
    }),
  )

  let isBad = false
  reading(
    "spec/alerting §12, spec/data-sources §10: pages for nothing that a backfill finds in the past, but for what is bad afterwards",
    source(
      (minute) => (minute >= 40 ? 50 : isBad && minute > -10 * day ? 4 : 0),
      () => true,
    ),
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* begin(aPolicy([burned]), aPolicy([burns(14.4, "5m")], {}, "fast"), read({}))
      yield* putDefinitions(organization, [read({ alertPolicies: [policyKey.name, "fast"] })])
      for (let minute = 0; minute < 15; minute++) yield* TestClock.adjust("1 minute")
      isBad = true
      const range = { from: new Date(at(-10 * day)).toISOString(), to: new Date(at(10)).toISOString() }
      yield* startBackfill(organization, key, range)
      yield* Effect.forkScoped(backfillIndicators)
      for (let minute = 15; minute < 40; minute++) yield* TestClock.adjust("1 minute")
      expect(yield* findBackfill(organization, key)).toMatchObject({ state: "complete" })
      const record = Option.getOrThrow(yield* (yield* SloStore).find(organization, key))
      // 4% of 10 of 31 days: about 1.3 times the budget.
      expect(record.statuses.get("good")?.errorBudgetRemaining).toBeLessThan(0)
      expect([yield* alertsOf(), yield* alertsOf("fast")]).toEqual([[], []])
      for (let minute = 40; minute < 50; minute++) yield* TestClock.adjust("1 minute")
      expect([(yield* alertsOf()).length, (yield* alertsOf("fast")).length]).toEqual([0, 1])
    }),
  )

  reading(
    "spec/alerting §12: that was changed pages only once it is read to the present, with the numbers of then",
    source(
      (minute) => (minute < 60 ? 0 : 5),
      (minute) => minute < 30 || minute >= 40,
    ),
    Effect.gen(function* () {
      yield* TestClock.setTime(at(0))
      const policy = aPolicy([{ ...burned, value: 0.001 }])
      yield* begin(policy, read({}))
      yield* TestClock.adjust("31 minutes")
      // Read from the start again, but the source is unavailable; the status has the counts of before.
      const changed = { prometheus: { ...indicator.prometheus, good: "good" as const, total: "sum(total)" } }
      yield* putDefinitions(organization, [read({ indicator: changed })])
      yield* recordCounts(organization, {
        ...sloKey,
        body: [{ objective: "good", at: new Date(at(30)).toISOString(), good: 0, total: 100_000 }],
      })
      for (let minute = 31; minute < 39; minute++) yield* TestClock.adjust("1 minute")
      expect(yield* alertsOf()).toEqual([])
      for (let minute = 39; minute < 75; minute++) yield* TestClock.adjust("1 minute")
      // What was posted was replaced by what was read; the errors from 60 on are those of the present.
      const [alert] = yield* alertsOf()
      expect(alert?.[0]).toBe("triggered")
      expect(alert?.[1]).toBeGreaterThan(60)
    }),
  )

  const noData = { noData: { alertAfter: durationOf("5m"), alertMethods: [hook] } }

  reading(
    "spec/alerting §4: is not without data while its data source is unavailable, nor right after it",
    source(
      () => 0,
      (minute) => minute < 30 || minute >= 45,
    ),
    Effect.gen(function* () {
      yield* TestClock.setTime(at(0))
      yield* begin(aPolicy([burned]), read({ anomalyConfig: noData }))
      for (let minute = 0; minute < 90; minute++) yield* TestClock.adjust("1 minute")
      expect(yield* alertsOf(null)).toEqual([])
    }),
  )

  reading(
    "spec/alerting §4: is without data when its data source answers, but with no samples",
    source(
      (minute) => (minute < 30 ? 0 : undefined),
      () => true,
    ),
    Effect.gen(function* () {
      yield* TestClock.setTime(at(0))
      yield* begin(aPolicy([burned]), read({ anomalyConfig: noData }))
      for (let minute = 0; minute < 50; minute++) yield* TestClock.adjust("1 minute")
      const [[state, triggered] = []] = yield* alertsOf(null)
      expect(state).toBe("triggered")
      // The latest minute with a count began at 29.
      expect(triggered).toBeGreaterThanOrEqual(34)
      expect(triggered).toBeLessThanOrEqual(37)
    }),
  )
})
