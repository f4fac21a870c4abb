/** How a field is written in protobuf: how long it is follows from this. */
export const wireTypes = { varint: 0, bits64: 1, lengthDelimited: 2, bits32: 5 } as const

/**
 * Reads the fields of a message in protobuf. Throws a `RangeError` where the bytes end too early or are none.
 *
 * Source: protobuf.dev/programming-guides/encoding. Groups, which OTLP does not have, are rejected.
 */
export class WireReader {
  pos = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #low = 0
  #high = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** The number and the wire type of the next field. */
  tag(): readonly [field: number, wireType: number] {
    const tag = this.uint32()
    if (tag >>> 3 === 0) throw new RangeError("a field has no number")
    return [tag >>> 3, tag & 7]
  }

  skip(wireType: number): void {
    switch (wireType) {
      case wireTypes.varint:
        return this.#readVarint()
      case wireTypes.bits64:
        return void this.#take(8)
      case wireTypes.lengthDelimited:
        return void this.#take(this.uint32())
      case wireTypes.bits32:
        return void this.#take(4)
      default:
        throw new RangeError("a field has an unknown type")
    }
  }

  uint32(): number {
    const first = this.#bytes[this.pos]
    // Most lengths and numbers of fields have one byte.
    if (first !== undefined && first < 0x80) {
      this.pos++
      return first
    }
    this.#readVarint()
    return this.#low >>> 0
  }

  int32(): number {
    return this.uint32() | 0
  }

  sint32(): number {
    const value = this.uint32()
    return (value >>> 1) ^ -(value & 1)
  }

  bool(): boolean {
    this.#readVarint()
    return this.#low !== 0 || this.#high !== 0
  }

  /** The nearest number. */
  uint64(): number {
    this.#readVarint()
    return (this.#high >>> 0) * 2 ** 32 + (this.#low >>> 0)
  }

  /** All digits. */
  int64(): string {
    this.#readVarint()
    return String((BigInt(this.#high | 0) << 32n) | BigInt(this.#low >>> 0))
  }

  /** The nearest number. */
  fixed64(): number {
    const at = this.#take(8)
    return this.#view.getUint32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true)
  }

  /** The nearest number. */
  sfixed64(): number {
    const at = this.#take(8)
    return this.#view.getInt32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true)
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true)
  }

  bytes(): Uint8Array {
    const length = this.uint32()
    const from = this.#take(length)
    return this.#bytes.subarray(from, from + length)
  }

  string(): string {
    return decoder.decode(this.bytes())
  }

  /** Where the next bytes begin, which must all be there. */
  #take(length: number): number {
    const from = this.pos
    this.pos += length
    if (this.pos > this.#bytes.length) throw new RangeError("the bytes end too early")
    return from
  }

  #readVarint(): void {
    let [low, high] = [0, 0]
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#take(1)] ?? 0
      const bits = byte & 0x7f
      if (shift < 32) low |= bits << shift
      if (shift > 28) high |= bits << (shift - 32)
      else if (shift === 28) high |= bits >> 4
      if (byte < 0x80) {
        this.#low = low
        this.#high = high
        return
      }
    }
    throw new RangeError("a number has too many bytes")
  }
}

const decoder = new TextDecoder()

/** A whole number of at least 0. */
export const writeVarint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...writeVarint(Math.floor(value / 0x80))]

/** A field of text or of a message. */
export const writeBytes = (field: number, bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([
    ...writeVarint(field * 8 + wireTypes.lengthDelimited),
    ...writeVarint(bytes.length),
    ...bytes,
  ])
