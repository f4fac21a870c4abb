import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { BearerAccess } from "./BearerAccess.ts"
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

/** Describes how counts come in. Source: decision 0603. */
export const CountsApi = HttpApiGroup.make("counts")
  .add(
    HttpApiEndpoint.post("recordCounts", "/api/slos/:sloName/counts")
      .setPath(Schema.Struct({ sloName: SloNameParam }))
      .setHeaders(ProjectHeader)
      .setPayload(
        Schema.Array(
          Schema.Struct({
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
          }),
        ).annotations({ jsonSchema: { maxItems: Limits.countsPerRequestMax } }),
      )
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
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Counts")
