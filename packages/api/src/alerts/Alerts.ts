import { acknowledgementRequest, alertRequest, alertStatuses, severities, unmetReasons } from "@tocsin/domain"
import { type CancelReason, holdReasons } from "@tocsin/domain/alerting"
import { heldSlosMax, idempotencyKeyMaxCharacters } from "@tocsin/domain/limits"
import { pageSizeMax } from "@tocsin/domain/pagination"
import { idempotencyKeyLifetimeMs } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import { seriesPerSecond, seriesPolicy } from "@tocsin/domain/rate-limit"
import { dateTime, KeySchema, optionalText, PageParams, repeatable, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

/** Most alerts of a response to a request without `limit` and `cursor`. */
export const alertsPerListMax = 2 * pageSizeMax

/** How the statuses are called in documents. */
export const alertStatusNames = {
  triggered: "Triggered",
  resolved: "Resolved",
  canceled: "Canceled",
} as const

/** Why an alert was closed, as its document says. */
export const resolutionReasons = {
  resolved: "AlertResolved",
  policy_changed: "AlertCanceledAlertPolicyHasChanged",
  slo_changed: "AlertCanceledSLOHasChanged",
  window_ended: "AlertCanceledNewCalendarAlignedTimeWindow",
  detached: "AlertCanceledAlertPolicyDetached",
  deleted: "AlertCanceledObjectDeleted",
} as const satisfies Readonly<Record<CancelReason | "resolved", string>>

const namedKey = Schema.Struct({
  name: Schema.String,
  displayName: Schema.optionalKey(Schema.String),
  project: Schema.String,
})

const condition = Schema.Struct({
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

/** What a condition measured. */
const measured = {
  condition: Schema.String,
  measurement: Schema.String.annotate({ description: "As in the alert policy" }),
  isMet: Schema.Boolean,
  reason: Schema.optionalKey(Schema.Literals(unmetReasons).annotate({ description: "Why it is not met" })),
  detail: Schema.String.annotate({ description: "What was measured, and what is required" }),
  value: Schema.optionalKey(
    Schema.Finite.annotate({
      description:
        "What was measured: a rate, a fraction, a number of events, or milliseconds. Omitted without data and for a time without end",
    }),
  ),
  threshold: Schema.Finite.annotate({ description: "What the value is compared with" }),
  good: Schema.Finite.annotate({ description: "Good events in the range" }),
  total: Schema.Finite.annotate({ description: "Events in the range" }),
}

const rangeStart = "Start of the most recent range that it measures"
const rangeEnd = "End of that range"
const measuredThen = { ...measured, from: time(rangeStart), to: time(rangeEnd) }

const groupsOf = <const F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Array(Schema.Struct({ isMet: Schema.Boolean, conditions: Schema.Array(Schema.Struct(fields)) }))

/** What the conditions of an alert policy measured, by group. */
export const conditionGroups = groupsOf(measuredThen)

const target = Schema.Finite.annotate({ description: "Target of the objective when the alert triggered" })

/** An alert as `GET /api/alerts` returns it. */
export const alertDocument = Schema.Struct({
  apiVersion: Schema.String.annotate({ description: "<vendor_prefix>/v1alpha" }),
  kind: Schema.Literal("Alert"),
  metadata: Schema.Struct({
    name: Schema.String.annotate({ description: "ID of the alert" }),
    project: Schema.String.annotate({ description: "Project of the SLO" }),
  }),
  spec: Schema.Struct({
    alertPolicy: Schema.optionalKey(namedKey),
    slo: namedKey,
    service: Schema.optionalKey(namedKey),
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
    status: Schema.Literals(Object.values(alertStatusNames)),
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
    conditions: Schema.Array(condition).annotate({
      description:
        "The conditions that were met, as the alert policy had them then. Empty if an external alert source sent texts",
    }),
    conditionTexts: Schema.Array(Schema.String).annotate({
      description: "The conditions in words, as in notifications",
    }),
    evidence: Schema.optionalKey(
      Schema.Struct({
        target,
        conditionGroups: groupsOf({ ...measured, from: dateTime(rangeStart), to: dateTime(rangeEnd) }),
      }).annotate({
        description:
          "What each condition of the policy measured when the alert triggered; later counts and budget adjustments do not change it. Omitted for external alerts, alerts about missing data, and alerts of earlier versions",
      }),
    ),
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

/** The evidence of an alert, and what is measured of the same minutes now. */
export const alertEvidence = Schema.Struct({
  triggeredAt: time("When the alert triggered"),
  target: Schema.optionalKey(target),
  isChanged: Schema.Boolean.annotate({
    description:
      "Whether the events of these minutes are different now, because of later counts or budget adjustments",
  }),
  adjustments: Schema.Array(
    Schema.Struct({
      ...KeySchema.fields,
      reason: optionalText("The reason for the adjustment"),
    }),
  ).annotate({
    description: "If the events are different: the budget adjustments that apply to these minutes",
  }),
  conditionGroups: groupsOf({
    ...measuredThen,
    now: Schema.optionalKey(
      Schema.Struct({
        good: Schema.Finite,
        total: Schema.Finite,
        value: Schema.optionalKey(
          Schema.Finite.annotate({ description: "The burn rate, if the condition measures one" }),
        ),
      }).annotate({
        description:
          "The same minutes, as far as they had counts then, according to the current counts and budget adjustments. Omitted if the SLO has been deleted",
      }),
    ),
  }).annotate({ description: "As `spec.evidence` of the alert; empty without evidence" }),
}).annotate({ identifier: "AlertEvidence" })

/** The JSON of `alertEvidence`. */
export type AlertEvidence = (typeof alertEvidence)["Encoded"]

/** What became of a reported alert, with the deliveries of its notifications. */
export const alertReceipt = Schema.Struct({
  alertId: Schema.String,
  deliveries: Schema.Array(Schema.Struct({ id: Schema.String, alertMethod: KeySchema })),
}).annotate({ identifier: "AlertReceipt" })

/** Why conditions that are met trigger no alert. */
export const holdReason = Schema.Literals(holdReasons).annotate({
  description:
    "`past_changed`: the conditions rely on changes to past minutes; `counts_old`: the latest counts are more than an hour old; `source_behind`: the data source is not fully read yet",
})

/** Why conditions that are met trigger no alert, as a sentence. */
export const holdDetail = Schema.String.annotate({ description: "The reason as a sentence" })

/** An alert that does not trigger although its conditions are met, with the reason. */
export const heldAlert = Schema.Struct({
  slo: KeySchema,
  objective: Schema.optionalKey(Schema.String.annotate({ description: "Absent for the legacy composite" })),
  alertPolicy: KeySchema,
  since: time("Since when conditions are met without triggering the alert"),
  reason: holdReason,
  detail: holdDetail,
}).annotate({ identifier: "HeldAlert" })

/** The response of `GET /api/alerts/held`. */
export const heldAlerts = Schema.Struct({
  data: Schema.Array(heldAlert).annotate({
    description: `As of the latest evaluation, sorted by project, SLO, alert policy and objective; of at most ${heldSlosMax} SLOs`,
  }),
  hasMore: Schema.Boolean.annotate({ description: "Whether more SLOs have held alerts" }),
}).annotate({ identifier: "HeldAlerts" })

/** An alert as the API returns it. */
export type AlertDocument = (typeof alertDocument)["Encoded"]

/** The JSON of `heldAlert`. */
export type HeldAlert = (typeof heldAlert)["Encoded"]

/** Alerts, triggered by SLOs or by other systems. */
export const alerts = resource("Alerts", {
  receiveAlert: {
    method: "POST",
    path: "/api/alerts",
    role: "editor",
    headers: {
      "idempotency-key": Schema.optionalKey(
        Schema.String.annotate({
          description: `At most ${idempotencyKeyMaxCharacters} visible ASCII characters; valid for ${idempotencyKeyLifetimeMs / 3_600_000} h`,
        }).check(Schema.isMaxLength(idempotencyKeyMaxCharacters), Schema.isPattern(/^[!-~]+$/u)),
      ),
    },
    body: alertRequest,
    // The key is that of the JSON.
    bodyAs: "json",
    success: {
      202: alertReceipt.annotate({ description: "The alert changed; notifications are being sent" }),
      200: alertReceipt.annotate({ description: "The alert already has this status" }),
    },
    errors: [404, 409],
    summary: "Trigger or resolve an alert",
    description: "Notifies the alert methods of the alert policy, or those listed in alertMethods.",
  },
  acknowledgeAlert: {
    method: "POST",
    path: "/api/alerts/:id/acknowledge",
    role: "editor",
    body: acknowledgementRequest,
    isBodyOptional: true,
    invalidBody: "Invalid acknowledgement",
    success: alertDocument,
    errors: [404, 409],
    summary: "Acknowledge an open alert",
    description:
      "The alert is not sent again and does not escalate. A repeated request returns the first acknowledgement.",
  },
  listAlerts: {
    method: "GET",
    path: "/api/get/alert",
    headers: { project: optionalText("Project of the SLO, or * for all projects. Default: default") },
    query: {
      name: repeatable(Schema.String, "ID of an alert. Can be repeated"),
      slo: repeatable(Schema.String),
      objective: repeatable(Schema.String),
      objective_value: repeatable(Schema.Finite, "Threshold of the objective. Can be repeated"),
      service_name: repeatable(Schema.String),
      alertPolicy: repeatable(Schema.String),
      severity: repeatable(Schema.Literals(severities)),
      status: repeatable(Schema.Literals(alertStatuses)),
      from: Schema.optionalKey(dateTime("Open at this time or later")),
      to: Schema.optionalKey(dateTime("Triggered before this time")),
      limit: PageParams.fields.limit,
      cursor: optionalText("The cursor of the next link in the Link header"),
    },
    isQueryOpen: true,
    success: Schema.Array(alertDocument),
    isRaw: true,
    isYaml: true,
    responseHeaders: ["Link", "Truncated-Limit-Max"],
    errors: [429],
    summary: "List alerts",
    description: `Returns the alerts that triggered last first: a page with limit or cursor, otherwise at most ${alertsPerListMax}. If there are more, the Link header has the next page, and if limit and cursor are omitted, the Truncated-Limit-Max header has the number of alerts returned. Set Accept to application/yaml for YAML.`,
  },
  readEvidence: {
    method: "GET",
    path: "/api/alerts/:id/evidence",
    policy: seriesPolicy,
    success: alertEvidence,
    errors: [404],
    summary: "Retrieve the evidence of an alert",
    description: `Returns what each condition of the alert policy measured when the alert triggered, and what the same minutes contain now. Shares the limit of ${seriesPerSecond} requests per second and organization with the time series.`,
  },
  listHeldAlerts: {
    method: "GET",
    path: "/api/alerts/held",
    headers: { project: optionalText("Project of the SLO, or * for all projects. Default: default") },
    query: { slo: optionalText("Name of an SLO. Default: all SLOs") },
    success: heldAlerts,
    summary: "List held alerts",
    description:
      "Returns the alerts that do not trigger although conditions of their policies are met: because they rely on changes to past minutes (late counts, budget adjustments), the latest counts are old, or the data source is not fully read yet.",
  },
})
