import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
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
  /** The organization whose share of the connections it takes. */
  readonly organization: OrganizationId
  /** Where it is sent; checked again when its host is resolved. */
  readonly url: WebhookUrl
  /** In the order in which they are sent. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** What was digested and signed. */
  readonly body: Uint8Array
}

/**
 * How long the parts of opening a connection took, in milliseconds, as far as they were completed. Absent: there was no such
 * part, as with a reused connection.
 */
export interface ConnectTimings {
  /** The name look-up; absent if the URL has an address. */
  readonly lookupMs?: number
  /** The TCP connection, to the address that accepted. */
  readonly tcpMs?: number
  /** The TLS handshake. */
  readonly tlsMs?: number
}

/**
 * The response of the receiver, with any status. Durations are in milliseconds.
 *
 * `waitedMs` is how long the request waited before the attempt started; absent means 0. `connectMs` covers
 * lookup, connect and TLS, and is absent on a reused connection; `headMs` runs from the start of the attempt to the end of the response headers; `totalMs` to the end of what was read. `body` is the beginning of the
 * response body, at most 4 KiB of UTF-8, without NUL. `retryAfterSeconds` is the `Retry-After` field in either form, never
 * negative, and not limited yet.
 */
export interface WebhookResponse extends ConnectTimings {
  /** 100 to 599. */
  readonly status: number
  /** How long it waited for a connection. */
  readonly waitedMs?: number
  /** How long the connection took; absent if one was reused. */
  readonly connectMs?: number
  /** Until the head of the response, in milliseconds. */
  readonly headMs: number
  /** Until its end, in milliseconds. */
  readonly totalMs: number
  /** Its beginning, as text. */
  readonly body: string
  /** What `Retry-After` asks for. */
  readonly retryAfterSeconds?: number
  /** Those of `responseHeadersKept` that it has, with names in lowercase; absent means none. */
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
}

/** The response headers that help to find out what a receiver did, by their names in lowercase. */
export const responseHeadersKept: ReadonlyArray<string> = [
  "content-length",
  "content-type",
  "date",
  "location",
  "retry-after",
  "server",
  "via",
  "www-authenticate",
  "x-request-id",
]

/** Most characters of a response header that are kept. */
export const responseHeaderKeptMaxCharacters = 256

/**
 * There was no response.
 *
 * `detail` is a clause in words that a user can act on, such as "the certificate expired on 2026-01-02"; it never contains
 * an address, a URL, a stack or the text of a driver. `isReusedSocketReset`: a kept-alive connection was closed before any
 * byte of a response, so that another attempt may follow at once. `isInfrastructureFault`: a fault of the sender, which
 * uses no attempt. `waitedMs` is as in `WebhookResponse`.
 */
export class TransportFailure extends TaggedError("TransportFailure")<{
  /** Why, from a closed set. */
  readonly reason: FailureReason
  /** A sentence for the delivery log, without secrets. */
  readonly detail: string
  /** Whether a connection that was kept open had been closed by the receiver, so that the request can be sent again at once. */
  readonly isReusedSocketReset: boolean
  /** Whether the fault is that of this server, such as a name server that is away, and not of the receiver. */
  readonly isInfrastructureFault: boolean
  /** How long it waited for a connection. */
  readonly waitedMs?: number
  /** What of the connection was completed before the failure. */
  readonly timings?: ConnectTimings
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
