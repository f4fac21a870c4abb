import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { sampleProblems } from "@tocsin/domain/indicator/IndicatorState"
import { metricFailures } from "@tocsin/domain/indicator/MetricSource"
import { Schema } from "effect"
import { BearerAccess } from "./BearerAccess.ts"
import { BadRequest, Forbidden, NotAcceptable, NotFound, Unauthorized } from "./ErrorAnswer.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"

const dateTime = (description: string) =>
  Schema.String.annotations({ jsonSchema: { description, type: "string", format: "date-time" } })

const IndicatorSchema = Schema.Struct({
  readTo: Schema.optional(dateTime("Every minute before is read; absent until the first was")),
  succeededAt: Schema.optional(dateTime("When reading succeeded last")),
  failures: Schema.Number.annotations({ description: "How often in a row reading has failed" }),
  problem: Schema.optional(
    Schema.Struct({
      reason: Schema.Literal(...metricFailures, ...sampleProblems),
      detail: Schema.String,
      at: dateTime("When it was tried"),
    }).annotations({ description: "What was wrong when it was tried last" }),
  ),
}).annotations({ identifier: "IndicatorState" })

/** Describes how far the counts of an indicator are read. Source: decision 0605. */
export const IndicatorsApi = HttpApiGroup.make("indicators")
  .add(
    HttpApiEndpoint.get("findIndicator", "/api/slos/:sloName/indicator")
      .setPath(Schema.Struct({ sloName: SloNameParam }))
      .setHeaders(ProjectHeader)
      .addSuccess(IndicatorSchema)
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Tell how far the counts of an SLO's indicator are read")
      .annotate(
        OpenApi.Description,
        "And what is wrong, where something is. 404 for an SLO without an indicator.",
      ),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Indicators")
