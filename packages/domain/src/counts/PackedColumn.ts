/**
 * Columns of numbers as bytes. The first byte is the form: each column has the shortest one.
 *
 * | Form | Content |
 * |---|---|
 * | 0 | nothing: all are 0 |
 * | 1 | one varint: all are this |
 * | 2 | a varint and the number of bits: each number is the varint and as many bits, the lowest first |
 * | 3 | varints |
 * | 4 | varints of the differences from the number before, the first from 0: twice it, or twice its negation less 1 |
 * | 5 | float64, little-endian |
 *
 * Forms 0 to 4 hold whole numbers from 0 to below 2^51. A varint has seven bits in each byte, the lowest first, and the eighth bit set
 * in all but the last one.
 */

/** Bytes that are appended to. */
export class ByteWriter {
  #bytes = new Uint8Array(256)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  varint(value: number): void {
    this.#reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) + 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  float64(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
  }

  /** As many of the lowest bits of each number. */
  bits(values: ArrayLike<number>, less: number, width: number): void {
    let [pending, filled] = [0, 0]
    if (width <= narrowMax) {
      for (let index = 0; index < values.length; index++) {
        pending |= ((values[index] ?? 0) - less) << filled
        for (filled += width; filled >= 8; filled -= 8) {
          this.byte(pending & 0xff)
          pending >>>= 8
        }
      }
      if (filled > 0) this.byte(pending)
      return
    }
    for (let index = 0; index < values.length; index++) {
      let [rest, left] = [(values[index] ?? 0) - less, width]
      while (left > 0) {
        const taken = Math.min(8 - filled, left)
        const unit = 2 ** taken
        pending += (rest % unit) * 2 ** filled
        rest = Math.floor(rest / unit)
        filled += taken
        left -= taken
        if (filled === 8) {
          this.byte(pending)
          pending = 0
          filled = 0
        }
      }
    }
    if (filled > 0) this.byte(pending)
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  get bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const bytes = new Uint8Array(2 * this.#bytes.length + count)
    bytes.set(this.#bytes)
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}

/** Thrown where bytes end too early, or have a form that is not known. */
export class BytesAreInvalid extends RangeError {}

/** Bytes that are read one after the other. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #view: DataView | undefined
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw new BytesAreInvalid("bytes end too early")
    return byte
  }

  /** Everything that was not read yet. */
  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at)
  }

  take(count: number): Uint8Array {
    const start = this.#at
    this.skip(count)
    return this.#bytes.subarray(start, this.#at)
  }

  skip(count: number): void {
    if (this.#at + count > this.#bytes.length) throw new BytesAreInvalid("bytes end too early")
    this.#at += count
  }

  varint(): number {
    let [value, unit] = [0, 1]
    for (let index = 0; index < 8; index++) {
      const byte = this.byte()
      value += (byte % 0x80) * unit
      if (byte < 0x80) return value
      unit *= 0x80
    }
    throw new BytesAreInvalid("a number is too long")
  }

  /** Reads 32 bits, the lowest first, with a sign. */
  int32(): number {
    return this.byte() | (this.byte() << 8) | (this.byte() << 16) | (this.byte() << 24)
  }

  /** Reads so many float64 into the start of an array. */
  float64s(values: Float64Array, count: number): void {
    if (this.#at + 8 * count > this.#bytes.length) throw new BytesAreInvalid("bytes end too early")
    const { buffer, byteOffset, byteLength } = this.#bytes
    const view = (this.#view ??= new DataView(buffer, byteOffset, byteLength))
    let at = this.#at
    for (let index = 0; index < count; index++, at += 8) values[index] = view.getFloat64(at, true)
    this.#at = at
  }

  /** Reads as many numbers as `length` says, of as many bits each. */
  bits(values: Float64Array, more: number, width: number, length = values.length): void {
    if (width <= narrowMax) {
      const mask = (1 << width) - 1
      const bytes = this.take(Math.ceil((width * length) / 8))
      let [pending, filled, at] = [0, 0, 0]
      for (let index = 0; index < length; index++) {
        for (; filled < width; filled += 8) pending |= (bytes[at++] ?? 0) << filled
        values[index] = (pending & mask) + more
        pending >>>= width
        filled -= width
      }
      return
    }
    let [byte, filled] = [0, 8]
    for (let index = 0; index < length; index++) {
      let [value, unit, left] = [0, 1, width]
      while (left > 0) {
        if (filled === 8) {
          byte = this.byte()
          filled = 0
        }
        const taken = Math.min(8 - filled, left)
        value += ((byte >> filled) % 2 ** taken) * unit
        unit *= 2 ** taken
        filled += taken
        left -= taken
      }
      values[index] = value + more
    }
  }
}

/** As many bits, and 7 more, are within an integer of 32 bits without its sign. */
const narrowMax = 24

/** Whole numbers from here on are written as float64. */
const wholeMax = 2 ** 51

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)

const varintBytes = (value: number): number => {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++
  return bytes
}

/** Writes a column in its shortest form. */
export const writeColumn = (writer: ByteWriter, values: ArrayLike<number>): void => {
  const { length } = values
  let [least, most, ofVarints, ofDifferences, before] = [Infinity, 0, 0, 0, 0]
  for (let index = 0; index < length; index++) {
    const value = values[index] ?? 0
    // A sign of 0 is kept, too.
    if (!Number.isInteger(value) || value < 0 || value >= wholeMax || Object.is(value, -0)) {
      writer.byte(5)
      for (let place = 0; place < length; place++) writer.float64(values[place] ?? 0)
      return
    }
    least = Math.min(least, value)
    most = Math.max(most, value)
    ofVarints += varintBytes(value)
    ofDifferences += varintBytes(zigzag(value - before))
    before = value
  }
  if (most === 0) return writer.byte(0)
  if (least === most) {
    writer.byte(1)
    return writer.varint(least)
  }
  // The logarithm of 2^49 + 1 is rounded to 49.
  let width = 1
  while (2 ** width <= most - least) width++
  const ofBits = varintBytes(least) + 1 + Math.ceil((width * length) / 8)
  if (ofBits <= Math.min(ofVarints, ofDifferences)) {
    writer.byte(2)
    writer.varint(least)
    writer.byte(width)
    return writer.bits(values, least, width)
  }
  const isDifferences = ofDifferences < ofVarints
  writer.byte(isDifferences ? 4 : 3)
  before = 0
  for (let index = 0; index < length; index++) {
    const value = values[index] ?? 0
    writer.varint(isDifferences ? zigzag(value - before) : value)
    before = value
  }
}

/** Reads a column of a known length. */
export const readColumn = (reader: ByteReader, length: number): Float64Array => {
  const values = new Float64Array(length)
  readColumnInto(values, reader, length)
  return values
}

/** Skips a column of a known length. */
export const skipColumn = (reader: ByteReader, length: number): void => {
  const form = reader.byte()
  switch (form) {
    case 0:
      return
    case 1:
      reader.varint()
      return
    case 2:
      reader.varint()
      return reader.skip(Math.ceil((reader.byte() * length) / 8))
    case 3:
    case 4:
      for (let left = length; left > 0; left--) reader.varint()
      return
    case 5:
      return reader.skip(8 * length)
    default:
      throw new BytesAreInvalid(`no column has the form ${form}`)
  }
}

/** Reads a column of a known length into the start of an array. */
export const readColumnInto = (values: Float64Array, reader: ByteReader, length: number): void => {
  const form = reader.byte()
  switch (form) {
    case 0:
      values.fill(0, 0, length)
      return
    case 1:
      values.fill(reader.varint(), 0, length)
      return
    case 2: {
      const least = reader.varint()
      reader.bits(values, least, reader.byte(), length)
      return
    }
    case 3:
      for (let index = 0; index < length; index++) values[index] = reader.varint()
      return
    case 4: {
      let value = 0
      for (let index = 0; index < length; index++) {
        const difference = reader.varint()
        value += difference % 2 === 0 ? difference / 2 : -(difference + 1) / 2
        values[index] = value
      }
      return
    }
    case 5:
      reader.float64s(values, length)
      return
    default:
      throw new BytesAreInvalid(`no column has the form ${form}`)
  }
}
