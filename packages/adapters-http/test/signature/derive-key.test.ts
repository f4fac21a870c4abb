import { hkdfSync } from "node:crypto"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import { deriveKey } from "@tocsin/adapters-http/server"

it("RFC 5869: the key of a purpose is derived from the master key, and differs by purpose and master key", () => {
  const hexOf = (master: number, purpose: string) =>
    Buffer.from(Redacted.value(deriveKey(Redacted.make(new Uint8Array(32).fill(master)), purpose))).toString(
      "hex",
    )
  const expected = hkdfSync("sha256", new Uint8Array(32).fill(1), "", "tocsin access-tokens", 32)
  expect(hexOf(1, "access-tokens")).toBe(Buffer.from(expected).toString("hex"))
  expect(new Set([hexOf(1, "access-tokens"), hexOf(1, "secrets"), hexOf(2, "access-tokens")]).size).toBe(3)
})
