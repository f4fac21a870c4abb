import { MemoryStores } from "@tocsin/adapters-memory"
import { plainObjectivesOf } from "@tocsin/domain/adapter"
import type { AlertPolicy } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { backtestPolicy } from "@tocsin/domain/features/backtest"
import { AlertStore, CountStore } from "@tocsin/domain/ports"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { refreshStatus } from "../../src/refresh/RefreshStatus.ts"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { aMethod, anSlo, calendarOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { decodeOptions } from "../../../../test/definition/valid-definitions.ts"
import {
  aPolicy,
  at,
  hook,
  organization,
  pager,
  policyKey,
  sloKey,
} from "../../../../test/alerting/Incident.ts"

const minutes = 150

const before = 120

/** The good events of 10 by minute, from `-before` on; `undefined`: no counts; `idle`: a total of 0. */
type Minutes = ReadonlyArray<number | undefined>

const idle = -1

/** Good, but for an incident: a step, a leak, flapping, a gap, no traffic, or little. */
const incidents: fc.Arbitrary<Minutes> = fc
  .array(
    fc.record({
      from: fc.integer({ min: -60, max: minutes }),
      length: fc.integer({ min: 1, max: 70 }),
      shape: fc.constantFrom("step", "leak", "flapping", "gap", "idle", "sparse" as const),
      good: fc.integer({ min: 0, max: 9 }),
    }),
    { maxLength: 4 },
  )
  .map((shapes) =>
    Array.from({ length: before + minutes }, (_, index) => {
      const minute = index - before
      let good: number | undefined = 10
      for (const { from, length, shape, good: bad } of shapes) {
        if (minute < from || minute >= from + length) continue
        if (shape === "gap") good = undefined
        else if (shape === "idle") good = idle
        else if (shape === "sparse") good = minute % 7 === 0 ? bad : idle
        else if (shape === "step") good = bad
        else if (shape === "leak") good = 9.7
        else good = minute % 7 < 3 ? bad : 10
      }
      return good
    }),
  )

const duration = (...texts: ReadonlyArray<string>) => fc.constantFrom(...texts).map(durationOf)

const conditions: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    measurement: fc.constant("averageBurnRate" as const),
    op: fc.constant("gte" as const),
    value: fc.constantFrom(1, 2, 5),
    alertingWindow: duration("5m", "15m", "1h"),
  }),
  fc.record({
    measurement: fc.constant("averageBurnRate" as const),
    op: fc.constant("gte" as const),
    value: fc.constantFrom(1, 3),
    lastsFor: duration("90s", "3m", "10m"),
  }),
  fc.record({
    measurement: fc.constant("burnedBudget" as const),
    op: fc.constantFrom("gt", "gte", "lt", "lte" as const),
    value: fc.constantFrom(0.2, 0.5, 1),
  }),
  fc.record({
    measurement: fc.constant("timeToBurnBudget" as const),
    op: fc.constant("lt" as const),
    value: duration("10m", "1h"),
    alertingWindow: duration("5m", "10m"),
  }),
  fc.record({
    measurement: fc.constant("timeToBurnEntireBudget" as const),
    op: fc.constant("lte" as const),
    value: duration("30m", "1h"),
    lastsFor: duration("2m"),
  }),
  fc.record({
    measurement: fc.constant("budgetDrop" as const),
    op: fc.constant("gte" as const),
    value: fc.constantFrom(0.1, 0.3),
    alertingWindow: duration("5m", "20m"),
  }),
  fc.record({
    measurement: fc.constant("fewerThan" as const),
    op: fc.constant("lt" as const),
    value: fc.constantFrom(1, 30),
    alertingWindow: duration("5m", "15m"),
  }),
)

