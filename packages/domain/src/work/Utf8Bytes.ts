import type { Parts } from "./Parts.ts"

/** Characters that are encoded in one part: encoding some megabytes takes longer than a part may. */
const charactersPerPart = 131_072

/** The bytes of a text in UTF-8. */
export function* utf8Bytes(text: string): Parts<Uint8Array> {
  const encoder = new TextEncoder()
  const bytes = new Uint8Array(utf8Length(text))
  let written = 0
  for (let from = 0; from < text.length;) {
    yield
    let to = Math.min(text.length, from + charactersPerPart)
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--
    written += encoder.encodeInto(text.slice(from, to), bytes.subarray(written)).written
    from = to
  }
  return bytes
}

/** How many bytes a text has in UTF-8, which need not be written for that. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    // A pair takes four bytes; one without the other becomes U+FFFD, which takes three.
    if (isHighSurrogate(unit) && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index++
  }
  return bytes
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800
