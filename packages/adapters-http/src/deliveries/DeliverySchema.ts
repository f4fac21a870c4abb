import { reportedStatuses } from "@tocsin/domain/intake/DecodeAlert"
import { severities } from "@tocsin/domain/alert-policy/AlertPolicy"
import { Limits } from "@tocsin/domain/Limits"
import { bulkResendStates, resendableStates } from "@tocsin/domain/resend/BulkResend"
import { deliveryStates } from "@tocsin/domain/delivery/Delivery"
import { failureReasons } from "@tocsin/domain/notification/FailureReason"
import { notificationEvents } from "@tocsin/domain/notification/Notification"
import * as Schema from "effect/Schema"

// These describe; the domain decodes, and the handlers write what is sent.

const Key = Schema.Struct({ name: Schema.String, project: Schema.String })

/** Describes a date-time. */
export const dateTime = (description: string) => Schema.String.annotate({ description, format: "date-time" })

/** The ID of a delivery, or of a bulk resend, in the path. */
export const IdParam = Schema.Struct({ id: Schema.String })

/** Which page of deliveries, or of bulk resends, to tell. Source: decision 0509. */
export const PageParams = Schema.Struct({
  limit: Schema.optionalKey(
    Schema.FiniteFromString.annotate({
      description: `At most ${Limits.pageSizeMax}, which is the default`,
    }),
  ),
  cursor: Schema.optionalKey(Schema.String.annotate({ description: "From links.next" })),
})

/** The body of `POST /api/alerts`. Source: decision 0601. */
export const AlertRequestSchema = Schema.Struct({
  status: Schema.Literals(reportedStatuses),
  slo: Key,
  objective: Schema.optionalKey(Schema.String),
  alertPolicy: Schema.optionalKey(Key),
  alertMethods: Schema.optionalKey(
    Schema.Array(Key)
      .annotate({ description: "Instead of those of the policy" })
      .check(Schema.isMaxLength(Limits.alertMethodsPerAlertMax)),
  ),
  severity: Schema.optionalKey(Schema.Literals(severities).annotate({ description: "In any letter case" })),
  conditions: Schema.optionalKey(
    Schema.Array(Schema.String).check(Schema.isMaxLength(Limits.alertConditionsMax)),
  ),
  alertId: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(Limits.alertIdMaxCharacters), Schema.isPattern(/^[!-~]+$/u)),
  ),
  at: Schema.optionalKey(
    dateTime(
      `When it happened, in UTC; now by default. At most ${Limits.alertMaxAheadMs / 60_000} minutes in the future; an end at most that long before the alert triggered`,
    ),
  ),
}).annotate({ identifier: "AlertRequest" })

/** The answer of `POST /api/alerts`. Source: decision 0601. */
export const AlertReceiptSchema = Schema.Struct({
  alertId: Schema.String,
  deliveries: Schema.Array(Schema.Struct({ id: Schema.String, alertMethod: Key })),
}).annotate({ identifier: "AlertReceipt" })

const delivery = {
  id: Schema.String.annotate({ description: "Also the Notification-Id of every attempt" }),
  alertMethod: Key,
  state: Schema.Literals(deliveryStates),
  event: Schema.Literals(notificationEvents),
  alertId: Schema.String,
  slo: Key,
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
  answer: Schema.optionalKey(
    Schema.String.annotate({
      description: `The beginning of the answer's body, at most ${Limits.responseBodyKeptMaxBytes} bytes`,
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
  links: Schema.Struct({ self: Schema.String, next: Schema.optionalKey(Schema.String) }),
}).annotate({ identifier: "DeliveryPage" })

const filter = {
  alertMethod: Schema.optionalKey(Key),
  from: Schema.optionalKey(dateTime("Created from then on, in UTC")),
  to: Schema.optionalKey(dateTime("Created before then, in UTC")),
}

const states = Schema.Array(Schema.Literals(resendableStates))

/** The body of `POST /api/deliveries/resend`. Source: decision 0311. */
export const ResendRequestSchema = Schema.Struct({
  ...filter,
  states: Schema.optionalKey(
    states.annotate({
      description: "exhausted and failed by default; what was delivered only where it is named",
    }),
  ),
  dryRun: Schema.optionalKey(Schema.Boolean.annotate({ description: "Count, and resend nothing" })),
}).annotate({ identifier: "ResendRequest" })

const count = {
  matched: Schema.Finite.annotate({ description: "How many settled deliveries it was about" }),
  mayMatchMore: Schema.Boolean.annotate({
    description: `At least matched: counting ended after ${Limits.bulkResendReadMax} deliveries`,
  }),
}

/** The answer to a dry run of `POST /api/deliveries/resend`. Source: decision 0311. */
export const ResendCountSchema = Schema.Struct(count).annotate({ identifier: "ResendCount" })

/** The resending of many deliveries. Source: decision 0311. */
export const BulkResendSchema = Schema.Struct({
  id: Schema.String,
  state: Schema.Literals(bulkResendStates),
  filter: Schema.Struct({ ...filter, states }),
  ...count,
  resent: Schema.Finite.annotate({ description: "How many it has made due so far" }),
  createdAt: dateTime("When it was asked for: it takes what was settled then"),
  endedAt: Schema.optionalKey(dateTime("When it was done or cancelled")),
}).annotate({ identifier: "BulkResend" })

/** A page of bulk resends. */
export const BulkResendPageSchema = Schema.Struct({
  data: Schema.Array(BulkResendSchema),
  links: Schema.Struct({ self: Schema.String, next: Schema.optionalKey(Schema.String) }),
}).annotate({ identifier: "BulkResendPage" })

const headers = Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))

/** How a test went. Source: contract section 5.2. */
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

/** What would be sent. */
export const PreviewSchema = Schema.Struct({
  body: Schema.String,
  headers,
  signatureBase: Schema.String,
}).annotate({ identifier: "AlertMethodPreview" })

/** How a receiver has answered, and what is paused. Source: decisions 0308 and 0604. */
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
  sending: Schema.Finite.annotate({ description: "How many of its deliveries are being sent" }),
  isAllPaused: Schema.Boolean.annotate({ description: "The operator paused all deliveries" }),
}).annotate({ identifier: "AlertMethodHealth" })
