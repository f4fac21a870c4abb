import { bulkResendsRunningMax } from "@tocsin/domain/adapter"
import { bulkResendStates, resendableStates, resendRequest } from "@tocsin/domain/features/resend"
import { bulkResendReadMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { resource } from "../operation/Operation.ts"
import { count, KeySchema, pageOf, time } from "../operation/Fields.ts"

const counts = {
  matched: count.annotate({ description: "Number of settled deliveries that match the filter" }),
  mayMatchMore: Schema.Boolean.annotate({
    description: `Whether more deliveries can match: counting stops at ${bulkResendReadMax}`,
  }),
}

/** How many deliveries a dry run of a bulk resend would send again. */
export const resendCount = Schema.Struct(counts).annotate({ identifier: "ResendCount" })

/** A bulk resend with its filter and progress. */
export const bulkResend = Schema.Struct({
  id: Schema.String,
  state: Schema.Literals(bulkResendStates),
  filter: Schema.Struct({
    alertMethod: Schema.optionalKey(KeySchema),
    from: Schema.optionalKey(time("Created at or after this time, in UTC")),
    to: Schema.optionalKey(time("Created before this time, in UTC")),
    states: Schema.Array(Schema.Literals(resendableStates)),
  }),
  ...counts,
  resent: count.annotate({ description: "Number of deliveries resent so far" }),
  createdAt: time("When the bulk resend was created. Deliveries settled later are not resent."),
  endedAt: Schema.optionalKey(time("When `state` became done or canceled")),
}).annotate({ identifier: "BulkResend" })

/** The JSON of `resendCount`. */
export type ResendCount = (typeof resendCount)["Encoded"]

/** The JSON of `bulkResend`. */
export type BulkResend = (typeof bulkResend)["Encoded"]

/** Bulk resends of deliveries. */
export const resends = resource("Bulk resends", {
  resendDeliveries: {
    method: "POST",
    path: "/api/deliveries/resend",
    role: "editor",
    body: resendRequest,
    invalidBody: "Invalid resend request",
    success: {
      202: bulkResend.annotate({ description: "The bulk resend was created and is running" }),
      200: resendCount.annotate({ description: "With dryRun: nothing is resent" }),
    },
    errors: [404, 409],
    summary: "Create a bulk resend",
    description: `Resends all settled deliveries that match the filter, in the background. Each delivery is resent at most once per bulk resend. At most ${bulkResendsRunningMax} bulk resends can run at the same time.`,
  },
  listResends: {
    method: "GET",
    path: "/api/resends",
    success: pageOf(bulkResend),
    summary: "List bulk resends",
    description: "Newest first.",
  },
  findResend: {
    method: "GET",
    path: "/api/resends/:id",
    success: bulkResend,
    errors: [404],
    summary: "Retrieve a bulk resend",
  },
  cancelResend: {
    method: "POST",
    path: "/api/resends/:id/cancel",
    role: "editor",
    success: bulkResend,
    errors: [404],
    summary: "Cancel a bulk resend",
    description:
      "Deliveries that were already resent are still sent. Has no effect on a bulk resend that has ended.",
  },
})
