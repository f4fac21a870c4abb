import { createHash, createPublicKey, verify } from "node:crypto"
import type { CryptoFunctions } from "./CryptoFunctions.ts"

/** Node's own functions: twice as fast as its Web Crypto, and on Node 20 without a warning. */
export const cryptoFunctions = {
  digest: (algorithm: "SHA-256" | "SHA-512", bytes: Uint8Array) =>
    new Uint8Array(createHash(algorithm.replace("-", "")).update(bytes).digest()),
  importPublicKey: (publicKey: Uint8Array) => {
    const x = Buffer.from(publicKey).toString("base64url")
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } })
    return (bytes: Uint8Array, signature: Uint8Array) => verify(null, bytes, key, signature)
  },
} satisfies CryptoFunctions
