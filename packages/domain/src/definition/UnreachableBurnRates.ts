import { conditionText } from "../alert-policy/ConditionText.ts"
import { percentText } from "../codec/PercentText.ts"
import type { AlertPolicy, Condition } from "../alert-policy/AlertPolicy.ts"
import { groupsOf } from "../alert-policy/ConditionGroups.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { sreWorkbookWindowMinMs } from "../alert-policy/RecommendedBurnRates.ts"
import { entryPath } from "../codec/Issue.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import type { Warning } from "../codec/Warning.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { overallTrack, sliceRulesOf, targetsOf } from "../slo/SliceRules.ts"
import type { Slo } from "../slo/Slo.ts"
import { isCalendarWindow, windowDays } from "../slo/WindowLength.ts"
import type { WarningRule } from "./WarningRule.ts"

/** Conditions of the alert policies of an SLO that its targets can never meet, and presets for which its time window is too short. */
export const unreachableBurnRates: WarningRule<"SLO"> = (slo, { find }) => {
  const { project } = slo.metadata
  const ofPolicies = slo.spec.alertPolicies.flatMap((name, index): ReadonlyArray<Warning> => {
    const policy = find("AlertPolicy", { project, name })
    if (policy === undefined) return []
    const path = entryPath("spec.alertPolicies", index)
    const never = unreachableConditions(policy, slo).map((unreachable): Warning => ({
      path,
      code: "unreachable_condition",
      message: `alert policy ${name} has the condition "${conditionText(unreachable.condition)}" (${unreachable.path}), which ${objectiveText(unreachable)} can never meet: ${limitText(policy, unreachable)}`,
    }))
    const message = `alert policy ${name} has sreWorkbook, whose burn rates do not suit time windows shorter than a day. Write conditions instead`
    return isWindowTooShort(policy, slo) ? [{ path, code: "window_too_short", message }, ...never] : never
  })
  if (!isBurnRateConditionUnreachable(slo)) return ofPolicies
  const message =
    "can never make a minute bad: the burn rate of a minute is at most 1 / (1 - target) of its objective. Lower the value"
  return [
    ...ofPolicies,
    { path: "spec.composite.burnRateCondition.value", code: "unreachable_condition", message },
  ]
}

/** Conditions of an alert policy that stored SLOs can never meet, and a preset for which their time windows are too short. */
export const unreachableForSlos: WarningRule<"AlertPolicy"> = (policy, { slosOf }) => {
  const slos = slosOf(policy.metadata)
  const tooShort = slos.filter((slo) => isWindowTooShort(policy, slo))
  const never = slos.flatMap((slo) =>
    unreachableConditions(policy, slo).map((condition) => ({ slo, ...condition })),
  )
  const [short] = tooShort
  const shortWarning: Warning | undefined = short && {
    path: "spec.sreWorkbook",
    code: "window_too_short",
    message: `does not suit the time window of the SLO ${short.metadata.name}${othersText(tooShort)}, which is shorter than a day. Write conditions instead`,
  }
  return [
    ...(shortWarning === undefined ? [] : [shortWarning]),
    ...Array.from(groupBy(never, ({ path }) => path)).flatMap(
      ([path, conditions]): ReadonlyArray<Warning> => {
        const [first] = conditions
        if (first === undefined) return []
        const slos = [...new Set(conditions.map(({ slo }) => slo))]
        const message = `can never be met for ${objectiveText(first)} of the SLO ${first.slo.metadata.name}${othersText(slos)}: ${limitText(policy, first)}`
        return [{ path, code: "unreachable_condition", message }]
      },
    ),
  ]
}

const othersText = ({ length }: ReadonlyArray<Slo>): string =>
  length === 1 ? "" : ` (and of ${length - 1} other SLO${length === 2 ? "" : "s"})`

const objectiveText = ({ track }: UnreachableCondition): string =>
  track === overallTrack ? "the composite" : `objective ${track}`

const limitText = (policy: AlertPolicy, { target, condition, max }: UnreachableCondition): string =>
  `with a target of ${percentText(target)}, the burn rate is at most ${max}. ${fixOf(policy, condition)}, or raise the target`

const fixOf = ({ spec }: AlertPolicy, { measurement }: Condition): string => {
  if (spec.sreWorkbook !== undefined) return "Write conditions instead of sreWorkbook"
  return measurement === "timeToBurnEntireBudget" ? "Raise the value" : "Lower the value"
}

/** Without the noise of binary fractions, as conditions are measured. */
const rounded = (value: number): number => Number(value.toPrecision(12))

/**
 * The highest burn rate that a target allows, when everything is bad: `1 / (1 - target)`, such as 10 for 0.9 and 1,000 for 0.999.
 * It bounds the burned share of the budget too. The same with every budgeting method, and for composites.
 */
const maxBurnRate = (target: number): number => rounded(1 / rounded(1 - target))

