import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { withContent } from "../frame/OpenApiDocument.ts"
import { alertStatuses } from "@tocsin/domain/alerting/Alert"
import { alertOrders } from "@tocsin/domain/alerting/ListAlerts"
import * as Schema from "effect/Schema"
import { AlertSchema } from "./AlertSchema.ts"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { alertRequest } from "@tocsin/domain/intake/DecodeAlert"
import { AlertReceiptSchema } from "./AlertSchema.ts"
import { organizationErrors, Conflict, bodyErrors, NotFound } from "../frame/ErrorSchema.ts"
import { idempotencyKeyMaxCharacters } from "@tocsin/domain/intake/IdempotencyKey"
import { idempotencyKeyLifetimeMs } from "@tocsin/domain/alerting/AlertStore"
import { pageSizeMax } from "@tocsin/domain/pagination/Page"

const mayRepeat = Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "May be repeated" }))

const AlertStatus = Schema.Literals(alertStatuses)

export const AlertsApi = HttpApiGroup.make("alerts")
  .add(
    HttpApiEndpoint.post("receiveAlert", "/api/alerts", {
      headers: Schema.Struct({
        ...OrganizationHeader.fields,
        "idempotency-key": Schema.optionalKey(
          Schema.String.annotate({
            description: `At most ${idempotencyKeyMaxCharacters} visible ASCII characters; remembered for ${idempotencyKeyLifetimeMs / 3_600_000} h`,
          }),
        ),
      }),
      payload: alertRequest.schema(),
      success: [
        AlertReceiptSchema.annotate({ description: "Stored; it is being sent" }).pipe(
          HttpApiSchema.status(202),
        ),
        AlertReceiptSchema.annotate({ description: "Already in this state; no notification is sent" }).pipe(
          HttpApiSchema.status(200),
        ),
      ],
      error: [...organizationErrors, NotFound, Conflict, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Trigger or resolve an alert")
      .annotate(
        OpenApi.Description,
        "Notifies the alert methods of the policy, or those listed. Needs the role editor.",
      ),
  )
  .add(
    HttpApiEndpoint.get("listAlerts", "/api/get/alert", {
      headers: Schema.Struct({
        ...OrganizationHeader.fields,
        project: Schema.optionalKey(
          Schema.String.annotate({
            description: "The project of the SLO, or * for all; default: default",
          }),
        ),
      }),
      query: Schema.Struct({
        name: mayRepeat,
        slo: mayRepeat,
        objective: mayRepeat,
        alertPolicy: mayRepeat,
        state: Schema.optionalKey(
          Schema.Array(AlertStatus).annotate({
            description: "May be repeated",
          }),
        ),
        from: Schema.optionalKey(Schema.String.annotate({ description: "Triggered from then on, in UTC" })),
        to: Schema.optionalKey(Schema.String.annotate({ description: "Triggered before then, in UTC" })),
        order: Schema.optionalKey(
          Schema.Literals(alertOrders).annotate({
            description: "Those that triggered last first, instead of by ID",
          }),
        ),
        limit: Schema.optionalKey(
          Schema.FiniteFromString.annotate({
            description: `At most ${pageSizeMax}: a page, with a link to the next one in the header Link`,
          }),
        ),
        cursor: Schema.optionalKey(Schema.String.annotate({ description: "From the header Link" })),
      }),
      success: Schema.Array(AlertSchema),
      error: [...organizationErrors],
    })
      .annotateMerge(withContent({ headers: ["Link"], isYaml: true }))
      .annotate(OpenApi.Summary, "Read alerts")
      .annotate(
        OpenApi.Description,
        "Those of alert policies, and those from outside, by ID unless order says otherwise. JSON, or YAML by Accept. All of them without limit and cursor.",
      ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Alerts")
