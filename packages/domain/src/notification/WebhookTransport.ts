import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { WebhookUrl } from "../alert-method/WebhookUrl.ts"
import type { FailureReason } from "./FailureReason.ts"

/**
 * One POST to a receiver, complete and signed.
 *
 * `headers` are sent as they are, in this order, beside the transport's own `host`, `content-length`,
 * `accept-encoding` and `user-agent`; `body` is sent byte for byte.
 */
export interface WebhookRequest {
  readonly url: WebhookUrl
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
}

/**
 * What the receiver answered, whatever its status.
 *
 * Durations are in milliseconds. `connectMs` covers look-up, connect and TLS, and is absent on a reused socket;
 * `headMs` runs from the start of the attempt to the end of the answer's head; `totalMs` to the end of what was read.
 * `body` is the answer's beginning as text, at most 4 KiB of UTF-8, without NUL. `retryAfterSeconds` is the
 * `Retry-After` field in either form, never negative, not yet clamped.
 *
 * Source: spec/delivery §4, spec/delivery §5.
 */
export interface Answer {
  readonly status: number
  readonly connectMs?: number
  readonly headMs: number
  readonly totalMs: number
  readonly body: string
  readonly retryAfterSeconds?: number
}

/**
 * No answer came.
 *
 * `detail` is a clause in words the user can act on ("the certificate expired on 2026-01-02"); it never holds an
 * address, a URL, a stack or a driver's text. `isReusedSocketReset`: a kept-alive socket was closed before any byte of
 * an answer, so that another attempt may follow at once. `isInfrastructureFault`: the fault is on our side and must not
 * spend the receiver's attempts.
 *
 * Source: spec/delivery §5.
 */
export class TransportFailure extends Data.TaggedError("TransportFailure")<{
  readonly reason: FailureReason
  readonly detail: string
  readonly isReusedSocketReset: boolean
  readonly isInfrastructureFault: boolean
}> {}

/**
 * Sends one request to a receiver that a user named, and guards where it goes.
 *
 * One attempt: no retry, no redirect, one total deadline. Succeeds with the answer for every status;
 * `failureResponse` says which of them count as failed. Interrupting it closes the socket.
 *
 * Fails with `TransportFailure` when no answer came.
 *
 * Source: spec/signatures §1, spec/delivery §4.
 */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    readonly send: (request: WebhookRequest) => Effect.Effect<Answer, TransportFailure>
  }
>()("@tocsin/domain/notification/WebhookTransport") {}

/**
 * Decides an answer by its status alone: `undefined` for 2xx, otherwise the reason and its words.
 *
 * Every 3xx is `redirect_refused`; all else is `http_status`. 410 is one of these; that it disables the method is
 * decided where the delivery is settled.
 */
export const failureResponse = (
  answer: Pick<Answer, "status">,
): { readonly reason: FailureReason; readonly detail: string } | undefined => {
  if (answer.status >= 200 && answer.status < 300) return undefined
  if (answer.status >= 300 && answer.status < 400) {
    return { reason: "redirect_refused", detail: `answered ${answer.status}, and redirects are not followed` }
  }
  return { reason: "http_status", detail: `answered ${answer.status}` }
}
