import { atOnce, type HourOfCounts } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import type { BudgetAdjustment, Slo } from "@tocsin/domain/definitions"
import { makeCountHistory, runBacktest } from "@tocsin/domain/features/backtest"
import { anSlo, calendarOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { aPolicy, at, organization, sloKey } from "../../../../test/alerting/Incident.ts"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { changingMinutes } from "../../src/backtest/ChangingMinutes.ts"

const hourMs = 3_600_000
const storedHours = 60
const range = { from: at(0), to: at(150) }
const from = range.to - storedHours * hourMs
const objectives = ["good", "great"]

/** The good and total events of a minute, by its number since `from`; `undefined` without a count. */
type Minute = (minute: number, objective: number) => readonly [good: number, total: number] | undefined

/** From some minutes on, a share of the events is bad, or no count comes. */
const incidents: fc.Arbitrary<Minute> = fc
  .record({
    scale: fc.constantFrom(10, 1_000, 0.1, 2 ** 40),
    isNoisy: fc.boolean(),
    breaks: fc.array(
      fc.record({
        from: fc.integer({ min: storedHours * 60 - 300, max: storedHours * 60 }),
        length: fc.integer({ min: 1, max: 60 }),
        bad: fc.option(fc.constantFrom(0.03, 0.1, 0.3, 1), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ scale, isNoisy, breaks }) => (minute, objective) => {
    const noise = isNoisy ? ((minute * 7919 + objective * 104729) % 11) / 10 : 1
    const total = noise * scale
    const found = breaks.find((each) => minute >= each.from && minute < each.from + each.length)
    if (found === undefined) return [total, total]
    return found.bad === undefined ? undefined : [total * (1 - found.bad), total]
  })

const duration = (...texts: ReadonlyArray<string>) => fc.constantFrom(...texts).map(durationOf)
const least = {
  minEvents: fc.option(fc.constantFrom(10, 500), { nil: undefined }),
  minBadEvents: fc.option(fc.constantFrom(1, 30), { nil: undefined }),
}
const given = <A extends object>(condition: fc.Arbitrary<A>): fc.Arbitrary<Condition> =>
  condition.map((each) => JSON.parse(JSON.stringify(each)) as Condition)

const conditions: fc.Arbitrary<Condition> = fc.oneof(
  given(
    fc.record({
      measurement: fc.constant("averageBurnRate"),
      op: fc.constant("gte"),
      value: fc.constantFrom(0.3, 1, 3, 10),
      alertingWindow: fc.option(duration("5m", "1h", "6h", "26h"), { nil: undefined }),
      lastsFor: fc.option(duration("90s", "5m"), { nil: undefined }),
      ...least,
    }),
  ),
  given(
    fc.record({
      measurement: fc.constant("burnedBudget"),
      op: fc.constantFrom("gt", "gte", "lt", "lte"),
      value: fc.constantFrom(0, 0.2, 1),
      ...least,
    }),
  ),
  given(
    fc.record({
      measurement: fc.constant("budgetDrop"),
      op: fc.constant("gte"),
      value: fc.constantFrom(0.05, 0.3),
      alertingWindow: duration("5m", "1h"),
    }),
  ),
  given(
    fc.record({
      measurement: fc.constant("timeToBurnBudget"),
      op: fc.constant("lt"),
      value: duration("2h", "20h"),
      alertingWindow: fc.option(duration("5m", "1h"), { nil: undefined }),
      ...least,
    }),
  ),
  given(
    fc.record({
      measurement: fc.constant("timeToBurnEntireBudget"),
      op: fc.constant("lte"),
      value: duration("2h", "24h"),
      lastsFor: fc.option(duration("3m"), { nil: undefined }),
    }),
  ),
)

const slos: fc.Arbitrary<Slo> = fc
  .record({
    timeWindow: fc.constantFrom(
      { unit: "Hour" as const, count: 2 },
      { unit: "Day" as const, count: 1 },
      {
        unit: "Day" as const,
        count: 1,
        calendar: calendarOf({ startTime: "2026-01-01 14:30:00", timeZone: "UTC" }),
      },
    ),
    isSliced: fc.boolean(),
    isEmptyIgnored: fc.boolean(),
    hasComposite: fc.boolean(),
  })
  .map(({ timeWindow, isSliced, isEmptyIgnored, hasComposite }) =>
    anSlo(sloKey, {
      timeWindow,
      budgetingMethod: isSliced ? "Timeslices" : "Occurrences",
      ...(isSliced && isEmptyIgnored && { emptyTimeSlices: "ignored" }),
      objectives: objectives.map((name, index) => ({
        name,
        target: index === 0 ? 0.9 : 0.999,
        ...(isSliced && { timeSliceTarget: 0.9 }),
      })),
      ...(hasComposite && {
        composite: {
          target: 0.8,
          ...(!isSliced && { burnRateCondition: { value: 2, op: "gte" as const } }),
        },
      }),
    }),
  )

/** Adjusts the SLO long after, so that every minute is evaluated. */
const later: BudgetAdjustment = {
  kind: "BudgetAdjustment",
  metadata: { project: sloKey.project, name: "later" },
  spec: {
    slos: [sloKey],
    periods: [{ startTime: { ms: at(10_000_000) }, duration: durationOf("1h") }],
  },
} as unknown as BudgetAdjustment

const historyOf = (slo: Slo, minutes: Minute) => {
  const hours = objectives.flatMap((track, objective) =>
    Array.from({ length: storedHours }, (_, hour) => {
      const of = Array.from({ length: 60 }, (_, minute) => minutes(hour * 60 + minute, objective))
      const counts: HourOfCounts = {
        good: of.map((each) => each?.[0] ?? Number.NaN),
        total: of.map((each) => each?.[1] ?? Number.NaN),
      }
      return { track, at: from + hour * hourMs, counts }
    }),
  )
  return atOnce(makeCountHistory(slo, hours, { from, to: range.to }))
}

const stored = <A>(definition: A) => ({ definition, version: "1", createdAt: 0, updatedAt: 0 })

describe("the minutes that a backtest evaluates", () => {
  it.effect("spec/backtests §1: open and close the alerts that evaluating every minute does", () =>
    Effect.gen(function* () {
      let alerts = 0
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            slos,
            fc.array(conditions, { minLength: 1, maxLength: 2 }),
            fc.array(conditions, { maxLength: 2 }),
            incidents,
            (slo, first, second, minutes) =>
              Effect.runPromise(
                Effect.gen(function* () {
                  const policy = aPolicy(first)
                  const { conditions: _, ...spec } = policy.spec
                  const conditionGroups = [{ conditions: first }, { conditions: second }]
                  const history = historyOf(slo, minutes)
                  const backtest = (adjustments: ReadonlyArray<BudgetAdjustment>) =>
                    runBacktest({
                      organization,
                      slo: stored(slo),
                      policy: stored(
                        second.length === 0 ? policy : { ...policy, spec: { ...spec, conditionGroups } },
                      ),
                      components: [],
                      adjustments,
                      histories: new Map([[`${sloKey.project}/${sloKey.name}`, history]]),
                      range,
                    })
                  const expected = yield* backtest([later])
                  alerts += expected.alerts.length
                  expect(yield* backtest([])).toEqual(expected)
                }),
              ),
          ),
          { numRuns: 30 },
        ),
      )
      expect(alerts).toBeGreaterThan(20)
    }),
  )

  it("are those in which a condition changes", () => {
    const slo = anSlo(sloKey, {
      timeWindow: { unit: "Day", count: 1 },
      objectives: objectives.map((name) => ({ name, target: 0.9 })),
    })
    const policy = aPolicy([
      { measurement: "averageBurnRate", op: "gte", value: 2, alertingWindow: durationOf("10m") },
    ])
    const badAt = storedHours * 60 - 120
    const history = historyOf(slo, (minute) => (minute >= badAt && minute < badAt + 5 ? [0, 10] : [10, 10]))
    const changingFrom = atOnce(changingMinutes(slo, policy, [], history, range))
    // Of 9 known minutes of the 10, 2 are bad from here to 9 minutes after the last but one.
    expect(changingFrom?.(range.from)).toBe(range.from)
    expect(changingFrom?.(range.from + 1)).toBe(from + (badAt + 2) * 60_000)
    expect(changingFrom?.(from + (badAt + 2) * 60_000 + 1)).toBe(from + (badAt + 13) * 60_000)
    expect(changingFrom?.(from + (badAt + 13) * 60_000 + 1)).toBe(Infinity)
    expect(atOnce(changingMinutes(slo, policy, [later], history, range))).toBeUndefined()
  })
})
