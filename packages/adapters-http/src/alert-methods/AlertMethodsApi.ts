import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { withContent } from "../frame/OpenApiDocument.ts"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { alertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import { HealthSchema, PreviewSchema, TestSchema } from "./AlertMethodSchema.ts"
import { organizationErrors, bodyErrors, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import { testIntervalMs } from "@tocsin/domain/notification/SampleNotification"

const NameParam = Schema.Struct({ name: Schema.String })

const ProjectHeader = Schema.Struct({
  ...OrganizationHeader.fields,
  project: Schema.optionalKey(
    Schema.String.annotate({ description: "The project of the alert method; default: default" }),
  ),
})

export const AlertMethodsApi = HttpApiGroup.make("alertMethods")
  .add(
    HttpApiEndpoint.post("previewAlertMethod", "/api/alertmethods/preview", {
      headers: OrganizationHeader,
      payload: alertMethod.schema(),
      success: PreviewSchema,
      error: [...organizationErrors, ...bodyErrors],
    })
      .annotateMerge(withContent({ isYaml: true }))
      .annotate(OpenApi.Summary, "Show what an alert method would send")
      .annotate(
        OpenApi.Description,
        "One definition in JSON or YAML, with sample values. Nothing is stored, sent or signed.",
      ),
  )
  .add(
    HttpApiEndpoint.post("testAlertMethod", "/api/alertmethods/:name/test", {
      params: NameParam,
      headers: ProjectHeader,
      success: TestSchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
    })
      .annotate(OpenApi.Summary, "Send a test notification")
      .annotate(
        OpenApi.Description,
        `The way every notification goes, once. At most one per alert method in ${testIntervalMs / 1000} s. Needs the role editor.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("findAlertMethodHealth", "/api/alertmethods/:name/health", {
      params: NameParam,
      headers: ProjectHeader,
      success: HealthSchema,
      error: [...organizationErrors, NotFound],
    }).annotate(OpenApi.Summary, "Read how the receiver has answered, and what is paused"),
  )
  .add(
    HttpApiEndpoint.post("enableAlertMethod", "/api/alertmethods/:name/enable", {
      params: NameParam,
      headers: ProjectHeader,
      success: HealthSchema,
      error: [...organizationErrors, NotFound],
    })
      .annotate(OpenApi.Summary, "Enable a disabled alert method again")
      .annotate(OpenApi.Description, "Needs the role editor."),
  )
  .add(
    HttpApiEndpoint.post("pauseAlertMethod", "/api/alertmethods/:name/pause", {
      params: NameParam,
      headers: ProjectHeader,
      success: HealthSchema,
      error: [...organizationErrors, NotFound],
    })
      .annotate(OpenApi.Summary, "Pause the deliveries of an alert method")
      .annotate(
        OpenApi.Description,
        "Deliveries wait until the alert method is resumed. Attempts in flight are completed; inFlight is 0 after the last one. Needs the role editor.",
      ),
  )
  .add(
    HttpApiEndpoint.post("resumeAlertMethod", "/api/alertmethods/:name/resume", {
      params: NameParam,
      headers: ProjectHeader,
      success: HealthSchema,
      error: [...organizationErrors, NotFound],
    })
      .annotate(OpenApi.Summary, "Resume the deliveries of an alert method")
      .annotate(OpenApi.Description, "Needs the role editor."),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Alert methods")
