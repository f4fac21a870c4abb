import { dispatchDeliveries, refreshStatuses, sendSilenceNotices } from "@tocsin/domain"
import { forkLoop } from "@tocsin/domain/adapter"
import { pollIndicators, backfillIndicators } from "@tocsin/domain/features/data-source"
import { groupAlerts } from "@tocsin/domain/features/incident"
import { makeReports } from "@tocsin/domain/features/report"
import { runBulkResends } from "@tocsin/domain/features/resend"
import { announceUpdates, makeSubscriberAttempts } from "@tocsin/domain/features/status-page"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiOptions } from "../frame/ApiOptions.ts"

/** The work of features that a host can leave out: `startWith` takes a list of it. */
export const jobs = {
  /** Continues bulk resends. */
  bulkResends: forkLoop("Bulk resends ended", runBulkResends),
  /** Notifies of silences that end. */
  silenceNotices: forkLoop("Notices of silences ended", sendSilenceNotices),
  /** Queries data sources for the counts of SLOs. */
  indicators: forkLoop("Reading indicators ended", pollIndicators),
  /** Backfills counts from data sources. */
  backfills: forkLoop("Backfilling indicators ended", backfillIndicators),
  /** Adds alerts to incidents that group them. */
  incidents: forkLoop("Grouping alerts ended", groupAlerts),
  /** Makes scheduled reports. */
  reports: forkLoop("Making reports ended", makeReports),
  /** Notifies the subscribers of status pages. */
  statusPages: forkLoop("Notifying subscribers ended", announceUpdates),
}

type Job = (typeof jobs)[keyof typeof jobs]

/**
 * Sends due deliveries, refreshes statuses and does the work of `features` in the background until the scope closes, then
 * finishes the deliveries in flight.
 *
 * `Readiness` has what fails. The API only accepts alerts and counts: at least one process on the same stores must do this work.
 */
export const startWith = <J extends Job>(features: ReadonlyArray<J>) =>
  Effect.gen(function* () {
    const { baseUrl, sendsTraceparent } = yield* ApiOptions
    const otherRecipients = yield* makeSubscriberAttempts({ baseUrl })
    yield* dispatchDeliveries({ baseUrl, sendsTraceparent, otherRecipients, shutdownGraceMs })
    yield* forkLoop("Refreshing statuses ended", refreshStatuses)
    for (const feature of features) yield* feature
  })

/** `startWith` the work of all features. */
export const start = startWith(Object.values(jobs))

/** `start`, for as long as the layer is built. */
export const layer = Layer.effectDiscard(start)

/** More than the time limit of one delivery. */
const shutdownGraceMs = 20_000
