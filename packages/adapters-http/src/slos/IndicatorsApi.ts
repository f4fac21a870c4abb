import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { sampleProblems } from "@tocsin/domain/data-source/IndicatorStore"
import { metricFailures } from "@tocsin/domain/data-source/MetricSource"
import * as Schema from "effect/Schema"
import { BearerAccess } from "../access/BearerAccess.ts"
import { organizationErrors, NotFound } from "../frame/ErrorSchema.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"

const dateTime = (description: string) => Schema.String.annotate({ description, format: "date-time" })

const IndicatorSchema = Schema.Struct({
  readTo: Schema.optionalKey(dateTime("Every minute before is read; absent until the first was")),
  succeededAt: Schema.optionalKey(dateTime("When reading succeeded last")),
  failures: Schema.Finite.annotate({ description: "How often in a row reading has failed" }),
  problem: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.Literals([...metricFailures, ...sampleProblems]),
      detail: Schema.String,
      at: dateTime("When it was tried"),
    }).annotate({ description: "What was wrong when it was tried last" }),
  ),
}).annotate({ identifier: "IndicatorState" })

export const IndicatorsApi = HttpApiGroup.make("indicators")
  .add(
    HttpApiEndpoint.get("findIndicator", "/api/slos/:sloName/indicator", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      success: IndicatorSchema,
      error: [...organizationErrors, NotFound],
    })
      .annotate(OpenApi.Summary, "Get the polling progress of an SLO's indicator")
      .annotate(
        OpenApi.Description,
        "And what is wrong, where something is. 404 for an SLO without an indicator.",
      ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Indicators")
