import { tidy } from "../codec/Decimal.ts"
import { budgetShare, type GoodTotal, tidyDifference } from "./ErrorBudget.ts"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"
import { dayMs, minuteMs } from "../codec/MinuteInstant.ts"
import { type MinuteRange, RangeList } from "../codec/MinuteRange.ts"
import { burnRateRange, type WindowAt } from "../slo/WindowAt.ts"
import type { Condition, FewerThan } from "../alert-policy/AlertPolicy.ts"

/** The error budget of an objective at one instant, as conditions measure it. */
export interface BudgetAt {
  /** The share that is to be good: 0 ≤ target < 1. */
  readonly target: number
  readonly at: WindowAt
  /** The time without counts since then, in milliseconds. */
  readonly gapMs: number
  readonly status: Pick<ObjectiveStatus, "burnRate" | "errorBudgetRemainingPercentage">
  /**
   * The bad share, 0 to 1, of one of the `conditionRanges`; `undefined` without data. `lengthMs` is the length of
   * which it is a share, if longer than the range.
   */
  readonly badShareIn: (range: MinuteRange, lengthMs?: number) => number | undefined
  /** The events of one of the `conditionRanges`; of a composite objective those of its components. */
  readonly eventsIn: (range: MinuteRange) => GoodTotal
  /** Whether there are counts in one of the `conditionRanges`, even of minutes without events. */
  readonly hasCountsIn: (range: MinuteRange) => boolean
}

/** The ranges that conditions measure for a window, each once. */
export const conditionRanges = (
  conditions: ReadonlyArray<Condition>,
  at: WindowAt,
): ReadonlyArray<MinuteRange> => {
  const list = new RangeList()
  const add = (range: MinuteRange): void => list.add(range)
  for (const condition of conditions) {
    const { measurement, alertingWindow, minEvents, minBadEvents } = condition
    if (measurement === "fewerThan") {
      const { range, before, usual } = fewerThanRanges(condition, at)
      for (const each of [range, before, ...usual]) add(each)
      continue
    }
    if (measurement !== "averageBurnRate" && measurement !== "timeToBurnEntireBudget") add(at.range)
    if (measurement === "budgetDrop") {
      const before = windowBefore(at, alertingWindow.ms)
      if (before !== undefined) add(before)
    } else if (measurement !== "burnedBudget") add(rateRange(at, alertingWindow?.ms))
    if (minEvents !== undefined || minBadEvents !== undefined) add(measuredRange(condition, at))
  }
  return list.ranges
}

/**
 * Says what a condition measures: a rate, a fraction, or a time in milliseconds; `undefined` where there is no data.
 *
 * With the remaining fraction `r` of the budget, the window's length `w`, and `b` the burn rate over the alerting window
 * or, without one, that of the record (`burnRateRange`):
 *
 * - `averageBurnRate`: `b`
 * - `burnedBudget`: `1 - r`
 * - `timeToBurnBudget`: `r × w / b`; 0 once nothing remains, however little burns
 * - `timeToBurnEntireBudget`: `w / b`
 * - `budgetDrop`: `r` as of the alerting window's start, less `r` as of now
 * - `fewerThan`: the events in the alerting window, or their share of the usual number: the median of the same range in past
 *   weeks that have counts
 *
 * Worked values, over 28 days: `r` 0.5 and `b` 14 leave `0.5 × 28 d / 14` = 1 d for the remaining budget, 2 d for the
 * entire one; `r` 0.8 an hour ago and 0.5 now is a drop of 0.3.
 *
 * Values have 12 significant digits, so that a value equal to the limit compares as written.
 *
 * Degenerate cases: where nothing burns, the times have no end. A drop begins from the full budget where the window
 * has no data at the alerting window's start, or is one of the calendar that began later. Without counts for as long as
 * the range that it measures, a condition has no data. The number of events has no data until there were counts for as long
 * before the range, and without a week or with too few events to compare with.
 *
 * Source: spec/alerting §2.
 */
export const measureCondition = (condition: Condition, budget: BudgetAt): number | undefined => {
  const { at, gapMs } = budget
  const { from, to } = measuredRange(condition, at)
  if (gapMs >= to - from) return undefined
  // Its status is computed on demand.
  switch (condition.measurement) {
    case "averageBurnRate":
      return burnRate(condition, budget)
    case "burnedBudget": {
      const remaining = budget.status.errorBudgetRemainingPercentage
      return remaining === undefined ? undefined : tidyDifference(1, remaining)
    }
    case "timeToBurnBudget": {
      const remaining = budget.status.errorBudgetRemainingPercentage
      if (remaining === undefined) return undefined
      if (remaining <= 0) return 0
      const rate = burnRate(condition, budget)
      return rate === undefined ? undefined : tidy((remaining * at.lengthMs) / rate)
    }
    case "timeToBurnEntireBudget": {
      const rate = burnRate(condition, budget)
      return rate === undefined ? undefined : tidy(at.lengthMs / rate)
    }
    case "budgetDrop": {
      const remaining = budget.status.errorBudgetRemainingPercentage
      if (remaining === undefined) return undefined
      const before = windowBefore(at, condition.alertingWindow.ms)
      const badShare = before && budget.badShareIn(before, at.lengthMs)
      const remainingBefore =
        badShare === undefined ? 1 : tidyDifference(1, badShare / budgetShare(budget.target))
      return tidyDifference(remainingBefore, remaining)
    }
    case "fewerThan":
      return fewerThan(condition, budget)
  }
}

