import { bytesToBase64, bytesToBase64Url } from "./Base64.ts"
import type { Digest } from "./Sha256.ts"

/** The 32 bytes of an Ed25519 public key (RFC 8032, section 5.1.5). */
export type Ed25519PublicKey = Uint8Array

/** Writes a public key as PEM, with a final line break. */
export const publicKeyToPem = (key: Ed25519PublicKey): string => {
  const der = new Uint8Array(44)
  der.set(spkiPrefix)
  der.set(key, 12)
  return `-----BEGIN PUBLIC KEY-----\n${bytesToBase64(der)}\n-----END PUBLIC KEY-----\n`
}

/** The ID of a key: the thumbprint of its JSON Web Key, in base64url (RFC 7638, section 3; RFC 8037, section 2). */
export const publicKeyToKeyId = (key: Ed25519PublicKey, sha256: Digest): string =>
  bytesToBase64Url(
    sha256(new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${bytesToBase64Url(key)}"}`)),
  )

const spkiPrefix = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]
