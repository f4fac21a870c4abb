import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { watchClock } from "../ClockWatch.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import { logOutages } from "../OutageLog.ts"
import { SloStore } from "../status/SloStore.ts"
import { makeReport } from "./MakeReport.ts"
import { reportRetryMs, reportStep } from "./ReportPeriod.ts"
import { type ClaimedReport, ReportStore } from "./ReportStore.ts"

/** Interval between polls for due reports, in milliseconds. */
const reportPollMs = 10_000

/** Most reports that a process claims at once. */
const reportBatchMax = 50

/** Time for which a process claims a report, after which another process tries it, in milliseconds. */
const reportLeaseMs = 300_000

/** Most reports that a process makes concurrently. */
const reportsAtOnce = 2

/**
 * Makes the reports of all organizations until it is interrupted, also those that became due while no server was running.
 *
 * Several processes may run it on one database. A report that cannot be made is logged and tried again after its lease,
 * without delaying others.
 */
export const makeReports = Effect.gen(function* () {
  const store = yield* ReportStore
  const logging = yield* logOutages("Making reports failed")
  const followClock = yield* watchClock((now) => store.makeDue(now, reportRetryMs))

  /** Makes some of what is due; returns whether more may be, such as the next reports of the same SLOs. */
  const step = Effect.gen(function* () {
    yield* followClock
    const now = yield* Clock.currentTimeMillis
    const due = yield* store.claim(now, reportBatchMax, reportLeaseMs)
    yield* Effect.forEach(due, settleReport, { concurrency: reportsAtOnce, discard: true })
    return due.length > 0
  }).pipe(logging)

  return yield* Effect.forever(
    Effect.flatMap(
      Effect.catchCause(step, () => Effect.succeed(false)),
      (isMoreDue) => (isMoreDue ? Effect.yieldNow : Effect.sleep(reportPollMs)),
    ),
  )
})

/** Fails only while a port is unavailable. */
const settleReport = (claimed: ClaimedReport) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const found = yield* (yield* SloStore).findForStatus(claimed.organization, claimed.slo)
    // It was deleted meanwhile.
    if (Option.isNone(found)) return
    const { slo, readTo, componentsUnread } = found.value
    const { isDue, next } = reportStep({
      window: slo.definition.spec.timeWindow,
      period: claimed.period,
      now,
      countsFrom: now - (yield* CountsRetention) * dayMs,
      ...(readTo !== undefined && { readTo }),
      ...(componentsUnread !== undefined && { componentsUnread }),
    })
    const report = isDue ? yield* makeReport(found.value, claimed.period, now) : undefined
    yield* (yield* ReportStore).settle(claimed, next, report)
  }).pipe(
    Effect.catchCauseIf(isOfThisReport, (cause) =>
      Effect.annotateLogs(Effect.logError("Making a report failed", cause), {
        organization: claimed.organization,
        slo: projectKeyText(claimed.slo),
      }),
    ),
  )

const isOfThisReport = (cause: Cause.Cause<{ readonly isRetryable: boolean }>): boolean =>
  !Cause.hasInterrupts(cause) &&
  !Option.exists(Cause.findErrorOption(cause), ({ isRetryable }) => isRetryable)
