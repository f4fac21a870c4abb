import { sloMetricsObjectivesMax } from "@tocsin/domain/limits"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  ClientAccess,
  organizationErrors,
  TooManyRequests,
  endpoint,
  optionalText,
} from "@tocsin/api/openapi"
import * as examples from "./SloExamples.ts"

/** The content type of Prometheus' text format. */
export const prometheusTextType = "text/plain; version=0.0.4; charset=utf-8"

/** The content type of OpenMetrics. */
export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

export const SloMetricsApi = HttpApiGroup.make("sloMetrics")
  .add(
    endpoint.get("exportSloMetrics", "/metrics/slos", {
      headers: Schema.Struct({ organization: Schema.optionalKey(Schema.String) }),
      query: Schema.Struct({
        organization: optionalText("Alternative to the header, for Prometheus, which cannot send headers"),
        project: optionalText("Project of the SLOs; default: all"),
        labels: optionalText("Keys of labels of SLOs, separated by commas, that the metrics have too"),
      }),
      success: [
        Schema.String.pipe(HttpApiSchema.asText({ contentType: prometheusTextType })),
        Schema.String.pipe(HttpApiSchema.asText({ contentType: openMetricsType })),
      ],
      error: [...organizationErrors, TooManyRequests],
      summary: "Read the metrics of SLOs",
      description: `Returns target, reliability, remaining error budget and burn rate of each objective for Prometheus to scrape, in OpenMetrics if Accept requests it. At most ${sloMetricsObjectivesMax} objectives.`,
      example: examples.exportSloMetrics,
    }),
  )
  .middleware(ClientAccess)
  .annotate(OpenApi.Title, "SLO metrics")
