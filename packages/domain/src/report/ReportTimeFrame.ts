import type { Issue } from "../codec/Issue.ts"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { timeOfWallClock } from "../codec/TimeZones.ts"
import type { ReportDefinition } from "../slo/ReportDefinition.ts"
import { calendarRange } from "../slo/WindowAt.ts"
import { periodIssues } from "./PeriodIssues.ts"
import { latestInCycle } from "./ReviewCycle.ts"

type Spec = ReportDefinition["spec"]

/** The period of a saved report. */
export type ReportTimeFrame = NonNullable<Spec["sloHistory"]>["timeFrame"]

/** The time of the statuses of a system health review. */
type ReportSnapshot = NonNullable<Spec["systemHealthReview"]>["timeFrame"]

const rollingDays = { Week: 7, Month: 30, Quarter: 90, Year: 365 } as const

/** Calendar periods begin at midnight: weeks on Monday, the others on the first day of a month. */
const anchors = {
  Week: "1970-01-05",
  Month: "1970-01-01",
  Quarter: "1970-01-01",
  Year: "1970-01-01",
} as const

/** The period of a time frame at `now` (Unix milliseconds): what of it has passed, in whole minutes. */
export const timeFramePeriod = (
  { rolling, calendar, timeZone }: ReportTimeFrame,
  now: number,
): MinuteRange => {
  const to = minuteOf(now)
  if (rolling !== undefined) return { from: to - rollingDays[rolling.unit] * rolling.count * dayMs, to }
  if (calendar?.unit !== undefined) {
    const { unit } = calendar
    const startTime = { text: `${anchors[unit]} 00:00:00`, ms: Date.parse(anchors[unit]) }
    // In its first minute, a calendar period has no minute that has passed: the one before is shown.
    const { from } = calendarRange({ unit, count: 1, calendar: { startTime, timeZone } }, to - minuteMs)
    return { from, to }
  }
  const midnight = (date = ""): number => minuteOf(timeOfWallClock(Date.parse(date), timeZone.rules))
  return { from: midnight(calendar?.from), to: Math.min(midnight(calendar?.to), to) }
}

/** Why nothing can be measured over the period of a time frame; `path` is the path of the time frame. */
export const timeFrameIssues = (
  { rolling, calendar }: ReportTimeFrame,
  period: MinuteRange,
  now: number,
  countsFrom: number,
  path: string,
): ReadonlyArray<Issue> =>
  periodIssues(period, now, countsFrom)
    .sorted()
    .map((issue) => {
      const below = rolling !== undefined ? "rolling" : calendar?.from === undefined ? "calendar" : undefined
      return { ...issue, path: `${path}.${below ?? `calendar.${issue.path}`}` }
    })

/**
 * When the statuses of a system health review are shown, in Unix milliseconds: now, a time in the past, or the latest time of its rule
 * that has passed. `undefined` if its first time is in the future.
 */
export const snapshotTime = ({ snapshot, timeZone }: ReportSnapshot, now: number): number | undefined => {
  const { dateTime, rrule } = snapshot
  if (dateTime === undefined) return now
  const first = minuteOf(dateTime.ms)
  if (first > now) return undefined
  if (rrule === undefined) return first
  const startTime = new Date(first + timeZone.rules.offsetAt(first)).toISOString().slice(0, 19)
  return latestInCycle({ startTime, timeZone, rrule }, now) ?? first
}
