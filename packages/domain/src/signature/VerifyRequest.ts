import * as Result from "effect/Result"
import * as Data from "effect/Data"
import { checkContentDigest } from "./ContentDigest.ts"
import { buildSignatureBase, normaliseAuthority, type RequestMessage, targetToPath } from "./SignatureBase.ts"
import {
  readSignatureInput,
  type SignatureInput,
  type SignatureInputFault,
  signatureLabel,
} from "./SignatureInput.ts"
import { signatureHeaderMaxBytes, type DictionaryMember, parseDictionary } from "./StructuredField.ts"
import type { VerifierFunctions, VerifySignature } from "./Verifier.ts"

/** Age of `created` beyond which a receiver refuses, in seconds. */
export const signatureMaxAgeSeconds = 300

/** How far `created` may lie ahead of the receiver's clock, in seconds. */
export const signatureMaxAheadSeconds = 60

/** Most labels that a verifier reads in `Signature-Input`. */
export const signatureLabelsMax = 8

/** Most bytes of all header lines of one request that a verifier reads. */
export const receivedHeadersMaxBytes = 64 * 1024

/** Most header lines of one request that a verifier reads. */
export const receivedHeaderLinesMax = 500

/** A request exactly as it was received, with the raw bytes of its body, read before any parsing. */
export interface ReceivedRequest extends RequestMessage {
  readonly body: Uint8Array
}

/** What a request is held against. */
export interface VerificationPolicy {
  /** The imported key of a `keyid`; `undefined` if it is unknown. */
  readonly keyOf: (keyId: string) => VerifySignature | undefined
  /** The receiver's time, in Unix seconds. */
  readonly nowSeconds: number
  /** The oldest `created` that is accepted, in seconds before now. Default: 300. Source: spec/signatures §9. */
  readonly maxAgeSeconds?: number
  /** How far `created` may be ahead of now, in seconds. Default: 60. Source: spec/signatures §9. */
  readonly maxAheadSeconds?: number
}

/**
 * The signature that vouches for a request. `created` is in Unix seconds; `base` is the text that was signed: what is
 * in it, and the body by its digest, is what the sender vouches for.
 */
export interface VerifiedSignature {
  readonly label: string
  readonly keyId: string
  readonly created: number
  readonly signature: Uint8Array
  readonly base: string
}

/**
 * Every reason for which a request is refused. `key_unknown` is given only when all else but the signature
 * itself is in order, so that no forged request makes a receiver look for keys without end.
 */
export type VerificationRefusalCode =
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

/** A request is not to be processed. `message` says in one sentence what is wrong. */
export class VerificationRejected extends Data.TaggedError("VerificationRejected")<{
  readonly code: VerificationRefusalCode
  readonly message: string
}> {}

/**
 * Verifies the digest and the signature of a notification as received.
 *
 * One signature that satisfies everything is enough; further ones beside it, under any label, do no harm. When
 * none does, the reason is that of `sig1`, or of the first one when there is no `sig1`.
 *
 * Source: spec/signatures §1, steps 2 and 4 to 6; RFC 9421 section 3.2; spec/signatures §9.
 */
export const verifyRequest = (
  request: ReceivedRequest,
  policy: VerificationPolicy,
  functions: VerifierFunctions,
): Result.Result<VerifiedSignature, VerificationRejected> => {
  const lines = collectLines(request)
  if (Result.isFailure(lines)) return Result.fail(lines.failure)
  if (!targetPattern.test(request.target)) {
    return refuse("target_invalid", "the request target must be a path, with or without a query")
  }
  if (!authorityPattern.test(request.authority)) {
    return refuse("authority_invalid", "the authority (the Host field) is missing or malformed")
  }
  const digest = checkContentDigest(lines.success["content-digest"], request.body, functions)
  if (Result.isFailure(digest))
    return refuse(`content_digest_${digest.failure}`, digestMessages[digest.failure])
  const inputs = readMembers(lines.success["signature-input"], "signature_input")
  if (Result.isFailure(inputs)) return Result.fail(inputs.failure)
  const signatures = readMembers(lines.success.signature, "signature")
  if (Result.isFailure(signatures)) return Result.fail(signatures.failure)

  let refusal: Result.Result<VerifiedSignature, VerificationRejected> | undefined
  for (const input of inputs.success) {
    const outcome = verifyOne(request, input, signatures.success, policy)
    if (Result.isSuccess(outcome)) return outcome
    if (refusal === undefined || input.key === signatureLabel) refusal = outcome
  }
  return refusal ?? refuse("signature_input_missing", "Signature-Input names no signature")
}

type SingleField = "content-digest" | "content-type" | "host" | "signature" | "signature-input"

