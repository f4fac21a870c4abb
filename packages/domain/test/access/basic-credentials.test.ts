import * as Result from "effect/Result"
import { parseBasicCredentials } from "@tocsin/domain"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`

const parsed = (header: string | undefined): readonly [string, string] | string => {
  const result = parseBasicCredentials(header)
  return Result.isSuccess(result)
    ? [result.success.clientId, Redacted.value(result.success.clientSecret)]
    : `${result.failure._tag} ${result.failure.reason}`
}

describe("Basic credentials", () => {
  it("spec/access §2: they are clientId:clientSecret, encoded", () => {
    expect(parsed("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")).toEqual(["Aladdin", "open sesame"])
  })

  it("spec/access §3: they are UTF-8", () => {
    expect(parsed("Basic dGVzdDoxMjPCow==")).toEqual(["test", "123£"])
    expect(parsed(`Basic ${Buffer.from("test:123£", "latin1").toString("base64")}`)).toBe(
      "BasicCredentialsAreInvalid malformed",
    )
  })

  it("spec/access §3: they split at the first colon", () => {
    expect(parsed(basic("ci:a:b:"))).toEqual(["ci", "a:b:"])
    expect(parsed(basic("ci:"))).toEqual(["ci", ""])
  })

  it("spec/access §3: whatever the client id and the secret are, they come back", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1 }).filter((clientId) => !clientId.includes(":")),
        fc.string({ unit: "binary" }),
        (clientId, clientSecret) => {
          expect(parsed(basic(`${clientId}:${clientSecret}`))).toEqual([clientId, clientSecret])
        },
      ),
    )
  })

  it("RFC 7617: the name of the scheme is read in any case, and any spaces may follow it", () => {
    expect(parsed("bASIC  Y2k6cw==")).toEqual(["ci", "s"])
  })

  it.each([
    [undefined, "missing"],
    ["", "malformed"],
    ["Basic", "malformed"],
    ["Basic ", "malformed"],
    ["Bearer Y2k6cw==", "malformed"],
    ["Basic Y2k6cw", "malformed"],
    ["Basic Y2k6cw== x", "malformed"],
    ["Basic ci:s", "malformed"],
    [basic("no colon"), "malformed"],
    [basic(":secret"), "malformed"],
    [basic(""), "malformed"],
  ])("spec/errors §2: %j is %s credentials", (header, reason) => {
    expect(parsed(header)).toBe(`BasicCredentialsAreInvalid ${reason}`)
  })
})