/** A condition of an alert policy that can never be met for an objective of an SLO. */
interface UnreachableCondition {
  /** Where the condition is in the alert policy, such as `spec.conditions[0]` or `spec.sreWorkbook`. */
  readonly path: string
  /** The name of the objective; `overallTrack` for the legacy composite. */
  readonly track: string
  readonly target: number
  readonly condition: Condition
  /** The highest burn rate, or share of the budget, that the target allows. */
  readonly max: number
}

/**
 * Finds the conditions of a policy that no counts of an SLO can meet, as more would have to be bad than there is.
 *
 * With a target of 0.9, the burn rate is at most 10, so `averageBurnRate` of at least 14.4 never alerts.
 */
const unreachableConditions = (policy: AlertPolicy, slo: Slo): ReadonlyArray<UnreachableCondition> => {
  const windowMs = windowMsOf(slo)
  const placed = placedConditions(policy, windowMs)
  // What the lowest target can meet, the others can.
  const lowestMax = maxBurnRate(lowestTargetOf(slo))
  if (placed.every(({ condition }) => isReachable(condition, lowestMax, windowMs))) return []
  return Array.from(targetsOf(slo), ([track, target]) => {
    const max = maxBurnRate(target)
    const seen = new Set<string>()
    return placed.flatMap(({ condition, path }) => {
      // The conditions of a preset have one place.
      const key = `${path} ${String(condition.value)}`
      if (seen.has(key) || isReachable(condition, max, windowMs)) return []
      seen.add(key)
      return [{ path, track, target, condition, max }]
    })
  }).flat()
}

const lowestTargetOf = (slo: Slo): number => {
  let lowest = slo.spec.composite?.target ?? 1
  for (const { target } of objectivesOf(slo)) lowest = Math.min(lowest, target)
  return lowest
}

interface PlacedCondition {
  readonly condition: Condition
  readonly path: string
}

/** Those of a policy by the length of time windows, as many SLOs share a policy. */
const placedByPolicy = new WeakMap<AlertPolicy, Map<number, ReadonlyArray<PlacedCondition>>>()

const placedConditions = (policy: AlertPolicy, windowMs: number): ReadonlyArray<PlacedCondition> => {
  const byWindow = placedByPolicy.get(policy) ?? new Map<number, ReadonlyArray<PlacedCondition>>()
  placedByPolicy.set(policy, byWindow)
  const placed = byWindow.get(windowMs) ?? placeConditions(policy, windowMs)
  // Almost all SLOs of a policy have one of a few lengths.
  if (byWindow.size < placedWindowsMax) byWindow.set(windowMs, placed)
  return placed
}

const placedWindowsMax = 8

const placeConditions = ({ spec }: AlertPolicy, windowMs: number): ReadonlyArray<PlacedCondition> => {
  const pathOf = (group: number, index: number): string => {
    if (spec.sreWorkbook !== undefined) return "spec.sreWorkbook"
    const conditions =
      spec.conditionGroups === undefined
        ? "spec.conditions"
        : `${entryPath("spec.conditionGroups", group)}.conditions`
    return entryPath(conditions, index)
  }
  return groupsOf(spec, windowMs).flatMap((group, at) =>
    group.map((condition, index) => ({ condition, path: pathOf(at, index) })),
  )
}

const isReachable = (condition: Condition, max: number, windowMs: number): boolean => {
  switch (condition.measurement) {
    case "averageBurnRate":
    case "budgetDrop":
      return condition.value <= max
    case "burnedBudget":
      return condition.op === "gt" ? condition.value < max : condition.op !== "gte" || condition.value <= max
    case "timeToBurnEntireBudget":
      return condition.value.ms >= rounded(windowMs / max)
    // Nothing remains once the budget is exhausted.
    case "timeToBurnBudget":
    case "fewerThan":
      return true
  }
}

/** Of a calendar-aligned window, the shortest that there is of its unit. */
const windowMsOf = ({ spec: { timeWindow } }: Slo): number => {
  const averageMs = windowDays(timeWindow) * dayMs
  return isCalendarWindow(timeWindow) ? averageMs * shortestCalendarShare : averageMs
}

/** February has 28 of the average 30.5 days. */
const shortestCalendarShare = 28 / 30.5

/** Whether the time window of an SLO is too short for the preset of a policy, whose burn rates are then not those of the preset. */
const isWindowTooShort = ({ spec }: AlertPolicy, slo: Slo): boolean =>
  spec.sreWorkbook !== undefined && windowDays(slo.spec.timeWindow) * dayMs < sreWorkbookWindowMinMs

/**
 * Whether the `burnRateCondition` of the legacy composite of an SLO can never make a minute bad: for every objective, its value is
 * more than `maxBurnRate` of the target.
 */
const isBurnRateConditionUnreachable = (slo: Slo): boolean => {
  if (slo.spec.composite?.burnRateCondition === undefined) return false
  const parts = sliceRulesOf(slo).find(({ track }) => track === overallTrack)?.parts ?? []
  return parts.every(
    ({ goodShareMin, isInclusive }) => goodShareMin < 0 || (goodShareMin === 0 && isInclusive),
  )
}
