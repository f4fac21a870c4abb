import { WireReader, wireTypes, writeBytes, writeVarint } from "../../src/otlp/Wire.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const readerOf = (...bytes: ReadonlyArray<number>): WireReader => new WireReader(Uint8Array.from(bytes))

/** As protobuf writes a number of 64 bits. */
const varintOf = (value: bigint): ReadonlyArray<number> => {
  const bits = BigInt.asUintN(64, value)
  return bits < 0x80n ? [Number(bits)] : [Number(bits & 0x7fn) | 0x80, ...varintOf(bits >> 7n)]
}

const fixedOf = (write: (view: DataView) => void): ReadonlyArray<number> => {
  const view = new DataView(new ArrayBuffer(8))
  write(view)
  return [...new Uint8Array(view.buffer)]
}

describe("WireReader", () => {
  it("reads every whole number of 64 bits, and the nearest number where a number is wanted", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const unsigned = BigInt.asUintN(64, value)
        expect(readerOf(...varintOf(value)).int64()).toBe(String(value))
        expect(readerOf(...varintOf(value)).uint64()).toBe(Number(unsigned))
        expect(readerOf(...varintOf(value)).int32()).toBe(Number(BigInt.asIntN(32, value)))
        expect(readerOf(...varintOf(value)).bool()).toBe(value !== 0n)
        expect(readerOf(...fixedOf((view) => view.setBigInt64(0, value, true))).sfixed64()).toBe(
          Number(value),
        )
        expect(readerOf(...fixedOf((view) => view.setBigInt64(0, value, true))).fixed64()).toBe(
          Number(unsigned),
        )
      }),
    )
  })

  it("reads signed numbers of 32 bits that alternate, and doubles", () => {
    expect([0, 1, 2, 3, 4].map((value) => readerOf(value).sint32())).toEqual([0, -1, 1, -2, 2])
    expect(readerOf(...varintOf(0xfffffffen)).sint32()).toBe(2 ** 31 - 1)
    expect(readerOf(...fixedOf((view) => view.setFloat64(0, 0.1, true))).double()).toBe(0.1)
  })

  it("reads fields, and skips those of any type", () => {
    const reader = readerOf(8, 150, 1, 18, 7, 116, 101, 115, 116, 105, 110, 103)
    expect([reader.tag(), reader.uint32()]).toEqual([[1, wireTypes.varint], 150])
    expect([reader.tag(), reader.string()]).toEqual([[2, wireTypes.lengthDelimited], "testing"])
    for (const [wireType, bytes] of [
      [wireTypes.varint, [150, 1]],
      [wireTypes.bits64, [1, 2, 3, 4, 5, 6, 7, 8]],
      [wireTypes.lengthDelimited, [2, 9, 9]],
      [wireTypes.bits32, [1, 2, 3, 4]],
    ] as const) {
      const skipping = readerOf(...bytes)
      skipping.skip(wireType)
      expect(skipping.pos).toBe(bytes.length)
    }
  })

  it.each<[string, () => unknown]>([
    ["a length beyond the end", () => readerOf(3, 1, 2).bytes()],
    ["a number without an end", () => readerOf(0x80, 0x80).uint32()],
    [
      "a number of more than ten bytes",
      () => readerOf(...Array.from({ length: 11 }, () => 0x80), 1).uint64(),
    ],
    ["eight bytes of which some are missing", () => readerOf(1, 2, 3).double()],
    ["a field without a number", () => readerOf(0).tag()],
    ["a group", () => readerOf(0).skip(3)],
  ])("throws a RangeError at %s", (_, read) => {
    expect(read).toThrow(RangeError)
  })
})

describe("a written field", () => {
  it("is read again", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.uint8Array({ maxLength: 300 }), (number, content) => {
        expect(readerOf(...writeVarint(number)).uint64()).toBe(number)
        const reader = new WireReader(writeBytes(2, content))
        expect(reader.tag()).toEqual([2, wireTypes.lengthDelimited])
        expect(Buffer.from(reader.bytes()).equals(Buffer.from(content))).toBe(true)
      }),
    )
  })
})
