import type { VerificationRejectionCode } from "@tocsin/domain/signature/VerifyRequest"
import * as Data from "effect/Data"

/**
 * Every reason for which a receiver does not take a notification: those of the verification, and
 *
 * - `authority_unexpected`: the `Host` is not one of the receiver's.
 * - `body_too_large`: the body is longer than the receiver reads.
 * - `body_incomplete`: the connection ended before the body did.
 * - `body_already_read`: something parsed the body first, so its raw bytes are gone. The receiver is set up wrong.
 * - `keys_unavailable`: the public keys cannot be fetched right now.
 * - `replay_guard_unavailable`: the own store of the replay guard failed.
 * - `replayed`: this very signature was taken before.
 */
export type NotificationRefusalCode =
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
 * `status` is a fitting HTTP status for the answer. None of them is final for the sender: it tries again later,
 * with a new signature, so that a receiver that was set up wrong loses nothing.
 *
 * `message` says in one sentence what is wrong; it is meant for the log of the receiver.
 */
export class NotificationRejected extends Data.TaggedError("NotificationRejected")<{
  readonly code: NotificationRefusalCode
  readonly message: string
  readonly cause?: unknown
}> {
  get status(): number {
    return statusByCode[this.code] ?? 400
  }

  /** The same as `status`, under the name that Fastify and Express look for. */
  get statusCode(): number {
    return this.status
  }
}

const statusByCode: Partial<Record<NotificationRefusalCode, number>> = {
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
