import type { Condition, Measurement } from "./AlertPolicy.ts"

/**
 * Says a condition as one clause, as `$alert_policy_conditions[]` lists it.
 *
 * `{ measurement: "averageBurnRate", op: "gte", value: 2, alertingWindow: "5m" }` gives
 * `Average burn rate is at least 2 over 5m`.
 *
 * Source: contract section 2.1; decision 0208.
 */
export const conditionText = ({ measurement, op, value, alertingWindow, lastsFor }: Condition): string =>
  `${measurementTexts[measurement]} is ${operatorTexts[op]} ${value}` +
  (alertingWindow === undefined ? "" : ` over ${alertingWindow}`) +
  (lastsFor === undefined ? "" : ` for ${lastsFor}`)

const measurementTexts: Readonly<Record<Measurement, string>> = {
  averageBurnRate: "Average burn rate",
  burnedBudget: "Burned error budget",
  timeToBurnBudget: "Time to burn the remaining error budget",
  timeToBurnEntireBudget: "Time to burn the entire error budget",
  budgetDrop: "Drop of the error budget",
}

const operatorTexts: Readonly<Record<Condition["op"], string>> = {
  gt: "above",
  gte: "at least",
  lt: "below",
  lte: "at most",
}
