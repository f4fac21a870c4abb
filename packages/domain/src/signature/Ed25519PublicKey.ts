import * as Result from "effect/Result"
import * as Data from "effect/Data"
import { base64ToBytes, bytesToBase64, bytesToBase64Url } from "./Base64.ts"
import type { Digest } from "./Sha256.ts"

/** The 32 bytes of an Ed25519 public key (RFC 8032, section 5.1.5) that is safe to verify with. */
export type Ed25519PublicKey = Uint8Array

export class PublicKeyIsInvalid extends Data.TaggedError("PublicKeyIsInvalid")<{
  readonly reason: string
}> {}

/**
 * Reads a PEM public key (`SubjectPublicKeyInfo`; RFC 7468, section 13, and RFC 8410, section 4).
 *
 * Fails with `PublicKeyIsInvalid` for other algorithms, for a non-canonical encoding of the point, and for points of small
 * order, for which anyone can forge signatures.
 */
export const pemToPublicKey = (pem: string): Result.Result<Ed25519PublicKey, PublicKeyIsInvalid> => {
  const base64 = pemPattern.exec(pem)?.[1]?.replace(/\s/g, "")
  const der = base64 === undefined ? undefined : base64ToBytes(base64)
  if (der === undefined) return invalid("it is not a PEM public key")
  const isEd25519 = der.length === 44 && spkiPrefix.every((byte, index) => der[index] === byte)
  return isEd25519 ? rawToPublicKey(der.subarray(12)) : invalid("it is not an Ed25519 key")
}

/** Writes a public key as PEM, with a final line break. */
export const publicKeyToPem = (key: Ed25519PublicKey): string => {
  const der = new Uint8Array(44)
  der.set(spkiPrefix)
  der.set(key, 12)
  return `-----BEGIN PUBLIC KEY-----\n${bytesToBase64(der)}\n-----END PUBLIC KEY-----\n`
}

/** A public key as a JSON Web Key (RFC 8037, section 2). */
export interface Ed25519Jwk {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  /** The 32 bytes, in base64url without padding. */
  readonly x: string
}

export const publicKeyToJwk = (key: Ed25519PublicKey): Ed25519Jwk => ({
  kty: "OKP",
  crv: "Ed25519",
  x: bytesToBase64Url(key),
})

/** The ID of a key: the thumbprint of its JSON Web Key, in base64url (RFC 7638, section 3; RFC 8037, section 2). */
export const publicKeyToKeyId = (key: Ed25519PublicKey, sha256: Digest): string =>
  bytesToBase64Url(
    sha256(new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${bytesToBase64Url(key)}"}`)),
  )

const rawToPublicKey = (raw: Uint8Array): Result.Result<Ed25519PublicKey, PublicKeyIsInvalid> => {
  const y = Array.from(raw, (byte, index) => (index === 31 ? byte & 0x7f : byte))
  if (isAtLeastPrime(y)) return invalid("its point is not canonical")
  const hex = y.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return smallOrderPoints.has(hex) ? invalid("its point is of small order") : Result.succeed(raw)
}

/** Whether a 255-bit number in little endian is 2^255 - 19 or more. */
const isAtLeastPrime = (y: ReadonlyArray<number>): boolean =>
  (y[0] ?? 0) >= 0xed && y.slice(1, 31).every((byte) => byte === 0xff) && y[31] === 0x7f

/** The y coordinate of each point whose order divides 8, in little endian; the sign of x does not matter. */
const smallOrderPoints = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
])

const spkiPrefix = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]
const pemPattern = /^\s*-----BEGIN PUBLIC KEY-----\s([A-Za-z0-9+/=\s]*)-----END PUBLIC KEY-----\s*$/

const invalid = (reason: string): Result.Result<never, PublicKeyIsInvalid> =>
  Result.fail(new PublicKeyIsInvalid({ reason }))
