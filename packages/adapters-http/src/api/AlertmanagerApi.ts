import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { alertmanagerLabels } from "@tocsin/domain/alerting/AlertmanagerGroup"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { ClientAccess } from "./BearerAccess.ts"
import { AlertReceiptSchema } from "./DeliverySchema.ts"
import {
  BadRequest,
  ContentTooLarge,
  Forbidden,
  NotAcceptable,
  TooManyRequests,
  Unauthorized,
  UnsupportedMediaType,
} from "./ErrorAnswer.ts"

const dateTime = Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } })
const texts = Schema.Record({ key: Schema.String, value: Schema.String })
const { slo, project, objective, alertPolicy, alertMethods, severity } = alertmanagerLabels

const GroupSchema = Schema.Struct({
  version: Schema.Literal("4"),
  alerts: Schema.Array(
    Schema.Struct({
      status: Schema.Literal("firing", "resolved"),
      labels: texts.annotations({
        description: `${slo} names the SLO, ${project} its project (default: default), ${objective} an objective; ${alertPolicy} and ${alertMethods} (parted by commas) say whom to ring, as name or project/name; ${severity} is one of ours or a common word`,
      }),
      annotations: Schema.optional(
        texts.annotations({ description: "summary and description become the conditions" }),
      ),
      startsAt: dateTime,
      endsAt: Schema.optional(dateTime),
      fingerprint: Schema.String,
    }),
  ).annotations({ jsonSchema: { maxItems: Limits.alertsPerGroupMax } }),
  truncatedAlerts: Schema.optional(Schema.Number),
}).annotations({
  identifier: "AlertmanagerGroup",
  description: "Alertmanager's webhook payload, version 4; its other properties are let be",
})

const ReceiptSchema = Schema.Struct({
  alerts: Schema.Array(
    Schema.Struct({
      fingerprint: Schema.optional(Schema.String),
      outcome: Schema.Literal("triggered", "resolved", "unchanged", "unknown", "refused").annotations({
        description:
          "unchanged: it was so already; unknown: it ended, and was never triggered here; refused: see issues",
      }),
      alertId: Schema.optional(Schema.String),
      deliveries: Schema.optional(AlertReceiptSchema.fields.deliveries),
      issues: Schema.optional(
        Schema.Array(Schema.Struct({ path: Schema.String, code: Schema.String, message: Schema.String })),
      ),
    }),
  ),
  truncatedAlerts: Schema.Number,
}).annotations({ identifier: "AlertmanagerReceipt" })

/** Describes how Alertmanager's alerts come in. Source: decisions 0606 and 0609. */
export const AlertmanagerApi = HttpApiGroup.make("alertmanager")
  .add(
    HttpApiEndpoint.post("receiveAlertmanager", "/api/alertmanager")
      .setHeaders(Schema.Struct({ organization: Schema.optional(Schema.String) }))
      .setUrlParams(
        Schema.Struct({
          organization: Schema.optional(
            Schema.String.annotations({
              description: "In the place of the header, which not every version can send",
            }),
          ),
        }),
      )
      .setPayload(GroupSchema)
      .addSuccess(ReceiptSchema)
      .addError(ContentTooLarge)
      .addError(UnsupportedMediaType)
      .addError(TooManyRequests)
      .annotate(OpenApi.Summary, "Take a group of alerts from Prometheus Alertmanager")
      .annotate(
        OpenApi.Description,
        "Each alert triggers or resolves one here; sent again it rings nobody. Alerts that hold are taken whatever is wrong with others; 400 when nothing could be taken. Needs the role editor.",
      ),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(ClientAccess)
  .annotate(OpenApi.Title, "Alertmanager")
