import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { bytesToBase64 } from "./Base64.ts"
import { writeContentDigest } from "./ContentDigest.ts"
import type { Sha256 } from "./Sha256.ts"
import { signatureLabel, writeSignatureParams } from "./SignatureParams.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * The key that signs now. Signatures are the 64 bytes of Ed25519 (RFC 8032, section 5.1.6). The bytes to sign are not
 * retained.
 */
export interface SigningKeyInUse {
  /** Names the public key. */
  readonly keyId: string
  /** Gives 64 bytes; blocks this thread for about 50 µs, and a few milliseconds more for each megabyte. */
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

/**
 * Port: the key that signs for an organization, its own or the server's.
 *
 * `current` is read before every attempt, nearly always from memory. In every process it is the key that
 * `activeSigningKey` returns for the current time.
 */
export class Signer extends Context.Service<
  Signer,
  {
    readonly current: (organization: OrganizationId) => Effect.Effect<SigningKeyInUse, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/signature/Signer") {}

/**
 * A request exactly as it will be sent.
 *
 * - `authority` is in lower case, without the default port.
 * - `path` is percent-encoded and at least `/`, without the query.
 * - `contentType` is visible ASCII and spaces, and neither begins nor ends with a space.
 * - `created` is the time of the attempt in whole Unix seconds, with at most 15 digits.
 */
export interface RequestToSign {
  /** A token (RFC 9110, section 5.6.2). */
  readonly method: string
  /** In lower case, without the port 443. */
  readonly authority: string
  /** Starts with `/`; without the query. */
  readonly path: string
  /** As it is sent. */
  readonly contentType: string
  /** As it is sent. */
  readonly body: Uint8Array
  /** Unix seconds. */
  readonly created: number
}

/** The header fields of a signature, by name in lower case. */
export interface SignatureHeaders {
  readonly "content-digest": string
  readonly "signature-input": string
  /** `sig1=:…:` */
  readonly signature: string
}

/**
 * A part of a request, or the ID of its key, has characters that would make another signature base, or that no verifier
 * accepts; `created` is no whole number of seconds since 1970.
 */
export class RequestCannotBeSigned extends TaggedError("RequestCannotBeSigned")<{
  /** The part of the request that cannot be signed. */
  readonly part: "method" | "authority" | "path" | "contentType" | "created" | "keyId"
}> {}

/**
 * Digests and signs a request, synchronously (RFC 9421, section 3.1); fails with `RequestCannotBeSigned`.
 *
 * ```
 * content-digest: sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:
 * signature-input: sig1=("@method" "@authority" "@path" "content-digest" "content-type");created=1767225600;keyid="…";alg="ed25519"
 * signature: sig1=:<88 characters of base64>:
 * ```
 */
export const signRequest = (
  request: RequestToSign,
  key: Pick<SigningKeyInUse, "keyId" | "sign">,
  { sha256Base64 }: Pick<Sha256["Service"], "sha256Base64">,
): Result.Result<SignatureHeaders, RequestCannotBeSigned> =>
  signDigested(request, writeContentDigest(request.body, sha256Base64), key)

/** Signs a request as `signRequest` does, given the digest of its body, as `writeContentDigest` writes it. */
export const signDigested = (
  request: Omit<RequestToSign, "body">,
  contentDigest: string,
  key: Pick<SigningKeyInUse, "keyId" | "sign">,
): Result.Result<SignatureHeaders, RequestCannotBeSigned> => {
  const part = unsignablePart(request, key.keyId)
  if (part !== undefined) return Result.fail(new RequestCannotBeSigned({ part }))
  const signatureParams = writeSignatureParams(request.created, key.keyId)
  const signature = key.sign(asciiBytes(signedBase(request, contentDigest, signatureParams)))
  return Result.succeed(signedHeaders(contentDigest, signatureParams, signature))
}

/** Less than one hundredth of the time that the signature takes. */
const unsignablePart = (
  { method, authority, path, contentType, created }: Omit<RequestToSign, "body">,
  keyId: string,
): RequestCannotBeSigned["part"] | undefined => {
  if (!methodPattern.test(method)) return "method"
  if (!authorityPattern.test(authority)) return "authority"
  if (!pathPattern.test(path)) return "path"
  if (!contentTypePattern.test(contentType)) return "contentType"
  if (!Number.isInteger(created) || created < 0 || created > structuredIntegerMax) return "created"
  return keyIdPattern.test(keyId) ? undefined : "keyId"
}

/** RFC 9110, section 5.6.2. */
const methodPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const authorityPattern = /^[!-~]+$/
const pathPattern = /^\/[!-~]*$/
const contentTypePattern = /^[!-~](?:[ -~]*[!-~])?$/
/** Without `"` and `\`, which a structured string escapes: not every verifier reads that. */
const keyIdPattern = /^[ !#-[\]-~]+$/
/** RFC 9651, section 3.3.1. */
const structuredIntegerMax = 999_999_999_999_999

const signedHeaders = (
  contentDigest: string,
  signatureParams: string,
  signature: Uint8Array,
): SignatureHeaders => ({
  "content-digest": contentDigest,
  "signature-input": `${signatureLabel}=${signatureParams}`,
  signature: `${signatureLabel}=:${bytesToBase64(signature)}:`,
})

/**
 * The signature base (RFC 9421, section 2.5) of the five required components: what is signed, in UTF-8. It does not check the parts, as
 * `signRequest` does. It is one template string, for speed.
 */
export const signedBase = (
  request: Omit<RequestToSign, "body" | "created">,
  contentDigest: string,
  signatureParams: string,
): string =>
  `"@method": ${request.method}\n"@authority": ${request.authority}\n"@path": ${request.path}\n` +
  `"content-digest": ${contentDigest}\n"content-type": ${request.contentType}\n` +
  `"@signature-params": ${signatureParams}`

const encoder = new TextEncoder()

/** The bytes of ASCII, in the same memory each time if there is room: to allocate it takes longer than to write it. */
const asciiBytes = (text: string): Uint8Array =>
  text.length > shared.length
    ? encoder.encode(text)
    : shared.subarray(0, encoder.encodeInto(text, shared).written)

const shared = new Uint8Array(4_096)
