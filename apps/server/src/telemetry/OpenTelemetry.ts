import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { isExported, signals } from "../config/OpenTelemetryVariables.ts"
import type { Environment } from "@tocsin/cli/config/Environment"
import { version } from "../config/Version.ts"

/**
 * Exports traces, metrics and logs over OTLP/HTTP, as the standard variables say: nothing without an endpoint. The log is
 * also written as before.
 */
export const openTelemetry = (environment: Environment): Layer.Layer<never> => {
  if (!signals.some((signal) => isExported(environment, signal))) return Layer.empty
  const isJson = environment["OTEL_EXPORTER_OTLP_PROTOCOL"] === "http/json"
  const exporters = Otlp.layerFromConfig({ resource: { serviceVersion: version } }).pipe(
    Layer.provide(isJson ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: withDefaults(environment) }))),
  )
  const sampled = Layer.effect(
    Tracer.Tracer,
    Effect.map(Effect.service(Tracer.Tracer), (tracer) => sample(tracer, environment)),
  )
  return Layer.provideMerge(isExported(environment, "TRACES") ? sampled : Layer.empty, exporters)
}

/** As the specification has them: with an endpoint, each signal is exported unless it is turned off. */
const withDefaults = (environment: Environment): Record<string, string> => ({
  OTEL_SERVICE_NAME: "tocsin",
  ...Object.fromEntries(signals.map((signal) => [`OTEL_${signal}_EXPORTER`, "otlp"])),
  ...Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith("OTEL_") && value !== undefined && value !== "" ? [[name, value]] : [],
    ),
  ),
})

/** Decides which traces are exported: by default those that are sampled where they began, and all that begin here. */
const sample = (tracer: Tracer.Tracer, environment: Environment): Tracer.Tracer => {
  const sampler = environment["OTEL_TRACES_SAMPLER"] || "parentbased_always_on"
  const followsParent = sampler.startsWith("parentbased_")
  const ratio = sampler.endsWith("always_off")
    ? 0
    : sampler.endsWith("traceidratio")
      ? Number(environment["OTEL_TRACES_SAMPLER_ARG"] || "1")
      : 1
  const isChosen = () => ratio === 1 || Math.random() < ratio
  return Tracer.make({
    ...tracer,
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      const isRemote = parent?._tag === "ExternalSpan"
      // What happens within a span of this process shares its decision.
      const isSampled = parent === undefined || (isRemote && !followsParent) ? isChosen() : parent.sampled
      return tracer.span({ ...options, sampled: options.sampled && isSampled })
    },
  })
}
