/**
 * Why a notification is rejected. The codes are a closed set.
 *
 * | Code | The request, or the receiver |
 * | --- | --- |
 * | `header_too_large`, `header_duplicated` | has too long a header, or `Host` or `Content-Type` twice |
 * | `authority_invalid`, `target_invalid` | has a `Host` that is no host, or a target that is neither a path nor a URL |
 * | `authority_unexpected` | was sent to a host that is not one of the receiver's |
 * | `content_digest_missing`, `…_malformed`, `…_unsupported`, `…_mismatch` | has no digest of its body that is readable, SHA-256 or SHA-512, and right |
 * | `signature_input_missing`, `signature_missing` | is not signed |
 * | `signature_input_malformed`, `signature_malformed`, `label_duplicated`, `label_unpaired`, `labels_too_many`, `components_too_many`, `component_duplicated`, `component_unsupported`, `component_not_covered`, `component_missing`, `created_invalid`, `expires_invalid`, `keyid_invalid`, `algorithm_unsupported` | has a signature that does not follow the rules |
 * | `signature_too_old`, `signature_too_new`, `signature_expired` | was signed at another time |
 * | `key_unknown`, `signature_invalid` | was not signed by the sender, for this request |
 * | `replayed` | was accepted before |
 * | `body_too_large`, `body_timeout`, `body_incomplete` | has a body that is too long, too slow, or cut off |
 * | `body_already_read` | is misconfigured: it parsed the body first, so that its raw bytes are lost, or passed something else as the body |
 * | `request_invalid` | passed something that is no request, such as a relative URL |
 * | `keys_unavailable`, `replay_guard_unavailable` | cannot fetch the public keys, or the store of its replay guard failed |
 */
export type NotificationRejectionCode = keyof typeof statusByCode

/**
 * A notification must not be processed.
 *
 * The sender retries after each `status`, with a new signature, so that a misconfigured receiver loses nothing.
 */
export class NotificationRejected extends Error {
  /** Lets `Effect.catchTag` select it. */
  readonly _tag = "NotificationRejected"
  override readonly name = "NotificationRejected"
  /** Why it is rejected. */
  readonly code: NotificationRejectionCode
  /** A suitable HTTP status for the response: 400 to 503. */
  readonly status: number
  /** The same as `status`, as Fastify and Express expect it. */
  readonly statusCode: number

  /** `message` is for the receiver's log, and has no secret. */
  constructor(code: NotificationRejectionCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = this.statusCode = statusByCode[code]
  }
}

const statusByCode = {
  algorithm_unsupported: 400,
  authority_invalid: 400,
  authority_unexpected: 421,
  body_already_read: 500,
  body_incomplete: 400,
  body_timeout: 408,
  body_too_large: 413,
  component_duplicated: 400,
  component_missing: 400,
  component_not_covered: 400,
  component_unsupported: 400,
  components_too_many: 400,
  content_digest_malformed: 400,
  content_digest_mismatch: 400,
  content_digest_missing: 400,
  content_digest_unsupported: 400,
  created_invalid: 400,
  expires_invalid: 400,
  header_duplicated: 400,
  header_too_large: 431,
  key_unknown: 401,
  keyid_invalid: 400,
  keys_unavailable: 503,
  label_duplicated: 400,
  label_unpaired: 400,
  labels_too_many: 400,
  replay_guard_unavailable: 503,
  replayed: 409,
  request_invalid: 400,
  signature_expired: 401,
  signature_input_malformed: 400,
  signature_input_missing: 401,
  signature_invalid: 401,
  signature_malformed: 400,
  signature_missing: 401,
  signature_too_new: 401,
  signature_too_old: 401,
  target_invalid: 400,
} as const

export const reject = (code: NotificationRejectionCode, message: string, cause?: unknown): never => {
  throw new NotificationRejected(code, message, cause)
}

export const rejectReadBody = (): never =>
  reject(
    "body_already_read",
    "the body was read before it was verified: verify first, or pass the raw bytes on unparsed",
  )

/** For a body that is not the raw bytes, such as a text or a parsed object: says what it is, never its value. */
export const rejectWrongBody = (name: string, body: unknown): never =>
  reject(
    "body_already_read",
    `${name} must be the raw bytes of the body as a Uint8Array, and is ${typeText(body)}: ` +
      "verify before anything parses or decodes the body",
  )

/** Whether it is a `Uint8Array`, also one of another realm, as in test runners. */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array || Object.prototype.toString.call(value) === "[object Uint8Array]"

const typeText = (value: unknown): string => {
  if (value === undefined || value === null) return String(value)
  if (typeof value !== "object") return `a ${typeof value}`
  const [, name = "Object"] = /^\[object (\w{1,50})\]$/.exec(Object.prototype.toString.call(value)) ?? []
  return name === "Object" ? "an object" : `an object of the type ${name}`
}
