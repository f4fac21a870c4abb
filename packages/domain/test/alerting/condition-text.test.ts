import { durationOf } from "@tocsin/domain/codec"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { conditionText, durationText } from "../../src/alert-policy/ConditionText.ts"
import { describe, expect, it } from "vitest"

const texts: ReadonlyArray<readonly [Condition, string]> = [
  [{ measurement: "burnedBudget", op: "gte", value: 0.9 }, "Remaining error budget is 10%"],
  [{ measurement: "burnedBudget", op: "gt", value: 0.9 }, "Remaining error budget is less than 10%"],
  [{ measurement: "burnedBudget", op: "lt", value: 0.9995 }, "Remaining error budget is more than 0.05%"],
  [{ measurement: "burnedBudget", op: "lte", value: 1.2 }, "Remaining error budget is at least -20%"],
  [
    { measurement: "timeToBurnBudget", op: "lt", value: durationOf("15m"), lastsFor: durationOf("1h") },
    "Error budget would be exhausted in 15 minutes and this condition lasts for 1 hour",
  ],
  [
    {
      measurement: "timeToBurnBudget",
      op: "lt",
      value: durationOf("72h"),
      alertingWindow: durationOf("1h30m"),
    },
    "Error budget would be exhausted in 3 days over the last 1 hour 30 minutes",
  ],
  [
    {
      measurement: "timeToBurnEntireBudget",
      op: "lte",
      value: durationOf("24h"),
      lastsFor: durationOf("0s"),
    },
    "Entire error budget would be exhausted in 1 day",
  ],
  [{ measurement: "averageBurnRate", op: "gte", value: 2 }, "Average burn rate is at least 2"],
  [
    { measurement: "averageBurnRate", op: "gte", value: 14.4, alertingWindow: durationOf("5m") },
    "Average burn rate is at least 14.4 over the last 5 minutes",
  ],
  [
    { measurement: "averageBurnRate", op: "gte", value: 2, lastsFor: durationOf("90s") },
    "Average burn rate is at least 2 and this condition lasts for 1 minute 30 seconds",
  ],
  [
    { measurement: "budgetDrop", op: "gte", value: 0.05, alertingWindow: durationOf("1h") },
    "Error budget dropped by 5% over the last 1 hour",
  ],
]

describe("the text of a condition", () => {
  it.each(texts)("spec/templates §9: %j", (condition, text) => {
    expect(conditionText(condition)).toBe(text)
    expect(text).not.toContain(",")
  })

  it("spec/templates §9: writes a duration in its units, largest first", () => {
    expect(
      ["26h1m", "1s", "1500ms", "1h0m1s", "168h", "0s"].map((written) => durationText(durationOf(written))),
    ).toEqual(["1 day 2 hours 1 minute", "1 second", "1.5 seconds", "1 hour 1 second", "7 days", "0 seconds"])
  })
})
