import type { Condition, Operator } from "../alert-policy/AlertPolicy.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { GoodTotal } from "../status/ErrorBudget.ts"
import { type BudgetAt, checkCondition, type UnmetReason } from "../status/MeasureCondition.ts"
import type { PastChanges } from "../status/StoredPastChanges.ts"
import { changesSummary } from "../status/PastChanges.ts"
import type { HoldReason } from "./HoldReason.ts"
import { conditionText, durationText } from "../alert-policy/ConditionText.ts"
import { percentText } from "../codec/PercentText.ts"

/** Whether a condition is met, and why. */
export interface ExplainedCondition {
  /** As `conditionText` says it. */
  readonly condition: string
  readonly isMet: boolean
  /** Absent if it is met. */
  readonly reason?: UnmetReason
  /** What was measured and what is required, as a sentence without a full stop. */
  readonly detail: string
  /** The most recent range that it measures, and the events in it. */
  readonly range: MinuteRange
  readonly events: GoodTotal
}

/** Explains a condition by the same code that evaluates it. Whether it has lasted for its `lastsFor` is not part of that. */
export const explainCondition = (condition: Condition, budget: BudgetAt): ExplainedCondition => {
  const { measured, range, unmet } = checkCondition(condition, budget)
  const events = budget.eventsIn(range)
  return {
    condition: conditionText(condition),
    isMet: unmet === undefined,
    ...(unmet !== undefined && { reason: unmet }),
    detail: detailOf(condition, measured, unmet, events),
    range,
    events,
  }
}

/** Why conditions that are met trigger no alert, as a sentence without a full stop. */
export const holdText = (reason: HoldReason, changes: PastChanges | undefined): string => {
  switch (reason) {
    case "past_changed":
      return changes === undefined
        ? "Changes of the past alone meet the conditions"
        : `${changedText(changes)}. Without the change, the conditions are not met`
    case "counts_old":
      return "The latest minute with counts ended more than an hour before"
    case "source_behind":
      return "The data source has not been read to within an hour"
  }
}

const changedText = (changes: PastChanges): string => {
  const { changedAt, counts, adjustments } = changesSummary(changes)
  const at = instantText(changedAt)
  const minutes = counts && `minutes from ${instantText(counts.from)} to ${instantText(counts.to)}`
  const adjusted = adjustments.length > 0 ? `budget adjustments (${adjustments.join(", ")})` : undefined
  return `Changed most recently at ${at}: ${[minutes, adjusted].filter((each) => each !== undefined).join(" and ")}`
}

const instantText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

const detailOf = (
  condition: Condition,
  measured: number | undefined,
  unmet: UnmetReason | undefined,
  { good, total }: GoodTotal,
): string => {
  if (measured === undefined) {
    return condition.measurement === "fewerThan"
      ? "There is not enough data in the range, before it, or in the same range of past weeks"
      : "There is no data in the range"
  }
  const name =
    condition.measurement === "fewerThan" && condition.usual !== undefined
      ? "The share of the usual number of events"
      : names[condition.measurement]
  const { value, op, minEvents, minBadEvents } = condition
  const limit = valueText(condition, typeof value === "number" ? value : value.ms)
  const measuring = `${name} is ${valueText(condition, measured)}; ${requirements[op]} ${limit} is required`
  switch (unmet) {
    case "min_events":
      return `There are ${eventsText(total)} events in the range; at least ${minEvents} are required`
    case "min_bad_events":
      return `There are ${eventsText(total - good)} bad events in the range; at least ${minBadEvents} are required`
    default:
      return measuring
  }
}

const names: Readonly<Record<Condition["measurement"], string>> = {
  averageBurnRate: "The average burn rate",
  burnedBudget: "The burned share of the error budget",
  timeToBurnBudget: "The time until the error budget is exhausted",
  timeToBurnEntireBudget: "The time in which the entire error budget would be exhausted",
  budgetDrop: "The drop of the error budget",
  fewerThan: "The number of events",
}

const requirements: Readonly<Record<Operator, string>> = {
  gt: "more than",
  gte: "at least",
  lt: "less than",
  lte: "at most",
}

const valueText = (condition: Condition, value: number): string => {
  switch (condition.measurement) {
    case "fewerThan":
      return condition.usual === undefined ? eventsText(value) : percentText(rounded(value))
    case "averageBurnRate":
      return String(rounded(value))
    case "burnedBudget":
    case "budgetDrop":
      return percentText(rounded(value))
    case "timeToBurnBudget":
    case "timeToBurnEntireBudget":
      if (value === Infinity) return "unlimited"
      return value > 0 && value < minuteMs
        ? "less than 1 minute"
        : durationText({ text: "", ms: Math.floor(value / minuteMs) * minuteMs })
  }
}

const eventsText = (count: number): string => String(rounded(count))

/** To 4 significant digits. */
const rounded = (value: number): number => Number(value.toPrecision(4))
