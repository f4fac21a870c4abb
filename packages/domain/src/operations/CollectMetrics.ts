import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { AlertStore } from "../alerting/AlertStore.ts"
import { IndicatorStore } from "../data-source/IndicatorStore.ts"
import { DeliveryQueue } from "../delivery/DeliveryQueue.ts"
import { countRejected, RejectedOrganizations } from "../rate-limit/RejectedOrganizations.ts"
import { Readiness } from "../Readiness.ts"
import { SloStore } from "../status/SloStore.ts"
import { metrics } from "../telemetry/Metrics.ts"

/**
 * Brings the gauges up to date that have the state of the queue, of the stores and of the limits: run it before the metrics
 * are read. The number of statements does not depend on how much the stores have. A gauge whose store does not respond is removed.
 */
export const collectMetrics: Effect.Effect<
  void,
  never,
  AlertStore | DeliveryQueue | IndicatorStore | SloStore
> = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const { due, oldestDueMs = 0, blocked } = yield* (yield* DeliveryQueue).backlog
  yield* Metric.update(metrics.deliveriesDue.of(), due)
  yield* Metric.update(metrics.oldestDueAge.of(), oldestDueMs / 1_000)
  for (const [state, endpoints] of Object.entries(blocked))
    yield* Metric.update(metrics.alertMethodsBlocked.of(state), endpoints)
  for (const [limit, organizations] of countRejected(yield* RejectedOrganizations, now))
    yield* Metric.update(metrics.organizationsOverQuota.of(limit), organizations)
  const readiness = yield* Readiness
  const isReady = !readiness.isShuttingDown() && readiness.failures(now).length === 0
  yield* Metric.update(metrics.ready.of(), isReady ? 1 : 0)
  const age = Effect.map(
    (yield* SloStore).oldestDueAt(now),
    Option.match({ onNone: () => 0, onSome: (at) => Math.max(0, now - at) / 1_000 }),
  )
  yield* updateOrRemove(metrics.statusOldestDueAge.of(), age)
  yield* updateOrRemove(metrics.alertsOpen.of(), (yield* AlertStore).countOpen)
  const { historyBacklog } = yield* IndicatorStore
  yield* updateOrRemove(metrics.indicatorHistoryBacklog.of(), historyBacklog)
})

const updateOrRemove = <E>(gauge: Metric.Gauge<number>, read: Effect.Effect<number, E>) =>
  Effect.matchEffect(read, {
    onSuccess: (value) => Metric.update(gauge, value),
    onFailure: () => Metric.remove(gauge),
  })
