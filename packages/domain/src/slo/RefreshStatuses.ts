import { Cause, Clock, Effect, Option } from "effect"
import type { AlertStore } from "../alerting/AlertStore.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import { Limits } from "../Limits.ts"
import type { CountStore } from "./CountStore.ts"
import { readSlos } from "./ReadSlos.ts"
import { statusOf } from "./RefreshStatus.ts"
import { type SloDue, SloStore } from "./SloStore.ts"

/**
 * Keeps the statuses of all organizations current, for as long as its fiber lives; a host forks it into a scope.
 *
 * Several processes may run it on one database: each status is computed by one of them at a time. A status that fails
 * is logged and tried again after `statusLeaseMs`; it keeps no other from its turn.
 */
export const refreshStatuses: Effect.Effect<
  never,
  never,
  AlertStore | CountStore | DefinitionStore | SloStore
> = Effect.forever(
  Effect.gen(function* () {
    const isMoreDue = yield* refreshDueStatuses.pipe(
      Effect.catchAllCause((cause) =>
        Effect.logError("Statuses that are due could not be read", cause).pipe(Effect.as(false)),
      ),
    )
    yield* isMoreDue ? Effect.yieldNow() : Effect.sleep(Limits.statusPollMs)
  }),
)

/** Computes the statuses that are due, as many as are taken at once; tells whether more may be due. */
const refreshDueStatuses = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const slos = yield* SloStore
  const due = yield* slos.dueForStatus(now, dueMax, Limits.statusLeaseMs)
  const batches = Array.from({ length: Math.ceil(due.length / Limits.statusBatchMax) }, (_, index) =>
    due.slice(index * Limits.statusBatchMax, (index + 1) * Limits.statusBatchMax),
  )
  // While the store answers for one, another is computed.
  yield* Effect.forEach(batches, refreshBatch, { concurrency: "unbounded", discard: true })
  return due.length === dueMax
})

const dueMax = Limits.statusBatchMax * Limits.statusBatchesAtOnce

/** Computes statuses together; where that cannot be done with one among them, the others without it. */
const refreshBatch = (
  due: ReadonlyArray<SloDue>,
): Effect.Effect<void, never, AlertStore | CountStore | DefinitionStore | SloStore> =>
  Effect.gen(function* () {
    const statuses = yield* Effect.forEach(yield* readSlos(due), (reading) =>
      Effect.suspend(() => statusOf(reading)).pipe(
        Effect.map((status) => [status]),
        // Whoever changed it has made it due.
        Effect.catchTag("StatusHasChanged", () => Effect.succeed([])),
        Effect.catchAllCause((cause) =>
          Effect.as(Effect.logError("A status could not be computed", cause), []),
        ),
      ),
    )
    const slos = yield* SloStore
    yield* slos.writeStatuses(statuses.flat())
  }).pipe(
    Effect.catchAllCause((cause) => {
      const failure = Cause.failureOption(cause)
      const isAway = Option.isSome(failure) && failure.value.isRetryable
      if (isAway || due.length === 1) return Effect.logError("Statuses could not be computed", cause)
      const middle = Math.ceil(due.length / 2)
      return Effect.forEach([due.slice(0, middle), due.slice(middle)], refreshBatch, { discard: true })
    }),
  )
