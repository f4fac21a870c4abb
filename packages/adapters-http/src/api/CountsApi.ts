import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import {
  BadRequest,
  ContentTooLarge,
  Forbidden,
  NotAcceptable,
  NotFound,
  Unauthorized,
  UnsupportedMediaType,
} from "./ErrorAnswer.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"

const count = {
  objective: Schema.String,
  at: Schema.String.annotations({
    jsonSchema: {
      description: "The start of a minute, in UTC",
      type: "string",
      format: "date-time",
    },
  }),
  good: Schema.Number,
  total: Schema.Number,
}

const listOf = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Array(Schema.Struct(fields)).annotations({ jsonSchema: { maxItems: Limits.countsPerRequestMax } })

/** Describes how counts come in. Source: decisions 0603 and 0608. */
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
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Counts")
