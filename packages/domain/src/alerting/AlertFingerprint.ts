import { normalDuration } from "../codec/Duration.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { isCompositeObjective, type Slo } from "../slo/Slo.ts"
import type { AlertFingerprint } from "./AlertLifecycle.ts"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import { fingerprint } from "./Fingerprint.ts"

/**
 * The fingerprint of a policy's conditions, cool-down and severity; a duration in other units is the same.
 *
 * Source: decision 0612.
 */
export const policyFingerprint = (policy: AlertPolicy): string => fingerprintsOf(policy).normal

/**
 * The fingerprint of an objective, or of the older composite by `overallTrack`, and of how its SLO counts.
 *
 * Source: decision 0612.
 */
export const sloFingerprint = (slo: Slo, objective: string): string =>
  fingerprint(sloJson(slo, objective, normalDuration))

/**
 * A basis as this version makes it, from one that any version has written: it was once the very JSON that it now is a
 * fingerprint of, and then that of durations as they are written. Where that is still the same, nothing has changed.
 */
export const renewedBasis = (
  before: AlertFingerprint,
  policy: AlertPolicy | undefined,
  slo: Slo,
  objective: string,
): AlertFingerprint => {
  const ofPolicy = before.policy.startsWith("[") ? fingerprint(before.policy) : before.policy
  const ofSlo = before.slo.startsWith("[") ? fingerprint(before.slo) : before.slo
  const known = policy && fingerprintsOf(policy)
  return {
    policy: known !== undefined && ofPolicy === known.asWritten ? known.normal : ofPolicy,
    slo: ofSlo === fingerprint(sloJson(slo, objective, asWritten)) ? sloFingerprint(slo, objective) : ofSlo,
    windowStart: before.windowStart,
  }
}

interface Fingerprints {
  readonly normal: string
  readonly asWritten: string
}

/** Remembered as long as the definition lives: one policy is often that of many SLOs that are read together. */
const fingerprintsOf = (policy: AlertPolicy): Fingerprints => {
  const known = fingerprintsByPolicy.get(policy)
  if (known !== undefined) return known
  const made = {
    normal: fingerprint(policyJson(policy, normalDuration)),
    asWritten: fingerprint(policyJson(policy, asWritten)),
  }
  fingerprintsByPolicy.set(policy, made)
  return made
}

const fingerprintsByPolicy = new WeakMap<AlertPolicy, Fingerprints>()

const asWritten = (duration: string): string => duration

const policyJson = ({ spec }: AlertPolicy, written: typeof asWritten): string => {
  const conditions = spec.conditions.map((condition) => {
    const { value, alertingWindow, lastsFor } = condition
    return {
      ...condition,
      ...(typeof value === "string" && { value: written(value) }),
      ...(alertingWindow !== undefined && { alertingWindow: written(alertingWindow) }),
      ...(lastsFor !== undefined && { lastsFor: written(lastsFor) }),
    }
  })
  return JSON.stringify([spec.severity, written(spec.coolDown), conditions])
}

const sloJson = (
  { spec: { budgetingMethod, timeWindow, objectives, composite } }: Slo,
  objective: string,
  written: typeof asWritten,
): string => {
  const judged = objectives.filter(({ name }) => objective === overallTrack || name === objective)
  const judgedBy = [
    budgetingMethod,
    timeWindow,
    judged.map((each) =>
      isCompositeObjective(each)
        ? [each.target, { ...each.composite, maxDelay: written(each.composite.maxDelay) }]
        : [each.target, each.timeSliceTarget],
    ),
    ...(objective === overallTrack ? [composite] : []),
  ]
  return JSON.stringify(judgedBy)
}
