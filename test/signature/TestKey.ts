import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import { importPublicKey, loadSigningKey } from "@tocsin/adapters-http/internal/crypto/Ed25519Node"
import { hashFunctions } from "@tocsin/adapters-http/internal/crypto/HashNode"
import { pemToPublicKey } from "@tocsin/domain/internal/signature/Ed25519PublicKey"
import { signRequest, type SigningKeyInUse } from "@tocsin/domain/internal/signature/SignRequest"
import type { ReceivedRequest, VerifySignature } from "@tocsin/domain/internal/signature/VerifyRequest"
import { publishKey } from "@tocsin/domain/internal/signature/SigningKeySchedule"
import keys from "../vectors/keys.json" with { type: "json" }

const vector = keys.keys[0]
if (vector === undefined) throw new Error("the vectors have no key")

/** The Ed25519 test key of RFC 9421 appendix B.1.4. */
export const testKeyVector = vector

const publicKey = pemToPublicKey(vector.publicKeyPem)
if (Result.isFailure(publicKey)) throw publicKey.failure

/** The test key, ready to sign. */
export const testKey = loadSigningKey({
  keyId: vector.keyid,
  privateKey: Redacted.make(Buffer.from(vector.seedHex, "hex")),
})

/** The test key for tests with a test clock, in which no other thread may take part. */
export const testKeyOnThisThread: SigningKeyInUse = {
  ...testKey,
  signInBackground: (bytes) => Effect.sync(() => testKey.sign(bytes)),
}

/** The test key as its endpoint publishes it. */
export const testKeyPublished = publishKey({ keyId: vector.keyid, publicKey: publicKey.success })

/** The test key, ready to verify. */
export const testKeyVerify: VerifySignature = importPublicKey(publicKey.success)

/** The time at which `signedRequest` signs, in Unix seconds. */
export const testNowSeconds = 1_618_884_473

/** What differs from a notification of the test key to `https://example.com/hook`. */
export interface SignedRequestChange {
  readonly authority?: string
  readonly path?: string
  readonly body?: Uint8Array
  readonly created?: number
  readonly headers?: ReadonlyArray<readonly [string, string]>
}

/** A notification as a receiver gets it. */
export const signedRequest = ({
  authority = "example.com",
  path = "/hook",
  body = new TextEncoder().encode('{"hello": "world"}'),
  created = testNowSeconds,
  headers = [],
}: SignedRequestChange = {}): ReceivedRequest => {
  const signed = Result.getOrThrow(
    signRequest(
      { method: "POST", authority, path, contentType: "application/json", body, created },
      testKey,
      hashFunctions,
    ),
  )
  return {
    method: "POST",
    authority,
    target: path,
    headers: [
      ["Host", authority],
      ["Content-Type", "application/json"],
      ["Content-Digest", signed["content-digest"]],
      ["Signature-Input", signed["signature-input"]],
      ["Signature", signed.signature],
      ...headers,
    ],
    body,
  }
}

/** The request with one header line replaced, or left out when `value` is `undefined`. */
export const withHeader = (
  request: ReceivedRequest,
  name: string,
  value: string | undefined,
): ReceivedRequest => ({
  ...request,
  headers: [
    ...request.headers.filter(([line]) => line.toLowerCase() !== name.toLowerCase()),
    ...(value === undefined ? [] : [[name, value] as const]),
  ],
})

/** The value of a header of the request. */
export const headerOf = (request: ReceivedRequest, name: string): string =>
  request.headers.find(([line]) => line.toLowerCase() === name.toLowerCase())?.[1] ?? ""
