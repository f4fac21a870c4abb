import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import { AlertReceiptSchema, AlertRequestSchema } from "./DeliverySchema.ts"
import {
  BadRequest,
  Conflict,
  ContentTooLarge,
  Forbidden,
  NotAcceptable,
  NotFound,
  Unauthorized,
  UnsupportedMediaType,
} from "./ErrorAnswer.ts"

/** Describes how alerts come in from outside. Source: decision 0601. */
export const AlertsApi = HttpApiGroup.make("alerts")
  .add(
    HttpApiEndpoint.post("receiveAlert", "/api/alerts")
      .setHeaders(
        Schema.Struct({
          ...OrganizationHeader.fields,
          "idempotency-key": Schema.optional(
            Schema.String.annotations({
              description: `At most ${Limits.idempotencyKeyMaxCharacters} visible ASCII characters; remembered for ${Limits.idempotencyKeyLifetimeMs / 3_600_000} h`,
            }),
          ),
        }),
      )
      .setPayload(AlertRequestSchema)
      .addSuccess(
        AlertReceiptSchema.annotations(
          HttpApiSchema.annotations({ status: 202, description: "Stored; it is being sent" }),
        ),
      )
      .addSuccess(
        AlertReceiptSchema.annotations(
          HttpApiSchema.annotations({ status: 200, description: "It was so already; nobody is rung" }),
        ),
      )
      .addError(NotFound)
      .addError(Conflict)
      .addError(ContentTooLarge)
      .addError(UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Trigger or resolve an alert")
      .annotate(
        OpenApi.Description,
        "Rings the alert methods of the policy, or those listed. Needs the role editor.",
      ),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Alerts")
