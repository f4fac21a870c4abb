import { createPublicKey, verify } from "node:crypto"
import { publicKeyPath } from "@tocsin/domain/limits"
import { verifySignature } from "http-message-sig"
import { createVerifier, httpbis } from "http-message-signatures"
import type { Received } from "./https-receiver.ts"

/** The public key as its endpoint returns it. */
export interface PublicKeyResponse {
  readonly keyId: string
  readonly algorithm: string
  readonly publicKeyPem: string
}

/** Reads the public key of a server. */
export const publicKeyOf = async (serverUrl: string): Promise<PublicKeyResponse> =>
  (await (await fetch(`${serverUrl}${publicKeyPath}`)).json()) as PublicKeyResponse

/** The covered components, in order. Source: spec/signatures §9. */
const coveredComponents = ["@method", "@authority", "@path", "content-digest", "content-type"]

/** Whether http-message-sig takes a notification as it was received, at most `maxAge` seconds ago. */
export const verifiesByHttpMessageSig = async (
  received: Received,
  key: PublicKeyResponse,
  maxAge = 60,
): Promise<boolean> => {
  const publicKey = createPublicKey(key.publicKeyPem)
  const verified = await verifySignature(
    {
      kind: "request",
      method: received.method,
      targetUri: received.url,
      fields: received.headers.map(([name, value]) => ({ name, value })),
    },
    {
      policy: {
        algorithms: ["ed25519"],
        requiredComponents: coveredComponents,
        requiredParameters: ["created", "keyid", "alg"],
        maxAge,
        clockSkew: 5,
      },
      resolveVerifier: ({ parameters: { keyid } }) => {
        if (keyid !== key.keyId) throw new Error(`the key ${String(keyid)} is not published`)
        return {
          algorithm: "ed25519",
          verify: async (data: Uint8Array, signature: Uint8Array) => verify(null, data, publicKey, signature),
        }
      },
    },
  ).catch(() => undefined)
  return verified?.label === "sig1"
}

/** Whether http-message-signatures takes a notification as it was received. */
export const verifiesByHttpMessageSignatures = async (
  { method, url, headers }: Received,
  key: PublicKeyResponse,
): Promise<boolean> =>
  (await httpbis.verifyMessage(
    {
      keyLookup: async ({ keyid }) =>
        keyid === key.keyId
          ? { id: key.keyId, algs: ["ed25519"], verify: createVerifier(key.publicKeyPem, "ed25519") }
          : null,
      requiredFields: coveredComponents,
      requiredParams: ["created", "keyid", "alg"],
      maxAge: 60,
    },
    { method, url, headers: Object.fromEntries(headers) },
  )) === true
