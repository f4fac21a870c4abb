import { reportedStatuses } from "@tocsin/domain/alerting/DecodeAlert"
import { severities } from "@tocsin/domain/alerting/AlertPolicy"
import { Limits } from "@tocsin/domain/Limits"
import { bulkResendStates, resendableStates } from "@tocsin/domain/notification/BulkResend"
import { deliveryStates } from "@tocsin/domain/notification/Delivery"
import { failureReasons } from "@tocsin/domain/notification/FailureReason"
import { notificationEvents } from "@tocsin/domain/notification/Notification"
import { Schema } from "effect"

// These describe; the domain decodes, and the handlers write what is sent.

const Key = Schema.Struct({ name: Schema.String, project: Schema.String })

/** Describes a date-time. */
export const dateTime = (description: string) =>
  Schema.String.annotations({ jsonSchema: { description, type: "string", format: "date-time" } })

/** The ID of a delivery, or of a bulk resend, in the path. */
export const IdParam = Schema.Struct({ id: Schema.String })

/** Which page of deliveries, or of bulk resends, to tell. Source: decision 0509. */
export const PageParams = Schema.Struct({
  limit: Schema.optional(
    Schema.NumberFromString.annotations({
      description: `At most ${Limits.pageSizeMax}, which is the default`,
    }),
  ),
  cursor: Schema.optional(Schema.String.annotations({ description: "From links.next" })),
})

/** The body of `POST /api/alerts`. Source: decision 0601. */
export const AlertRequestSchema = Schema.Struct({
  status: Schema.Literal(...reportedStatuses),
  slo: Key,
  objective: Schema.optional(Schema.String),
  alertPolicy: Schema.optional(Key),
  alertMethods: Schema.optional(
    Schema.Array(Key).annotations({
      description: "Instead of those of the policy",
      jsonSchema: { maxItems: Limits.alertMethodsPerAlertMax },
    }),
  ),
  severity: Schema.optional(Schema.Literal(...severities).annotations({ description: "In any letter case" })),
  conditions: Schema.optional(
    Schema.Array(Schema.String).annotations({ jsonSchema: { maxItems: Limits.alertConditionsMax } }),
  ),
  alertId: Schema.optional(
    Schema.String.annotations({
      jsonSchema: { type: "string", maxLength: Limits.alertIdMaxCharacters, pattern: "^[!-~]+$" },
    }),
  ),
  at: Schema.optional(
    dateTime(
      `When it happened, in UTC; now by default. At most ${Limits.alertMaxAheadMs / 60_000} minutes in the future; an end at most that long before the alert triggered`,
    ),
  ),
}).annotations({ identifier: "AlertRequest" })

/** The answer of `POST /api/alerts`. Source: decision 0601. */
export const AlertReceiptSchema = Schema.Struct({
  alertId: Schema.String,
  deliveries: Schema.Array(Schema.Struct({ id: Schema.String, alertMethod: Key })),
}).annotations({ identifier: "AlertReceipt" })

const delivery = {
  id: Schema.String.annotations({ description: "Also the Notification-Id of every attempt" }),
  alertMethod: Key,
  state: Schema.Literal(...deliveryStates),
  event: Schema.Literal(...notificationEvents),
  alertId: Schema.String,
  slo: Key,
  attempt: Schema.Number.annotations({ description: "The number of the latest attempt" }),
  createdAt: dateTime("When the event was accepted"),
  nextAttemptAt: Schema.optional(dateTime("While it is pending")),
  settledAt: Schema.optional(dateTime("When it was delivered, exhausted or failed")),
}

/** A delivery in a list. */
export const DeliverySchema = Schema.Struct(delivery).annotations({ identifier: "Delivery" })

/** One attempt of a delivery, or of a test. */
export const AttemptSchema = Schema.Struct({
  number: Schema.Number,
  startedAt: dateTime("When it was begun"),
  durationMs: Schema.Number,
  connectMs: Schema.optional(Schema.Number),
  headMs: Schema.optional(Schema.Number),
  status: Schema.optional(Schema.Number),
  reason: Schema.optional(Schema.Literal(...failureReasons)),
  detail: Schema.optional(Schema.String),
  answer: Schema.optional(
    Schema.String.annotations({
      description: `The beginning of the answer's body, at most ${Limits.responseBodyKeptMaxBytes} bytes`,
    }),
  ),
}).annotations({ identifier: "Attempt" })

