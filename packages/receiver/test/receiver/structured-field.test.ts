import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as PlatformNode from "../../src/PlatformNode.ts"
import * as PlatformWeb from "../../src/PlatformWeb.ts"
import { parseDictionary as parse, writeString } from "../../src/StructuredField.ts"

describe.each([
  ["of Node", PlatformNode],
  ["of other runtimes", PlatformWeb],
])("base64 %s", (_, { base64ToBytes }) => {
  it("reads what Node writes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString("base64")
        expect(base64ToBytes(text)).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  it("has one spelling for each byte string", () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 40 }), (text) => {
        const bytes = base64ToBytes(text)
        if (bytes !== undefined) expect(Buffer.from(bytes).toString("base64")).toBe(text)
      }),
    )
    for (const text of [
      "A",
      "AA",
      "AA=",
      "AB==",
      "AAB=",
      "A A=",
      "AA==\n",
      "====",
      "AA-_",
      "AAAA====",
      "é===",
    ])
      expect(base64ToBytes(text), text).toBeUndefined()
  })
})

describe("dictionaries of RFC 9651", () => {
  it("reads every type of item, with its parameters and its raw text", () => {
    const members = parse(
      'a=1;x;y="q\\"\\\\", b=-2.50,c=tok/en:*;p=?0 ,\td=:AAE=:, e, f=("a";k=1 b  2.0);z=@7, g=%"f%c3%bc"',
    )
    if (typeof members === "string") throw new Error(members)
    expect(members.map(({ key, raw }) => [key, raw])).toEqual([
      ["a", '1;x;y="q\\"\\\\"'],
      ["b", "-2.50"],
      ["c", "tok/en:*;p=?0"],
      ["d", ":AAE=:"],
      ["e", ""],
      ["f", '("a";k=1 b  2.0);z=@7'],
      ["g", '%"f%c3%bc"'],
    ])
    expect(members.map(({ value }) => value)).toEqual([
      { type: "integer", value: 1 },
      { type: "decimal", value: -2.5 },
      { type: "token", value: "tok/en:*" },
      { type: "bytes", value: new Uint8Array([0, 1]), base64: "AAE=" },
      { type: "boolean", value: true },
      undefined,
      { type: "displayString", value: "fü" },
    ])
    expect(members[0]?.parameters.get("y")).toEqual({ type: "string", value: 'q"\\' })
    expect(members[5]?.items?.map(({ value }) => value.type)).toEqual(["string", "token", "decimal"])
    expect(members[5]?.parameters.get("z")).toEqual({ type: "date", value: 7 })
    expect(parse("")).toEqual([])
    expect(parse("  ")).toEqual([])
  })

  it("rejects what the grammar does not allow", () => {
    for (const text of [
      "a,",
      ",a",
      "a,,b",
      "a b",
      "A=1",
      "1a=1",
      "a=",
      "a= 1",
      "a =1",
      'a="',
      'a="\\x"',
      'a="é"',
      "a=:AA:",
      "a=:AA==",
      "a=1.",
      "a=1.2345",
      "a=1234567890123456",
      "a=1234567890123.1",
      "a=--1",
      "a=?2",
      "a=@1.5",
      "a=@",
      'a=%"%C3"',
      'a=%"%ff"',
      "a=(",
      'a=("x"',
      'a=("x""y")',
      "a=(1,2)",
      "a=(\t1)",
      "a=1;",
      "a=1;X",
      "a=1 ;x",
      "a=((1))",
      "a=\u0001",
      "é=1",
    ]) {
      expect(parse(text), text).toBe("malformed")
    }
  })

  it("rejects a key or a parameter that comes twice", () => {
    for (const text of ["a=1,a=1", "a=1,b=2,a", "a=1;x;x", "a=(1;x;x=1)"])
      expect(parse(text), text).toBe("duplicated")
  })

  it("parses any text in linear time", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        parse(text)
      }),
    )
    expect(parse(`a=${"(".repeat(8_000)}`)).toBe("malformed")
    expect(parse(`a="${"\\\\".repeat(4_000)}`)).toBe("malformed")
    expect(parse(`a="${"x".repeat(8_000)}"`)).toHaveLength(1)
  })

  it("writes strings that read back", () => {
    const printable = fc.stringMatching(/^[ -~]*$/)
    fc.assert(
      fc.property(printable, (text) => {
        const members = parse(`a=${writeString(text)}`)
        expect(typeof members === "string" ? members : members[0]?.value).toEqual({
          type: "string",
          value: text,
        })
      }),
    )
  })
})
