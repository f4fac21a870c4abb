import { decodeDefinition } from "@tocsin/domain"
import { warningContext, warningsOf } from "../../src/definition/WarningRules.ts"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import {
  anAlertPolicy,
  anSlo,
  changed,
  decodeOptions,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const decoded = (definition: Plain) => Result.getOrThrow(decodeDefinition(definition, decodeOptions))

const warnings = (target: number, policySpec: Plain, sloSpec: Plain = {}) =>
  allWarnings(target, policySpec, sloSpec).map(({ path, code }) => [path, code])

const messages = (target: number, policySpec: Plain, sloSpec: Plain = {}) =>
  allWarnings(target, policySpec, sloSpec).map(({ message }) => message)

const allWarnings = (target: number, policySpec: Plain, sloSpec: Plain) => {
  const slo = anSlo()
  const spec = {
    ...(slo["spec"] as Plain),
    objectives: [{ name: "good", target }],
    alertPolicies: ["fast-burn"],
    ...sloSpec,
  }
  const policy = decoded(changed(anAlertPolicy(), "spec", { severity: "High", ...policySpec }))
  return warningsOf(decoded(changed(slo, "spec", spec)), warningContext([policy], {}, [], [policy]))
}

const unreachable = [["spec.alertPolicies[0]", "unreachable_condition"]]

describe("warnings of an SLO about its alert policies", () => {
  it.each([
    [0.9, { measurement: "averageBurnRate", value: 14.4, alertingWindow: "1h" }, unreachable],
    [0.9, { measurement: "averageBurnRate", value: 10, alertingWindow: "1h" }, []],
    [0.9, { measurement: "averageBurnRate", value: 10.01, alertingWindow: "1h" }, unreachable],
    [0.95, { measurement: "averageBurnRate", value: 20, alertingWindow: "1h" }, []],
    [0, { measurement: "averageBurnRate", value: 1.5, alertingWindow: "1h" }, unreachable],
    [0.9, { measurement: "burnedBudget", value: 11 }, unreachable],
    [0.9, { measurement: "burnedBudget", value: 10, op: "gt" }, unreachable],
    [0.9, { measurement: "burnedBudget", value: 10, op: "lt" }, []],
    [0.9, { measurement: "budgetDrop", value: 11, alertingWindow: "1h" }, unreachable],
    [0.9, { measurement: "timeToBurnEntireBudget", value: "1h" }, unreachable],
    [0.9, { measurement: "timeToBurnBudget", value: "1h" }, []],
    [0.9, { fewerThan: { events: 1, per: "15m" } }, []],
  ])(
    "spec/definitions §14: with a target of %d and the condition %j are %j",
    (target, condition, expected) => {
      expect(warnings(target, { conditions: [condition] })).toEqual(expected)
      const sliced = {
        budgetingMethod: "Timeslices",
        objectives: [{ name: "good", target, timeSliceTarget: 0.99 }],
      }
      expect(warnings(target, { conditions: [condition] }, sliced)).toEqual(expected)
    },
  )

  it("spec/definitions §14: are about presets too, and about a time window that is too short for them", () => {
    expect(warnings(0.9, { sreWorkbook: "page" })).toEqual(unreachable)
    expect(warnings(0.99, { sreWorkbook: "page" })).toEqual([])
    const hour = { timeWindows: [{ unit: "Hour", count: 1, isRolling: true }] }
    expect(warnings(0.99, { sreWorkbook: "page" }, hour)).toEqual([
      ["spec.alertPolicies[0]", "window_too_short"],
    ])
  })

  it("say which condition of which alert policy is meant, what the target allows, and what to change", () => {
    const burnRate = { measurement: "averageBurnRate", value: 14.4, alertingWindow: "1h" }
    const wholeBudget = { measurement: "timeToBurnEntireBudget", value: "1h" }
    expect(messages(0.9, { conditions: [burnRate, wholeBudget] })).toEqual([
      'alert policy fast-burn has the condition "Average burn rate is at least 14.4 over the last 1 hour" (spec.conditions[0]), which objective good can never meet: with a target of 90%, the burn rate is at most 10. Lower the value, or raise the target',
      'alert policy fast-burn has the condition "Entire error budget would be exhausted in 1 hour" (spec.conditions[1]), which objective good can never meet: with a target of 90%, the burn rate is at most 10. Raise the value, or raise the target',
    ])
    expect(messages(0.9, { sreWorkbook: "page" })).toEqual([
      'alert policy fast-burn has the condition "Average burn rate is at least 13.44 over the last 1 hour" (spec.sreWorkbook), which objective good can never meet: with a target of 90%, the burn rate is at most 10. Write conditions instead of sreWorkbook, or raise the target',
    ])
  })

  it("spec/definitions §14: are about a legacy composite and its burnRateCondition", () => {
    const composite = (target: number, value: number, op: string) => ({
      objectives: [
        { name: "good", target: 0.99 },
        { name: "great", target: 0.9 },
      ],
      composite: { target, burnRateCondition: { value, op } },
    })
    const policy = { conditions: [{ measurement: "averageBurnRate", value: 5, alertingWindow: "1h" }] }
    expect(warnings(0.99, policy, composite(0.9, 2, "gt"))).toEqual([])
    expect(warnings(0.99, policy, composite(0.5, 2, "gt"))).toEqual(unreachable)
    const bad = [["spec.composite.burnRateCondition.value", "unreachable_condition"]]
    expect(warnings(0.99, policy, composite(0.9, 100, "gt"))).toEqual(bad)
    expect(warnings(0.99, policy, composite(0.9, 100, "gte"))).toEqual([])
  })
})
