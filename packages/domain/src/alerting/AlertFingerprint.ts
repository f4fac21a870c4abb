import { type Duration, normalDuration } from "../codec/Duration.ts"
import { isCalendarWindow, type TimeWindow } from "../slo/TimeWindow.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { isCompositeObjective, type Slo } from "../slo/Slo.ts"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import { fingerprint } from "./Fingerprint.ts"

/**
 * The fingerprint of a policy's conditions, cool-down and severity; a duration in other units is the same.
 *
 * Source: decision 0612.
 */
export const policyFingerprint = (policy: AlertPolicy): string => fingerprint(policyJson(policy))

/**
 * The fingerprint of an objective, or of the older composite by `overallTrack`, and of how its SLO counts.
 *
 * Source: decision 0612.
 */
export const sloFingerprint = (slo: Slo, objective: string): string => fingerprint(sloJson(slo, objective))

const policyJson = ({ spec }: AlertPolicy): string => {
  const conditions = spec.conditions.map((condition) => {
    const { value, alertingWindow, lastsFor } = condition
    return {
      ...condition,
      ...(typeof value !== "number" && { value: lengthOf(value) }),
      ...(alertingWindow !== undefined && { alertingWindow: lengthOf(alertingWindow) }),
      ...(lastsFor !== undefined && { lastsFor: lengthOf(lastsFor) }),
    }
  })
  return JSON.stringify([spec.severity, lengthOf(spec.coolDown), conditions])
}

const sloJson = (
  { spec: { budgetingMethod, timeWindow, objectives, composite } }: Slo,
  objective: string,
): string => {
  const judged = objectives.filter(({ name }) => objective === overallTrack || name === objective)
  const judgedBy = [
    budgetingMethod,
    windowJson(timeWindow),
    judged.map((each) =>
      isCompositeObjective(each)
        ? [each.target, { ...each.composite, maxDelay: lengthOf(each.composite.maxDelay) }]
        : [each.target, each.timeSliceTarget],
    ),
    ...(objective === overallTrack ? [composite] : []),
  ]
  return JSON.stringify(judgedBy)
}

/** The same for durations of the same length. */
const lengthOf = ({ ms }: Duration): string => normalDuration(ms)

const windowJson = (window: TimeWindow): object => {
  if (!isCalendarWindow(window)) return window
  const { unit, count, calendar } = window
  return { unit, count, calendar: { startTime: calendar.startTime.text, timeZone: calendar.timeZone.name } }
}
