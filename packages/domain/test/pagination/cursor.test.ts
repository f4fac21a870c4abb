import * as Result from "effect/Result"
import { pageLinks, readCursor, writeCursor } from "@tocsin/domain/pagination"
import { parsePageLimit } from "../../src/pagination/Page.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const endpoint = fc.constantFrom("v1/slos", "v2/slos", "deliveries")
const key = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 3 })

describe("a cursor", () => {
  it("spec/status-api §7: what is written is read back", () => {
    fc.assert(
      fc.property(endpoint, key, (endpoint, key) => {
        const text = writeCursor(endpoint, key)
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(readCursor(endpoint, key.length, text)).toEqual(Result.succeed(key))
      }),
    )
  })

  it("spec/status-api §7: a cursor of another endpoint is rejected", () => {
    const text = writeCursor("v1/slos", ["default", "a"])
    expect(readCursor("v2/slos", 2, text)).toMatchObject({ _tag: "Failure", failure: { value: text } })
  })

  it("spec/status-api §7: a cursor with a key of another length is rejected", () => {
    expect(Result.isSuccess(readCursor("v2/slos", 2, writeCursor("v2/slos", ["default"])))).toBe(false)
  })

  it("spec/status-api §7: a cursor of another format version is rejected", () => {
    const text = writeCursor("v2/slos", ["default", "a"])
    const other = Buffer.from(Buffer.from(text, "base64url").toString().replace("[1,", "[2,")).toString(
      "base64url",
    )
    expect(Result.isSuccess(readCursor("v2/slos", 2, other))).toBe(false)
  })

  it("spec/status-api §7: a cursor with any one character changed, left out or added is rejected", () => {
    const text = writeCursor("v2/slos", ["default", "checkout-latency"])
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ %é"
    for (let at = 0; at < text.length; at++) {
      const without = text.slice(0, at) + text.slice(at + 1)
      expect(Result.isSuccess(readCursor("v2/slos", 2, without))).toBe(false)
      for (const letter of alphabet) {
        const changed = text.slice(0, at) + letter + text.slice(at + 1)
        if (changed !== text) expect(Result.isSuccess(readCursor("v2/slos", 2, changed))).toBe(false)
        const longer = text.slice(0, at) + letter + text.slice(at)
        if (longer !== text) expect(Result.isSuccess(readCursor("v2/slos", 2, longer))).toBe(false)
      }
    }
  })

  it("spec/status-api §7: a cursor with U+0000, which no stored text contains, is rejected", () => {
    for (const part of ["\0", "a\0b"])
      expect(Result.isSuccess(readCursor("v2/slos", 2, writeCursor("v2/slos", ["default", part])))).toBe(
        false,
      )
  })

  it("spec/status-api §7: garbage is rejected and never throws", () => {
    const garbage = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.base64String(),
      fc.json().map((json) => Buffer.from(`0000000${json}`).toString("base64url")),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64url")),
      fc.constant("A".repeat(100_000)),
    )
    fc.assert(
      fc.property(garbage, (text) => {
        expect(Result.isSuccess(readCursor("v2/slos", 2, text))).toBe(false)
      }),
    )
  })
})

describe("the limit of a page", () => {
  it("spec/status-api §6: absent, empty and 0 mean the default of 500", () => {
    for (const text of [undefined, "", "0", "000"]) expect(parsePageLimit(text)).toEqual(Result.succeed(500))
  })

  it("spec/status-api §6: a page size of 1 to 500 is taken, 501 is rejected", () => {
    expect(parsePageLimit("1")).toEqual(Result.succeed(1))
    expect(parsePageLimit("500")).toEqual(Result.succeed(500))
    expect(Result.isSuccess(parsePageLimit("501"))).toBe(false)
  })

  it("spec/status-api §6: negative and not whole numbers are rejected, with the name and the value", () => {
    for (const text of [
      "-1",
      "-0",
      "1.5",
      "1e2",
      "0x10",
      " 5",
      "5 ",
      "+5",
      "ten",
      "NaN",
      "Infinity",
      "٣",
      "9".repeat(400),
    ]) {
      expect(parsePageLimit(text)).toMatchObject({
        _tag: "Failure",
        failure: { code: "limit_invalid", propertyName: "limit", propertyValue: text },
      })
    }
  })
})

describe("the links of a page", () => {
  it("spec/status-api §5: self is always there, next only when more exist; both are relative and carry limit and cursor", () => {
    expect(pageLinks("/api/v2/slos", 500, "", undefined)).toEqual({ self: "/api/v2/slos?limit=500&cursor=" })
    expect(pageLinks("/api/v2/slos", 7, "abc", "def")).toEqual({
      self: "/api/v2/slos?limit=7&cursor=abc",
      next: "/api/v2/slos?limit=7&cursor=def",
    })
  })
})
