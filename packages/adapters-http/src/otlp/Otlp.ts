import { optionalText, resource } from "@tocsin/api"
import { metricsRequest } from "@tocsin/formats/otlp"
import * as Schema from "effect/Schema"

const ReceiptSchema = Schema.Struct({
  partialSuccess: Schema.optionalKey(
    Schema.Struct({
      rejectedDataPoints: Schema.String.annotate({ description: "How many data points were not counted" }),
      errorMessage: Schema.String.annotate({ description: "Why" }),
    }),
  ),
}).annotate({ identifier: "ExportMetricsServiceResponse" })

/** The receiver of metrics, whose body is a document of `@tocsin/formats`. */
export const otlp = resource("OpenTelemetry", {
  exportMetrics: {
    method: "POST",
    path: "/api/otlp/v1/metrics",
    access: "client",
    role: "editor",
    query: {
      organization: optionalText("Alternative to the header, for exporters that cannot send headers"),
    },
    body: metricsRequest,
    // Request and response can be protobuf.
    bodyAs: "unread",
    success: ReceiptSchema,
    isRaw: true,
    summary: "Receive metrics over OTLP",
    description:
      "Takes metrics of OpenTelemetry over OTLP/HTTP, in JSON or in protobuf (application/x-protobuf), optionally compressed with gzip or deflate, and counts them for the SLOs whose indicators name them. Sending data points again changes nothing.",
  },
})
