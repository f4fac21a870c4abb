import { Effect } from "effect"
import { Limits } from "../Limits.ts"
import { BulkResendStore } from "./BulkResendStore.ts"

/**
 * Carries out the bulk resends of all organizations, for as long as its fiber lives; a host forks it into a scope.
 *
 * Several processes may run it on one database. A step that fails is logged, and changes nothing: it is tried again.
 *
 * Source: decision 0311.
 */
export const runBulkResends: Effect.Effect<never, never, BulkResendStore> = Effect.forever(
  Effect.gen(function* () {
    const store = yield* BulkResendStore
    const isMoreDue = yield* store
      .step({ batchMax: Limits.bulkResendBatchMax, readMax: Limits.bulkResendReadMax })
      .pipe(
        Effect.catchAllCause((cause) =>
          Effect.logError("Deliveries could not be resent in bulk", cause).pipe(Effect.as(false)),
        ),
      )
    yield* isMoreDue ? Effect.yieldNow() : Effect.sleep(Limits.bulkResendPollMs)
  }),
)
