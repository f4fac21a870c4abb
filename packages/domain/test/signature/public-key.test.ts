import { HashNode } from "@tocsin/adapters-http/crypto"
import * as fc from "fast-check"
import { generateKeyPairSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import {
  base64ToBytes,
  base64UrlToBytes,
  bytesToBase64,
  bytesToBase64Portably,
  bytesToBase64Url,
} from "../../src/signature/Base64.ts"
import { publicKeyToKeyId, publicKeyToPem } from "../../src/signature/Ed25519PublicKey.ts"

describe("public keys", () => {
  it("spec/signatures §5: are written as PEM, as Node writes them", () => {
    const { publicKey } = generateKeyPairSync("ed25519")
    const { x = "" } = publicKey.export({ format: "jwk" })
    expect(publicKeyToPem(Buffer.from(x, "base64url"))).toBe(
      publicKey.export({ format: "pem", type: "spki" }),
    )
  })

  it("spec/signatures §6: keyId is the thumbprint of RFC 8037 appendix A.3", () => {
    const key = Buffer.from("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "base64url")
    expect(publicKeyToKeyId(key, HashNode.sha256)).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  })
})

describe("base64", () => {
  it("writes what Node writes and reads it back, with and without the URL alphabet", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(bytesToBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"))
        expect(bytesToBase64Portably(bytes)).toBe(Buffer.from(bytes).toString("base64"))
        expect(bytesToBase64(Buffer.concat([Buffer.from([7]), bytes]).subarray(1))).toBe(bytesToBase64(bytes))
        expect(bytesToBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"))
        expect(base64ToBytes(bytesToBase64(bytes))).toEqual(new Uint8Array(bytes))
        expect(base64UrlToBytes(bytesToBase64Url(bytes))).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  it("has one spelling for each byte string", () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 40 }), (text) => {
        const bytes = base64ToBytes(text)
        if (bytes !== undefined) expect(bytesToBase64(bytes)).toBe(text)
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
    expect(base64UrlToBytes("AB")).toBeUndefined()
    expect(base64UrlToBytes("AA==")).toBeUndefined()
  })
})
