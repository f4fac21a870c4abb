/**
 * The hash of the labels of an alert by which Alertmanager identifies it: FNV-1a of 64 bits over the names and values, in the
 * order of the names and each followed by the byte 0xff, as 16 hexadecimal digits. A value that is no string is hashed as JSON.
 *
 * Source: Prometheus, package `common/model`, `LabelSet.Fingerprint`.
 */
export const fingerprintOfLabels = (labels: Readonly<Record<string, unknown>>): string => {
  const names = Object.keys(labels).toSorted((a, b) => (a < b ? -1 : 1))
  const hash = new Fnv64()
  for (const name of names) {
    const value = labels[name]
    hash.add(name)
    hash.add(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))
  }
  return hash.hex()
}

const encoder = new TextEncoder()

/** In four parts of 16 bits, as BigInt would be slow for large labels. */
class Fnv64 {
  #a = 0x2325
  #b = 0x8422
  #c = 0x9ce4
  #d = 0xcbf2

  add(text: string): void {
    for (const byte of encoder.encode(text)) this.#addByte(byte)
    this.#addByte(0xff)
  }

  hex(): string {
    return [this.#d, this.#c, this.#b, this.#a].map((part) => part.toString(16).padStart(4, "0")).join("")
  }

  /** Multiplies by the prime 2^40 + 0x1b3. */
  #addByte(byte: number): void {
    const [a, b, c, d] = [this.#a ^ byte, this.#b, this.#c, this.#d]
    const low = a * 0x1b3
    const second = b * 0x1b3 + (low >>> 16)
    const third = c * 0x1b3 + a * 0x100 + (second >>> 16)
    const fourth = d * 0x1b3 + b * 0x100 + (third >>> 16)
    this.#a = low & 0xffff
    this.#b = second & 0xffff
    this.#c = third & 0xffff
    this.#d = fourth & 0xffff
  }
}
