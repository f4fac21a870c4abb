import { deliveryStates, failureReasons, notificationEvents } from "@tocsin/domain"
import { responseBodyKeptMaxBytes } from "@tocsin/domain/limits"
import { responseHeadersKept } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import { count, dateTime, KeySchema, optionalText } from "@tocsin/api/openapi"

const delivery = {
  id: Schema.String.annotate({
    description: "ID of the delivery, sent as Notification-Id with every attempt",
  }),
  alertMethod: KeySchema,
  state: Schema.Literals(deliveryStates),
  event: Schema.Literals(notificationEvents),
  alertId: Schema.optionalKey(Schema.String.annotate({ description: "Absent for silence.ending and test" })),
  slo: Schema.Struct({
    ...KeySchema.fields,
    displayName: optionalText("Display name of the SLO at the event; absent if it has none"),
  }),
  attempt: count.annotate({ description: "Number of the latest attempt" }),
  attemptsUsed: count.annotate({
    description: "How many attempts of the retry schedule have been used; a resend starts it again",
  }),
  createdAt: dateTime("When the delivery was created"),
  nextAttemptAt: Schema.optionalKey(dateTime("When the next attempt is due; only if the state is pending")),
  settledAt: Schema.optionalKey(dateTime("When the state became delivered, exhausted or failed")),
}

/** A delivery with its attempts, without secrets. */
export const DeliverySchema = Schema.Struct(delivery).annotate({ identifier: "Delivery" })

const milliseconds = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const optionalTime = (description: string) => Schema.optionalKey(milliseconds.annotate({ description }))

/** One attempt of a delivery, or of a test. */
export const AttemptSchema = Schema.Struct({
  number: count,
  startedAt: dateTime("When the attempt started"),
  durationMs: milliseconds,
  connectMs: optionalTime("Name look-up, TCP connection and TLS handshake; absent on a reused connection"),
  lookupMs: optionalTime("Name look-up"),
  tcpMs: optionalTime("TCP connection"),
  tlsMs: optionalTime("TLS handshake"),
  headMs: Schema.optionalKey(milliseconds),
  status: Schema.optionalKey(count.annotate({ description: "HTTP status of the response" })),
  reason: Schema.optionalKey(Schema.Literals(failureReasons)),
  detail: Schema.optionalKey(Schema.String),
  responseHeaders: Schema.optionalKey(
    Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })).annotate({
      description: `Those of ${responseHeadersKept.join(", ")}, with secrets hidden`,
    }),
  ),
  responseBody: optionalText(
    `The first bytes of the response body, at most ${responseBodyKeptMaxBytes} bytes`,
  ),
  sent: Schema.optionalKey(
    Schema.Struct({
      created: count.annotate({ description: "The parameter created of the signature, in Unix seconds" }),
      keyId: Schema.String,
      contentDigest: Schema.String,
      bodyBytes: count,
      traceparent: Schema.optionalKey(Schema.String),
    }).annotate({ description: "What was signed; absent if nothing was sent" }),
  ),
}).annotate({ identifier: "Attempt" })

/** A page of deliveries with its links. */
export const DeliveryLogSchema = Schema.Struct({
  ...delivery,
  attempts: Schema.Array(AttemptSchema),
}).annotate({ identifier: "DeliveryLog" })
