import * as Schema from "effect/Schema"
import { AttemptSchema } from "../deliveries/DeliverySchema.ts"
import { count, dateTime, optionalText, warnings } from "@tocsin/api/openapi"

const headers = Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))

/** The outcome of a test of an alert method: what was sent, and what the receiver responded. */
export const TestSchema = Schema.Struct({
  deliveryId: optionalText(
    "ID of the delivery in the delivery log; absent for an alert method that is not stored",
  ),
  message: Schema.Literals(["Test completed successfully!", "Test failed"]),
  detail: optionalText("Why the test failed; absent if it succeeded"),
  attempt: AttemptSchema,
  request: Schema.optionalKey(
    Schema.Struct({ method: Schema.Literal("POST"), headers, body: Schema.String }).annotate({
      description: "The request that was sent, with secrets hidden; absent if no request was sent",
    }),
  ),
  warnings,
}).annotate({ identifier: "AlertMethodTest" })

/** A rendered notification, as the preview of an alert method returns it. */
export const PreviewSchema = Schema.Struct({
  body: Schema.String,
  headers,
  signatureBase: Schema.String,
  warnings,
}).annotate({ identifier: "AlertMethodPreview" })

/** The state of an alert method as it is returned: active, paused, blocked or disabled, with the reason and the times. */
export const HealthSchema = Schema.Struct({
  isDisabled: Schema.Boolean,
  disabledAt: Schema.optionalKey(dateTime("When the alert method was disabled")),
  disabledBecause: Schema.optionalKey(
    Schema.Literals(["gone", "failing"]).annotate({
      description: "gone: the receiver responded with 410; failing: it failed for too long",
    }),
  ),
  failures: count.annotate({ description: "Failed attempts since the latest success" }),
  failingSince: Schema.optionalKey(dateTime("When the first of these attempts ended")),
  lastSuccessAt: Schema.optionalKey(dateTime("When the latest attempt succeeded")),
  circuitOpenUntil: Schema.optionalKey(
    dateTime("The circuit breaker is open: no attempt starts before this time"),
  ),
  isPaused: Schema.Boolean.annotate({ description: "Whether deliveries of the alert method are paused" }),
  inFlight: count.annotate({ description: "Number of deliveries in flight" }),
  isAllPaused: Schema.Boolean.annotate({ description: "Whether the operator paused all deliveries" }),
}).annotate({ identifier: "AlertMethodHealth" })
