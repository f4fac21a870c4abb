/** Writes bytes as base64 with padding (RFC 4648, section 4). */
export const bytesToBase64 = (bytes: Uint8Array): string =>
  platform === undefined
    ? bytesToBase64Portably(bytes)
    : platform.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

/** `Buffer`, where the platform has it. */
const platform = (globalThis as { readonly Buffer?: PlatformBuffer }).Buffer

interface PlatformBuffer {
  readonly from: (
    memory: ArrayBufferLike,
    offset: number,
    length: number,
  ) => { readonly toString: (encoding: "base64") => string }
}

/** `bytesToBase64` for platforms without `Buffer`. */
export const bytesToBase64Portably = (bytes: Uint8Array): string => {
  let text = ""
  let at = 0
  for (; at + 2 < bytes.length; at += 3) {
    const group = (byteAt(bytes, at) << 16) | (byteAt(bytes, at + 1) << 8) | byteAt(bytes, at + 2)
    text += pairAt(group >> 12) + pairAt(group)
  }
  if (at + 1 === bytes.length) return `${text}${pairAt(byteAt(bytes, at) << 4)}==`
  if (at + 2 === bytes.length) {
    const group = ((byteAt(bytes, at) << 8) | byteAt(bytes, at + 1)) << 2
    return `${text}${pairAt(group >> 6)}${alphabet.charAt(group & 63)}=`
  }
  return text
}

/**
 * Reads canonical base64 (RFC 4648, sections 3.5 and 4): padded, no white space, unused bits zero.
 *
 * Returns `undefined` for any other encoding of the same bytes too, so that a changed character of a signature or digest
 * is always detected.
 */
export const base64ToBytes = (text: string): Uint8Array | undefined => {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  const characters = text.length - padding
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  let bits = 0
  let group = 0
  let at = 0
  for (let index = 0; index < characters; index++) {
    const code = text.charCodeAt(index)
    const value = code < 128 ? valueByCode[code] : undefined
    if (value === undefined || value === 255) return undefined
    group = ((group << 6) | value) & 0xffffff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (group >> bits) & 0xff
    }
  }
  return (group & ((1 << bits) - 1)) === 0 ? bytes : undefined
}

/** Writes bytes as base64url without padding (RFC 4648, section 5). */
export const bytesToBase64Url = (bytes: Uint8Array): string =>
  bytesToBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

/** Reads canonical base64url without padding; `undefined` for anything else. */
export const base64UrlToBytes = (text: string): Uint8Array | undefined => {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined
  const plain = text.replaceAll("-", "+").replaceAll("_", "/")
  return base64ToBytes(plain + "=".repeat((4 - (plain.length % 4)) % 4))
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const valueByCode = new Uint8Array(128).fill(255)
for (let value = 0; value < 64; value++) valueByCode[alphabet.charCodeAt(value)] = value

/** The two characters of every 12 bits, for speed: every signature is written as base64. */
const pairs = Array.from(
  { length: 4096 },
  (_, bits) => alphabet.charAt(bits >> 6) + alphabet.charAt(bits & 63),
)

const pairAt = (bits: number): string => pairs[bits & 4095] ?? ""
const byteAt = (bytes: Uint8Array, index: number): number => bytes[index] ?? 0
