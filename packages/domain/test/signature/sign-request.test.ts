import { HashNode } from "@tocsin/adapters-http/crypto"
import type { RequestToSign } from "@tocsin/domain/ports"
import { signRequest } from "../../src/signature/SignRequest.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { testKey } from "../../../../test/signature/TestKey.ts"

const request: RequestToSign = {
  method: "POST",
  authority: "example.com",
  path: "/hook",
  contentType: "application/json",
  body: new TextEncoder().encode("{}"),
  created: 1_618_884_473,
}

describe("what cannot be signed", () => {
  it.effect.each<readonly [keyof RequestToSign | "keyId", unknown]>([
    ["method", ""],
    ["method", "PO ST"],
    ["method", 'POST\n"@authority": other.example'],
    ["authority", ""],
    ["authority", "exa mple.com"],
    ["authority", "exämple.com"],
    ["path", ""],
    ["path", "hook"],
    ["path", "/é"],
    ["path", '/a\n"content-digest": sha-256=:AA==:'],
    ["contentType", ""],
    ["contentType", " application/json"],
    ["contentType", "application/json "],
    ["contentType", "text/plain; title=é"],
    ["contentType", "text/plain\r\nX: y"],
    ["contentType", "text/\tplain"],
    ["created", 1.5],
    ["created", -1],
    ["created", Number.NaN],
    ["created", Number.POSITIVE_INFINITY],
    ["created", 1e15],
    ["keyId", ""],
    ["keyId", 'k";alg="hmac-sha256'],
    ["keyId", "a\\b"],
    ["keyId", "k\n"],
    ["keyId", "k\u007f"],
    ["keyId", "schlüssel"],
  ])(
    "spec/signatures §16: a request with the %s %j is rejected with the name of that part",
    ([part, value]) =>
      Effect.sync(() => {
        const changed = part === "keyId" ? request : { ...request, [part]: value }
        const key = part === "keyId" ? { ...testKey, keyId: String(value) } : testKey
        const rejected = { _tag: "RequestCannotBeSigned", part }
        expect(signRequest(changed, key, HashNode.hashFunctions)).toMatchObject({
          _tag: "Failure",
          failure: rejected,
        })
      }),
  )

  it.each<Partial<RequestToSign>>([
    { created: 0 },
    { created: 999_999_999_999_999 },
    { contentType: 'multipart/mixed; boundary="a b"' },
    { path: "/" },
    { path: "/a|b" },
    { authority: "[2606:4700:4700::1111]:8443" },
    { method: "M-SEARCH" },
  ])("spec/signatures §16: a request with %j is signed", (change) => {
    expect(Result.isSuccess(signRequest({ ...request, ...change }, testKey, HashNode.hashFunctions))).toBe(
      true,
    )
  })
})
