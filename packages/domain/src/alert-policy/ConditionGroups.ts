import { durationOf, normalDuration } from "../codec/Duration.ts"
import { dayMs, hourMs, minuteMs } from "../codec/MinuteInstant.ts"
import {
  type AlertPolicy,
  alertingWindowMaxMs,
  alertingWindowMinMs,
  type Condition,
  type SreWorkbookPreset,
} from "./AlertPolicy.ts"

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

/**
 * The conditions that the SRE Workbook recommends: a burn rate over a long alerting window and over a twelfth of it, which
 * lets the alert resolve soon.
 *
 * Over 28 to 31 days:
 *
 * | Preset | Budget | Burn rate | Alerting windows |
 * |---|---|---|---|
 * | page | 2 % | 14.4 | 1 h and 5 min |
 * | page | 5 % | 6 | 6 h and 30 min |
 * | ticket | 10 % | 3 | 24 h and 2 h |
 * | ticket | 10 % | 1 | 72 h and 6 h |
 *
 * For other windows the alerting windows are as much longer or shorter, in steps of 5 minutes within the bounds of alerting
 * windows; at a bound, the burn rate is the one that burns the same share of the budget, and at least 1.
 *
 * Source: The Site Reliability Workbook, chapter 5, table 5-8.
 */
export const sreWorkbookGroups = (preset: SreWorkbookPreset, windowMs: number): ConditionGroups =>
  recommended[preset].map(({ share, longMs, value }) => {
    const scale = windowMs >= 28 * dayMs && windowMs <= 31 * dayMs ? 1 : windowMs / (30 * dayMs)
    const wanted = Math.round((longMs * scale) / stepMs) * stepMs
    const long = Math.min(Math.max(wanted, alertingWindowMinMs), alertingWindowMaxMs)
    const short = Math.max(Math.round(long / 12 / minuteMs) * minuteMs, alertingWindowMinMs)
    const rate = long === wanted ? value : Math.max(1, Number(((share * windowMs) / long).toPrecision(3)))
    return [...new Set([long, short])].map((ms): Condition => ({
      measurement: "averageBurnRate",
      op: "gte",
      value: rate,
      alertingWindow: durationOf(normalDuration(ms)),
    }))
  })

const stepMs = 5 * minuteMs

const recommended = {
  page: [
    { share: 0.02, longMs: hourMs, value: 14.4 },
    { share: 0.05, longMs: 6 * hourMs, value: 6 },
  ],
  ticket: [
    { share: 0.1, longMs: 24 * hourMs, value: 3 },
    { share: 0.1, longMs: 72 * hourMs, value: 1 },
  ],
} as const
