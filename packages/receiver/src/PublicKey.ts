import { base64ToBytes } from "#platform"

/**
 * Reads the 32 bytes of an Ed25519 public key from PEM (`SubjectPublicKeyInfo`; RFC 7468, section 13, and RFC 8410,
 * section 4).
 *
 * `undefined` for other algorithms, for a non-canonical encoding of the point, and for points of small order, for which
 * anyone can forge signatures.
 */
export const pemToPublicKey = (pem: string): Uint8Array | undefined => {
  const base64 = pemPattern.exec(pem)?.[1]?.replace(/\s/g, "")
  const der = base64 === undefined ? undefined : base64ToBytes(base64)
  if (der?.length !== 44 || !spkiPrefix.every((byte, index) => der[index] === byte)) return undefined
  const raw = der.subarray(12)
  return isSafe(raw) ? raw : undefined
}

const isSafe = (raw: Uint8Array): boolean => {
  const y = Array.from(raw, (byte, index) => (index === 31 ? byte & 0x7f : byte))
  return (
    !isAtLeastPrime(y) && !smallOrderPoints.has(y.map((byte) => byte.toString(16).padStart(2, "0")).join(""))
  )
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
