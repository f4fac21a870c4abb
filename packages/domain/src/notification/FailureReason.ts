/**
 * Why an attempt to deliver failed: the closed set that a user sees.
 *
 * The order is that of an attempt's way: name, address, connection, TLS, answer; then what happens without one.
 * `answer_invalid` is an answer that is not HTTP/1.1 or whose head is too large; `sender_unavailable` is a fault on
 * our own side, which never spends the receiver's attempts.
 */
export const failureReasons = [
  "dns_not_found",
  "dns_timeout",
  "address_blocked",
  "connect_refused",
  "connect_timeout",
  "tls_invalid",
  "connection_reset",
  "timeout",
  "answer_invalid",
  "redirect_refused",
  "http_status",
  "body_too_large",
  "method_disabled",
  "method_not_found",
  "sender_unavailable",
] as const

/** One reason of `failureReasons`. */
export type FailureReason = (typeof failureReasons)[number]

/**
 * Says a reason in words the user can act on, as a clause without a final full stop.
 *
 * A failure's own `detail` says more where more is known; this is its fallback. Never holds an address, a URL, a
 * stack or a driver's text.
 */
export const failureReasonText = (reason: FailureReason): string => texts[reason]

const texts: Readonly<Record<FailureReason, string>> = {
  dns_not_found: "the name of the URL was not found",
  dns_timeout: "looking up the name of the URL took too long",
  address_blocked: "the URL leads to an address that is not public",
  connect_refused: "the receiver refused the connection",
  connect_timeout: "the receiver did not accept the connection in time",
  tls_invalid: "no trusted TLS connection could be made",
  connection_reset: "the receiver closed the connection before it answered",
  timeout: "the receiver did not answer in time",
  answer_invalid: "the answer was not valid HTTP/1.1",
  redirect_refused: "the receiver answered with a redirect, which is not followed",
  http_status: "the receiver did not answer with a 2xx status",
  body_too_large: "the notification's body is larger than allowed",
  method_disabled: "the alert method is disabled",
  method_not_found: "the alert method does not exist any more",
  sender_unavailable: "the sender could not make the attempt; it does not count",
}
