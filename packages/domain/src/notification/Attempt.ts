import type { FailureReason } from "./FailureReason.ts"
import { type Answer, failureResponse, type TransportFailure } from "./WebhookTransport.ts"

/**
 * One line of a delivery's log: what an attempt gave. Holds no secret.
 *
 * `status`, `connectMs`, `headMs` and `answer` (the beginning of the answer's body, at most 4 KiB, its secrets masked)
 * are there when an answer came; `reason` and `detail` when the attempt failed. An attempt that our side broke off has
 * no line.
 *
 * Source: spec/delivery §4.
 */
export interface Attempt {
  /** 1, 2, … as the header `Notification-Attempt` said. */
  readonly number: number
  /** In Unix milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly connectMs?: number
  readonly headMs?: number
  readonly status?: number
  readonly reason?: FailureReason
  readonly detail?: string
  readonly answer?: string
}

/**
 * What an attempt means for its delivery and its endpoint.
 *
 * - `delivered`: a 2xx answer.
 * - `failed`: any other answer, or none; another attempt follows while there are any.
 * - `gone`: answered 410; no attempt follows and the alert method is disabled.
 * - `reset`: a kept-alive connection was closed before any answer; tried again at once, at no cost.
 * - `undeliverable`: nothing was sent and no later attempt could do better.
 *
 * Source: spec/delivery §5, spec/delivery §9.
 */
export type AttemptOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "failed"; readonly retryAfterSeconds?: number }
  | { readonly kind: "gone" }
  | { readonly kind: "reset" }
  | { readonly kind: "undeliverable" }

/** Decides what an answer means. `Retry-After` counts on 429 and 503 only. Source: spec/delivery §5. */
export const outcomeOfResponse = (answer: Answer): AttemptOutcome => {
  if (failureResponse(answer) === undefined) return { kind: "delivered" }
  if (answer.status === 410) return { kind: "gone" }
  const asksToWait = answer.status === 429 || answer.status === 503
  return asksToWait && answer.retryAfterSeconds !== undefined
    ? { kind: "failed", retryAfterSeconds: answer.retryAfterSeconds }
    : { kind: "failed" }
}

/** Decides what a missing answer means, unless the fault is our own. Source: spec/delivery §5. */
export const failureToOutcome = (failure: TransportFailure): AttemptOutcome => ({
  kind: failure.isReusedSocketReset ? "reset" : "failed",
})
