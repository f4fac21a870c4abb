import { type ContentDigest, readContentDigest } from "./ContentDigest.ts"
import type { VerifySignature } from "./Platform.ts"
import { NotificationRejected, reject } from "./NotificationRejected.ts"
import { type Fields, readFields } from "./Fields.ts"
import {
  buildSignatureBase,
  normalizeAuthority,
  type RequestHead,
  type RequestToVerify,
  targetToPath,
} from "./SignatureBase.ts"
import { readSignatureInput, type SignatureInput, signatureLabel } from "./SignatureInput.ts"
import { type DictionaryMember, parseDictionary } from "./StructuredField.ts"

/** Largest age of a signature that a receiver accepts, in seconds. */
export const signatureMaxAgeSeconds = 300

/** Longest time that `created` may be ahead of the receiver's clock, in seconds. */
export const signatureMaxAheadSeconds = 60

/** Most labels in `Signature-Input` that a verifier reads. */
export const signatureLabelsMax = 8

export interface SignaturePolicy {
  /**
   * The host that the request must be signed for; `undefined` takes that of the request. Throws `NotificationRejected` for
   * a request to another host than the receiver's.
   */
  readonly authorityOf: (received: string | undefined) => string | undefined
  /** The imported key for a `keyid`; `undefined` if it is unknown. */
  readonly keyOf: (keyId: string) => VerifySignature | undefined
  /** The receiver's time, in Unix seconds. */
  readonly nowSeconds: number
  /** The oldest `created` that is accepted, in seconds before now. */
  readonly maxAgeSeconds: number
  /** How far `created` may be ahead of now, and `expires` behind, in seconds. */
  readonly maxAheadSeconds: number
}

/** The valid signature of a request. */
export interface VerifiedSignature {
  /** The name of the signature in the header fields: `sig1` for what Tocsin sends. */
  readonly label: string
  /** Names the public key. */
  readonly keyId: string
  /** When it was signed, in Unix seconds. */
  readonly created: number
  /** 64 bytes (RFC 8032, section 5.1.6). */
  readonly signature: Uint8Array
  /** The signature base: what the sender signed is what it contains, and the body through its digest. */
  readonly base: string
}

/** The head of a request with a valid signature. */
export interface VerifiedHead {
  readonly signature: VerifiedSignature
  /** The bytes of the signature in canonical base64. */
  readonly base64: string
  /** What the body must have. */
  readonly digest: ContentDigest
  readonly fields: Fields
}

/**
 * Verifies the signature of a request by its head alone (RFC 9421, section 3.2; spec/signatures §9): the signature covers
 * the body by its digest, so that a body is read only if the sender announced it.
 *
 * One valid signature is enough, under any label and beside any others. If there is none, the reason is that of
 * `sig1`, or of the first one without `sig1`. A key is asked for when everything else about a signature except its bytes is
 * valid, so that malformed requests do not make a receiver fetch keys.
 *
 * A request with `Signature-Input: sig1=("@method" "@authority" "@path");created=1767225600;keyid="k";alg="ed25519"` is
 * rejected with `component_not_covered`, since it must also cover `content-digest` and `content-type`.
 */
export const verifySignature = async (head: RequestHead, policy: SignaturePolicy): Promise<VerifiedHead> => {
  const request = readHead(head, policy)
  const { fields } = request
  const digest = readContentDigest(fields.get("content-digest"))
  const inputs = readMembers(fields.get("signature-input"), "signature_input")
  const signatures = readMembers(fields.get("signature"), "signature")
  checkPairs(inputs, signatures)
  let rejection: NotificationRejected | undefined
  for (const input of inputs) {
    try {
      const { isValid, signature, base64 } = verifyMember(request, input, signatures, policy)
      // A microtask less where the platform verifies at once.
      if (isValid === true || (await isValid)) return { signature, base64, digest, fields }
      rejectSignature(request)
    } catch (reason) {
      if (!(reason instanceof NotificationRejected)) throw reason
      if (rejection === undefined || input.key === signatureLabel) rejection = reason
    }
  }
  throw rejection
}

