import type { OperationExample } from "@tocsin/api/openapi"

const active = {
  keyId: "af5WKBzN058Km2Mf51Rhiqe-uKAQSnjg6oJ4qbcHZdw",
  algorithm: "ed25519",
  publicKeyPem:
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAo+UUG5nZjvCtZizg+DjjNDIyL1Pg6wYF6kyrQCuYjN0=\n-----END PUBLIC KEY-----\n",
}

const next = {
  keyId: "XvYeAjGEuZwZCzoLrtj4G_rlNq8J9WZwc-uEh_e_nV8",
  algorithm: "ed25519",
  publicKeyPem:
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA4rMmwHTp5oDxbVZXwsR+nBSfSYabq6LfnStOs4a2OEQ=\n-----END PUBLIC KEY-----\n",
  state: "next",
}

export const currentPublicKey: OperationExample = { response: active }

export const findPublicKey: OperationExample = { parameters: { keyId: active.keyId }, response: active }

export const publicKeys: OperationExample = { response: { keys: [{ ...active, state: "active" }, next] } }

export const publicJwks: OperationExample = {
  response: {
    keys: [
      {
        kty: "OKP",
        crv: "Ed25519",
        x: "o-UUG5nZjvCtZizg-DjjNDIyL1Pg6wYF6kyrQCuYjN0",
        kid: active.keyId,
        use: "sig",
        alg: "EdDSA",
      },
    ],
  },
}
