import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { checkContentDigest, type DigestAlgorithms } from "./ContentDigest.ts"
import type { Ed25519PublicKey } from "./Ed25519PublicKey.ts"
import { buildSignatureBase, normalizeAuthority, type RequestMessage, targetToPath } from "./SignatureBase.ts"
import {
  readSignatureInput,
  type SignatureInput,
  type SignatureInputFault,
  signatureLabel,
} from "./SignatureInput.ts"
import { signatureHeaderMaxBytes, type DictionaryMember, parseDictionary } from "./StructuredField.ts"

/** Largest age of a signature that a receiver accepts, in seconds. */
export const signatureMaxAgeSeconds = 300

/** Longest time that `created` may be ahead of the receiver's clock, in seconds. */
export const signatureMaxAheadSeconds = 60

/** Most labels in `Signature-Input` that a verifier reads. */
export const signatureLabelsMax = 8

/** Largest total size of the headers of a request that a verifier reads, in bytes. */
export const receivedHeadersMaxBytes = 64 * 1024

/** Most header lines of a request that a verifier reads. */
export const receivedHeaderLinesMax = 500

/** Whether a signature of 64 bytes is one of the bytes, for a certain key (RFC 8032, section 5.1.7). */
export type VerifySignature = (bytes: Uint8Array, signature: Uint8Array) => boolean

export interface VerifierFunctions extends DigestAlgorithms {
  /** Importing a key costs more than verifying a signature, so it is done once for each key. */
  readonly importPublicKey: (key: Ed25519PublicKey) => VerifySignature
}

/** Port: computes digests and verifies Ed25519 signatures, synchronously. */
export class Verifier extends Context.Service<Verifier, VerifierFunctions>()(
  "@tocsin/domain/signature/Verifier",
) {}

/** A request exactly as it was received, with the raw bytes of its body. */
export interface ReceivedRequest extends RequestMessage {
  readonly body: Uint8Array
}

export interface VerificationPolicy {
  /** The imported key for a `keyid`; `undefined` if it is unknown. */
  readonly keyOf: (keyId: string) => VerifySignature | undefined
  /** The receiver's time, in Unix seconds. */
  readonly nowSeconds: number
  /** The oldest `created` that is accepted, in seconds before now. Default: 300. */
  readonly maxAgeSeconds?: number
  /** How far `created` may be ahead of now, in seconds. Default: 60. */
  readonly maxAheadSeconds?: number
}

/**
 * The valid signature of a request. `created` is in Unix seconds. `base` is the signature base: what the sender signed is
 * what it contains, and the body through its digest.
 */
export interface VerifiedSignature {
  readonly label: string
  readonly keyId: string
  readonly created: number
  readonly signature: Uint8Array
  readonly base: string
}

/**
 * Why a request is rejected. `key_unknown` means that everything else except the signature itself is valid, so that
 * malformed requests do not make a receiver fetch keys.
 */
export type VerificationRejectionCode =
  | "header_too_large"
  | "header_duplicated"
  | "authority_invalid"
  | "target_invalid"
  | "content_digest_missing"
  | "content_digest_malformed"
  | "content_digest_unsupported"
  | "content_digest_mismatch"
  | "signature_input_missing"
  | "signature_missing"
  | "signature_malformed"
  | "labels_too_many"
  | "label_duplicated"
  | "component_missing"
  | "signature_too_old"
  | "signature_too_new"
  | "signature_expired"
  | "key_unknown"
  | "signature_invalid"
  | SignatureInputFault["code"]

/** A request must not be processed. `message` is a clause for the receiver's log, without a secret. */
export class VerificationRejected extends Data.TaggedError("VerificationRejected")<{
  readonly code: VerificationRejectionCode
  readonly message: string
}> {}

/**
 * Verifies the digest and the signature of a notification as received (RFC 9421, section 3.2; spec/signatures §9).
 *
 * One valid signature is enough, under any label, whatever others there are. If there is none, the reason is that of
 * `sig1`, or of the first one without `sig1`.
 *
 * A request with `Signature-Input: sig1=("@method" "@authority" "@path");created=1767225600;keyid="k";alg="ed25519"` is
 * rejected with `component_not_covered`, since it must also cover `content-digest` and `content-type`.
 */
export const verifyRequest = (
  request: ReceivedRequest,
  policy: VerificationPolicy,
  functions: VerifierFunctions,
): Result.Result<VerifiedSignature, VerificationRejected> => {
  const fields = readSingleFields(request)
  if (Result.isFailure(fields)) return Result.fail(fields.failure)
  if (!targetPattern.test(request.target)) {
    return reject("target_invalid", "the request target must be a path, with or without a query")
  }
  if (!authorityPattern.test(request.authority)) {
    return reject("authority_invalid", "the authority (the Host field) is missing or malformed")
  }
  const contentDigest = fields.success.get("content-digest")
  const digest = checkContentDigest(
    contentDigest === undefined ? [] : [contentDigest],
    request.body,
    functions,
  )
  if (Result.isFailure(digest))
    return reject(`content_digest_${digest.failure}`, digestMessages[digest.failure])
  const inputs = readMembers(fields.success.get("signature-input"), "signature_input")
  if (Result.isFailure(inputs)) return Result.fail(inputs.failure)
  const signatures = readMembers(fields.success.get("signature"), "signature")
  if (Result.isFailure(signatures)) return Result.fail(signatures.failure)

  let rejection: Result.Result<VerifiedSignature, VerificationRejected> | undefined
  for (const input of inputs.success) {
    const outcome = verifyOne(request, input, signatures.success, policy)
    if (Result.isSuccess(outcome)) return outcome
    if (rejection === undefined || input.key === signatureLabel) rejection = outcome
  }
  return rejection ?? reject("signature_input_missing", "Signature-Input is empty")
}

