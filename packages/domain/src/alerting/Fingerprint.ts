/**
 * A short text that stands for a longer one where only a change of it has to be noticed: 64 bits by FNV-1a over its UTF-8,
 * as 16 hexadecimal digits. Of 2⁶⁴ changes one goes unnoticed; it is no guard against who looks for that one.
 *
 * Source: the hash of Fowler, Noll and Vo; decision 0612.
 */
export const fingerprint = (text: string): string => {
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0
    // Times 2⁴⁰ + 0x1b3, by halves: each product is exact, and `>>> 0` takes its lower 32 bits.
    const product = low * 0x1b3
    high = (high * 0x1b3 + low * 0x100 + Math.floor(product / 2 ** 32)) >>> 0
    low = product >>> 0
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0")
}
