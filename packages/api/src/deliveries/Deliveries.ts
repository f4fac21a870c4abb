import { deliveryStates, failureReasons, notificationEvents } from "@tocsin/domain"
import { attemptsKeptMax } from "@tocsin/domain/adapter"
import { responseBodyKeptMaxBytes } from "@tocsin/domain/limits"
import { responseHeadersKept } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { count, dateTime, KeySchema, optionalText, pageOf, repeatable, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

const fields = {
  id: Schema.String.annotate({
    description: "ID of the delivery, sent as Notification-Id with every attempt",
  }),
  alertMethod: KeySchema.annotate({
    description:
      "For a subscriber of a status page, the name is subscription- and the ID of the subscription",
  }),
  state: Schema.Literals(deliveryStates),
  event: Schema.Literals(notificationEvents),
  alertId: Schema.optionalKey(
    Schema.String.annotate({
      description: "Absent for silence.ending, test and subscribers of status pages",
    }),
  ),
  slo: Schema.Struct({
    ...KeySchema.fields,
    displayName: optionalText("Display name of the SLO at the event; absent if it has none"),
  }),
  attempt: count.annotate({ description: "Number of the latest attempt" }),
  attemptsUsed: count.annotate({
    description: "How many attempts of the retry schedule have been used; a resend starts it again",
  }),
  createdAt: time("When the delivery was created"),
  nextAttemptAt: Schema.optionalKey(time("When the next attempt is due; only if `state` is pending")),
  settledAt: Schema.optionalKey(time("When `state` became delivered, exhausted or failed")),
  deliveredAt: Schema.optionalKey(
    time("When an attempt was successful for the first time, whatever was resent later"),
  ),
}

/** A delivery, without secrets. */
export const delivery = Schema.Struct(fields).annotate({ identifier: "Delivery" })

/** The JSON of `delivery`. */
export type Delivery = (typeof delivery)["Encoded"]

/** Milliseconds; in JSON, in tenths. */
const milliseconds = (description?: string) =>
  Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
    .annotate(description === undefined ? {} : { description })
    .pipe(
      Schema.decodeTo(Schema.Finite, {
        decode: SchemaGetter.transform((ms: number) => ms),
        encode: SchemaGetter.transform((ms: number) => Math.round(ms * 10) / 10),
      }),
    )

/** One attempt of a delivery, or of a test. */
export const attempt = Schema.Struct({
  number: count,
  startedAt: time("When the attempt started"),
  durationMs: milliseconds(),
  connectMs: Schema.optionalKey(
    milliseconds("Name look-up, TCP connection and TLS handshake; absent on a reused connection"),
  ),
  lookupMs: Schema.optionalKey(milliseconds("Name look-up")),
  tcpMs: Schema.optionalKey(milliseconds("TCP connection")),
  tlsMs: Schema.optionalKey(milliseconds("TLS handshake")),
  headMs: Schema.optionalKey(milliseconds()),
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

/** The JSON of `attempt`. */
export type Attempt = (typeof attempt)["Encoded"]

/** A delivery with its attempts. */
export const deliveryLog = Schema.Struct({ ...fields, attempts: Schema.Array(attempt) }).annotate({
  identifier: "DeliveryLog",
})

/** The JSON of `deliveryLog`. */
export type DeliveryLog = (typeof deliveryLog)["Encoded"]

/** Deliveries of notifications. */
export const deliveries = resource("Deliveries", {
  listDeliveries: {
    method: "GET",
    path: "/api/deliveries",
    query: {
      project: optionalText("Project of the alert method"),
      alertMethod: optionalText("Name of the alert method"),
      state: repeatable(Schema.Literals(deliveryStates)),
      event: repeatable(Schema.Literals(notificationEvents)),
      alertId: optionalText("ID of the alert"),
      from: Schema.optionalKey(dateTime("Created at or after this time, in UTC")),
      to: Schema.optionalKey(dateTime("Created before this time, in UTC")),
    },
    success: pageOf(delivery),
    summary: "List deliveries",
    description: "Newest first.",
  },
  findDelivery: {
    method: "GET",
    path: "/api/deliveries/:id",
    success: deliveryLog,
    errors: [404],
    summary: "Retrieve a delivery",
    description: `Includes the latest attempts, oldest first, at most ${attemptsKeptMax}.`,
  },
  resendDelivery: {
    method: "POST",
    path: "/api/deliveries/:id/resend",
    role: "editor",
    success: { 202: delivery },
    errors: [404, 409],
    summary: "Resend a delivery",
    description:
      "Starts a new round of attempts with the same ID. Has no effect on a delivery that is being sent. A test of an alert method cannot be resent.",
  },
})
