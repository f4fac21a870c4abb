import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { alertmanagerLabels } from "@tocsin/domain/intake/AlertmanagerGroup"
import { Limits } from "@tocsin/domain/Limits"
import * as Schema from "effect/Schema"
import { ClientAccess } from "../access/BearerAccess.ts"
import { AlertReceiptSchema } from "./AlertSchema.ts"
import { organizationErrors, bodyErrors, TooManyRequests } from "../frame/ErrorSchema.ts"

const dateTime = Schema.String.annotate({ format: "date-time" })
const texts = Schema.Record(Schema.String, Schema.String)
const { slo, project, objective, alertPolicy, alertMethods, severity } = alertmanagerLabels

const url = Schema.optionalKey(Schema.String)

/** Alertmanager sends every property; those that are optional here are ignored. */
const GroupSchema = Schema.Struct({
  version: Schema.Literal("4"),
  alerts: Schema.Array(
    Schema.Struct({
      status: Schema.Literals(["firing", "resolved"]),
      labels: texts.annotate({
        description: `${slo} names the SLO, ${project} its project (default: default), ${objective} an objective; ${alertPolicy} and ${alertMethods} (comma-separated) name the recipients, as name or project/name; ${severity} is a severity of Tocsin or a common synonym`,
      }),
      annotations: Schema.optionalKey(
        texts.annotate({ description: "summary and description become the conditions" }),
      ),
      startsAt: dateTime,
      endsAt: Schema.optionalKey(
        dateTime.annotate({ description: "0001-01-01T00:00:00Z while the alert is firing" }),
      ),
      generatorURL: url,
      fingerprint: Schema.String,
    }),
  ).check(Schema.isMaxLength(Limits.alertsPerGroupMax)),
  truncatedAlerts: Schema.optionalKey(Schema.Finite),
  groupKey: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Literals(["firing", "resolved"])),
  receiver: Schema.optionalKey(Schema.String),
  groupLabels: Schema.optionalKey(texts),
  commonLabels: Schema.optionalKey(texts),
  commonAnnotations: Schema.optionalKey(texts),
  externalURL: url,
}).annotate({
  identifier: "AlertmanagerGroup",
  description: "The webhook payload of Alertmanager, version 4",
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
      error: [...organizationErrors, ...bodyErrors, TooManyRequests],
    })
      .annotate(OpenApi.Summary, "Take a group of alerts from Prometheus Alertmanager")
      .annotate(
        OpenApi.Description,
        "Each alert triggers or resolves one here; sent again it rings nobody. Alerts that hold are taken whatever is wrong with others; 400 when nothing could be taken. Needs the role editor.",
      ),
  )
  .middleware(ClientAccess)
  .annotate(OpenApi.Title, "Alertmanager")
