import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { sampleProblems } from "@tocsin/domain/data-source/IndicatorStore"
import { metricFailures } from "@tocsin/domain/data-source/MetricSource"
import * as Schema from "effect/Schema"
import { BearerAccess } from "../access/BearerAccess.ts"
import { organizationErrors, NotFound } from "../frame/ErrorSchema.ts"
import { endpoint } from "../frame/OpenApiDocument.ts"
import { count, dateTime } from "../frame/ParameterSchema.ts"
import * as examples from "./SloExamples.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"

const IndicatorSchema = Schema.Struct({
  readTo: Schema.optionalKey(dateTime("Counts before this time have been read; absent until the first read")),
  succeededAt: Schema.optionalKey(dateTime("When a read last succeeded")),
  failures: count.annotate({ description: "Number of consecutive failed reads" }),
  problem: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.Literals([...metricFailures, ...sampleProblems]),
      detail: Schema.String,
      at: dateTime("When the read failed"),
    }).annotate({ description: "Why the latest read failed; absent if it succeeded" }),
  ),
}).annotate({ identifier: "IndicatorState" })

export const IndicatorsApi = HttpApiGroup.make("indicators")
  .add(
    endpoint.get("findIndicator", "/api/slos/:sloName/indicator", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      success: IndicatorSchema,
      error: [...organizationErrors, NotFound],
      summary: "Retrieve the polling state of an SLO's indicator",
      description:
        "Returns how far counts have been read from Prometheus, and the latest problem. Returns 404 for an SLO without an indicator.",
      example: examples.findIndicator,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Indicators")
