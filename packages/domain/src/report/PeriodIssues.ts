import { IssueList } from "../codec/Issue.ts"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"

/** Longest period of a report on demand, in days. */
export const reportPeriodMaxDays = 400

/** What the end of a period can be. */
export const periodEndRule = `End of the period (exclusive), a whole minute, at most ${reportPeriodMaxDays} days after from and not in the future`

/** Why there can be no report of a period; counts before `countsFrom` may have been deleted. Both times are in Unix milliseconds. */
export const periodIssues = ({ from, to }: MinuteRange, now: number, countsFrom: number): IssueList => {
  const issues = new IssueList()
  const add = (path: string, message: string) => issues.add(path, "out_of_range", message)
  if (from % minuteMs !== 0) add("from", "must be a whole minute")
  if (to % minuteMs !== 0) add("to", "must be a whole minute")
  if (to > minuteOf(now)) add("to", "must not be in the future")
  if (to <= from) add("to", "must be after from")
  else if (to - from > reportPeriodMaxDays * dayMs)
    add("to", `must be at most ${reportPeriodMaxDays} days after from`)
  else if (from < countsFrom) add("from", retentionRule(countsFrom))
  return issues
}

/** Why figures cannot be of an earlier time. */
export const retentionRule = (countsFrom: number): string => {
  const earliest = new Date(Math.ceil(countsFrom / minuteMs) * minuteMs).toISOString()
  return `must be at or after ${earliest}, as earlier counts are not retained (TOCSIN_COUNTS_RETENTION_DAYS)`
}
