import { Clock, Duration, Effect, FiberSet, Queue } from "effect"
import { Limits } from "../Limits.ts"
import type { CountStore } from "../slo/CountStore.ts"
import { type ClaimedIndicator, IndicatorStore } from "./IndicatorStore.ts"
import type { MetricSource } from "./MetricSource.ts"
import { pollIndicator } from "./PollIndicator.ts"

/**
 * Reads the counts of all indicators that are due, for as long as its fiber lives; a host forks it into a scope.
 *
 * Each server has a batch of its own under way, of which a few are asked at once: one that is slow or away keeps no
 * other waiting. Several processes may run it on one database. What fails in our own stores is tried again when its
 * lease is over; what is under way when it ends is given back.
 *
 * Source: decision 0605.
 */
export const pollIndicators: Effect.Effect<never, never, CountStore | IndicatorStore | MetricSource> =
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* IndicatorStore
      const start = yield* FiberSet.makeRuntime<CountStore | IndicatorStore | MetricSource>()
      const wake = yield* Queue.sliding<void>(1)
      const busy = new Set<string>()

      const begin = (server: string, polls: ReadonlyArray<ClaimedIndicator>): void => {
        busy.add(server)
        start(
          Effect.ensuring(
            pollAll(polls),
            Effect.sync(() => {
              busy.delete(server)
              // There may be more to read of it, which would otherwise wait for the next look.
              wake.unsafeOffer(undefined)
            }),
          ),
        )
      }

      const claim = Effect.gen(function* () {
        const serversMax = Limits.indicatorServersAtOnce - busy.size
        if (serversMax <= 0) return
        const claimed = yield* store.claim({
          now: yield* Clock.currentTimeMillis,
          leaseMs: Limits.indicatorLeaseMs,
          busyServers: [...busy],
          serversMax,
          pollsPerServerMax: Limits.indicatorBatchMax,
        })
        for (const [server, polls] of claimed) begin(server, polls)
      }).pipe(
        Effect.uninterruptible,
        Effect.catchAllCause((cause) => Effect.logError("Indicators that are due could not be read", cause)),
      )

      return yield* Effect.forever(
        Effect.zipRight(
          claim,
          Effect.timeoutOption(Queue.take(wake), Duration.millis(Limits.indicatorPollMs)),
        ),
      )
    }),
  )

/** A few at a time. When it is broken off, what is not done is given back, so that another process goes on at once. */
const pollAll = (polls: ReadonlyArray<ClaimedIndicator>) => {
  const left = new Set(polls)
  return Effect.forEach(
    polls,
    (claimed) => Effect.tap(pollSafely(claimed), () => Effect.sync(() => left.delete(claimed))),
    { concurrency: Limits.indicatorsPerServerAtOnce, discard: true },
  ).pipe(Effect.onInterrupt(() => Effect.forEach(left, giveBack, { discard: true })))
}

const pollSafely = (claimed: ClaimedIndicator) =>
  Effect.catchAllCause(pollIndicator(claimed), (cause) =>
    Effect.logError("The counts of an indicator could not be kept", cause),
  )

const giveBack = ({ organization, slo, state }: ClaimedIndicator) =>
  Effect.gen(function* () {
    const { project, name } = slo.definition.metadata
    const { indicator: _indicator, ...kept } = state
    const dueAt = yield* Clock.currentTimeMillis
    yield* (yield* IndicatorStore).settle(organization, { project, name }, state, { ...kept, dueAt })
  }).pipe(Effect.ignore)
