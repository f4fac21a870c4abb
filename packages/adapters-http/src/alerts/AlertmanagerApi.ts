import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { alertmanagerGroup } from "@tocsin/domain/intake/AlertmanagerGroup"
import * as Schema from "effect/Schema"
import { ClientAccess } from "../access/BearerAccess.ts"
import { AlertReceiptSchema } from "./AlertSchema.ts"
import { organizationErrors, bodyErrors, TooManyRequests } from "../frame/ErrorSchema.ts"

const ReceiptSchema = Schema.Struct({
  alerts: Schema.Array(
    Schema.Struct({
      fingerprint: Schema.optionalKey(Schema.String),
      outcome: Schema.Literals(["triggered", "resolved", "unchanged", "unknown", "rejected"]).annotate({
        description:
          "unchanged: already in this state; unknown: resolved, but never triggered here; rejected: see issues",
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
      payload: alertmanagerGroup.schema(),
      success: ReceiptSchema,
      error: [...organizationErrors, ...bodyErrors, TooManyRequests],
    })
      .annotate(OpenApi.Summary, "Take a group of alerts from Prometheus Alertmanager")
      .annotate(
        OpenApi.Description,
        "Each alert triggers or resolves an alert; a repeated alert sends no notification. Valid alerts are accepted even if others are invalid; the status is 400 if none is valid. Needs the role editor.",
      ),
  )
  .middleware(ClientAccess)
  .annotate(OpenApi.Title, "Alertmanager")
