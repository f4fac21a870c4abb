import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, literals, number } from "../codec/Leaves.ts"
import { failureReasons } from "./FailureReason.ts"
import type { TransportFailure, WebhookResponse } from "./WebhookTransport.ts"

const sentRequest = object({
  /** The parameter `created` of the signature, in Unix seconds. */
  created: number({ isInteger: true }),
  keyId: anyString,
  contentDigest: anyString,
  bodyBytes: number({ isInteger: true }),
  traceparent: exactOptional(anyString),
})

/** What an attempt signed and sent, from which its request can be shown. The signature itself is not stored. */
export type SentFacts = TypeOf<typeof sentRequest>

const attempt = object({
  /** 1, 2, …, as in the header `Notification-Attempt`. */
  number: number({ min: 1, isInteger: true }),
  /** In Unix milliseconds. */
  startedAt: number({}),
  durationMs: number({}),
  connectMs: exactOptional(number({})),
  lookupMs: exactOptional(number({})),
  tcpMs: exactOptional(number({})),
  tlsMs: exactOptional(number({})),
  headMs: exactOptional(number({})),
  status: exactOptional(number({ isInteger: true })),
  reason: exactOptional(literals(failureReasons)),
  detail: exactOptional(anyString),
  responseHeaders: exactOptional(list(object({ name: anyString, value: anyString }))),
  responseBody: exactOptional(anyString),
  sent: exactOptional(sentRequest),
})

/**
 * An attempt in the log of a delivery. Contains no secret.
 *
 * A response sets `status`, `connectMs`, `headMs`, `responseHeaders` and `responseBody` (at most 4 KiB), with secrets masked; a
 * failure sets `reason` and `detail`. `connectMs` covers `lookupMs`, `tcpMs` and `tlsMs`. `sent` is absent if nothing was
 * signed. An attempt that the sender interrupted is not logged.
 */
export type Attempt = TypeOf<typeof attempt>

/** The stored form of an attempt. */
export const storedAttempt = stored(attempt, [])

/** What an attempt means for its delivery and its endpoint. */
export type AttemptOutcome =
  | {
      /** A 2xx response. */
      readonly kind: "delivered"
    }
  | {
      /** Any other response, or none; retried while attempts remain. */
      readonly kind: "failed"
      /** The wait that a 429 or 503 response asks for, not negative and not limited yet; absent if it asks for none. */
      readonly retryAfterSeconds?: number
    }
  | {
      /** A 410 response; not retried, and the alert method is disabled. */
      readonly kind: "gone"
    }
  | {
      /** A kept-alive connection was closed before any response; retried immediately, and no attempt is used. */
      readonly kind: "reset"
    }
  | {
      /** Nothing was sent, and a retry would not help. */
      readonly kind: "undeliverable"
    }

/** Decides what a response means by its status. `Retry-After` counts with 429 and 503 only. */
export const outcomeOfResponse = ({ status, retryAfterSeconds }: WebhookResponse): AttemptOutcome => {
  if (failureOfStatus(status) === undefined) return { kind: "delivered" }
  if (status === 410) return { kind: "gone" }
  const isWaitRequested = (status === 429 || status === 503) && retryAfterSeconds !== undefined
  return { kind: "failed", ...(isWaitRequested && { retryAfterSeconds }) }
}

/** Decides what a missing response means, unless the fault is the sender's. */
export const outcomeOfFailure = (failure: TransportFailure): AttemptOutcome => ({
  kind: failure.isReusedSocketReset ? "reset" : "failed",
})

/** Why a status counts as a failure; `undefined` for 2xx. */
export const failureOfStatus = (status: number): Pick<TransportFailure, "reason" | "detail"> | undefined => {
  if (status >= 200 && status < 300) return undefined
  return status >= 300 && status < 400
    ? { reason: "redirect_rejected", detail: `responded with ${status}; redirects are not followed` }
    : { reason: "http_status", detail: `responded with ${status}` }
}
