import { isExported, openTelemetryIssues } from "../src/config/OpenTelemetryVariables.ts"
import { decodeServerConfig } from "../src/config/ServerConfig.ts"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }

describe("the variables of OpenTelemetry", () => {
  it("spec/telemetry §5: that are wrong are all reported, with what they must be", () => {
    const issues = openTelemetryIssues({
      OTEL_EXPORTER_OTLP_ENDPOINT: "127.0.0.1:4318",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "zstd",
      OTEL_METRICS_EXPORTER: "prometheus",
      OTEL_SDK_DISABLED: "yes",
      OTEL_TRACES_SAMPLER: "jaeger_remote",
      OTEL_TRACES_SAMPLER_ARG: "2",
      OTEL_METRIC_EXPORT_INTERVAL: "1m",
      OTEL_SERVICE_NAME: "anything",
    })
    expect(issues.map(({ variable, message }) => `${variable} ${message}`)).toMatchInlineSnapshot(`
      [
        "OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts with http:// or https://",
        "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json; gRPC is not supported",
        "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION must be gzip or none",
        "OTEL_METRICS_EXPORTER must be otlp or none",
        "OTEL_SDK_DISABLED must be true or false",
        "OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio",
        "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1",
        "OTEL_METRIC_EXPORT_INTERVAL must be a whole number of milliseconds",
      ]
    `)
  })

  it("spec/telemetry §5: are part of the configuration of the server", () => {
    const config = decodeServerConfig({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })
    expect(Result.isFailure(config) && config.failure.message).toBe(
      "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json; gRPC is not supported",
    )
  })

  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false],
    [endpoint, true],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://127.0.0.1:4318/v1/metrics" }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" }, false],
    [{ ...endpoint, OTEL_METRICS_EXPORTER: "none" }, false],
    [{ ...endpoint, OTEL_SDK_DISABLED: "true" }, false],
  ])("spec/telemetry §5: with %j metrics are exported: %s", (environment, expected) => {
    expect(isExported(environment, "METRICS")).toBe(expected)
  })
})
