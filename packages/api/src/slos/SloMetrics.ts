import { sloMetricsObjectivesMax } from "@tocsin/domain/limits"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { optionalText } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

/** The content type of Prometheus' text format. */
export const prometheusTextType = "text/plain; version=0.0.4; charset=utf-8"

/** The content type of OpenMetrics. */
export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

const text = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

/** The metrics of SLOs for Prometheus. */
export const sloMetrics = resource("SLO metrics", {
  exportSloMetrics: {
    method: "GET",
    path: "/metrics/slos",
    access: "client",
    query: {
      organization: optionalText("Alternative to the header, for Prometheus, which cannot send headers"),
      project: optionalText("Project of the SLOs; default: all"),
      labels: optionalText("Keys of labels of SLOs, separated by commas, that the metrics have too"),
    },
    success: [text(prometheusTextType), text(openMetricsType)],
    isRaw: true,
    errors: [429],
    summary: "Read the metrics of SLOs",
    description: `Returns target, reliability, remaining error budget and burn rate of each objective for Prometheus to scrape, in OpenMetrics if Accept requests it. At most ${sloMetricsObjectivesMax} objectives.`,
  },
})
