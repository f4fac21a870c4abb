import * as Result from "effect/Result"
import { makeSecretBox as make } from "@tocsin/adapters-http/server"
import { SecretCannotBeOpened } from "@tocsin/domain/ports"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const masterKey = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const box = make({ current: masterKey(1), previous: [] })
const place = { organization: "acme", record: "AlertMethod/shop/pager" }
const secret = Redacted.make(new TextEncoder().encode("https://hooks.example.com/s3cr3t"))

describe("a secret box", () => {
  it("opens what it has sealed, whatever it is", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), fc.string(), (bytes, organization, record) => {
        const at = { organization, record }
        const opened = box.open(at, box.seal(at, Redacted.make(bytes)))
        expect(Result.isSuccess(opened) && Redacted.value(opened.success)).toEqual(bytes)
      }),
    )
  })

  it("hashes a text always in the same way, and otherwise under another master key", () => {
    const [other, both] = [
      make({ current: masterKey(2), previous: [] }),
      make({ current: masterKey(2), previous: [masterKey(1)] }),
    ]
    expect(box.hash("ada@example.com")).toMatch(/^[\w-]{43}$/)
    expect(box.hash("ada@example.com")).toBe(
      make({ current: masterKey(1), previous: [] }).hash("ada@example.com"),
    )
    expect(box.hash("ada@example.com")).not.toBe(box.hash("bob@example.com"))
    expect(other.hash("ada@example.com")).not.toBe(box.hash("ada@example.com"))
    expect(both.hash("ada@example.com")).toBe(other.hash("ada@example.com"))
  })

  it("opens nothing at another place", () => {
    const sealed = box.seal(place, secret)
    for (const other of [
      { ...place, organization: "evil" },
      { ...place, record: "AlertMethod/shop/page" },
      { organization: 'acme","AlertMethod', record: "shop/pager" },
    ]) {
      expect(box.open(other, sealed)).toEqual(
        Result.fail(new SecretCannotBeOpened({ place: other, keyId: box.keyId })),
      )
    }
  })

  it("opens nothing that was changed or cut", () => {
    const sealed = box.seal(place, secret)
    for (let index = 0; index < sealed.bytes.length; index++) {
      const bytes = Uint8Array.from(sealed.bytes)
      bytes[index] = (bytes[index] ?? 0) ^ 1
      expect(Result.isSuccess(box.open(place, { ...sealed, bytes }))).toBe(false)
      expect(Result.isSuccess(box.open(place, { ...sealed, bytes: sealed.bytes.subarray(0, index) }))).toBe(
        false,
      )
    }
  })

  it("seals the same to different bytes each time, none of which reveal it", () => {
    const [one, other] = [box.seal(place, secret), box.seal(place, secret)]
    expect(one.bytes).not.toEqual(other.bytes)
    expect(Buffer.from(one.bytes).includes("s3cr3t")).toBe(false)
  })

  it("opens under a previous master key, and seals under the current one", () => {
    const sealed = box.seal(place, secret)
    const rotated = make({ current: masterKey(2), previous: [masterKey(1)] })
    expect(Result.isSuccess(rotated.open(place, sealed))).toBe(true)
    expect(rotated.seal(place, secret).keyId).not.toBe(sealed.keyId)
    expect(Result.isSuccess(make({ current: masterKey(2), previous: [] }).open(place, sealed))).toBe(false)
  })
})
