import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { seriesSteps } from "@tocsin/domain/slo/SloSeries"
import { Schema } from "effect"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import {
  BadRequest,
  ContentTooLarge,
  Forbidden,
  NotAcceptable,
  NotFound,
  TooManyRequests,
  Unauthorized,
  UnsupportedMediaType,
} from "./ErrorAnswer.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"

const dateTime = (description: string) =>
  Schema.String.annotations({ jsonSchema: { description, type: "string", format: "date-time" } })

const count = {
  objective: Schema.String,
  at: dateTime("The start of a minute, in UTC"),
  good: Schema.Number,
  total: Schema.Number,
}

const listOf = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Array(Schema.Struct(fields)).annotations({ jsonSchema: { maxItems: Limits.countsPerRequestMax } })

/** A list of one value a step. */
const series = Schema.Array(Schema.NullOr(Schema.Number))

const budgets = series.annotations({
  description: "What fraction of the error budget was left at the end of each step; null without data",
})

const SloSeries = Schema.Struct({
  from: dateTime("The start of the first step"),
  to: dateTime("The end of the last step"),
  step: Schema.Literal(...seriesSteps),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      counts: Schema.optional(
        Schema.Struct({ good: series, total: series }).annotations({
          description: "The events of each step, null where none were counted; not of composite objectives",
        }),
      ),
      errorBudgetRemainingPercentage: budgets,
    }),
  ),
  composite: Schema.optional(Schema.Struct({ errorBudgetRemainingPercentage: budgets })),
}).annotations({ identifier: "SloSeries", description: "Every list has one value a step" })

/** Describes how counts come in, and how they went. Source: decisions 0603, 0608 and 0707. */
export const CountsApi = HttpApiGroup.make("counts")
  .add(
    HttpApiEndpoint.post("recordCounts", "/api/slos/:sloName/counts")
      .setPath(Schema.Struct({ sloName: SloNameParam }))
      .setHeaders(ProjectHeader)
      .setPayload(listOf(count))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .addError(ContentTooLarge)
      .addError(UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Record good and total counts of an SLO")
      .annotate(
        OpenApi.Description,
        "All or none; the same objective and minute again replaces. Needs the role editor.",
      ),
  )
  .add(
    HttpApiEndpoint.post("recordCountBatch", "/api/counts")
      .setHeaders(OrganizationHeader)
      .setPayload(listOf({ project: Schema.String, slo: Schema.String, ...count }))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(ContentTooLarge)
      .addError(UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Record good and total counts of several SLOs")
      .annotate(
        OpenApi.Description,
        "All or none; the same objective and minute again replaces. Statuses follow within 10 s. Needs the role editor.",
      ),
  )
  .add(
    HttpApiEndpoint.get("readSeries", "/api/slos/:sloName/series")
      .setPath(Schema.Struct({ sloName: SloNameParam }))
      .setHeaders(ProjectHeader)
      .setUrlParams(
        Schema.Struct({
          from: dateTime("In UTC"),
          to: dateTime(`In UTC; at most ${Limits.dataRangeMaxDays} days after from`),
          step: Schema.optional(
            Schema.Literal(...seriesSteps).annotations({
              description: `At most ${Limits.seriesPointsMax} steps; absent: the shortest that are so few`,
            }),
          ),
        }),
      )
      .addSuccess(SloSeries)
      .addError(NotFound)
      .addError(TooManyRequests)
      .annotate(OpenApi.Summary, "Read what charts of an SLO are drawn from")
      .annotate(
        OpenApi.Description,
        `The range is widened to whole steps. At most ${Limits.seriesPerSecond} per second and organization.`,
      ),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Counts")
