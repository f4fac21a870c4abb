import { MetricSource } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A source that asks no server: no expression yields a series, and nothing has a name. */
export const layer: Layer.Layer<MetricSource> = Layer.succeed(MetricSource, {
  readSeries: () => Effect.succeed([]),
  readGaps: () => Effect.succeed([]),
  readNames: () => Effect.succeed({ names: [], isComplete: true }),
})
