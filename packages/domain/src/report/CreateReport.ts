import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { decode, described, named } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { utcInstant } from "../codec/Instant.ts"
import { dayMs, minuteOf } from "../codec/MinuteInstant.ts"
import { type MinuteRange, rangesOverlap } from "../codec/MinuteRange.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { objectName, sloName } from "../metadata/Metadata.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { SloNotFound } from "../status/FindSlo.ts"
import { type DueSlo, SloStore } from "../status/SloStore.ts"
import { makeReport } from "./MakeReport.ts"
import { periodEndRule, periodIssues } from "./PeriodIssues.ts"
import type { Report } from "./Report.ts"
import { ReportStore } from "./ReportStore.ts"

/** Most reports of one SLO with which another one is made on demand. */
const reportsPerSloMax = 10_000

/** A request for a report. */
export const reportRequest = named(
  object({
    project: described(objectName, "Project of the SLO"),
    slo: described(sloName, "Name of the SLO"),
    from: described(utcInstant, "Start of the period (inclusive), a whole minute"),
    to: described(utcInstant, periodEndRule),
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
  const issues = sloPeriodIssues(found.value, period, now, now - (yield* CountsRetention) * dayMs)
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

/** Why there can be no report of an SLO over a period. */
const sloPeriodIssues = (
  { readTo, componentsUnread }: DueSlo,
  period: MinuteRange,
  now: number,
  countsFrom: number,
): ReadonlyArray<Issue> => {
  const { from, to } = period
  const issues = periodIssues(period, now, countsFrom)
  if (readTo !== undefined && to > readTo && to <= minuteOf(now)) {
    const message = `must not be after ${new Date(readTo).toISOString()}, up to when the data source has been read`
    issues.add("to", "out_of_range", message)
  }
  const isUnread = componentsUnread !== undefined && rangesOverlap(componentsUnread, period)
  if (isUnread && from >= countsFrom) {
    const message = "must not be before the minutes that have been read of each component"
    issues.add("from", "out_of_range", message)
  }
  return issues.sorted()
}
