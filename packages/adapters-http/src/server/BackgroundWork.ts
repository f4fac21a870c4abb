import { dispatchDeliveries, refreshStatuses, sendSilenceNotices } from "@tocsin/domain"
import { forkLoop } from "@tocsin/domain/adapter"
import { pollIndicators, replayIndicators } from "@tocsin/domain/features/data-source"
import { makeReports } from "@tocsin/domain/features/report"
import { runBulkResends } from "@tocsin/domain/features/resend"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiOptions } from "../frame/ApiOptions.ts"

/**
 * Sends due deliveries, continues bulk resends, notifies of silences that end, polls and replays indicators, refreshes
 * statuses and makes reports in the background until the scope closes, then finishes the deliveries in flight.
 *
 * `Readiness` has what fails. The API only accepts alerts and counts: at least one process on the same stores must do this work.
 */
export const start = Effect.gen(function* () {
  const { baseUrl, sendsTraceparent } = yield* ApiOptions
  yield* dispatchDeliveries({ baseUrl, sendsTraceparent, shutdownGraceMs })
  yield* forkLoop("Bulk resends ended", runBulkResends)
  yield* forkLoop("Notices of silences ended", sendSilenceNotices)
  yield* forkLoop("Reading indicators ended", pollIndicators)
  yield* forkLoop("Replaying indicators ended", replayIndicators)
  yield* forkLoop("Refreshing statuses ended", refreshStatuses)
  yield* forkLoop("Making reports ended", makeReports)
})

/** `start`, for as long as the layer is built. */
export const layer = Layer.effectDiscard(start)

/** More than the time limit of one delivery. */
const shutdownGraceMs = 20_000
