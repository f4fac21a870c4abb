import type { VerificationRejectionCode } from "@tocsin/domain/signature/VerifyRequest"
import * as Data from "effect/Data"

/**
 * Why a receiver rejects a notification: the reasons of verification, and
 *
 * - `authority_unexpected`: the `Host` is not one of the receiver's.
 * - `body_too_large`: the body exceeds the receiver's limit.
 * - `body_incomplete`: the connection ended before the body did.
 * - `body_already_read`: the body was parsed first, so its raw bytes are lost. The receiver is misconfigured.
 * - `keys_unavailable`: the public keys cannot be fetched.
 * - `replay_guard_unavailable`: the store of the replay guard failed.
 * - `replayed`: a notification with this signature was accepted before.
 */
export type NotificationRejectionCode =
  | VerificationRejectionCode
  | "authority_unexpected"
  | "body_too_large"
  | "body_incomplete"
  | "body_already_read"
  | "keys_unavailable"
  | "replay_guard_unavailable"
  | "replayed"

/**
 * A notification must not be processed.
 *
 * `status` is a suitable HTTP status for the response. The sender retries after each, with a new signature, so that a
 * misconfigured receiver loses nothing. `message` is for the receiver's log.
 */
export class NotificationRejected extends Data.TaggedError("NotificationRejected")<{
  readonly code: NotificationRejectionCode
  readonly message: string
  readonly cause?: unknown
}> {
  get status(): number {
    return statusByCode[this.code] ?? 400
  }

  /** The same as `status`, as Fastify and Express expect it. */
  get statusCode(): number {
    return this.status
  }
}

const statusByCode: Partial<Record<NotificationRejectionCode, number>> = {
  signature_missing: 401,
  signature_input_missing: 401,
  signature_invalid: 401,
  signature_too_old: 401,
  signature_too_new: 401,
  signature_expired: 401,
  key_unknown: 401,
  replayed: 409,
  body_too_large: 413,
  authority_unexpected: 421,
  header_too_large: 431,
  body_already_read: 500,
  keys_unavailable: 503,
  replay_guard_unavailable: 503,
}

export const bodyTooLarge = (bodyMaxBytes: number): NotificationRejected =>
  new NotificationRejected({
    code: "body_too_large",
    message: `the body must be at most ${bodyMaxBytes} bytes`,
  })

export const bodyAlreadyRead = (): NotificationRejected =>
  new NotificationRejected({
    code: "body_already_read",
    message: "the body was read before it was verified: verify first, or pass the raw bytes on unparsed",
  })
