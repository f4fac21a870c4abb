import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { endpoint } from "../frame/OpenApiDocument.ts"
import { alertStatuses } from "@tocsin/domain/internal/alerting/Alert"
import { alertOrders } from "@tocsin/domain/internal/alerting/ListAlerts"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader, projectHeader } from "../access/BearerAccess.ts"
import { alertRequest } from "@tocsin/domain/internal/intake/DecodeAlert"
import { AlertReceiptSchema, AlertSchema } from "./AlertSchema.ts"
import { organizationErrors, Conflict, bodyErrors, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import { idempotencyKeyMaxCharacters } from "@tocsin/domain/internal/intake/IdempotencyKey"
import { idempotencyKeyLifetimeMs } from "@tocsin/domain/internal/alerting/AlertStore"
import { dateTime, IdParam, optionalText, PageParams, repeatable } from "../frame/ParameterSchema.ts"
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
      error: [...organizationErrors, NotFound, Conflict, ...bodyErrors, TooManyRequests],
      summary: "Trigger or resolve an alert",
      description:
        "Notifies the alert methods of the alert policy, or those listed in alertMethods. Requires the role editor.",
      example: examples.receiveAlert,
    }),
    endpoint.post("acknowledgeAlert", "/api/alerts/:id/acknowledge", {
      params: IdParam,
      headers: OrganizationHeader,
      success: AlertSchema,
      error: [...organizationErrors, NotFound, Conflict, TooManyRequests],
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
        alertPolicy: repeatable(Schema.String),
        state: repeatable(Schema.Literals(alertStatuses)),
        triggered: optionalText("true adds the state triggered"),
        resolved: optionalText("true adds the states resolved and canceled"),
        from: Schema.optionalKey(dateTime("Triggered at or after this time")),
        to: Schema.optionalKey(dateTime("Triggered before this time")),
        order: Schema.optionalKey(
          Schema.Literals(alertOrders).annotate({
            description: "newest: by trigger time, latest first. Default: by ID",
          }),
        ),
        limit: PageParams.fields.limit,
        cursor: optionalText("The cursor of the next link in the header Link"),
      }),
      success: Schema.Array(AlertSchema),
      error: [...organizationErrors, TooManyRequests],
      summary: "List alerts",
      description:
        "Returns all alerts, or a page with limit or cursor; the header Link then has the next page. Set Accept to application/yaml for YAML.",
      responseHeaders: ["Link"],
      isYaml: true,
      example: examples.listAlerts,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Alerts")
