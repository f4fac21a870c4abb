/** Metrics of OpenTelemetry, in protobuf and JSON, as the points that indicators count. */
export { writeProtobufResponse } from "../otlp/OtlpProtobuf.ts"
export { metricsEntriesMax, metricsRequest, readMetrics, readProtobufMetrics } from "../otlp/ReadMetrics.ts"