/** The values of the header fields that must not be duplicated, by name. Also limits the size of the header. */
const readSingleFields = (
  request: ReceivedRequest,
): Result.Result<ReadonlyMap<string, string>, VerificationRejected> => {
  const values = new Map<string, string>()
  if (request.headers.length > receivedHeaderLinesMax) {
    return reject("header_too_large", `the header must have at most ${receivedHeaderLinesMax} lines`)
  }
  let size = 0
  for (const [name, value] of request.headers) {
    size += name.length + value.length
    if (size > receivedHeadersMaxBytes) {
      return reject("header_too_large", `the header must have at most ${receivedHeadersMaxBytes} bytes`)
    }
    const lower = name.toLowerCase()
    if (!singleFields.has(lower)) continue
    if (values.has(lower)) return reject("header_duplicated", `${lower} is duplicated`)
    if (value.length > signatureHeaderMaxBytes) {
      return reject("header_too_large", `${lower} must have at most ${signatureHeaderMaxBytes} bytes`)
    }
    values.set(lower, value)
  }
  return Result.succeed(values)
}

const readMembers = (
  text: string | undefined,
  field: "signature_input" | "signature",
): Result.Result<ReadonlyArray<DictionaryMember>, VerificationRejected> => {
  const name = field === "signature" ? "Signature" : "Signature-Input"
  if (text === undefined) return reject(`${field}_missing`, `${name} is missing`)
  const members = parseDictionary(text)
  if (Result.isFailure(members)) {
    return members.failure === "duplicated"
      ? reject("label_duplicated", `a label or parameter of ${name} is duplicated`)
      : reject(`${field}_malformed`, `${name} is not a dictionary (RFC 9651)`)
  }
  return members.success.length > signatureLabelsMax
    ? reject("labels_too_many", `${name} must have at most ${signatureLabelsMax} labels`)
    : Result.succeed(members.success)
}

const verifyOne = (
  request: ReceivedRequest,
  member: DictionaryMember,
  signatures: ReadonlyArray<DictionaryMember>,
  policy: VerificationPolicy,
): Result.Result<VerifiedSignature, VerificationRejected> => {
  const read = readSignatureInput(member)
  if (Result.isFailure(read))
    return reject(read.failure.code, `Signature-Input ${member.key}: ${read.failure.detail}`)
  const input = read.success
  const age = checkAge(input, policy)
  if (Result.isFailure(age)) return Result.fail(age.failure)
  const value = signatures.find(({ key }) => key === input.label)?.value
  if (value === undefined) return reject("signature_missing", `Signature has no ${input.label}`)
  if (value.type !== "bytes" || value.value.length !== 64) {
    return reject("signature_malformed", `Signature ${input.label} must be 64 bytes between colons`)
  }
  const base = buildSignatureBase(request, input.components, input.signatureParams)
  if (Result.isFailure(base)) {
    return reject("component_missing", `the request has no usable value for ${base.failure.component}`)
  }
  const verify = policy.keyOf(input.keyId)
  if (verify === undefined) return reject("key_unknown", "there is no public key for this keyid")
  return verify(encoder.encode(base.success), value.value)
    ? Result.succeed({
        label: input.label,
        keyId: input.keyId,
        created: input.created,
        signature: value.value,
        base: base.success,
      })
    : reject(
        "signature_invalid",
        `the signature does not match @authority ${normalizeAuthority(request.authority, request.scheme)} and ` +
          `@path ${targetToPath(request.target)}; a proxy must preserve host, port and path, Content-Digest and Content-Type`,
      )
}

const checkAge = (
  { created, expires }: SignatureInput,
  {
    nowSeconds,
    maxAgeSeconds = signatureMaxAgeSeconds,
    maxAheadSeconds = signatureMaxAheadSeconds,
  }: VerificationPolicy,
): Result.Result<true, VerificationRejected> => {
  // Negated, so that a limit or a clock that is NaN rejects the request.
  if (!(created >= nowSeconds - maxAgeSeconds)) {
    return reject("signature_too_old", `created is more than ${maxAgeSeconds} s ago`)
  }
  if (!(created <= nowSeconds + maxAheadSeconds)) {
    return reject("signature_too_new", `created is more than ${maxAheadSeconds} s ahead`)
  }
  return expires !== undefined && expires < nowSeconds
    ? reject("signature_expired", "expires is in the past")
    : Result.succeed(true)
}

const digestMessages = {
  missing: "Content-Digest is missing",
  malformed: "Content-Digest is not a dictionary of digests (sha-256=:<base64>:), or a digest is duplicated",
  unsupported: "Content-Digest has neither sha-256 nor sha-512",
  mismatch: "the digest does not match the body; pass the raw bytes, read before parsing",
}

const singleFields = new Set(["content-digest", "content-type", "host", "signature", "signature-input"])
const encoder = new TextEncoder()
const targetPattern = /^\/[!-~]*$/
const authorityPattern = /^[A-Za-z0-9._~!$&'()*+,;=%:[\]-]+$/

const reject = (
  code: VerificationRejectionCode,
  message: string,
): Result.Result<never, VerificationRejected> => Result.fail(new VerificationRejected({ code, message }))
