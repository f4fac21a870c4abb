import { bytesToBase64 } from "./Base64.ts"
import { writeContentDigest } from "./ContentDigest.ts"
import type { Sha256 } from "./Sha256.ts"
import { signatureLabel, writeSignatureParams } from "./SignatureInput.ts"
import type { SigningKeyInUse } from "./Signer.ts"

/**
 * What is to be signed: the request as it will be sent.
 *
 * - `authority` and `path` are those of the normalised URL that is dialled: host in lower case, no default
 *   port; path percent-encoded as sent and at least `/`, without the query.
 * - `contentType` is the value of the `Content-Type` that is sent.
 * - `body` is the very bytes that are sent.
 * - `created` is the time of the attempt in Unix seconds, a whole number.
 *
 * All text is ASCII without control characters, as a normalised URL and a valid field value are.
 */
export interface RequestToSign {
  readonly method: string
  readonly authority: string
  readonly path: string
  readonly contentType: string
  readonly body: Uint8Array
  readonly created: number
}

/** The three header fields that make a notification verifiable. Source: spec/signatures §9. */
export interface SignatureHeaders {
  readonly "content-digest": string
  readonly "signature-input": string
  readonly signature: string
}

/**
 * Digests and signs one request, synchronously.
 *
 * Source: RFC 9421 section 3.1; spec/signatures §1, spec/signatures §3, spec/signatures §4.
 */
export const signRequest = (
  request: RequestToSign,
  key: SigningKeyInUse,
  { sha256Base64 }: Pick<Sha256["Service"], "sha256Base64">,
): SignatureHeaders => {
  const contentDigest = writeContentDigest(request.body, sha256Base64)
  const signatureParams = writeSignatureParams(request.created, key.keyId)
  const base = signedBase(request, contentDigest, signatureParams)
  return {
    "content-digest": contentDigest,
    "signature-input": `${signatureLabel}=${signatureParams}`,
    signature: `${signatureLabel}=:${bytesToBase64(key.sign(encoder.encode(base)))}:`,
  }
}

/**
 * The signature base of a request that we sign: what `buildSignatureBase` gives for the five components, in one
 * template, as it is built for each attempt.
 *
 * Source: spec/signatures §2.
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
