import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { WebhookUrl } from "../alert-method/WebhookUrl.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { FailureReason } from "./FailureReason.ts"

/**
 * A signed POST request to a receiver, on behalf of an organization.
 *
 * `headers` are sent unchanged and in this order, beside the transport's own `host`, `content-length`, `accept-encoding`
 * and `user-agent`. `body` is sent byte for byte.
 */
export interface WebhookRequest {
  readonly organization: OrganizationId
  readonly url: WebhookUrl
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
}

/**
 * The response of the receiver, with any status. Durations are in milliseconds.
 *
 * `waitedMs` is how long the request waited before the attempt started; absent means 0. `connectMs` covers
 * lookup, connect and TLS, and is absent on a reused connection; `headMs` runs from the start of the attempt to the end of the response headers; `totalMs` to the end of what was read. `body` is the beginning of the
 * response body, at most 4 KiB of UTF-8, without NUL. `retryAfterSeconds` is the `Retry-After` field in either form, never
 * negative, and not limited yet.
 */
export interface WebhookResponse {
  readonly status: number
  readonly waitedMs?: number
  readonly connectMs?: number
  readonly headMs: number
  readonly totalMs: number
  readonly body: string
  readonly retryAfterSeconds?: number
}

/**
 * There was no response.
 *
 * `detail` is a clause in words that a user can act on, such as "the certificate expired on 2026-01-02"; it never contains
 * an address, a URL, a stack or the text of a driver. `isReusedSocketReset`: a kept-alive connection was closed before any
 * byte of a response, so that another attempt may follow at once. `isInfrastructureFault`: a fault of the sender, which
 * uses no attempt. `waitedMs` is as in `WebhookResponse`.
 */
export class TransportFailure extends Data.TaggedError("TransportFailure")<{
  readonly reason: FailureReason
  readonly detail: string
  readonly isReusedSocketReset: boolean
  readonly isInfrastructureFault: boolean
  readonly waitedMs?: number
}> {}

/**
 * Port: sends one request to a receiver that a user named, and restricts which addresses it connects to.
 *
 * One attempt: no retry, no redirect, one deadline for everything. A request may wait before its attempt starts, so that
 * organizations share connections fairly; the wait is bounded and no part of the attempt. Succeeds with the response
 * whatever its status; interruption closes the connection. Fails with `TransportFailure` when there was no response.
 */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookResponse, TransportFailure>
  }
>()("@tocsin/domain/internal/notification/WebhookTransport") {}
