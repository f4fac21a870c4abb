import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { hashFunctions } from "@tocsin/adapters-http/crypto/HashNode"
import { verifierFunctions } from "@tocsin/adapters-http/crypto/VerifierNode"
import { checkContentDigest, writeContentDigest } from "@tocsin/domain/signature/ContentDigest"
import { signatureHeaderMaxBytes } from "@tocsin/domain/signature/StructuredField"
import vectors from "../vectors/content-digest.json" with { type: "json" }

const check = (lines: ReadonlyArray<string>, body: Uint8Array) =>
  checkContentDigest(lines, body, verifierFunctions)

describe("Content-Digest", () => {
  for (const { id, bodyBase64, values } of vectors.values) {
    const body = Buffer.from(bodyBase64, "base64")
    it(`spec/signatures §1: the digest of ${id} is written byte for byte and accepted`, () => {
      expect(writeContentDigest(body, hashFunctions.sha256Base64)).toBe(`sha-256=:${values["sha-256"]}:`)
      expect(Result.isSuccess(check([`sha-256=:${values["sha-256"]}:`], body))).toBe(true)
      expect(Result.isSuccess(check([`sha-512=:${values["sha-512"]}:`], body))).toBe(true)
    })
  }

  for (const vector of vectors.checks) {
    it(`spec/signatures §1: ${vector.id} is ${vector.ok ? "accepted" : "rejected"}`, () => {
      const result = check(vector.lines, Buffer.from(vector.bodyBase64, "base64"))
      if (Result.isSuccess(result)) expect(vector.ok).toBe(true)
      else expect(vector.codes).toContain(`digest-${result.failure}`)
    })
  }

  it("spec/signatures §9: a digest longer than the verifier reads is rejected", () => {
    const filler = "x".repeat(signatureHeaderMaxBytes)
    expect(check([`sha-256=:AA==:;p=${filler}`], new Uint8Array())).toEqual(Result.fail("malformed"))
  })
})
