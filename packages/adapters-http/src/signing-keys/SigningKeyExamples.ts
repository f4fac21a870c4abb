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

const rotated = { ...next, activeFrom: "2026-01-30T12:10:05.000Z" }

const signing = { ...active, state: "active", activeFrom: "2025-11-03T08:00:00.000Z" }

const ofServer = {
  keyId: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
  algorithm: "ed25519",
  publicKeyPem:
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n-----END PUBLIC KEY-----\n",
  state: "active",
  activeFrom: "2025-08-14T09:30:00.000Z",
}

export const listSigningKeys: OperationExample = {
  response: { signedBy: "organization", keys: [signing, rotated], serverKeys: [ofServer] },
}

export const createSigningKey: OperationExample = { response: rotated }

export const rotateSigningKey: OperationExample = { response: rotated }

export const deleteSigningKey: OperationExample = {
  response: { ...signing, activeUntil: "2026-01-30T12:10:05.000Z" },
}