const fewerThan = (condition: FewerThan, budget: BudgetAt): number | undefined => {
  const { range, before, usual } = fewerThanRanges(condition, budget.at)
  // Where counts have only begun, most of the range is before them.
  if (!budget.hasCountsIn(before) || !budget.hasCountsIn(range)) return undefined
  const { total } = budget.eventsIn(range)
  if (condition.usual === undefined) return tidy(total)
  const usualEvents = median(usual.filter(budget.hasCountsIn).map((each) => budget.eventsIn(each).total))
  return usualEvents === undefined || usualEvents < condition.usual.minEvents
    ? undefined
    : tidy(total / usualEvents)
}

/**
 * The range in which events are counted, the one before it, and the same range in past weeks. The last minute, which has not
 * ended, is left out.
 */
const fewerThanRanges = ({ alertingWindow: { ms }, usual }: FewerThan, { range }: WindowAt) => {
  const to = range.to - minuteMs
  const endingAt = (end: number): MinuteRange => ({ from: end - ms, to: end })
  return {
    range: endingAt(to),
    before: endingAt(to - ms),
    usual: Array.from({ length: usual?.weeks ?? 0 }, (_, index) => endingAt(to - (index + 1) * weekMs)),
  }
}

const weekMs = 7 * dayMs

const median = (values: ReadonlyArray<number>): number | undefined => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

/** Why a condition is not met. */
export const unmetReasons = ["no_data", "value", "min_events", "min_bad_events"] as const

/** One of `unmetReasons`. */
export type UnmetReason = (typeof unmetReasons)[number]

/** What was measured for a condition, and whether it is met. */
export interface CheckedCondition {
  /** As `measureCondition` says it; `undefined` where there is no data. */
  readonly measured: number | undefined
  /** The most recent range that it measures. */
  readonly range: MinuteRange
  /** `undefined`: it is met. */
  readonly unmet: UnmetReason | undefined
}

/** Without data, a condition is not met. */
export const checkCondition = (condition: Condition, budget: BudgetAt): CheckedCondition => {
  const measured = measureCondition(condition, budget)
  const range = measuredRange(condition, budget.at)
  const unmet = (): UnmetReason | undefined => {
    if (measured === undefined) return "no_data"
    if (!reaches(condition, measured)) return "value"
    const { minEvents, minBadEvents } = condition
    if (minEvents === undefined && minBadEvents === undefined) return undefined
    const { good, total } = budget.eventsIn(range)
    if (total < (minEvents ?? 0)) return "min_events"
    return tidyDifference(total, good) < (minBadEvents ?? 0) ? "min_bad_events" : undefined
  }
  return { measured, range, unmet: unmet() }
}

const reaches = ({ value, op }: Condition, measured: number): boolean => {
  const limit = typeof value === "number" ? value : value.ms
  switch (op) {
    case "gt":
      return measured > limit
    case "gte":
      return measured >= limit
    case "lt":
      return measured < limit
    case "lte":
      return measured <= limit
  }
}

/** The most recent range that a condition measures. */
const measuredRange = (condition: Condition, at: WindowAt): MinuteRange => {
  if (condition.measurement === "fewerThan") return fewerThanRanges(condition, at).range
  return condition.measurement === "burnedBudget" ? at.range : rateRange(at, condition.alertingWindow?.ms)
}

/** The start of everything that a condition measures, in Unix milliseconds. */
export const measuredFrom = (condition: Condition, at: WindowAt): number => {
  if (condition.measurement === "fewerThan") {
    const { before, usual } = fewerThanRanges(condition, at)
    return usual.at(-1)?.from ?? before.from
  }
  const recent = measuredRange(condition, at).from
  if (condition.measurement === "averageBurnRate" || condition.measurement === "timeToBurnEntireBudget") {
    return recent
  }
  const agoMs = condition.measurement === "budgetDrop" ? condition.alertingWindow.ms : 0
  return Math.min(recent, windowBefore(at, agoMs)?.from ?? at.range.from)
}

const burnRate = ({ alertingWindow }: Condition, budget: BudgetAt) => {
  if (alertingWindow === undefined) return budget.status.burnRate
  const badShare = budget.badShareIn(rateRange(budget.at, alertingWindow.ms))
  return badShare === undefined ? undefined : tidy(badShare / budgetShare(budget.target))
}

/** The last minutes; may reach back before the window. Without a length, those of the record's burn rate. */
const rateRange = (at: WindowAt, lengthMs: number | undefined): MinuteRange =>
  lengthMs === undefined ? burnRateRange(at) : { from: at.range.to - lengthMs, to: at.range.to }

/** The window as of `agoMs` ago; `undefined` if a calendar window had not begun. */
const windowBefore = ({ range, endsAt }: WindowAt, agoMs: number): MinuteRange | undefined => {
  const to = range.to - agoMs
  if (endsAt === undefined) return { from: range.from - agoMs, to }
  return to <= range.from ? undefined : { from: range.from, to }
}
