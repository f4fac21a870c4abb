import { HashNode } from "@tocsin/adapters-http/crypto"
import { describe, expect, it } from "vitest"
import { writeContentDigest } from "@tocsin/domain/signature"
import { NotificationRejected } from "@tocsin/receiver"
import { checkContentDigest, readContentDigest } from "../../src/ContentDigest.ts"
import type { CryptoFunctions } from "@tocsin/receiver"
import * as PlatformNode from "../../src/PlatformNode.ts"
import * as PlatformWeb from "../../src/PlatformWeb.ts"
import vectors from "../../../../test/vectors/content-digest.json" with { type: "json" }

const codeOf = async (lines: ReadonlyArray<string>, body: Uint8Array, { digest }: CryptoFunctions) => {
  try {
    await checkContentDigest(readContentDigest(lines.join(", ")), body, { digest })
    return "accepted"
  } catch (error) {
    if (error instanceof NotificationRejected) return error.code
    throw error
  }
}

describe.each([
  ["node:crypto", PlatformNode.cryptoFunctions],
  ["Web Crypto", PlatformWeb.cryptoFunctions],
])("Content-Digest with %s", (_, functions) => {
  for (const { id, bodyBase64, values } of vectors.values) {
    const body = Buffer.from(bodyBase64, "base64")
    it(`spec/signatures §1: the digest of ${id} is written byte for byte and accepted`, async () => {
      expect(writeContentDigest(body, HashNode.hashFunctions.sha256Base64)).toBe(
        `sha-256=:${values["sha-256"]}:`,
      )
      expect(await codeOf([`sha-256=:${values["sha-256"]}:`], body, functions)).toBe("accepted")
      expect(await codeOf([`sha-512=:${values["sha-512"]}:`], body, functions)).toBe("accepted")
    })
  }

  for (const vector of vectors.checks) {
    it(`spec/signatures §1: ${vector.id} is ${vector.ok ? "accepted" : "rejected"}`, async () => {
      const code = await codeOf(vector.lines, Buffer.from(vector.bodyBase64, "base64"), functions)
      if (code === "accepted") expect(vector.ok).toBe(true)
      else expect(vector.codes).toContain(code.replace("content_digest_", "digest-"))
    })
  }
})
