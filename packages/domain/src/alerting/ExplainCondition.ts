import type { Condition, Operator } from "../alert-policy/AlertPolicy.ts"
import type { ConditionGroups } from "../alert-policy/ConditionGroups.ts"
import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, boolean, literals, number } from "../codec/Leaves.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { GoodTotal } from "../status/ErrorBudget.ts"
import { type BudgetAt, checkCondition, type UnmetReason, unmetReasons } from "../status/MeasureCondition.ts"
import type { PastChanges } from "../status/StoredPastChanges.ts"
import { changesSummary } from "../status/PastChanges.ts"
import type { HoldReason } from "./HoldReason.ts"
import { conditionText, durationText } from "../alert-policy/ConditionText.ts"
import { percentText } from "../codec/PercentText.ts"

const explainedCondition = object({
  /** As `conditionText` says it. */
  condition: anyString,
  /** What it measures, as the alert policy names it. */
  measurement: anyString,
  isMet: boolean,
  /** Absent if it is met. */
  reason: exactOptional(literals(unmetReasons)),
  /** What was measured and what is required, as a sentence without a full stop. */
  detail: anyString,
  /**
   * What was measured, as `measureCondition` says it: a rate, a fraction, a number of events, or milliseconds. Absent without data, and for
   * a time without end.
   */
  value: exactOptional(number({})),
  /** What the value is compared with, in the same unit. */
  threshold: number({}),
  /** The most recent range that it measures, in Unix milliseconds, and the events in it. */
  range: object({ from: number({}), to: number({}) }),
  events: object({ good: number({}), total: number({}) }),
})

/** Whether a condition is met, and why. */
export type ExplainedCondition = TypeOf<typeof explainedCondition>

const alertEvidence = object({
  /** The target of the objective: 0 ≤ target < 1. */
  target: number({}),
  /** The conditions of the policy by group, in its order: at most as many as a policy can have. */
  groups: list(list(explainedCondition)),
})

/** What was measured when an alert triggered. It is stored with the alert and never changes. */
export type AlertEvidence = TypeOf<typeof alertEvidence>

/** The stored form of the evidence of an alert. */
export const storedEvidence = stored(alertEvidence, [])

/** What the conditions of a policy measure now. */
export const evidenceOf = (groups: ConditionGroups, budget: BudgetAt): AlertEvidence => ({
  target: budget.target,
  groups: groups.map((group) => group.map((condition) => explainCondition(condition, budget))),
})

/** Explains a condition by the same code that evaluates it. Whether it has lasted for its `lastsFor` is not part of that. */
export const explainCondition = (condition: Condition, budget: BudgetAt): ExplainedCondition => {
  const { measured, range, unmet } = checkCondition(condition, budget)
  const events = budget.eventsIn(range)
  return {
    condition: conditionText(condition),
    measurement: condition.measurement,
    isMet: unmet === undefined,
    ...(unmet !== undefined && { reason: unmet }),
    detail: detailOf(condition, measured, unmet, events),
    ...(measured !== undefined && Number.isFinite(measured) && { value: measured }),
    threshold: thresholdOf(condition),
    range,
    events,
  }
}

const thresholdOf = ({ value }: Condition): number => (typeof value === "number" ? value : value.ms)

/** Why conditions that are met trigger no alert, as a sentence without a full stop. */
export const holdText = (reason: HoldReason, changes: PastChanges | undefined): string => {
  switch (reason) {
    case "past_changed":
      return changes === undefined
        ? "The conditions rely on changes to past minutes"
        : `${changedText(changes)}. Without the change, the conditions are not met`
    case "counts_old":
      return "The latest minute with counts ended more than an hour before this evaluation"
    case "source_behind":
      return "The data source was not fully read at this evaluation"
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
  const { op, minEvents, minBadEvents } = condition
  const limit = valueText(condition, thresholdOf(condition))
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
