import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"
import { logOutages } from "../OutageLog.ts"
import { BulkResendStore } from "./BulkResendStore.ts"

/**
 * Carries out the bulk resends of all organizations, for as long as its fiber lives; a host forks it into a scope.
 *
 * Several processes may run it on one database. A step that fails changes nothing: it is tried again.
 *
 * Source: decision 0311.
 */
export const runBulkResends: Effect.Effect<never, never, BulkResendStore> = Effect.gen(function* () {
  const store = yield* BulkResendStore
  const telling = yield* logOutages("Deliveries could not be resent in bulk")
  const step = telling(
    store.step({ batchMax: Limits.bulkResendBatchMax, readMax: Limits.bulkResendReadMax }),
  ).pipe(Effect.catchCause(() => Effect.succeed(false)))
  return yield* Effect.forever(
    Effect.flatMap(step, (isMoreDue) =>
      isMoreDue ? Effect.yieldNow : Effect.sleep(Limits.bulkResendPollMs),
    ),
  )
})
