import * as Schema from "effect/Schema"
import { AttemptSchema } from "../deliveries/DeliverySchema.ts"
import { dateTime } from "../frame/ParameterSchema.ts"

const headers = Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))

export const TestSchema = Schema.Struct({
  message: Schema.Literals(["Test completed successfully!", "Test failed"]),
  detail: Schema.optionalKey(
    Schema.String.annotate({ description: "What is wrong; absent after a success" }),
  ),
  attempt: AttemptSchema,
  request: Schema.optionalKey(
    Schema.Struct({ method: Schema.Literal("POST"), headers, body: Schema.String }).annotate({
      description: "What was sent, with secrets hidden; absent when nothing was",
    }),
  ),
}).annotate({ identifier: "AlertMethodTest" })

export const PreviewSchema = Schema.Struct({
  body: Schema.String,
  headers,
  signatureBase: Schema.String,
}).annotate({ identifier: "AlertMethodPreview" })

/** How a receiver has answered, and what is paused. Source: spec/delivery §9. */
export const HealthSchema = Schema.Struct({
  isDisabled: Schema.Boolean,
  disabledAt: Schema.optionalKey(dateTime("Since when it is disabled")),
  disabledBecause: Schema.optionalKey(
    Schema.Literals(["gone", "failing"]).annotate({ description: "It answered 410, or failed for too long" }),
  ),
  failures: Schema.Finite.annotate({ description: "Failed attempts since the latest success" }),
  failingSince: Schema.optionalKey(dateTime("When the first of them ended")),
  lastSuccessAt: Schema.optionalKey(dateTime("When the latest success was")),
  circuitOpenUntil: Schema.optionalKey(dateTime("Until when nothing is sent, after failures in a row")),
  isPaused: Schema.Boolean.annotate({ description: "An editor paused it" }),
  inFlight: Schema.Finite.annotate({ description: "Number of its deliveries in flight" }),
  isAllPaused: Schema.Boolean.annotate({ description: "The operator paused all deliveries" }),
}).annotate({ identifier: "AlertMethodHealth" })
