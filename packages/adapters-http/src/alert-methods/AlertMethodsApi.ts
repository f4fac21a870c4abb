import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  endpoint,
  BearerAccess,
  OrganizationHeader,
  projectHeader,
  organizationErrors,
  bodyErrors,
  NotFound,
  TooManyRequests,
} from "@tocsin/api/openapi"
import * as Schema from "effect/Schema"
import { alertMethod, alertMethodTestRequest } from "@tocsin/domain"
import {
  proposedMethodTestsPerWindow,
  proposedMethodTestWindowMs,
  testIntervalMs,
} from "@tocsin/domain/limits"
import { HealthSchema, PreviewSchema, TestSchema } from "./AlertMethodSchema.ts"
import * as examples from "./AlertMethodExamples.ts"

const NameParam = Schema.Struct({ name: Schema.String })

const ProjectHeader = projectHeader("Project of the alert method. Default: default")

export const AlertMethodsApi = HttpApiGroup.make("alertMethods")
  .add(
    endpoint.post("previewAlertMethod", "/api/alertmethods/preview", {
      headers: OrganizationHeader,
      payload: alertMethod.schema(),
      success: PreviewSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Preview a notification",
      description:
        "Renders the request that an alert method would send, with sample values. Nothing is stored, sent or signed.",
      isYaml: true,
      example: examples.previewAlertMethod,
    }),
    endpoint.post("testProposedAlertMethod", "/api/alertmethods/test", {
      headers: OrganizationHeader,
      payload: alertMethodTestRequest.schema(),
      success: TestSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Test an alert method that need not be stored",
      description: `Sends a signed notification with sample values, in one attempt. Nothing is stored or logged. At most ${proposedMethodTestsPerWindow} tests per organization in ${proposedMethodTestWindowMs / 1000} s. Requires the role editor.`,
      example: examples.testProposedAlertMethod,
    }),
    endpoint.post("testAlertMethod", "/api/alertmethods/:name/test", {
      params: NameParam,
      headers: ProjectHeader,
      success: TestSchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "Send a test notification",
      description: `Sends a signed notification with sample values, in one attempt, which the delivery log has with the event test. At most one test per alert method in ${testIntervalMs / 1000} s. Requires the role editor.`,
      example: examples.testAlertMethod,
    }),
    endpoint.get("findAlertMethodHealth", "/api/alertmethods/:name/health", {
      params: NameParam,
      headers: ProjectHeader,
      success: HealthSchema,
      error: [...organizationErrors, NotFound],
      summary: "Retrieve the health of an alert method",
      description: "Returns recent failures, and whether deliveries are paused or disabled.",
      example: examples.findAlertMethodHealth,
    }),
    endpoint.post("enableAlertMethod", "/api/alertmethods/:name/enable", {
      params: NameParam,
      headers: ProjectHeader,
      success: HealthSchema,
      error: [...organizationErrors, NotFound],
      summary: "Enable an alert method",
      description: "Enables an alert method that was disabled after failures. Requires the role editor.",
      example: examples.enableAlertMethod,
    }),
    endpoint.post("pauseAlertMethod", "/api/alertmethods/:name/pause", {
      params: NameParam,
      headers: ProjectHeader,
      success: HealthSchema,
      error: [...organizationErrors, NotFound],
      summary: "Pause an alert method",
      description:
        "Deliveries wait until the alert method is resumed. Attempts in flight are completed; inFlight is 0 after the last one. Requires the role editor.",
      example: examples.pauseAlertMethod,
    }),
    endpoint.post("resumeAlertMethod", "/api/alertmethods/:name/resume", {
      params: NameParam,
      headers: ProjectHeader,
      success: HealthSchema,
      error: [...organizationErrors, NotFound],
      summary: "Resume an alert method",
      description: "Sends the deliveries that were waiting. Requires the role editor.",
      example: examples.resumeAlertMethod,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Alert methods")
