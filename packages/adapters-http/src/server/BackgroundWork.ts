import { pollIndicators } from "@tocsin/domain/data-source/PollIndicators"
import { dispatchDeliveries } from "@tocsin/domain/delivery/DispatchDeliveries"
import { runBulkResends } from "@tocsin/domain/resend/BulkResends"
import { refreshStatuses } from "@tocsin/domain/refresh/RefreshStatuses"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiOptions } from "../frame/ApiOptions.ts"

/**
 * Sends the deliveries that are due, continues bulk resends, reads the counts of indicators and keeps statuses
 * current, in the background, until the scope closes; then finishes the deliveries that are under way.
 *
 * The API alone only takes alerts and counts: some process on the same stores has to do this work, and any number of
 * them may.
 */
export const start = Effect.gen(function* () {
  const { baseUrl } = yield* ApiOptions
  yield* dispatchDeliveries({ baseUrl, shutdownGraceMs })
  yield* Effect.forkScoped(runBulkResends)
  yield* Effect.forkScoped(pollIndicators)
  yield* Effect.forkScoped(refreshStatuses)
})

/** The background work for as long as the layer lives, beside an API that is built of layers. */
export const layer = Layer.effectDiscard(start)

/** As long as one delivery may take, and a little more. */
const shutdownGraceMs = 20_000
