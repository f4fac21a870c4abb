import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ClientAccess, bodyErrors, organizationErrors, endpoint, optionalText } from "@tocsin/api/openapi"
import * as examples from "./OtlpExamples.ts"
import { metricsRequest } from "@tocsin/formats/otlp"

const ReceiptSchema = Schema.Struct({
  partialSuccess: Schema.optionalKey(
    Schema.Struct({
      rejectedDataPoints: Schema.String.annotate({ description: "How many data points were not counted" }),
      errorMessage: Schema.String.annotate({ description: "Why" }),
    }),
  ),
}).annotate({ identifier: "ExportMetricsServiceResponse" })

export const OtlpApi = HttpApiGroup.make("otlp")
  .add(
    endpoint.post("exportMetrics", "/api/otlp/v1/metrics", {
      headers: Schema.Struct({ organization: Schema.optionalKey(Schema.String) }),
      query: Schema.Struct({
        organization: optionalText("Alternative to the header, for exporters that cannot send headers"),
      }),
      payload: metricsRequest.schema(),
      success: ReceiptSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Receive metrics over OTLP",
      description:
        "Takes metrics of OpenTelemetry over OTLP/HTTP, in JSON or in protobuf (application/x-protobuf), optionally compressed with gzip or deflate, and counts them for the SLOs whose indicators name them. Sending data points again changes nothing. Requires the role editor.",
      example: examples.exportMetrics,
    }),
  )
  .middleware(ClientAccess)
  .annotate(OpenApi.Title, "OpenTelemetry")
