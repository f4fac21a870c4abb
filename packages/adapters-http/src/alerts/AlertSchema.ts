import { alertStatuses, cancelReasons } from "@tocsin/domain/alerting/Alert"
import { severities } from "@tocsin/domain/alert-policy/AlertPolicy"
import * as Schema from "effect/Schema"
import { dateTime } from "../deliveries/DeliverySchema.ts"

const Key = Schema.Struct({ project: Schema.String, name: Schema.String })

/** Describes an alert as it is read back. Source: decisions 0600 and 0612. */
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
    slo: Key,
    objective: Schema.optionalKey(Schema.Struct({ name: Schema.String })),
    alertPolicy: Schema.optionalKey(Key),
    anomaly: Schema.optionalKey(Schema.Struct({ type: Schema.Literal("NoData"), alertAfter: Schema.String })),
    severity: Schema.optionalKey(Schema.Literals(severities)),
    conditions: Schema.Array(Schema.String),
    alertMethods: Schema.Array(Key).annotate({ description: "Those that it rang" }),
    isSilenced: Schema.optionalKey(
      Schema.Literal(true).annotate({ description: "It has rung nobody, because of a silence" }),
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