/** What minutes without data or events count as. */
const emptyMinutes: fc.Arbitrary<{
  readonly absent?: "good" | "bad"
  readonly treatZeroAsNoData?: boolean
  readonly emptyTimeSlices?: "ignored" | "lastState"
}> = fc.oneof(
  fc.constant({}),
  fc.record({ absent: fc.constantFrom("good", "bad"), treatZeroAsNoData: fc.boolean() }),
  fc.record({ emptyTimeSlices: fc.constantFrom("ignored", "lastState") }),
)

const policies: fc.Arbitrary<AlertPolicy> = fc
  .record({
    conditions: fc.array(conditions, { minLength: 1, maxLength: 3 }),
    others: fc.option(fc.array(conditions, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    coolDown: duration("5m", "330s", "20m"),
  })
  .map(({ conditions, others, coolDown }) => {
    const policy = aPolicy(conditions, { coolDown })
    if (others === undefined) return policy
    const { conditions: _, ...spec } = policy.spec
    return { ...policy, spec: { ...spec, conditionGroups: [{ conditions }, { conditions: others }] } }
  })

const slos: fc.Arbitrary<Slo> = fc
  .record({
    timeWindow: fc.constantFrom(
      { unit: "Minute" as const, count: 60 },
      { unit: "Hour" as const, count: 26 },
      {
        unit: "Day" as const,
        count: 1,
        calendar: calendarOf({ startTime: "2026-01-01 13:00:00", timeZone: "UTC" }),
      },
    ),
    isSliced: fc.boolean(),
    hasComposite: fc.boolean(),
    empty: emptyMinutes,
  })
  .map(({ timeWindow, isSliced, hasComposite, empty: { absent, treatZeroAsNoData, emptyTimeSlices } }) =>
    anSlo(sloKey, {
      timeWindow,
      budgetingMethod: isSliced ? "Timeslices" : "Occurrences",
      ...(isSliced && emptyTimeSlices !== undefined && { emptyTimeSlices }),
      objectives: [
        {
          name: "good",
          target: 0.9,
          ...(isSliced && { timeSliceTarget: 0.5 }),
          ...(absent !== undefined && { absent }),
        },
        { name: "great", target: 0.95, ...(isSliced && { timeSliceTarget: 0.98 }) },
      ],
      ...(treatZeroAsNoData === true && {
        // It alerts after the end of the test.
        anomalyConfig: {
          noData: { alertMethods: [], alertAfter: durationOf("744h"), treatZeroAsNoData },
        },
      }),
      ...(absent === undefined &&
        hasComposite && {
          composite: {
            target: 0.8,
            ...(!isSliced && { burnRateCondition: { value: 2, op: "gte" as const } }),
          },
        }),
      alertPolicies: [policyKey.name],
    }),
  )

/** A composite objective over both objectives of `slo`, late minutes counted. */
const compositeOf = (slo: Slo): Slo =>
  anSlo(
    { ...sloKey, name: "all" },
    {
      timeWindow: slo.spec.timeWindow,
      objectives: [
        {
          name: "both",
          target: 0.9,
          composite: {
            maxDelay: durationOf("5m"),
            components: [
              { slo: sloKey, objective: "good", weight: 1, whenDelayed: "CountAsBad" },
              { slo: sloKey, objective: "great", weight: 2, whenDelayed: "Ignore" },
            ],
          },
        },
      ],
      alertPolicies: [policyKey.name],
    },
  )

const record = (slo: Slo, good: Minutes, from: number, to: number) =>
  Effect.flatMap(CountStore, (store) =>
    store.record(organization, [
      {
        slo: sloKey,
        counts: plainObjectivesOf(slo).flatMap(({ name }) =>
          Array.from({ length: to - from }, (_, index) => from + index).flatMap((minute) => {
            const events = good[minute + before]
            if (events === undefined) return []
            const isIdle = events === idle
            return [{ objective: name, at: at(minute), good: isIdle ? 0 : events, total: isIdle ? 0 : 10 }]
          }),
        ),
      },
    ]),
  )

const watched = [sloKey, { ...sloKey, name: "all" }]

const withoutPolicy = (slo: Slo): Slo => ({ ...slo, spec: { ...slo.spec, alertPolicies: [] } })

/** Lets the minutes pass live: the counts of each come at its end, and statuses are computed every half minute. */
const live = (slo: Slo, good: Minutes) =>
  Effect.gen(function* () {
    for (let minute = 0; minute <= minutes; minute++) {
      yield* TestClock.setTime(at(minute))
      if (minute > 0) yield* record(slo, good, minute - 1, minute)
      for (const key of watched) yield* refreshStatus(organization, key)
      if (minute === minutes) break
      yield* TestClock.setTime(at(minute + 0.5))
      for (const key of watched) yield* refreshStatus(organization, key)
    }
    const { items } = yield* (yield* AlertStore).list(organization, {}, { limit: 500 })
    return items.map(({ subject, triggeredAt, resolvedAt, reason }) => [
      subject.slo.name,
      subject.objective,
      triggeredAt,
      resolvedAt,
      reason,
    ])
  })

const backtested = (name: string) =>
  Effect.map(
    backtestPolicy(
      organization,
      {
        project: sloKey.project,
        name,
        body: { alertPolicy: policyKey.name, from: new Date(at(0)).toISOString() },
      },
      decodeOptions,
    ),
    ({ alerts }) =>
      alerts.map(({ objective, triggeredAt, closedAt, reason }) => [
        name,
        objective,
        triggeredAt,
        closedAt,
        reason,
      ]),
  )

/** A legacy composite whose counts stop for three minutes: a gap alone changes nothing. */
const gapOfComposite: [Slo, AlertPolicy, Minutes] = [
  anSlo(sloKey, {
    timeWindow: { unit: "Minute", count: 60 },
    objectives: [
      { name: "good", target: 0.9 },
      { name: "great", target: 0.95 },
    ],
    composite: { target: 0.8, burnRateCondition: { value: 2, op: "gte" } },
    alertPolicies: [policyKey.name],
  }),
  aPolicy([{ measurement: "budgetDrop", op: "gte", value: 0.1, alertingWindow: durationOf("5m") }], {
    coolDown: durationOf("5m"),
  }),
  Array.from({ length: before + minutes }, (_, index) => {
    const minute = index - before
    if (minute === -1 || minute === 0) return 0
    return minute > 0 && minute < 4 ? undefined : 10
  }),
]

const sorted = (rows: ReadonlyArray<ReadonlyArray<unknown>>) =>
  rows.map((row) => JSON.stringify(row)).toSorted()

describe("a backtest", () => {
  it.effect("spec/backtests §1: opens and closes the alerts that live evaluation does", () =>
    Effect.gen(function* () {
      let alerts = 0
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(slos, policies, incidents, (slo, policy, good) =>
            Effect.runPromise(
              Effect.gen(function* () {
                // The history comes before the policy, since it notifies nobody.
                yield* TestClock.setTime(at(-0.5))
                yield* putDefinitions(organization, [withoutPolicy(slo), withoutPolicy(compositeOf(slo))])
                yield* record(slo, good, -before, 0)
                for (const key of watched) yield* refreshStatus(organization, key)
                yield* TestClock.setTime(at(0))
                yield* putDefinitions(organization, [
                  aMethod(hook),
                  aMethod(pager, { sendResolution: true }),
                  policy,
                  slo,
                  compositeOf(slo),
                ])
                const expected = yield* live(slo, good)
                alerts += expected.length
                const found = [...(yield* backtested(sloKey.name)), ...(yield* backtested("all"))]
                expect(sorted(found)).toEqual(sorted(expected))
              }).pipe(Effect.provide([MemoryStores.layer, TestClock.layer()])),
            ),
          ),
          { numRuns: 12, examples: [gapOfComposite] },
        ),
      )
      expect(alerts).toBeGreaterThan(5)
    }),
  )
})
