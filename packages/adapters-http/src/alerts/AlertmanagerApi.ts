import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { alertmanagerLabels } from "@tocsin/domain/intake/AlertmanagerGroup"
import { Limits } from "@tocsin/domain/Limits"
import * as Schema from "effect/Schema"
import { ClientAccess } from "../access/BearerAccess.ts"
import { AlertReceiptSchema } from "./AlertSchema.ts"
import {
  organizationErrors,
  ContentTooLarge,
  TooManyRequests,
  UnsupportedMediaType,
} from "../frame/ErrorSchema.ts"

const dateTime = Schema.String.annotate({ format: "date-time" })
const texts = Schema.Record(Schema.String, Schema.String)
const { slo, project, objective, alertPolicy, alertMethods, severity } = alertmanagerLabels

const GroupSchema = Schema.Struct({
  version: Schema.Literal("4"),
  alerts: Schema.Array(
    Schema.Struct({
      status: Schema.Literals(["firing", "resolved"]),
      labels: texts.annotate({
        description: `${slo} names the SLO, ${project} its project (default: default), ${objective} an objective; ${alertPolicy} and ${alertMethods} (parted by commas) say whom to ring, as name or project/name; ${severity} is one of ours or a common word`,
      }),
      annotations: Schema.optionalKey(
        texts.annotate({ description: "summary and description become the conditions" }),
      ),
      startsAt: dateTime,
      endsAt: Schema.optionalKey(dateTime),
      fingerprint: Schema.String,
    }),
  ).check(Schema.isMaxLength(Limits.alertsPerGroupMax)),
  truncatedAlerts: Schema.optionalKey(Schema.Finite),
}).annotate({
  identifier: "AlertmanagerGroup",
  description: "Alertmanager's webhook payload, version 4; its other properties are let be",
})

const ReceiptSchema = Schema.Struct({
  alerts: Schema.Array(
    Schema.Struct({
      fingerprint: Schema.optionalKey(Schema.String),
      outcome: Schema.Literals(["triggered", "resolved", "unchanged", "unknown", "refused"]).annotate({
        description:
          "unchanged: it was so already; unknown: it ended, and was never triggered here; refused: see issues",
      }),
      alertId: Schema.optionalKey(Schema.String),
      deliveries: Schema.optionalKey(AlertReceiptSchema.fields.deliveries),
      issues: Schema.optionalKey(
        Schema.Array(Schema.Struct({ path: Schema.String, code: Schema.String, message: Schema.String })),
      ),
    }),
  ),
  truncatedAlerts: Schema.Finite,
}).annotate({ identifier: "AlertmanagerReceipt" })

/** Describes how Alertmanager's alerts come in. */
export const AlertmanagerApi = HttpApiGroup.make("alertmanager")
  .add(
    HttpApiEndpoint.post("receiveAlertmanager", "/api/alertmanager", {
      headers: Schema.Struct({ organization: Schema.optionalKey(Schema.String) }),
      query: Schema.Struct({
        organization: Schema.optionalKey(
          Schema.String.annotate({
            description: "In the place of the header, which not every version can send",
          }),
        ),
      }),
      payload: GroupSchema,
      success: ReceiptSchema,
      error: [...organizationErrors, ContentTooLarge, UnsupportedMediaType, TooManyRequests],
    })
      .annotate(OpenApi.Summary, "Take a group of alerts from Prometheus Alertmanager")
      .annotate(
        OpenApi.Description,
        "Each alert triggers or resolves one here; sent again it rings nobody. Alerts that hold are taken whatever is wrong with others; 400 when nothing could be taken. Needs the role editor.",
      ),
  )
  .middleware(ClientAccess)
  .annotate(OpenApi.Title, "Alertmanager")
