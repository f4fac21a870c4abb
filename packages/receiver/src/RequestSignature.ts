import { type ContentDigest, readContentDigest } from "./ContentDigest.ts"
import type { VerifySignature } from "./CryptoFunctions.ts"
import { NotificationRejected, reject } from "./NotificationRejected.ts"
import { buildSignatureBase, normalizeAuthority, type RequestHead, targetToPath } from "./SignatureBase.ts"
import { readSignatureInput, type SignatureInput, signatureLabel } from "./SignatureInput.ts"
import { type DictionaryMember, parseDictionary } from "./StructuredField.ts"

/** Largest age of a signature that a receiver accepts, in seconds. */
export const signatureMaxAgeSeconds = 300

/** Longest time that `created` may be ahead of the receiver's clock, in seconds. */
export const signatureMaxAheadSeconds = 60

/** Largest signature header that a verifier reads, its lines joined, in bytes. */
export const signatureHeaderMaxBytes = 8 * 1024

/** Most labels in `Signature-Input` that a verifier reads. */
export const signatureLabelsMax = 8

/** Largest total size of the headers of a request that a verifier reads, in bytes. */
export const receivedHeadersMaxBytes = 64 * 1024

/** Most header lines of a request that a verifier reads. */
export const receivedHeaderLinesMax = 500

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
export const verifySignature = async (
  head: RequestHead,
  policy: SignaturePolicy,
): Promise<{ readonly signature: VerifiedSignature; readonly digest: ContentDigest }> => {
  const fields = readFields(head.headers)
  const request = resolveTarget(head, policy)
  const digest = readContentDigest(fields.get("content-digest"))
  const inputs = readMembers(fields.get("signature-input"), "signature_input")
  const signatures = readMembers(fields.get("signature"), "signature")
  checkPairs(inputs, signatures)
  let rejection: NotificationRejected | undefined
  for (const input of inputs) {
    try {
      return { signature: await verifyMember(request, input, signatures, policy), digest }
    } catch (reason) {
      if (!(reason instanceof NotificationRejected)) throw reason
      if (rejection === undefined || input.key === signatureLabel) rejection = reason
    }
  }
  throw rejection
}

/** The value of a header field, its lines joined (RFC 9110, section 5.3). */
export const fieldOf = (headers: RequestHead["headers"], name: string): string | undefined => {
  const lines = headers.filter(([line]) => line.toLowerCase() === name).map(([, value]) => value)
  return lines.length === 0 ? undefined : lines.join(", ")
}

/** The fields that are parsed, by name. Also limits the size of the header. */
const readFields = (headers: RequestHead["headers"]): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  if (headers.length > receivedHeaderLinesMax) {
    reject("header_too_large", `the header must have at most ${receivedHeaderLinesMax} lines`)
  }
  let size = 0
  for (const [name, value] of headers) {
    size += name.length + value.length
    if (size > receivedHeadersMaxBytes) {
      reject("header_too_large", `the header must have at most ${receivedHeadersMaxBytes} bytes`)
    }
    const lower = name.toLowerCase()
    const isList = listFields.has(lower)
    if (!isList && !singleFields.has(lower)) continue
    const former = values.get(lower)
    if (former !== undefined && !isList) reject("header_duplicated", `${lower} is duplicated`)
    const joined = former === undefined ? value : `${former}, ${value}`
    if (joined.length > signatureHeaderMaxBytes) {
      reject("header_too_large", `${lower} must have at most ${signatureHeaderMaxBytes} bytes`)
    }
    values.set(lower, joined)
  }
  return values
}

/** The request with its target as a path, and the authority that it must be signed for. */
const resolveTarget = (head: RequestHead, { authorityOf }: SignaturePolicy): RequestHead => {
  const [, absolute, rest] = absolutePattern.exec(head.target) ?? []
  // The host of an absolute target wins over Host (RFC 9112, section 3.2.2).
  const target = absolute === undefined ? head.target : rest?.startsWith("/") ? rest : `/${rest}`
  if (!targetPattern.test(target)) {
    reject("target_invalid", "the request target must be a path, with or without a query, or a URL")
  }
  const authority = authorityOf(normalizeAuthority(absolute ?? head.authority, head.scheme))
  if (authority === undefined) {
    return reject("authority_invalid", "the authority (the Host field) is missing or malformed")
  }
  return { ...head, target, authority }
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
  const [left, right] = [inputs, signatures].map((members) => new Set(members.map(({ key }) => key)))
  for (const { key } of [...inputs, ...signatures]) {
    if (left?.has(key) && right?.has(key)) continue
    reject("label_unpaired", `the label ${key} is in only one of Signature-Input and Signature`)
  }
}

const verifyMember = async (
  request: RequestHead,
  member: DictionaryMember,
  signatures: ReadonlyArray<DictionaryMember>,
  policy: SignaturePolicy,
): Promise<VerifiedSignature> => {
  const input = readSignatureInput(member)
  checkAge(input, policy)
  const { label, keyId, created } = input
  const value = signatures.find(({ key }) => key === label)?.value
  if (value?.type !== "bytes" || value.value.length !== 64) {
    return reject("signature_malformed", `Signature ${label} must be 64 bytes between colons`)
  }
  const base = buildSignatureBase(request, input.components, input.signatureParams)
  const verify = policy.keyOf(keyId)
  if (verify === undefined) return reject("key_unknown", "there is no public key for this keyid")
  return (await verify(new TextEncoder().encode(base), value.value))
    ? { label, keyId, created, signature: value.value, base }
    : reject(
        "signature_invalid",
        `the signature does not match @authority ${request.authority} and @path ${targetToPath(request.target)}; ` +
          "a proxy must preserve host, port and path, Content-Digest and Content-Type",
      )
}

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

const singleFields = new Set(["content-type", "host"])
const listFields = new Set(["content-digest", "signature", "signature-input"])
const absolutePattern = /^https?:\/\/([^/?#]*)(.*)$/is
const targetPattern = /^\/[!-~]*$/
