import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { severities } from "@tocsin/domain"
import { alertmanagerGroup, defaultExternalSeverity } from "@tocsin/formats/alertmanager"
import * as Schema from "effect/Schema"
import {
  ClientAccess,
  organizationErrors,
  bodyErrors,
  count,
  optionalText,
  endpoint,
} from "@tocsin/api/openapi"
import { AlertReceiptSchema } from "./AlertSchema.ts"
import * as examples from "./AlertExamples.ts"

const IssueSchema = Schema.Struct({ path: Schema.String, code: Schema.String, message: Schema.String })

const ReceiptSchema = Schema.Struct({
  alerts: Schema.Array(
    Schema.Struct({
      fingerprint: Schema.optionalKey(Schema.String),
      outcome: Schema.Literals(["triggered", "resolved", "unchanged", "unknown", "rejected"]).annotate({
        description:
          "unchanged: the alert is already in this state; unknown: a resolved alert that was never triggered; rejected: see issues",
      }),
      alertId: Schema.optionalKey(Schema.String),
      deliveries: Schema.optionalKey(AlertReceiptSchema.fields.deliveries),
      issues: Schema.optionalKey(Schema.Array(IssueSchema)),
      warnings: Schema.optionalKey(Schema.Array(IssueSchema)).annotate({
        description: "Values of an accepted alert that were replaced, such as an unknown severity",
      }),
    }),
  ),
  truncatedAlerts: count,
}).annotate({ identifier: "AlertmanagerReceipt" })

export const AlertmanagerApi = HttpApiGroup.make("alertmanager")
  .add(
    endpoint.post("receiveAlertmanager", "/api/alertmanager", {
      headers: Schema.Struct({ organization: Schema.optionalKey(Schema.String) }),
      query: Schema.Struct({
        organization: optionalText(
          "Alternative to the header, for versions of Alertmanager that cannot send headers",
        ),
        severity: optionalText(
          `Severity of alerts that have no known severity and no alert policy: ${severities.join(", ")}, in any letter case. Default: ${defaultExternalSeverity}`,
        ),
      }),
      payload: alertmanagerGroup.schema(),
      success: ReceiptSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Receive alerts from Alertmanager",
      description:
        "Takes the webhook payload of Prometheus Alertmanager or of a contact point of Grafana. Each alert of the group triggers or resolves an alert; a repeated alert sends no notification. Valid alerts are accepted even if others are invalid. Returns 400 if no alert is valid. Requires the role editor.",
      example: examples.receiveAlertmanager,
    }),
  )
  .middleware(ClientAccess)
  .annotate(OpenApi.Title, "Alertmanager")
