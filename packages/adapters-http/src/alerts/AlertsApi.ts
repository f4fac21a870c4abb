import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  endpoint,
  BearerAccess,
  OrganizationHeader,
  projectHeader,
  organizationErrors,
  Conflict,
  bodyErrors,
  NotFound,
  TooManyRequests,
  dateTime,
  IdParam,
  optionalText,
  PageParams,
  repeatable,
} from "@tocsin/api/openapi"
import { acknowledgementRequest, alertRequest, alertStatuses, severities } from "@tocsin/domain"
import { idempotencyKeyMaxCharacters } from "@tocsin/domain/limits"
import { idempotencyKeyLifetimeMs } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import { alertsPerListMax } from "./AlertDocuments.ts"
import { AlertReceiptSchema, AlertSchema, HeldAlertsSchema } from "./AlertSchema.ts"
import * as examples from "./AlertExamples.ts"

export const AlertsApi = HttpApiGroup.make("alerts")
  .add(
    endpoint.post("receiveAlert", "/api/alerts", {
      headers: Schema.Struct({
        ...OrganizationHeader.fields,
        "idempotency-key": Schema.optionalKey(
          Schema.String.annotate({
            description: `At most ${idempotencyKeyMaxCharacters} visible ASCII characters; valid for ${idempotencyKeyLifetimeMs / 3_600_000} h`,
          }).check(Schema.isMaxLength(idempotencyKeyMaxCharacters), Schema.isPattern(/^[!-~]+$/u)),
        ),
      }),
      payload: alertRequest.schema(),
      success: [
        AlertReceiptSchema.annotate({ description: "The alert changed; notifications are being sent" }).pipe(
          HttpApiSchema.status(202),
        ),
        AlertReceiptSchema.annotate({ description: "The alert is already in this state" }).pipe(
          HttpApiSchema.status(200),
        ),
      ],
      error: [...organizationErrors, NotFound, Conflict, ...bodyErrors],
      summary: "Trigger or resolve an alert",
      description:
        "Notifies the alert methods of the alert policy, or those listed in alertMethods. Requires the role editor.",
      example: examples.receiveAlert,
    }),
    endpoint.post("acknowledgeAlert", "/api/alerts/:id/acknowledge", {
      params: IdParam,
      headers: OrganizationHeader,
      payload: acknowledgementRequest.schema(),
      isBodyOptional: true,
      success: AlertSchema,
      error: [...organizationErrors, NotFound, Conflict, ...bodyErrors],
      summary: "Acknowledge an open alert",
      description:
        "The alert is not sent again and does not escalate. Repeated, it returns the alert with its first acknowledgement. Requires the role editor.",
      example: examples.acknowledgeAlert,
    }),
    endpoint.get("listAlerts", "/api/get/alert", {
      headers: projectHeader("Project of the SLO, or * for all projects. Default: default"),
      query: Schema.Struct({
        name: repeatable(Schema.String, "ID of an alert. Can be repeated"),
        slo: repeatable(Schema.String),
        objective: repeatable(Schema.String),
        objective_value: repeatable(Schema.Finite, "Threshold of the objective. Can be repeated"),
        service_name: repeatable(Schema.String),
        alertPolicy: repeatable(Schema.String, "Also accepted as alert_policy. Can be repeated"),
        severity: repeatable(Schema.Literals(severities)),
        state: repeatable(Schema.Literals(alertStatuses)),
        triggered: optionalText("true adds the state triggered"),
        resolved: optionalText("true adds the states resolved and canceled"),
        from: Schema.optionalKey(dateTime("Open at this time or later")),
        to: Schema.optionalKey(dateTime("Triggered before this time")),
        limit: PageParams.fields.limit,
        cursor: optionalText("The cursor of the next link in the header Link"),
      }),
      success: Schema.Array(AlertSchema),
      error: [...organizationErrors, TooManyRequests],
      summary: "List alerts",
      description: `Returns the alerts that triggered last first: a page with limit or cursor, otherwise at most ${alertsPerListMax}. If there are more, the header Link has the next page, and without limit and cursor the header Truncated-Limit-Max has the number of alerts returned. Set Accept to application/yaml for YAML.`,
      responseHeaders: ["Link", "Truncated-Limit-Max"],
      isYaml: true,
      isQueryOpen: true,
      example: examples.listAlerts,
    }),
    endpoint.get("listHeldAlerts", "/api/alerts/held", {
      headers: projectHeader("Project of the SLO, or * for all projects. Default: default"),
      query: Schema.Struct({ slo: optionalText("Name of an SLO. Default: all SLOs") }),
      success: HeldAlertsSchema,
      error: [...organizationErrors],
      summary: "List held alerts",
      description:
        "Returns the alerts that do not trigger although conditions of their policies are met: because only changes of past minutes (late counts, budget adjustments) meet them, the latest counts are old, or the data source was not read to the present.",
      example: examples.listHeldAlerts,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Alerts")
