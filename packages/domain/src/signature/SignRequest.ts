import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { PortFailure } from "../PortFailure.ts"
import { bytesToBase64 } from "./Base64.ts"
import { writeContentDigest } from "./ContentDigest.ts"
import type { Sha256 } from "./Sha256.ts"
import { signatureLabel, writeSignatureParams } from "./SignatureParams.ts"

/**
 * The key that signs now. Signatures are the 64 bytes of Ed25519 (RFC 8032, section 5.1.6). The bytes to sign are not
 * retained.
 */
export interface SigningKeyInUse {
  readonly keyId: string
  readonly sign: (bytes: Uint8Array) => Uint8Array
  /** Signs on another thread if the platform has one, so that many signatures do not block the event loop. */
  readonly signInBackground: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/** The signing key cannot be read or loaded. A fault of the sender, which uses no attempt. */
export class SignerIsUnavailable extends Data.TaggedError("SignerIsUnavailable")<PortFailure> {}

/**
 * Port: the signing key of this instance.
 *
 * `current` is read before every attempt, nearly always from memory. In every process it is the key that
 * `activeSigningKey` returns for the current time.
 */
export class Signer extends Context.Service<
  Signer,
  { readonly current: Effect.Effect<SigningKeyInUse, SignerIsUnavailable> }
>()("@tocsin/domain/internal/signature/Signer") {}

/**
 * A request exactly as it will be sent. All strings are ASCII without control characters.
 *
 * - `authority` is in lower case, without the default port.
 * - `path` is percent-encoded and at least `/`, without the query.
 * - `created` is the time of the attempt in whole Unix seconds.
 */
export interface RequestToSign {
  readonly method: string
  readonly authority: string
  readonly path: string
  readonly contentType: string
  readonly body: Uint8Array
  readonly created: number
}

export interface SignatureHeaders {
  readonly "content-digest": string
  readonly "signature-input": string
  readonly signature: string
}

/**
 * Digests and signs a request, synchronously (RFC 9421, section 3.1).
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
  sha256: Pick<Sha256["Service"], "sha256Base64">,
): SignatureHeaders => {
  const unsigned = unsignedHeaders(request, key, sha256)
  return signedHeaders(unsigned, key.sign(unsigned.base))
}

/** What `signRequest` returns, signed in the background. */
export const signRequestInBackground = (
  request: RequestToSign,
  key: Pick<SigningKeyInUse, "keyId" | "signInBackground">,
  sha256: Pick<Sha256["Service"], "sha256Base64">,
): Effect.Effect<SignatureHeaders> => {
  const unsigned = unsignedHeaders(request, key, sha256)
  return Effect.map(key.signInBackground(unsigned.base), (signature) => signedHeaders(unsigned, signature))
}

interface UnsignedHeaders {
  readonly contentDigest: string
  readonly signatureParams: string
  /** The bytes to sign. */
  readonly base: Uint8Array
}

const unsignedHeaders = (
  request: RequestToSign,
  { keyId }: Pick<SigningKeyInUse, "keyId">,
  { sha256Base64 }: Pick<Sha256["Service"], "sha256Base64">,
): UnsignedHeaders => {
  const contentDigest = writeContentDigest(request.body, sha256Base64)
  const signatureParams = writeSignatureParams(request.created, keyId)
  const base = encoder.encode(signedBase(request, contentDigest, signatureParams))
  return { contentDigest, signatureParams, base }
}

const signedHeaders = (
  { contentDigest, signatureParams }: UnsignedHeaders,
  signature: Uint8Array,
): SignatureHeaders => ({
  "content-digest": contentDigest,
  "signature-input": `${signatureLabel}=${signatureParams}`,
  signature: `${signatureLabel}=:${bytesToBase64(signature)}:`,
})

/** What `buildSignatureBase` returns for the five required components, as one template string, for speed. */
export const signedBase = (
  request: Omit<RequestToSign, "body" | "created">,
  contentDigest: string,
  signatureParams: string,
): string =>
  `"@method": ${request.method}\n"@authority": ${request.authority}\n"@path": ${request.path}\n` +
  `"content-digest": ${contentDigest}\n"content-type": ${request.contentType}\n` +
  `"@signature-params": ${signatureParams}`

const encoder = new TextEncoder()