/** A delivery with its attempts, the oldest first. */
export const DeliveryLogSchema = Schema.Struct({
  ...delivery,
  attempts: Schema.Array(AttemptSchema),
}).annotations({ identifier: "DeliveryLog" })

/** A page of deliveries. */
export const DeliveryPageSchema = Schema.Struct({
  data: Schema.Array(DeliverySchema),
  links: Schema.Struct({ self: Schema.String, next: Schema.optional(Schema.String) }),
}).annotations({ identifier: "DeliveryPage" })

const filter = {
  alertMethod: Schema.optional(Key),
  from: Schema.optional(dateTime("Created from then on, in UTC")),
  to: Schema.optional(dateTime("Created before then, in UTC")),
}

const states = Schema.Array(Schema.Literal(...resendableStates))

/** The body of `POST /api/deliveries/resend`. Source: decision 0311. */
export const ResendRequestSchema = Schema.Struct({
  ...filter,
  states: Schema.optional(
    states.annotations({
      description: "exhausted and failed by default; what was delivered only where it is named",
    }),
  ),
  dryRun: Schema.optional(Schema.Boolean.annotations({ description: "Count, and resend nothing" })),
}).annotations({ identifier: "ResendRequest" })

const count = {
  matched: Schema.Number.annotations({ description: "How many settled deliveries it was about" }),
  mayMatchMore: Schema.Boolean.annotations({
    description: `At least matched: counting ended after ${Limits.bulkResendReadMax} deliveries`,
  }),
}

/** The answer to a dry run of `POST /api/deliveries/resend`. Source: decision 0311. */
export const ResendCountSchema = Schema.Struct(count).annotations({ identifier: "ResendCount" })

/** The resending of many deliveries. Source: decision 0311. */
export const BulkResendSchema = Schema.Struct({
  id: Schema.String,
  state: Schema.Literal(...bulkResendStates),
  filter: Schema.Struct({ ...filter, states }),
  ...count,
  resent: Schema.Number.annotations({ description: "How many it has made due so far" }),
  createdAt: dateTime("When it was asked for: it takes what was settled then"),
  endedAt: Schema.optional(dateTime("When it was done or cancelled")),
}).annotations({ identifier: "BulkResend" })

/** A page of bulk resends. */
export const BulkResendPageSchema = Schema.Struct({
  data: Schema.Array(BulkResendSchema),
  links: Schema.Struct({ self: Schema.String, next: Schema.optional(Schema.String) }),
}).annotations({ identifier: "BulkResendPage" })

const headers = Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))

/** How a test went. Source: contract section 5.2. */
export const TestSchema = Schema.Struct({
  message: Schema.Literal("Test completed successfully!", "Test failed"),
  detail: Schema.optional(
    Schema.String.annotations({ description: "What is wrong; absent after a success" }),
  ),
  attempt: AttemptSchema,
  request: Schema.optional(
    Schema.Struct({ method: Schema.Literal("POST"), headers, body: Schema.String }).annotations({
      description: "What was sent, with secrets hidden; absent when nothing was",
    }),
  ),
}).annotations({ identifier: "AlertMethodTest" })

/** What would be sent. */
export const PreviewSchema = Schema.Struct({
  body: Schema.String,
  headers,
  signatureBase: Schema.String,
}).annotations({ identifier: "AlertMethodPreview" })

/** How a receiver has answered, and what is paused. Source: decisions 0308 and 0604. */
export const HealthSchema = Schema.Struct({
  isDisabled: Schema.Boolean,
  disabledAt: Schema.optional(dateTime("Since when it is disabled")),
  disabledBecause: Schema.optional(
    Schema.Literal("gone", "failing").annotations({ description: "It answered 410, or failed for too long" }),
  ),
  failures: Schema.Number.annotations({ description: "Failed attempts since the latest success" }),
  failingSince: Schema.optional(dateTime("When the first of them ended")),
  lastSuccessAt: Schema.optional(dateTime("When the latest success was")),
  pausedUntil: Schema.optional(dateTime("Until when nothing is sent, after failures in a row")),
  isPaused: Schema.Boolean.annotations({ description: "An editor paused it" }),
  sending: Schema.Number.annotations({ description: "How many of its deliveries are being sent" }),
  isAllPaused: Schema.Boolean.annotations({ description: "The operator paused all deliveries" }),
}).annotations({ identifier: "AlertMethodHealth" })
