type Environment = Readonly<Record<string, string | undefined>>

/** What OpenTelemetry exports. */
export const signals = ["TRACES", "METRICS", "LOGS"] as const

type Signal = (typeof signals)[number]

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const

/**
 * What is wrong with the variables of OpenTelemetry (the specification's "Environment Variable Specification" and "OTLP
 * Exporter"), of those that are read. As there, an empty variable is unset.
 */
export const openTelemetryIssues = (
  environment: Environment,
): ReadonlyArray<{ readonly variable: string; readonly message: string }> => {
  const issues: Array<{ readonly variable: string; readonly message: string }> = []
  const check = (variable: string, isValid: (text: string) => boolean, message: string): void => {
    const text = environment[variable]
    if (text !== undefined && text !== "" && !isValid(text)) issues.push({ variable, message })
  }
  const isOneOf =
    (...values: ReadonlyArray<string>) =>
    (text: string) =>
      values.includes(text)
  const isUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  const isWhole = (text: string) => /^\d{1,9}$/.test(text)
  const isRatio = (text: string) => /^[\d.]+$/.test(text) && Number(text) >= 0 && Number(text) <= 1
  for (const prefix of ["OTEL_EXPORTER_OTLP", ...signals.map((signal) => `OTEL_EXPORTER_OTLP_${signal}`)]) {
    check(`${prefix}_ENDPOINT`, isUrl, "must be a URL that starts with http:// or https://")
    check(
      `${prefix}_PROTOCOL`,
      isOneOf("http/protobuf", "http/json"),
      "must be http/protobuf or http/json; gRPC is not supported",
    )
    check(`${prefix}_COMPRESSION`, isOneOf("gzip", "none"), "must be gzip or none")
    check(`${prefix}_TIMEOUT`, isWhole, "must be a whole number of milliseconds")
  }
  for (const signal of signals) {
    check(`OTEL_${signal}_EXPORTER`, isOneOf("otlp", "none"), "must be otlp or none")
  }
  check("OTEL_SDK_DISABLED", isOneOf("true", "false"), "must be true or false")
  check("OTEL_TRACES_SAMPLER", isOneOf(...samplers), `must be one of ${samplers.join(", ")}`)
  check("OTEL_TRACES_SAMPLER_ARG", isRatio, "must be a number from 0 to 1")
  for (const variable of [
    "OTEL_BSP_SCHEDULE_DELAY",
    "OTEL_BLRP_SCHEDULE_DELAY",
    "OTEL_METRIC_EXPORT_INTERVAL",
  ]) {
    check(variable, isWhole, "must be a whole number of milliseconds")
  }
  return issues
}

/** Whether a signal is exported: it has an endpoint, and is not turned off. */
export const isExported = (environment: Environment, signal: Signal): boolean =>
  environment["OTEL_SDK_DISABLED"] !== "true" &&
  environment[`OTEL_${signal}_EXPORTER`] !== "none" &&
  [environment["OTEL_EXPORTER_OTLP_ENDPOINT"], environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]].some(
    (endpoint) => endpoint !== undefined && endpoint !== "",
  )
