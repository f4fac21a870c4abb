import { alertReceipt, count, optionalText, resource } from "@tocsin/api"
import { severities } from "@tocsin/domain"
import { alertmanagerGroup, defaultExternalSeverity } from "@tocsin/formats/alertmanager"
import * as Schema from "effect/Schema"

const IssueSchema = Schema.Struct({ path: Schema.String, code: Schema.String, message: Schema.String })

const ReceiptSchema = Schema.Struct({
  alerts: Schema.Array(
    Schema.Struct({
      fingerprint: Schema.optionalKey(Schema.String),
      outcome: Schema.Literals(["triggered", "resolved", "unchanged", "unknown", "rejected"]).annotate({
        description:
          "unchanged: the alert already has this status; unknown: a resolved alert that was never triggered; rejected: see issues",
      }),
      alertId: Schema.optionalKey(Schema.String),
      deliveries: Schema.optionalKey(alertReceipt.fields.deliveries),
      issues: Schema.optionalKey(Schema.Array(IssueSchema)),
      warnings: Schema.optionalKey(Schema.Array(IssueSchema)).annotate({
        description: "Values of an accepted alert that were replaced, such as an unknown severity",
      }),
    }),
  ),
  truncatedAlerts: count,
}).annotate({ identifier: "AlertmanagerReceipt" })

/** The receiver of Alertmanager's notifications, whose body is a document of `@tocsin/formats`. */
export const alertmanager = resource("Alertmanager", {
  receiveAlertmanager: {
    method: "POST",
    path: "/api/alertmanager",
    access: "client",
    role: "editor",
    query: {
      organization: optionalText(
        "Alternative to the header, for versions of Alertmanager that cannot send headers",
      ),
      severity: optionalText(
        `Severity of alerts that have no known severity and no alert policy: ${severities.join(", ")}, in any letter case. Default: ${defaultExternalSeverity}`,
      ),
    },
    body: alertmanagerGroup,
    bodyAs: "json",
    success: ReceiptSchema,
    summary: "Receive alerts from Alertmanager",
    description:
      "Takes the webhook payload of Prometheus Alertmanager or of a contact point of Grafana. Each alert of the group triggers or resolves an alert; a repeated alert sends no notification. Valid alerts are accepted even if others are invalid. Returns 400 if no alert is valid.",
  },
})
