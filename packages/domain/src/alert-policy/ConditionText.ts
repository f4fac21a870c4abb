import type { Duration } from "../codec/Duration.ts"
import { tidy } from "../codec/Decimal.ts"
import { percentText } from "../codec/PercentText.ts"
import type { AlertPolicy, Condition, Operator } from "./AlertPolicy.ts"

/**
 * Says a condition as one clause without a comma, as `$alert_policy_conditions[]` lists it.
 *
 * `{ measurement: "burnedBudget", op: "gte", value: 0.9 }` gives `Remaining error budget is 10%`, and
 * `{ measurement: "timeToBurnBudget", op: "lt", value: "15m", lastsFor: "1h" }` gives
 * `Error budget would be exhausted in 15 minutes and this condition lasts for 1 hour`.
 *
 * Source: spec/templates §9.
 */
export const conditionText = (condition: Condition): string => {
  const { lastsFor, alertingWindow, minEvents, minBadEvents } = condition
  const least = [
    ...(minEvents === undefined ? [] : [`at least ${minEvents} ${minEvents === 1 ? "event" : "events"}`]),
    ...(minBadEvents === undefined
      ? []
      : [`at least ${minBadEvents} bad ${minBadEvents === 1 ? "event" : "events"}`]),
  ]
  const lasting = lastsFor === undefined || lastsFor.ms === 0 ? undefined : durationText(lastsFor)
  return (
    measuredText(condition) +
    (alertingWindow === undefined ? "" : ` over the last ${durationText(alertingWindow)}`) +
    (least.length === 0 ? "" : ` with ${least.join(" and ")}`) +
    (lasting === undefined ? "" : ` and this condition lasts for ${lasting}`)
  )
}

/**
 * A duration in words, its largest units first: `90m` is `1 hour 30 minutes`, `72h` is `3 days`.
 */
export const durationText = ({ ms: length }: Duration): string => {
  let rest = length
  const parts: Array<string> = []
  for (const [unit, ms] of units) {
    const count = ms === 1_000 ? tidy(rest / ms) : Math.floor(rest / ms)
    rest -= count * ms
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`)
  }
  return parts.length === 0 ? "0 seconds" : parts.join(" ")
}

const measuredText = (condition: Condition): string => {
  switch (condition.measurement) {
    case "averageBurnRate":
      return `Average burn rate is at least ${condition.value}`
    case "burnedBudget":
      return `Remaining error budget is ${remainingTexts[condition.op]}${percentText(1 - condition.value)}`
    case "timeToBurnBudget":
      return `Error budget would be exhausted in ${durationText(condition.value)}`
    case "timeToBurnEntireBudget":
      return `Entire error budget would be exhausted in ${durationText(condition.value)}`
    case "budgetDrop":
      return `Error budget dropped by ${percentText(condition.value)}`
    case "fewerThan":
      return condition.usual === undefined
        ? `Fewer than ${condition.value} ${condition.value === 1 ? "event" : "events"}`
        : `Fewer than ${percentText(condition.value)} of the usual events`
  }
}

/** What is burned is compared with the value, so that what remains is compared the other way round. */
const remainingTexts: Readonly<Record<Operator, string>> = {
  gt: "less than ",
  gte: "",
  lt: "more than ",
  lte: "at least ",
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const

/** All conditions of a policy, whichever group they are in; none of a preset, which depends on the SLO. */
export const policyConditions = ({ spec }: AlertPolicy): ReadonlyArray<Condition> =>
  spec.conditions ?? spec.conditionGroups?.flatMap((group) => group.conditions) ?? []

/** The texts of all conditions of a policy. */
export const policyConditionTexts = (policy: AlertPolicy): ReadonlyArray<string> =>
  policy.spec.sreWorkbook === undefined
    ? [...new Set(policyConditions(policy).map(conditionText))]
    : [`The SRE Workbook recommends a ${policy.spec.sreWorkbook}`]
