import * as Struct from "effect/Struct"
import { requestFailures } from "../RequestFailure.ts"

/**
 * The text of every reason for which an attempt to deliver can fail, as `requestFailures` describes them.
 *
 * `response_invalid` is a response that is not HTTP/1.1 or has too large a header; `sender_unavailable` is a fault of the
 * sender, which uses no attempt. The `detail` of an attempt is used instead where more is known.
 */
export const failureReasonText = {
  ...requestFailures("the receiver"),
  response_invalid: "the response was not valid HTTP/1.1",
  body_too_large: "the body of the notification is larger than allowed",
  method_disabled: "the alert method is disabled",
  method_not_found: "the alert method no longer exists",
  subscription_not_found: "the subscription no longer exists",
  mail_rejected: "the mail server did not accept the email",
  mail_unavailable: "the server has no mail server",
  sender_unavailable: "the sender could not make the attempt; it does not count",
}

/** Why an attempt to deliver failed: the closed set that a user sees. */
export type FailureReason = keyof typeof failureReasonText

/** The reasons for which an attempt is repeated, until the delivery is exhausted. */
export const retriedReasons = [...Struct.keys(requestFailures("the receiver")), "response_invalid"] as const

/** All values of `FailureReason`. */
export const failureReasons = Struct.keys(failureReasonText)
