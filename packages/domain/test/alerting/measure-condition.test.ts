import { durationOf } from "@tocsin/domain/codec"
import type { WindowAt } from "@tocsin/domain/slo"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import {
  type BudgetAt,
  checkCondition,
  measureCondition,
  conditionRanges,
} from "../../src/status/MeasureCondition.ts"
import { describe, expect, it } from "vitest"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const asOf = Date.UTC(2026, 0, 30, 12, 1)

/** 28 days that roll, and a month of which 29 days, 12 h and 1 min are over. */
const rolling: WindowAt = { range: { from: asOf - 28 * day, to: asOf }, lengthMs: 28 * day }
const january = Date.UTC(2026, 0, 1)
const calendar: WindowAt = {
  range: { from: january, to: asOf },
  lengthMs: 31 * day,
  endsAt: january + 31 * day,
}

const isMet = (condition: Condition, budget: BudgetAt): boolean =>
  checkCondition(condition, budget).unmet === undefined

const budget = (change: Partial<BudgetAt> = {}): BudgetAt => ({
  target: 0.99,
  at: rolling,
  gapMs: 0,
  status: {},
  badShareIn: () => undefined,
  eventsIn: () => ({ good: 0, total: 0 }),
  hasCountsIn: () => true,
  ...change,
})

const averageBurnRate: Condition = { measurement: "averageBurnRate", value: 2, op: "gte" }
const burnedBudget: Condition = { measurement: "burnedBudget", value: 0.1, op: "gte" }
const timeToBurnBudget: Condition = { measurement: "timeToBurnBudget", value: durationOf("24h"), op: "lt" }
const entire: Condition = { measurement: "timeToBurnEntireBudget", value: durationOf("24h"), op: "lte" }
const drop: Condition = { measurement: "budgetDrop", value: 0.1, op: "gte", alertingWindow: durationOf("1h") }

describe("what a condition measures", () => {
  it("spec/alerting §2: the burn rate is the record's, or that of the alerting window", () => {
    const status = { burnRate: 3 }
    const badShareIn: BudgetAt["badShareIn"] = ({ from, to }) =>
      from === asOf - 5 * minute && to === asOf ? 0.144 : undefined
    expect(measureCondition(averageBurnRate, budget({ status, badShareIn }))).toBe(3)
    expect(
      measureCondition(
        { ...averageBurnRate, alertingWindow: durationOf("5m") },
        budget({ status, badShareIn }),
      ),
    ).toBe(14.4)
  })

  it("spec/alerting §2: what is burned is what does not remain, without the noise of binary fractions", () => {
    const remaining = (errorBudgetRemainingPercentage: number) =>
      budget({ status: { errorBudgetRemainingPercentage } })
    expect(measureCondition(burnedBudget, remaining(0.9))).toBe(0.1)
    expect(measureCondition(burnedBudget, remaining(-0.5))).toBe(1.5)
    expect(isMet(burnedBudget, remaining(0.9))).toBe(true)
    expect(isMet({ ...burnedBudget, op: "gt" }, remaining(0.9))).toBe(false)
    expect(isMet({ ...burnedBudget, op: "lte" }, remaining(0.9))).toBe(true)
    expect(isMet({ ...burnedBudget, op: "lt" }, remaining(0.9))).toBe(false)
    expect(isMet({ ...burnedBudget, op: "lt" }, remaining(0.91))).toBe(true)
  })

  it("spec/alerting §2: the time to burn is that of the window at the present rate, of what remains or of all", () => {
    const status = { burnRate: 14, errorBudgetRemainingPercentage: 0.5 }
    expect(measureCondition(timeToBurnBudget, budget({ status }))).toBe(day)
    expect(measureCondition(entire, budget({ status }))).toBe(2 * day)
    expect(isMet(timeToBurnBudget, budget({ status }))).toBe(false)
    expect(isMet({ ...timeToBurnBudget, value: durationOf("24h1m") }, budget({ status }))).toBe(true)
    expect(isMet({ ...entire, value: durationOf("48h") }, budget({ status }))).toBe(true)
    expect(isMet({ ...entire, value: durationOf("47h59m") }, budget({ status }))).toBe(false)
    expect(measureCondition(entire, budget({ at: calendar, status: { burnRate: 31 } }))).toBe(day)
    const window = { ...timeToBurnBudget, alertingWindow: durationOf("1h") }
    expect(measureCondition(window, budget({ status, badShareIn: () => 0.28 }))).toBe(day / 2)
  })

  it("spec/alerting §2: a spent budget is burned at once, and where nothing burns it lasts for ever", () => {
    const spent = budget({ status: { burnRate: 0, errorBudgetRemainingPercentage: -0.1 } })
    expect(measureCondition(timeToBurnBudget, spent)).toBe(0)
    const quiet = budget({ status: { burnRate: 0, errorBudgetRemainingPercentage: 0.2 } })
    expect(measureCondition(timeToBurnBudget, quiet)).toBe(Infinity)
    expect(measureCondition(entire, quiet)).toBe(Infinity)
    expect(isMet(entire, quiet)).toBe(false)
  })

  it("spec/alerting §2: a drop is what remained before less what remains now, from the full budget without data", () => {
    const status = { errorBudgetRemainingPercentage: 0.5 }
    const before: BudgetAt["badShareIn"] = ({ from, to }) =>
      from === asOf - hour - 28 * day && to === asOf - hour ? 0.002 : undefined
    expect(measureCondition(drop, budget({ status, badShareIn: before }))).toBe(0.3)
    expect(measureCondition(drop, budget({ status }))).toBe(0.5)
    const inMonth: BudgetAt["badShareIn"] = ({ from, to }) =>
      from === january && to === asOf - hour ? 0.002 : undefined
    expect(measureCondition(drop, budget({ at: calendar, status, badShareIn: inMonth }))).toBe(0.3)
    const begun = { ...calendar, range: { from: asOf - hour, to: asOf } }
    expect(measureCondition(drop, budget({ at: begun, status, badShareIn: () => 0.002 }))).toBe(0.5)
  })

  it.each([averageBurnRate, burnedBudget, timeToBurnBudget, entire, drop])(
    "spec/alerting §2: without data nothing is measured and nothing met: %j",
    (condition) => {
      expect(measureCondition(condition, budget())).toBeUndefined()
      expect(isMet(condition, budget())).toBe(false)
    },
  )
})

