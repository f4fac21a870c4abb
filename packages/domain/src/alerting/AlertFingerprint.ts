import type { TypeOf } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { type Duration, normalDuration } from "../codec/Duration.ts"
import { anyString, number } from "../codec/Leaves.ts"
import type { TimeWindow } from "../slo/TimeWindow.ts"
import { isCalendarWindow } from "../slo/WindowLength.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { countsAbsent, isCompositeObjective, treatsZeroAsNoData } from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import type { AlertPolicy, Condition } from "../alert-policy/AlertPolicy.ts"

export const alertFingerprint = object({
  policy: anyString,
  slo: anyString,
  /** The start of the calendar window in Unix milliseconds; 0 for a rolling one. */
  windowStart: number({}),
})

/** What an alert depends on. When any of it changes, the open alert is canceled and another one can trigger. */
export type AlertFingerprint = TypeOf<typeof alertFingerprint>

/** Hash of a policy's conditions, cool-down and severity; equal for equal durations in different units. */
export const policyFingerprint = (policy: AlertPolicy): string => {
  const known = policyFingerprints.get(policy) ?? fnv1a64(policyJson(policy))
  policyFingerprints.set(policy, known)
  return known
}

/** Stores return the same definition until it changes, which is evaluated every minute, and by a backtest without pause. */
const policyFingerprints = new WeakMap<AlertPolicy, string>()

/** Hash of an objective, or of the legacy composite by `overallTrack`, and of its SLO's time window and budgeting. */
export const sloFingerprint = (slo: Slo, objective: string): string => {
  const ofSlo = sloFingerprints.get(slo) ?? new Map<string, string>()
  const known = ofSlo.get(objective) ?? fnv1a64(sloJson(slo, objective))
  sloFingerprints.set(slo, ofSlo.set(objective, known))
  return known
}

const sloFingerprints = new WeakMap<Slo, Map<string, string>>()

const policyJson = ({ spec }: AlertPolicy): string => {
  const written = (conditions: ReadonlyArray<Condition> | undefined) =>
    conditions?.map((condition) => {
      const { value, alertingWindow, lastsFor } = condition
      return {
        ...condition,
        ...(typeof value !== "number" && { value: lengthOf(value) }),
        ...(alertingWindow !== undefined && { alertingWindow: lengthOf(alertingWindow) }),
        ...(lastsFor !== undefined && { lastsFor: lengthOf(lastsFor) }),
      }
    })
  const groups = spec.conditionGroups?.map(({ conditions }) => written(conditions))
  const judgedBy = [
    spec.severity,
    lengthOf(spec.coolDown),
    written(spec.conditions),
    groups,
    spec.sreWorkbook,
  ]
  return JSON.stringify(judgedBy)
}

const sloJson = (slo: Slo, objective: string): string => {
  const { budgetingMethod, timeWindow, composite } = slo.spec
  const judged = objectivesOf(slo).filter(({ name }) => objective === overallTrack || name === objective)
  const judgedBy = [
    budgetingMethod,
    windowJson(timeWindow),
    judged.map((each) =>
      isCompositeObjective(each)
        ? [each.target, { ...each.composite, maxDelay: lengthOf(each.composite.maxDelay) }]
        : [
            each.target,
            each.timeSliceTarget,
            ...(countsAbsent(each) ? [each.absent, treatsZeroAsNoData(slo)] : []),
          ],
    ),
    ...((slo.spec.emptyTimeSlices ?? "good") === "good" ? [] : [slo.spec.emptyTimeSlices]),
    ...(objective === overallTrack ? [composite] : []),
  ]
  return JSON.stringify(judgedBy)
}

const lengthOf = ({ ms }: Duration): string => normalDuration(ms)

const windowJson = (window: TimeWindow): object => {
  if (!isCalendarWindow(window)) return window
  const { unit, count, calendar } = window
  return { unit, count, calendar: { startTime: calendar.startTime.text, timeZone: calendar.timeZone.name } }
}

/** The 64-bit FNV-1a hash of UTF-8 bytes in 16 hexadecimal digits. Detects changes; not collision-resistant. */
export const fnv1a64 = (text: string): string => {
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0
    // Times 2⁴⁰ + 0x1b3, by halves: each product is exact, and `>>> 0` takes its lower 32 bits.
    const product = low * 0x1b3
    high = (high * 0x1b3 + low * 0x100 + Math.floor(product / 2 ** 32)) >>> 0
    low = product >>> 0
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0")
}
