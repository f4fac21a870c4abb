import { alertStatuses, cancelReasons } from "@tocsin/domain/internal/alerting/Alert"
import { severities } from "@tocsin/domain/internal/alert-policy/AlertPolicy"
import * as Schema from "effect/Schema"
import { dateTime, KeySchema } from "../frame/ParameterSchema.ts"

export const AlertSchema = Schema.Struct({
  apiVersion: Schema.String.annotate({ description: "<vendor_prefix>/v1alpha" }),
  kind: Schema.Literal("Alert"),
  metadata: Schema.Struct({
    name: Schema.String.annotate({ description: "ID of the alert" }),
    project: Schema.String.annotate({ description: "Project of the SLO" }),
  }),
  spec: Schema.Struct({
    status: Schema.Literals(alertStatuses),
    reason: Schema.optionalKey(
      Schema.Literals(cancelReasons).annotate({ description: "Why the alert was canceled" }),
    ),
    slo: KeySchema,
    objective: Schema.optionalKey(Schema.Struct({ name: Schema.String })),
    alertPolicy: Schema.optionalKey(KeySchema),
    anomaly: Schema.optionalKey(Schema.Struct({ type: Schema.Literal("NoData"), alertAfter: Schema.String })),
    severity: Schema.optionalKey(Schema.Literals(severities)),
    conditions: Schema.Array(Schema.String),
    alertMethods: Schema.Array(KeySchema).annotate({ description: "The alert methods notified" }),
    acknowledgement: Schema.optionalKey(
      Schema.Struct({
        by: Schema.String.annotate({ description: "Client ID of the credential" }),
        at: dateTime("When the alert was acknowledged"),
      }),
    ),
    isSilenced: Schema.optionalKey(
      Schema.Literal(true).annotate({ description: "Present if a silence suppressed the notifications" }),
    ),
    triggeredAt: dateTime("When the alert triggered"),
    triggeredMetricAt: Schema.optionalKey(dateTime("The latest minute with counts when the alert triggered")),
    resolvedAt: Schema.optionalKey(dateTime("When the alert resolved or was canceled")),
    resolvedMetricAt: Schema.optionalKey(
      dateTime("The latest minute with counts when the alert resolved or was canceled"),
    ),
  }),
}).annotate({ identifier: "Alert" })

export const AlertReceiptSchema = Schema.Struct({
  alertId: Schema.String,
  deliveries: Schema.Array(Schema.Struct({ id: Schema.String, alertMethod: KeySchema })),
}).annotate({ identifier: "AlertReceipt" })
