import { normalDuration } from "../codec/Duration.ts"
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
      ...(typeof value === "string" && { value: normalDuration(value) }),
      ...(alertingWindow !== undefined && { alertingWindow: normalDuration(alertingWindow) }),
      ...(lastsFor !== undefined && { lastsFor: normalDuration(lastsFor) }),
    }
  })
  return JSON.stringify([spec.severity, normalDuration(spec.coolDown), conditions])
}

const sloJson = (
  { spec: { budgetingMethod, timeWindow, objectives, composite } }: Slo,
  objective: string,
): string => {
  const judged = objectives.filter(({ name }) => objective === overallTrack || name === objective)
  const judgedBy = [
    budgetingMethod,
    timeWindow,
    judged.map((each) =>
      isCompositeObjective(each)
        ? [each.target, { ...each.composite, maxDelay: normalDuration(each.composite.maxDelay) }]
        : [each.target, each.timeSliceTarget],
    ),
    ...(objective === overallTrack ? [composite] : []),
  ]
  return JSON.stringify(judgedBy)
}
