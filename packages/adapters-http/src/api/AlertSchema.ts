import { alertStatuses, cancelReasons } from "@tocsin/domain/alerting/Alert"
import { severities } from "@tocsin/domain/alerting/AlertPolicy"
import { Schema } from "effect"
import { dateTime } from "./DeliverySchema.ts"

const Key = Schema.Struct({ project: Schema.String, name: Schema.String })

/** Describes an alert as it is read back. Source: decisions 0600 and 0612. */
export const AlertSchema = Schema.Struct({
  apiVersion: Schema.String.annotations({ description: "<vendor_prefix>/v1alpha" }),
  kind: Schema.Literal("Alert"),
  metadata: Schema.Struct({
    name: Schema.String.annotations({ description: "Its ID" }),
    project: Schema.String.annotations({ description: "The project of its SLO" }),
  }),
  spec: Schema.Struct({
    status: Schema.Literal(...alertStatuses),
    reason: Schema.optional(
      Schema.Literal(...cancelReasons).annotations({ description: "Why it was canceled" }),
    ),
    slo: Key,
    objective: Schema.optional(Schema.Struct({ name: Schema.String })),
    alertPolicy: Schema.optional(Key),
    anomaly: Schema.optional(Schema.Struct({ type: Schema.Literal("NoData"), alertAfter: Schema.String })),
    severity: Schema.optional(Schema.Literal(...severities)),
    conditions: Schema.Array(Schema.String),
    alertMethods: Schema.Array(Key).annotations({ description: "Those that it rang" }),
    isHeldBack: Schema.optional(
      Schema.Literal(true).annotations({ description: "It has rung nobody, because of a silence" }),
    ),
    triggeredAt: dateTime("By the clock"),
    triggeredMetricAt: Schema.optional(
      dateTime("The start of the objective's latest minute with counts then"),
    ),
    resolvedAt: Schema.optional(dateTime("When it resolved or was canceled, by the clock")),
    resolvedMetricAt: Schema.optional(
      dateTime("The start of the objective's latest minute with counts then"),
    ),
  }),
}).annotations({ identifier: "Alert" })
