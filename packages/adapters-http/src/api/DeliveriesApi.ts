import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { deliveryStates } from "@tocsin/domain/notification/Delivery"
import { deliveredEvents } from "@tocsin/domain/notification/Notification"
import { Schema } from "effect"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import {
  DeliveryLogSchema,
  DeliveryPageSchema,
  DeliverySchema,
  IdParam,
  PageParams,
} from "./DeliverySchema.ts"
import { BadRequest, Forbidden, NotAcceptable, NotFound, Unauthorized } from "./ErrorAnswer.ts"

const state = Schema.Literal(...deliveryStates)

const event = Schema.Literal(...deliveredEvents)

const ListParams = Schema.Struct({
  ...PageParams.fields,
  project: Schema.optional(Schema.String.annotations({ description: "The project of the alert method" })),
  alertMethod: Schema.optional(Schema.String.annotations({ description: "The name of the alert method" })),
  state: Schema.optional(
    Schema.Union(state, Schema.Array(state)).annotations({ description: "May be repeated" }),
  ),
  event: Schema.optional(
    Schema.Union(event, Schema.Array(event)).annotations({ description: "May be repeated" }),
  ),
  alertId: Schema.optional(
    Schema.String.annotations({ description: "Of this alert: its ID, which is exact" }),
  ),
  from: Schema.optional(Schema.String.annotations({ description: "Created from then on, in UTC" })),
  to: Schema.optional(Schema.String.annotations({ description: "Created before then, in UTC" })),
})

/** Describes the log of deliveries. Source: decision 0600. */
export const DeliveriesApi = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("listDeliveries", "/api/deliveries")
      .setHeaders(OrganizationHeader)
      .setUrlParams(ListParams)
      .addSuccess(DeliveryPageSchema)
      .annotate(OpenApi.Summary, "List deliveries")
      .annotate(OpenApi.Description, "The newest first. While links.next is there, more exist."),
  )
  .add(
    HttpApiEndpoint.get("findDelivery", "/api/deliveries/:id")
      .setPath(IdParam)
      .setHeaders(OrganizationHeader)
      .addSuccess(DeliveryLogSchema)
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Read a delivery with its attempts"),
  )
  .add(
    HttpApiEndpoint.post("resendDelivery", "/api/deliveries/:id/resend")
      .setPath(IdParam)
      .setHeaders(OrganizationHeader)
      .addSuccess(DeliverySchema.annotations(HttpApiSchema.annotations({ status: 202 })))
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Send a delivery again")
      .annotate(
        OpenApi.Description,
        "Under its ID, with all attempts before it; one that is being sent is left alone. Needs the role editor.",
      ),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Deliveries")
