/** Metrics of OpenTelemetry, in protobuf and JSON, as the points that indicators count. */
export { EntryCount, metricsEntriesTotalMax, TooManyEntries } from "../otlp/EntryCount.ts"
export { readProtobufRequest, writeProtobufResponse } from "../otlp/OtlpProtobuf.ts"
export { metricsEntriesMax, metricsRequest, readMetrics } from "../otlp/ReadMetrics.ts"
