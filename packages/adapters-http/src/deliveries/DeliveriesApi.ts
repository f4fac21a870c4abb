import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { deliveryStates, notificationEvents } from "@tocsin/domain"
import { attemptsKeptMax } from "@tocsin/domain/adapter"
import * as Schema from "effect/Schema"
import {
  BearerAccess,
  OrganizationHeader,
  endpoint,
  dateTime,
  IdParam,
  optionalText,
  PageParams,
  pageSchema,
  repeatable,
  Conflict,
  organizationErrors,
  NotFound,
} from "@tocsin/api/openapi"
import { DeliveryLogSchema, DeliverySchema } from "./DeliverySchema.ts"
import * as examples from "./DeliveryExamples.ts"

const ListParams = Schema.Struct({
  ...PageParams.fields,
  project: optionalText("Project of the alert method"),
  alertMethod: optionalText("Name of the alert method"),
  state: repeatable(Schema.Literals(deliveryStates)),
  event: repeatable(Schema.Literals(notificationEvents)),
  alertId: optionalText("ID of the alert"),
  from: Schema.optionalKey(dateTime("Created at or after this time, in UTC")),
  to: Schema.optionalKey(dateTime("Created before this time, in UTC")),
})

export const DeliveriesApi = HttpApiGroup.make("deliveries")
  .add(
    endpoint.get("listDeliveries", "/api/deliveries", {
      headers: OrganizationHeader,
      query: ListParams,
      success: pageSchema(DeliverySchema, "DeliveryPage"),
      error: [...organizationErrors],
      summary: "List deliveries",
      description: "Newest first.",
      example: examples.listDeliveries,
    }),
    endpoint.get("findDelivery", "/api/deliveries/:id", {
      params: IdParam,
      headers: OrganizationHeader,
      success: DeliveryLogSchema,
      error: [...organizationErrors, NotFound],
      summary: "Retrieve a delivery",
      description: `Includes the latest attempts, oldest first, at most ${attemptsKeptMax}.`,
      example: examples.findDelivery,
    }),
    endpoint.post("resendDelivery", "/api/deliveries/:id/resend", {
      params: IdParam,
      headers: OrganizationHeader,
      success: DeliverySchema.pipe(HttpApiSchema.status(202)),
      error: [...organizationErrors, NotFound, Conflict],
      summary: "Resend a delivery",
      description:
        "Starts a new round of attempts with the same ID. Has no effect on a delivery that is being sent. A test of an alert method cannot be resent. Requires the role editor.",
      example: examples.resendDelivery,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Deliveries")
