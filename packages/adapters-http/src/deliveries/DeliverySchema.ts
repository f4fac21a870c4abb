import { deliveryStates } from "@tocsin/domain/delivery/Delivery"
import { failureReasons } from "@tocsin/domain/notification/FailureReason"
import { notificationEvents } from "@tocsin/domain/notification/Notification"
import * as Schema from "effect/Schema"
import { dateTime, KeySchema, PageLinksSchema } from "../frame/ParameterSchema.ts"
import { responseBodyKeptMaxBytes } from "@tocsin/domain/notification/SecretMask"

const delivery = {
  id: Schema.String.annotate({ description: "Also the Notification-Id of every attempt" }),
  alertMethod: KeySchema,
  state: Schema.Literals(deliveryStates),
  event: Schema.Literals(notificationEvents),
  alertId: Schema.String,
  slo: KeySchema,
  attempt: Schema.Finite.annotate({ description: "The number of the latest attempt" }),
  createdAt: dateTime("When the event was accepted"),
  nextAttemptAt: Schema.optionalKey(dateTime("While it is pending")),
  settledAt: Schema.optionalKey(dateTime("When it was delivered, exhausted or failed")),
}

/** A delivery in a list. */
export const DeliverySchema = Schema.Struct(delivery).annotate({ identifier: "Delivery" })

/** One attempt of a delivery, or of a test. */
export const AttemptSchema = Schema.Struct({
  number: Schema.Finite,
  startedAt: dateTime("When it was begun"),
  durationMs: Schema.Finite,
  connectMs: Schema.optionalKey(Schema.Finite),
  headMs: Schema.optionalKey(Schema.Finite),
  status: Schema.optionalKey(Schema.Finite),
  reason: Schema.optionalKey(Schema.Literals(failureReasons)),
  detail: Schema.optionalKey(Schema.String),
  responseBody: Schema.optionalKey(
    Schema.String.annotate({
      description: `The first bytes of the response body, at most ${responseBodyKeptMaxBytes} bytes`,
    }),
  ),
}).annotate({ identifier: "Attempt" })

/** A delivery with its attempts, the oldest first. */
export const DeliveryLogSchema = Schema.Struct({
  ...delivery,
  attempts: Schema.Array(AttemptSchema),
}).annotate({ identifier: "DeliveryLog" })

/** A page of deliveries. */
export const DeliveryPageSchema = Schema.Struct({
  data: Schema.Array(DeliverySchema),
  links: PageLinksSchema,
}).annotate({ identifier: "DeliveryPage" })