/** Takes out the lines of the fields that may come only once, and bounds all lines. */
const collectLines = (
  request: ReceivedRequest,
): Result.Result<Record<SingleField, ReadonlyArray<string>>, VerificationRejected> => {
  const lines: Record<SingleField, Array<string>> = {
    "content-digest": [],
    "content-type": [],
    host: [],
    signature: [],
    "signature-input": [],
  }
  if (request.headers.length > receivedHeaderLinesMax) {
    return refuse("header_too_large", `at most ${receivedHeaderLinesMax} lines of header are read`)
  }
  let size = 0
  for (const [name, value] of request.headers) {
    size += name.length + value.length
    if (size > receivedHeadersMaxBytes) {
      return refuse("header_too_large", `at most ${receivedHeadersMaxBytes} bytes of header are read`)
    }
    const lower = name.toLowerCase()
    if (!isSingleField(lower)) continue
    if (lines[lower].length > 0) return refuse("header_duplicated", `there are several lines of ${lower}`)
    if (value.length > signatureHeaderMaxBytes) {
      return refuse("header_too_large", `at most ${signatureHeaderMaxBytes} bytes of ${lower} are read`)
    }
    lines[lower].push(value)
  }
  return Result.succeed(lines)
}

const isSingleField = (name: string): name is SingleField =>
  name === "content-digest" ||
  name === "content-type" ||
  name === "host" ||
  name === "signature" ||
  name === "signature-input"

const readMembers = (
  lines: ReadonlyArray<string>,
  field: "signature_input" | "signature",
): Result.Result<ReadonlyArray<DictionaryMember>, VerificationRejected> => {
  const name = field === "signature" ? "Signature" : "Signature-Input"
  const text = lines[0]
  if (text === undefined) return refuse(`${field}_missing`, `there is no ${name}`)
  const members = parseDictionary(text)
  if (Result.isFailure(members)) {
    return members.failure === "duplicated"
      ? refuse("label_duplicated", `${name} has a label or parameter twice`)
      : refuse(`${field}_malformed`, `${name} is no dictionary of RFC 9651`)
  }
  return members.success.length > signatureLabelsMax
    ? refuse("labels_too_many", `at most ${signatureLabelsMax} labels are read`)
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
    return refuse(read.failure.code, `Signature-Input ${member.key}: ${read.failure.detail}`)
  const input = read.success
  const age = checkAge(input, policy)
  if (Result.isFailure(age)) return Result.fail(age.failure)
  const value = signatures.find(({ key }) => key === input.label)?.value
  if (value === undefined) return refuse("signature_missing", `Signature has no ${input.label}`)
  if (value.type !== "bytes" || value.value.length !== 64) {
    return refuse("signature_malformed", `Signature ${input.label} must be 64 bytes between colons`)
  }
  const base = buildSignatureBase(request, input.components, input.signatureParams)
  if (Result.isFailure(base)) {
    return refuse("component_missing", `the request has no usable value for ${base.failure.component}`)
  }
  const verify = policy.keyOf(input.keyId)
  if (verify === undefined) return refuse("key_unknown", "there is no public key of this keyid")
  return verify(encoder.encode(base.success), value.value)
    ? Result.succeed({
        label: input.label,
        keyId: input.keyId,
        created: input.created,
        signature: value.value,
        base: base.success,
      })
    : refuse(
        "signature_invalid",
        `the signature does not fit @authority ${normaliseAuthority(request.authority, request.scheme)} and ` +
          `@path ${targetToPath(request.target)}: a proxy must preserve host, port and path, Content-Digest and Content-Type`,
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
  // Put so that a limit or a clock that is no number refuses.
  if (!(created >= nowSeconds - maxAgeSeconds)) {
    return refuse("signature_too_old", `created is more than ${maxAgeSeconds} s ago`)
  }
  if (!(created <= nowSeconds + maxAheadSeconds)) {
    return refuse("signature_too_new", `created is more than ${maxAheadSeconds} s ahead`)
  }
  return expires !== undefined && expires < nowSeconds
    ? refuse("signature_expired", "the time in expires is over")
    : Result.succeed(true)
}

const digestMessages = {
  missing: "there is no Content-Digest",
  malformed: "Content-Digest is no dictionary of digests (sha-256=:<base64>:), or has one twice",
  unsupported: "Content-Digest has neither sha-256 nor sha-512",
  mismatch: "the body is not the one that was digested: read its raw bytes before parsing",
}

const encoder = new TextEncoder()
const targetPattern = /^\/[!-~]*$/
const authorityPattern = /^[A-Za-z0-9._~!$&'()*+,;=%:[\]-]+$/

const refuse = (code: VerificationRefusalCode, message: string): Result.Result<never, VerificationRejected> =>
  Result.fail(new VerificationRejected({ code, message }))
