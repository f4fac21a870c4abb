import { severities } from "@tocsin/domain"
import { holdReasons } from "@tocsin/domain/alerting"
import { heldSlosMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { dateTime, KeySchema } from "@tocsin/api/openapi"
import { alertStates, resolutionReasons } from "./AlertDocuments.ts"

const NamedKey = Schema.Struct({
  name: Schema.String,
  displayName: Schema.optionalKey(Schema.String),
  project: Schema.String,
})

const Condition = Schema.Struct({
  measurement: Schema.String,
  value: Schema.Union([Schema.Finite, Schema.String]),
  op: Schema.String,
  alertingWindow: Schema.optionalKey(Schema.String),
  lastsFor: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(
    Schema.Struct({
      firstMetMetricTime: dateTime("Since when the condition was met"),
      lastsForMetMetricTime: dateTime("When it had been met for lastsFor"),
    }),
  ),
})

/** An alert as `GET /api/alerts` returns it. */
export const AlertSchema = Schema.Struct({
  apiVersion: Schema.String.annotate({ description: "<vendor_prefix>/v1alpha" }),
  kind: Schema.Literal("Alert"),
  metadata: Schema.Struct({
    name: Schema.String.annotate({ description: "ID of the alert" }),
    project: Schema.String.annotate({ description: "Project of the SLO" }),
  }),
  spec: Schema.Struct({
    alertPolicy: Schema.optionalKey(NamedKey),
    slo: NamedKey,
    service: Schema.optionalKey(NamedKey),
    objective: Schema.optionalKey(
      Schema.Struct({
        name: Schema.String,
        displayName: Schema.optionalKey(Schema.String),
        value: Schema.optionalKey(
          Schema.Finite.annotate({ description: "Threshold of an objective whose SLI is a metric" }),
        ),
      }),
    ),
    severity: Schema.optionalKey(Schema.Literals(severities)),
    status: Schema.Literals(Object.values(alertStates)),
    triggeredMetricTime: Schema.optionalKey(
      dateTime("The latest minute with counts when the alert triggered"),
    ),
    triggeredClockTime: dateTime("When the alert triggered"),
    resolvedMetricTime: Schema.optionalKey(
      dateTime("The latest minute with counts when the alert resolved or was canceled"),
    ),
    resolvedClockTime: Schema.optionalKey(dateTime("When the alert resolved or was canceled")),
    resolutionReason: Schema.optionalKey(
      Schema.Literals(Object.values(resolutionReasons)).annotate({
        description: "Why the alert was resolved or canceled",
      }),
    ),
    coolDown: Schema.optionalKey(Schema.String),
    conditions: Schema.Array(Condition).annotate({
      description:
        "The conditions that were met, as the alert policy had them then. Empty if an external evaluator sent texts",
    }),
    conditionTexts: Schema.Array(Schema.String).annotate({
      description: "The conditions in words, as in notifications",
    }),
    anomaly: Schema.optionalKey(Schema.Struct({ type: Schema.Literal("NoData"), alertAfter: Schema.String })),
    alertMethods: Schema.Array(KeySchema).annotate({ description: "The alert methods notified" }),
    acknowledgement: Schema.optionalKey(
      Schema.Struct({
        by: Schema.String.annotate({ description: "Client ID of the credential" }),
        at: dateTime("When the alert was acknowledged"),
        note: Schema.optionalKey(Schema.String.annotate({ description: "What the person wrote" })),
      }),
    ),
    isSilenced: Schema.optionalKey(
      Schema.Literal(true).annotate({ description: "Present if a silence suppressed the notifications" }),
    ),
  }),
}).annotate({ identifier: "Alert" })

export const AlertReceiptSchema = Schema.Struct({
  alertId: Schema.String,
  deliveries: Schema.Array(Schema.Struct({ id: Schema.String, alertMethod: KeySchema })),
}).annotate({ identifier: "AlertReceipt" })

/** Why conditions that are met trigger no alert. */
export const holdReason = Schema.Literals(holdReasons).annotate({
  description:
    "`past_changed`: only changes of past minutes meet the conditions; `counts_old`: the latest counts are more than an hour old; `source_behind`: the data source has not been read to within an hour",
})

export const holdDetail = Schema.String.annotate({ description: "The reason as a sentence" })

/** An alert that does not trigger although its conditions are met, with the reason. */
export const HeldAlertSchema = Schema.Struct({
  slo: KeySchema,
  objective: Schema.optionalKey(Schema.String.annotate({ description: "Absent for the legacy composite" })),
  alertPolicy: KeySchema,
  since: dateTime("Since when conditions are met without triggering the alert"),
  reason: holdReason,
  detail: holdDetail,
}).annotate({ identifier: "HeldAlert" })

/** The response of `GET /api/alerts/held`. */
export const HeldAlertsSchema = Schema.Struct({
  data: Schema.Array(HeldAlertSchema).annotate({
    description: `As of the latest evaluation, sorted by project, SLO, alert policy and objective; of at most ${heldSlosMax} SLOs`,
  }),
  hasMore: Schema.Boolean.annotate({ description: "Whether more SLOs have held alerts" }),
}).annotate({ identifier: "HeldAlerts" })
