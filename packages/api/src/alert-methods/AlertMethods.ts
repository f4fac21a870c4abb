import { alertMethod, alertMethodTestRequest } from "@tocsin/domain"
import {
  proposedMethodTestsPerWindow,
  proposedMethodTestWindowMs,
  testIntervalMs,
} from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { attempt } from "../deliveries/Deliveries.ts"
import { count, headerList, optionalText, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { warnings } from "../operation/Warnings.ts"

/** The outcome of a test of an alert method: what was sent, and what the receiver responded. */
export const alertMethodTest = Schema.Struct({
  deliveryId: optionalText(
    "ID of the delivery in the delivery log; absent for an alert method that is not stored",
  ),
  message: Schema.Literals(["Test completed successfully!", "Test failed"]),
  detail: optionalText("Why the test failed; absent if it succeeded"),
  attempt,
  request: Schema.optionalKey(
    Schema.Struct({ method: Schema.Literal("POST"), headers: headerList(), body: Schema.String }).annotate({
      description: "The request that was sent, with secrets hidden; absent if no request was sent",
    }),
  ),
  warnings,
}).annotate({ identifier: "AlertMethodTest" })

/** The JSON of `alertMethodTest`. */
export type AlertMethodTest = (typeof alertMethodTest)["Encoded"]

const preview = Schema.Struct({
  body: Schema.String,
  headers: headerList(),
  signatureBase: Schema.String,
  warnings,
}).annotate({ identifier: "AlertMethodPreview" })

/** The status of an alert method: active, paused, blocked or disabled, with the reason and the times. */
export const alertMethodHealth = Schema.Struct({
  isDisabled: Schema.Boolean,
  disabledAt: Schema.optionalKey(time("When the alert method was disabled")),
  disabledBecause: Schema.optionalKey(
    Schema.Literals(["gone", "failing"]).annotate({
      description: "gone: the receiver responded with 410; failing: it failed for too long",
    }),
  ),
  failures: count.annotate({ description: "Failed attempts since the latest success" }),
  failingSince: Schema.optionalKey(time("When the first of these attempts ended")),
  lastSuccessAt: Schema.optionalKey(time("When an attempt last succeeded; may be up to a minute too early")),
  circuitOpenUntil: Schema.optionalKey(
    time("The circuit breaker is open: no attempt starts before this time"),
  ),
  isPaused: Schema.Boolean.annotate({ description: "Whether deliveries of the alert method are paused" }),
  inFlight: count.annotate({ description: "Number of deliveries in flight" }),
  isAllPaused: Schema.Boolean.annotate({ description: "Whether the operator paused all deliveries" }),
}).annotate({ identifier: "AlertMethodHealth" })

/** The JSON of `alertMethodHealth`. */
export type AlertMethodHealth = (typeof alertMethodHealth)["Encoded"]

const headers = { project: optionalText("Project of the alert method. Default: default") }

/** Alert methods: their tests, previews and health. */
export const alertMethods = resource("Alert methods", {
  previewAlertMethod: {
    method: "POST",
    path: "/api/alertmethods/preview",
    body: alertMethod,
    bodyAs: "unread",
    isYaml: true,
    success: preview,
    summary: "Preview a notification",
    description:
      "Renders the request that an alert method would send, with sample values. Nothing is stored, sent or signed.",
  },
  testProposedAlertMethod: {
    method: "POST",
    path: "/api/alertmethods/test",
    role: "editor",
    body: alertMethodTestRequest,
    bodyAs: "json",
    success: alertMethodTest,
    summary: "Test an alert method that need not be stored",
    description: `Sends a signed notification with sample values, in one attempt. Nothing is stored or logged. At most ${proposedMethodTestsPerWindow} tests per organization in ${proposedMethodTestWindowMs / 1000} s.`,
  },
  testAlertMethod: {
    method: "POST",
    path: "/api/alertmethods/:name/test",
    role: "editor",
    headers,
    success: alertMethodTest,
    errors: [404, 429],
    summary: "Send a test notification",
    description: `Sends a signed notification with sample values, in one attempt, which the delivery log lists with the test event. At most one test per alert method in ${testIntervalMs / 1000} s.`,
  },
  findAlertMethodHealth: {
    method: "GET",
    path: "/api/alertmethods/:name/health",
    headers,
    success: alertMethodHealth,
    errors: [404],
    summary: "Retrieve the health of an alert method",
    description: "Returns recent failures, and whether deliveries are paused or disabled.",
  },
  enableAlertMethod: {
    method: "POST",
    path: "/api/alertmethods/:name/enable",
    role: "editor",
    headers,
    success: alertMethodHealth,
    errors: [404],
    summary: "Enable an alert method",
    description: "Enables an alert method that was disabled after failures.",
  },
  pauseAlertMethod: {
    method: "POST",
    path: "/api/alertmethods/:name/pause",
    role: "editor",
    headers,
    success: alertMethodHealth,
    errors: [404],
    summary: "Pause an alert method",
    description:
      "Deliveries wait until the alert method is resumed. Attempts in flight are completed; inFlight is 0 after the last one.",
  },
  resumeAlertMethod: {
    method: "POST",
    path: "/api/alertmethods/:name/resume",
    role: "editor",
    headers,
    success: alertMethodHealth,
    errors: [404],
    summary: "Resume an alert method",
    description: "Sends the deliveries that were waiting.",
  },
})
