import { deliveryStates } from "@tocsin/domain/internal/delivery/Delivery"
import { failureReasons } from "@tocsin/domain/internal/notification/FailureReason"
import { notificationEvents } from "@tocsin/domain/internal/notification/Notification"
import * as Schema from "effect/Schema"
import { count, dateTime, KeySchema, optionalText } from "../frame/ParameterSchema.ts"
import { responseBodyKeptMaxBytes } from "@tocsin/domain/internal/notification/SecretMask"

const delivery = {
  id: Schema.String.annotate({
    description: "ID of the delivery, sent as Notification-Id with every attempt",
  }),
  alertMethod: KeySchema,
  state: Schema.Literals(deliveryStates),
  event: Schema.Literals(notificationEvents),
  alertId: Schema.optionalKey(Schema.String.annotate({ description: "Absent for silence.ending" })),
  slo: KeySchema,
  attempt: count.annotate({ description: "Number of the latest attempt" }),
  createdAt: dateTime("When the delivery was created"),
  nextAttemptAt: Schema.optionalKey(dateTime("When the next attempt is due; only if the state is pending")),
  settledAt: Schema.optionalKey(dateTime("When the state became delivered, exhausted or failed")),
}

export const DeliverySchema = Schema.Struct(delivery).annotate({ identifier: "Delivery" })

const milliseconds = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** One attempt of a delivery, or of a test. */
export const AttemptSchema = Schema.Struct({
  number: count,
  startedAt: dateTime("When the attempt started"),
  durationMs: milliseconds,
  connectMs: Schema.optionalKey(milliseconds),
  headMs: Schema.optionalKey(milliseconds),
  status: Schema.optionalKey(count.annotate({ description: "HTTP status of the response" })),
  reason: Schema.optionalKey(Schema.Literals(failureReasons)),
  detail: Schema.optionalKey(Schema.String),
  responseBody: optionalText(
    `The first bytes of the response body, at most ${responseBodyKeptMaxBytes} bytes`,
  ),
}).annotate({ identifier: "Attempt" })

export const DeliveryLogSchema = Schema.Struct({
  ...delivery,
  attempts: Schema.Array(AttemptSchema),
}).annotate({ identifier: "DeliveryLog" })
