import { durationOf, normalDuration } from "../codec/Duration.ts"
import type { AlertPolicy, Condition } from "./AlertPolicy.ts"
import { recommendedBurnRates, type SreWorkbookPreset } from "./RecommendedBurnRates.ts"

/** All conditions of one of the groups must be met. */
export type ConditionGroups = ReadonlyArray<ReadonlyArray<Condition>>

/** The groups of conditions of a policy, for an SLO whose whole time window has this length. */
export const groupsOf = (
  { conditions, conditionGroups, sreWorkbook }: AlertPolicy["spec"],
  windowMs: number,
): ConditionGroups => {
  if (conditionGroups !== undefined) return conditionGroups.map((group) => group.conditions)
  if (sreWorkbook !== undefined) return sreWorkbookGroups(sreWorkbook, windowMs)
  return conditions === undefined ? [] : [conditions]
}

/** The conditions that the SRE Workbook recommends: a burn rate over both alerting windows. */
export const sreWorkbookGroups = (preset: SreWorkbookPreset, windowMs: number): ConditionGroups =>
  recommendedBurnRates(preset, windowMs).map(({ rate, longMs, shortMs }) =>
    [...new Set([longMs, shortMs])].map((ms): Condition => ({
      measurement: "averageBurnRate",
      op: "gte",
      value: rate,
      alertingWindow: durationOf(normalDuration(ms)),
    })),
  )
