import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { alertStatuses } from "@tocsin/domain/alerting/Alert"
import { alertOrders } from "@tocsin/domain/alerting/ListAlerts"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { AlertSchema } from "./AlertSchema.ts"
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

const mayRepeat = Schema.optional(
  Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({ description: "May be repeated" }),
)

const AlertStatus = Schema.Literal(...alertStatuses)

/** Describes how alerts come in from outside, and how they are read. Source: decisions 0600, 0601, 0612 and 0618. */
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
  .add(
    HttpApiEndpoint.get("listAlerts", "/api/get/alert")
      .setHeaders(
        Schema.Struct({
          ...OrganizationHeader.fields,
          project: Schema.optional(
            Schema.String.annotations({
              description: "The project of the SLO, or * for all; default: default",
            }),
          ),
        }),
      )
      .setUrlParams(
        Schema.Struct({
          name: mayRepeat,
          slo: mayRepeat,
          objective: mayRepeat,
          alertPolicy: mayRepeat,
          state: Schema.optional(
            Schema.Union(AlertStatus, Schema.Array(AlertStatus)).annotations({
              description: "May be repeated",
            }),
          ),
          from: Schema.optional(Schema.String.annotations({ description: "Triggered from then on, in UTC" })),
          to: Schema.optional(Schema.String.annotations({ description: "Triggered before then, in UTC" })),
          order: Schema.optional(
            Schema.Literal(...alertOrders).annotations({
              description: "Those that triggered last first, instead of by ID",
            }),
          ),
          limit: Schema.optional(
            Schema.NumberFromString.annotations({
              description: `At most ${Limits.pageSizeMax}: a page, with a link to the next one in the header Link`,
            }),
          ),
          cursor: Schema.optional(Schema.String.annotations({ description: "From the header Link" })),
        }),
      )
      .addSuccess(Schema.Array(AlertSchema))
      .annotate(OpenApi.Summary, "Read alerts")
      .annotate(
        OpenApi.Description,
        "Those of alert policies, and those from outside, by ID unless order says otherwise. JSON, or YAML by Accept. All of them without limit and cursor.",
      ),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Alerts")
