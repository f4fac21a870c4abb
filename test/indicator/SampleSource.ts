import {
  metricFailureText,
  MetricsAreUnavailable,
  MetricSource,
  type SeriesQuery,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A server that has a sample for each instant of a query, none where its value is `NaN`; `undefined`: the query fails. */
export const sampleSource = (
  valueOf: (query: SeriesQuery, at: number) => number | undefined,
  queries: Array<SeriesQuery> = [],
): Layer.Layer<MetricSource> =>
  Layer.succeed(MetricSource, {
    readGaps: () => Effect.succeed([]),
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
    readSeries: (query) =>
      Effect.gen(function* () {
        queries.push(query)
        const samples = []
        for (let at = query.from; at <= query.to; at += query.stepMs ?? 60_000) {
          const value = valueOf(query, at)
          if (value === undefined) {
            const reason = "query_failed"
            return yield* new MetricsAreUnavailable({ reason, detail: metricFailureText[reason] })
          }
          if (!Number.isNaN(value)) samples.push({ at, value })
        }
        return samples
      }),
  })

/** An SLO that need not be stored, as it is sent. */
export const proposedSlo = (prometheus: object, spec: object) => ({
  apiVersion: "tocsin/v1alpha",
  kind: "SLO",
  metadata: { name: "checkout", project: "shop" },
  spec: {
    service: "web",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    indicator: { prometheus: { url: "https://metrics.example.com", ...prometheus } },
    ...spec,
  },
})