/** The request with its target as a path, and the authority that it must be signed for. */
const readHead = (
  { method, scheme = "https", headers, ...received }: RequestHead,
  { authorityOf }: SignaturePolicy,
): RequestToVerify => {
  const fields = readFields(headers)
  const [, absolute, rest] = absolutePattern.exec(received.target) ?? []
  // The host of an absolute target wins over Host (RFC 9112, section 3.2.2).
  const target = absolute === undefined ? received.target : rest?.startsWith("/") ? rest : `/${rest}`
  if (!targetPattern.test(target)) {
    reject("target_invalid", "the request target must be a path, with or without a query, or a URL")
  }
  const authority = authorityOf(normalizeAuthority(absolute ?? received.authority, scheme))
  if (authority === undefined) {
    return reject("authority_invalid", "the authority (the Host field) is missing or malformed")
  }
  return { method, scheme, authority, target, fields }
}

const readMembers = (
  text: string | undefined,
  field: "signature_input" | "signature",
): ReadonlyArray<DictionaryMember> => {
  const name = field === "signature" ? "Signature" : "Signature-Input"
  if (text === undefined) return reject(`${field}_missing`, `${name} is missing`)
  const members = parseDictionary(text)
  if (members === "duplicated") {
    return reject("label_duplicated", `a label or parameter of ${name} is duplicated`)
  }
  if (members === "malformed") return reject(`${field}_malformed`, `${name} is not a dictionary (RFC 9651)`)
  if (members.length > signatureLabelsMax) {
    return reject("labels_too_many", `${name} must have at most ${signatureLabelsMax} labels`)
  }
  return members.length === 0 ? reject(`${field}_missing`, `${name} is empty`) : members
}

/** Both fields must have the same labels (RFC 9421, section 4). */
const checkPairs = (
  inputs: ReadonlyArray<DictionaryMember>,
  signatures: ReadonlyArray<DictionaryMember>,
): void => {
  for (const [members, others] of [
    [inputs, signatures],
    [signatures, inputs],
  ] as const) {
    const alone = members.find(({ key }) => !others.some((other) => other.key === key))
    if (alone === undefined) continue
    reject("label_unpaired", `the label ${alone.key} is in only one of Signature-Input and Signature`)
  }
}

const verifyMember = (
  request: RequestToVerify,
  member: DictionaryMember,
  signatures: ReadonlyArray<DictionaryMember>,
  policy: SignaturePolicy,
): Pick<VerifiedHead, "signature" | "base64"> & { readonly isValid: ReturnType<VerifySignature> } => {
  const input = readSignatureInput(member)
  checkAge(input, policy)
  const { label, keyId, created } = input
  const value = signatures.find(({ key }) => key === label)?.value
  if (value?.type !== "bytes" || value.value.length !== 64) {
    return reject("signature_malformed", `Signature ${label} must be 64 bytes between colons`)
  }
  const base = buildSignatureBase(request, input.components, input.signatureParams)
  const verify = policy.keyOf(keyId)
  if (verify === undefined)
    return reject(
      "key_unknown",
      "there is no public key for this keyid; check that baseUrl is the server that sent the request",
    )
  return {
    signature: { label, keyId, created, signature: value.value, base },
    base64: value.base64,
    isValid: verify(encoder.encode(base), value.value),
  }
}

const rejectSignature = ({ authority, target }: RequestToVerify): never =>
  reject(
    "signature_invalid",
    `the signature does not match @authority ${authority} and @path ${targetToPath(target)}; ` +
      "set authority to the host, and the port unless 443, of the webhook URL; a proxy must not change path, Content-Digest or Content-Type",
  )

const checkAge = (
  { created, expires }: SignatureInput,
  { nowSeconds, maxAgeSeconds, maxAheadSeconds }: SignaturePolicy,
): void => {
  // Negated, so that a limit or a clock that is NaN rejects the request.
  if (!(created >= nowSeconds - maxAgeSeconds)) {
    reject("signature_too_old", `created is more than ${maxAgeSeconds} s ago`)
  }
  if (!(created <= nowSeconds + maxAheadSeconds)) {
    reject("signature_too_new", `created is more than ${maxAheadSeconds} s ahead`)
  }
  if (expires !== undefined && !(expires >= nowSeconds - maxAheadSeconds)) {
    reject("signature_expired", `expires is more than ${maxAheadSeconds} s ago`)
  }
}

const encoder = new TextEncoder()
const absolutePattern = /^https?:\/\/([^/?#]*)(.*)$/is
const targetPattern = /^\/[!-~]*$/
