import * as Effect from "effect/Effect"
import { count } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import type { AlertChange } from "./AlertStore.ts"

/** Counts the alerts that changes opened or closed. */
export const countAlertChanges = (
  changes: ReadonlyArray<AlertChange>,
  source: "policy" | "external",
): Effect.Effect<void> =>
  Effect.forEach(
    changes,
    ({ put, closed, receipt }) => {
      if (!receipt.isChanged) return Effect.void
      const alerts = [closed, put].filter((alert) => alert !== undefined)
      return Effect.forEach(alerts, ({ status }) => count(metrics.alertChanges.of(status, source)), {
        discard: true,
      })
    },
    { discard: true },
  )

/** A change whose notifications continue a trace. */
export const withTraceparent = (change: AlertChange, traceparent: string | undefined): AlertChange => {
  const { event } = change
  if (event === undefined || traceparent === undefined) return change
  return { ...change, event: { ...event, content: { ...event.content, traceparent } } }
}
