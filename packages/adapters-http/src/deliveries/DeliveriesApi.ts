import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { deliveryStates } from "@tocsin/domain/delivery/Delivery"
import { deliveredEvents } from "@tocsin/domain/notification/Notification"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { DeliveryLogSchema, DeliveryPageSchema, DeliverySchema } from "./DeliverySchema.ts"
import { IdParam, PageParams } from "../frame/ParameterSchema.ts"
import { organizationErrors, NotFound } from "../frame/ErrorSchema.ts"

const state = Schema.Literals(deliveryStates)

const event = Schema.Literals(deliveredEvents)

const ListParams = Schema.Struct({
  ...PageParams.fields,
  project: Schema.optionalKey(Schema.String.annotate({ description: "The project of the alert method" })),
  alertMethod: Schema.optionalKey(Schema.String.annotate({ description: "The name of the alert method" })),
  state: Schema.optionalKey(Schema.Array(state).annotate({ description: "May be repeated" })),
  event: Schema.optionalKey(Schema.Array(event).annotate({ description: "May be repeated" })),
  alertId: Schema.optionalKey(
    Schema.String.annotate({ description: "Of this alert: its ID, which is exact" }),
  ),
  from: Schema.optionalKey(Schema.String.annotate({ description: "Created from then on, in UTC" })),
  to: Schema.optionalKey(Schema.String.annotate({ description: "Created before then, in UTC" })),
})

export const DeliveriesApi = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("listDeliveries", "/api/deliveries", {
      headers: OrganizationHeader,
      query: ListParams,
      success: DeliveryPageSchema,
      error: [...organizationErrors],
    })
      .annotate(OpenApi.Summary, "List deliveries")
      .annotate(OpenApi.Description, "Newest first. links.next is present while there are more."),
  )
  .add(
    HttpApiEndpoint.get("findDelivery", "/api/deliveries/:id", {
      params: IdParam,
      headers: OrganizationHeader,
      success: DeliveryLogSchema,
      error: [...organizationErrors, NotFound],
    }).annotate(OpenApi.Summary, "Read a delivery with its attempts"),
  )
  .add(
    HttpApiEndpoint.post("resendDelivery", "/api/deliveries/:id/resend", {
      params: IdParam,
      headers: OrganizationHeader,
      success: DeliverySchema.pipe(HttpApiSchema.status(202)),
      error: [...organizationErrors, NotFound],
    })
      .annotate(OpenApi.Summary, "Send a delivery again")
      .annotate(
        OpenApi.Description,
        "Under its ID, with all attempts before it; one that is being sent is left alone. Needs the role editor.",
      ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Deliveries")
