import { alertStatuses, cancelReasons } from "@tocsin/domain/alerting/Alert"
import { severities } from "@tocsin/domain/alert-policy/AlertPolicy"
import * as Schema from "effect/Schema"
import { dateTime, KeySchema } from "../frame/ParameterSchema.ts"

export const AlertSchema = Schema.Struct({
  apiVersion: Schema.String.annotate({ description: "<vendor_prefix>/v1alpha" }),
  kind: Schema.Literal("Alert"),
  metadata: Schema.Struct({
    name: Schema.String.annotate({ description: "Its ID" }),
    project: Schema.String.annotate({ description: "The project of its SLO" }),
  }),
  spec: Schema.Struct({
    status: Schema.Literals(alertStatuses),
    reason: Schema.optionalKey(
      Schema.Literals(cancelReasons).annotate({ description: "Why it was canceled" }),
    ),
    slo: KeySchema,
    objective: Schema.optionalKey(Schema.Struct({ name: Schema.String })),
    alertPolicy: Schema.optionalKey(KeySchema),
    anomaly: Schema.optionalKey(Schema.Struct({ type: Schema.Literal("NoData"), alertAfter: Schema.String })),
    severity: Schema.optionalKey(Schema.Literals(severities)),
    conditions: Schema.Array(Schema.String),
    alertMethods: Schema.Array(KeySchema).annotate({ description: "The alert methods notified" }),
    isSilenced: Schema.optionalKey(
      Schema.Literal(true).annotate({ description: "No alert method was notified, because of a silence" }),
    ),
    triggeredAt: dateTime("By the clock"),
    triggeredMetricAt: Schema.optionalKey(
      dateTime("The start of the objective's latest minute with counts then"),
    ),
    resolvedAt: Schema.optionalKey(dateTime("When it resolved or was canceled, by the clock")),
    resolvedMetricAt: Schema.optionalKey(
      dateTime("The start of the objective's latest minute with counts then"),
    ),
  }),
}).annotate({ identifier: "Alert" })

/** The answer of `POST /api/alerts`. */
export const AlertReceiptSchema = Schema.Struct({
  alertId: Schema.String,
  deliveries: Schema.Array(Schema.Struct({ id: Schema.String, alertMethod: KeySchema })),
}).annotate({ identifier: "AlertReceipt" })