describe("what a condition needs beside its value", () => {
  const burning = { ...averageBurnRate, alertingWindow: durationOf("1h") }
  const events = (good: number, total: number) =>
    budget({
      badShareIn: () => 0.5,
      eventsIn: ({ from, to }) =>
        to === asOf && from === asOf - hour ? { good, total } : { good: 0, total: 0 },
    })

  it.each([
    [{ minEvents: 10 }, 5, 10, undefined],
    [{ minEvents: 11 }, 5, 10, "min_events"],
    [{ minBadEvents: 5 }, 5, 10, undefined],
    [{ minBadEvents: 6 }, 5, 10, "min_bad_events"],
    [{ minEvents: 11, minBadEvents: 6 }, 5, 10, "min_events"],
    // 0.3 - 0.2 and the like.
    [{ minBadEvents: 1 }, 7.2, 8.2, undefined],
  ] as const)("spec/alerting §13: %j of %d good in %d events", (least, good, total, unmet) => {
    expect(checkCondition({ ...burning, ...least }, events(good, total)).unmet).toBe(unmet)
  })

  it("spec/alerting §13: says why it is not met, and what was measured", () => {
    expect(checkCondition(burning, budget())).toMatchObject({ measured: undefined, unmet: "no_data" })
    expect(checkCondition({ ...burning, value: 51 }, events(5, 10))).toEqual({
      measured: 50,
      range: { from: asOf - hour, to: asOf },
      unmet: "value",
    })
    expect(checkCondition({ ...burning, minEvents: 11, value: 51 }, events(5, 10)).unmet).toBe("value")
  })

  it("spec/alerting §12: has no data once counts are missing for as long as it measures", () => {
    const gap = (gapMs: number) => ({ ...events(5, 10), gapMs })
    expect(checkCondition(burning, gap(hour - minute)).unmet).toBe(undefined)
    expect(checkCondition(burning, gap(hour)).unmet).toBe("no_data")
  })
})

describe("the ranges that conditions measure", () => {
  it("spec/alerting §2: are those of the window, the burn rate and the alerting windows, each once and only if measured", () => {
    const fast = { ...averageBurnRate, alertingWindow: durationOf("5m") }
    expect(
      conditionRanges(
        [
          fast,
          burnedBudget,
          { ...entire, lastsFor: durationOf("5m") },
          { ...timeToBurnBudget, alertingWindow: durationOf("5m") },
          drop,
        ],
        rolling,
      ),
    ).toEqual([
      { from: asOf - 5 * minute, to: asOf },
      rolling.range,
      { from: asOf - hour, to: asOf },
      { from: asOf - hour - 28 * day, to: asOf - hour },
    ])
    expect(conditionRanges([fast], rolling)).toEqual([{ from: asOf - 5 * minute, to: asOf }])
    expect(conditionRanges([{ ...drop, minEvents: 1 }], rolling)).toContainEqual({
      from: asOf - hour,
      to: asOf,
    })
  })

  it("spec/alerting §2: do not reach before the calendar window for a drop", () => {
    expect(conditionRanges([drop], calendar)).toEqual([calendar.range, { from: january, to: asOf - hour }])
    const begun = { ...calendar, range: { from: asOf - hour, to: asOf } }
    expect(conditionRanges([drop], begun)).toEqual([begun.range])
  })
})
