import { createPublicKey, hash, verify } from "node:crypto"
import type { Base64ToBytes, CryptoFunctions } from "./Platform.ts"

/** Node's own functions: twice as fast as its Web Crypto, and on Node 20 without a warning. */
export const cryptoFunctions = {
  // A string costs less than a buffer.
  digest: (algorithm: "SHA-256" | "SHA-512", bytes: Uint8Array) =>
    hash(algorithm === "SHA-256" ? "sha256" : "sha512", bytes, "base64"),
  importPublicKey: (publicKey: Uint8Array) => {
    const x = Buffer.from(publicKey).toString("base64url")
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } })
    return (bytes: Uint8Array, signature: Uint8Array) => verify(null, bytes, key, signature)
  },
} satisfies CryptoFunctions

/** Without a call for each byte, which `atob` needs. */
export const base64ToBytes: Base64ToBytes = (text) => {
  const bytes = Buffer.from(text, "base64")
  // In a buffer of its own: small ones share the pool of the process.
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined
}
