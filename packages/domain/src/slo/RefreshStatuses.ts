import { Clock, Effect } from "effect"
import { Limits } from "../Limits.ts"
import type { CountStore } from "./CountStore.ts"
import { refreshStatusOf } from "./RefreshStatus.ts"
import { SloStore } from "./SloStore.ts"

/**
 * Keeps the statuses of all organizations current, for as long as its fiber lives; a host forks it into a scope.
 *
 * Several processes may run it on one database. A status that fails is logged and tried again after
 * `statusPollMs`; it keeps no other from its turn.
 */
export const refreshStatuses: Effect.Effect<never, never, CountStore | SloStore> = Effect.forever(
  Effect.gen(function* () {
    const isMoreDue = yield* refreshDueStatuses.pipe(
      Effect.catchAllCause((cause) =>
        Effect.logError("Statuses that are due could not be read", cause).pipe(Effect.as(false)),
      ),
    )
    yield* isMoreDue ? Effect.yieldNow() : Effect.sleep(Limits.statusPollMs)
  }),
)

/** Computes one batch of statuses that are due; tells whether more may be due at once. */
const refreshDueStatuses = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const due = yield* (yield* SloStore).dueForStatus(now, Limits.statusBatchMax)
  const written = yield* Effect.forEach(due, ({ organization, slo }) =>
    refreshStatusOf(organization, slo).pipe(
      Effect.catchAllCause((cause) =>
        Effect.logError("A status could not be computed", cause).pipe(Effect.as(false)),
      ),
    ),
  )
  // A batch that writes nothing would be handed out again at once.
  return due.length === Limits.statusBatchMax && written.includes(true)
})
