import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { decode, described, named } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { utcInstant } from "../codec/Instant.ts"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import { type MinuteRange, rangesOverlap } from "../codec/MinuteRange.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { objectName, sloName } from "../metadata/Metadata.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { SloNotFound } from "../status/FindSlo.ts"
import { type DueSlo, SloStore } from "../status/SloStore.ts"
import { makeReport } from "./MakeReport.ts"
import type { Report } from "./Report.ts"
import { ReportStore } from "./ReportStore.ts"

/** Longest period of a report on demand, in days. */
export const reportPeriodMaxDays = 400

/** Most reports of one SLO with which another one is made on demand. */
const reportsPerSloMax = 10_000

/** A request for a report. */
export const reportRequest = named(
  object({
    project: described(objectName, "Project of the SLO"),
    slo: described(sloName, "Name of the SLO"),
    from: described(utcInstant, "Start of the period (inclusive), a whole minute"),
    to: described(
      utcInstant,
      `End of the period (exclusive), a whole minute, at most ${reportPeriodMaxDays} days after from and not in the future`,
    ),
  }),
  "ReportRequest",
)

/** No report was made. */
export class ReportRequestIsInvalid extends TaggedError("ReportRequestIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Makes the report of an SLO over a period of one's own, from what is stored now (spec/reports §8). An SLO that already
 * has a report of the same period keeps it, and it is returned.
 *
 * Fails with `SloNotFound`, or with `ReportRequestIsInvalid` and every issue.
 */
export const createReport = Effect.fn("createReport")(function* (
  organization: OrganizationId,
  body: unknown,
) {
  const decoded = decode(reportRequest, body, undefined)
  if (Result.isFailure(decoded)) return yield* new ReportRequestIsInvalid({ issues: decoded.failure })
  const { project, slo: name, ...period } = decoded.success
  const key = { project, name }
  const found = yield* (yield* SloStore).findForStatus(organization, key)
  if (Option.isNone(found)) return yield* new SloNotFound(key)
  const store = yield* ReportStore
  const stored = yield* store.findByPeriod(organization, key, period)
  if (Option.isSome(stored)) return { report: stored.value, isNew: false }
  const now = yield* Clock.currentTimeMillis
  const issues = periodIssues(found.value, period, now, now - (yield* CountsRetention) * dayMs)
  if (issues.length > 0) return yield* new ReportRequestIsInvalid({ issues })
  const report: Report = yield* makeReport(found.value, period, now)
  const added = yield* store.add(organization, report, reportsPerSloMax)
  if (added === "slo_not_found") return yield* new SloNotFound(key)
  if (added === "too_many") {
    const message = `the SLO already has ${reportsPerSloMax} reports`
    return yield* new ReportRequestIsInvalid({ issues: [{ path: "", code: "too_many", message }] })
  }
  // A concurrent request made another one of the same period first.
  return { report: added, isNew: added.id === report.id }
})

/** Why there can be no report of a period; `countsFrom` is before which counts may have been deleted. */
const periodIssues = (
  { readTo, componentsUnread }: DueSlo,
  { from, to }: MinuteRange,
  now: number,
  countsFrom: number,
): ReadonlyArray<Issue> => {
  const issues = new IssueList()
  const add = (path: string, message: string) => issues.add(path, "out_of_range", message)
  if (from % minuteMs !== 0) add("from", "must be a whole minute")
  if (to % minuteMs !== 0) add("to", "must be a whole minute")
  if (to > minuteOf(now)) add("to", "must not be in the future")
  else if (readTo !== undefined && to > readTo) {
    const message = `must not be after ${new Date(readTo).toISOString()}, up to when the data source has been read`
    add("to", message)
  }
  if (to <= from) add("to", "must be after from")
  else if (to - from > reportPeriodMaxDays * dayMs) {
    add("to", `must be at most ${reportPeriodMaxDays} days after from`)
  } else {
    if (from < countsFrom) add("from", "must be within the retention of counts")
    else if (componentsUnread !== undefined && rangesOverlap(componentsUnread, { from, to }))
      add("from", "must not be before the minutes that have been read of each component")
  }
  return issues.sorted()
}
