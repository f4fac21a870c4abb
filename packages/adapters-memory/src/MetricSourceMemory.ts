import { MetricSource } from "@tocsin/domain/indicator/MetricSource"
import { Effect, Layer } from "effect"

/** A source that asks no server: no expression yields a series. */
export const layer: Layer.Layer<MetricSource> = Layer.succeed(MetricSource, {
  readSeries: () => Effect.succeed([]),
})
