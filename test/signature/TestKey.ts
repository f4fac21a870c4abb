import { HashNode, loadSigningKey } from "@tocsin/adapters-http/crypto"
import { generateKeyPairSync, verify } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import { Signer, type SigningKeyInUse } from "@tocsin/domain/ports"
import { publicKeyToKeyId, signRequest } from "@tocsin/domain/signature"
import {
  createNotificationVerifier,
  type NotificationVerifierOptions,
  type RequestHead,
  type VerifySignature,
} from "@tocsin/receiver"
import keys from "../vectors/keys.json" with { type: "json" }

const vector = keys.keys[0]
if (vector === undefined) throw new Error("the vectors have no key")

/** The Ed25519 test key of RFC 9421 appendix B.1.4. */
export const testKeyVector = vector

/** The test key, ready to sign. */
export const testKey = loadSigningKey({
  keyId: vector.keyid,
  privateKey: Redacted.make(Buffer.from(vector.seedHex, "hex")),
})

/** A signer that has the test key for every organization. */
export const testSigner = Layer.succeed(Signer, { current: () => Effect.succeed(testKey) })

/** A key as its endpoint publishes it. */
export interface TestPublishedKey {
  readonly keyId: string
  readonly algorithm: string
  readonly publicKeyPem: string
}

/** The test key as its endpoint publishes it. */
export const testKeyPublished: TestPublishedKey = {
  keyId: vector.keyid,
  algorithm: "ed25519",
  publicKeyPem: vector.publicKeyPem,
}

/** The test key, ready to verify. */
export const testKeyVerify: VerifySignature = (bytes, signature) =>
  verify(null, bytes, vector.publicKeyPem, signature)

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
export interface TestRequest extends RequestHead {
  readonly body: Uint8Array
}

export const signedRequest = (
  {
    authority = "example.com",
    path = "/hook",
    body = new TextEncoder().encode('{"hello": "world"}'),
    created = testNowSeconds,
    headers = [],
  }: SignedRequestChange = {},
  key: Pick<SigningKeyInUse, "keyId" | "sign"> = testKey,
): TestRequest => {
  const signed = Result.getOrThrow(
    signRequest(
      { method: "POST", authority, path, contentType: "application/json", body, created },
      key,
      HashNode.hashFunctions,
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
export const withHeader = (request: TestRequest, name: string, value: string | undefined): TestRequest => ({
  ...request,
  headers: [
    ...request.headers.filter(([line]) => line.toLowerCase() !== name.toLowerCase()),
    ...(value === undefined ? [] : [[name, value] as const]),
  ],
})

/** The value of a header of the request. */
export const headerOf = (request: RequestHead, name: string): string =>
  request.headers.find(([line]) => line.toLowerCase() === name.toLowerCase())?.[1] ?? ""

/** A verifier that trusts the given keys, fetches nothing and accepts a notification as often as it comes. */
export const verifierOfKeys = (
  keys: ReadonlyArray<TestPublishedKey>,
  options: Partial<NotificationVerifierOptions> = {},
) =>
  createNotificationVerifier({
    baseUrl: "http://127.0.0.1",
    authority: "as received",
    fetch: async () => Response.json({ keys }),
    replayGuard: { remember: () => true },
    ...options,
  })

/** Another key, ready to sign, and as its endpoint publishes it. */
export const generateTestKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const { d = "", x = "" } = privateKey.export({ format: "jwk" })
  const keyId = publicKeyToKeyId(Buffer.from(x, "base64url"), HashNode.hashFunctions.sha256)
  return {
    key: loadSigningKey({ keyId, privateKey: Redacted.make(Buffer.from(d, "base64url")) }),
    published: {
      keyId,
      algorithm: "ed25519",
      publicKeyPem: publicKey.export({ format: "pem", type: "spki" }).toString(),
    },
  }
}
