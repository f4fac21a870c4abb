import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import { itemToComponent } from "../../src/SignatureInput.ts"
import { NotificationRejected, type RequestHead } from "@tocsin/receiver"
import { buildSignatureBase, normalizeAuthority, targetToPath } from "../../src/SignatureBase.ts"
import { type DictionaryMember, parseDictionary } from "../../src/StructuredField.ts"
import vectors from "../../../../test/vectors/rfc9421-examples.json" with { type: "json" }
import { toVerify } from "../signature/SignatureCases.ts"
import { testKey, testKeyVerify } from "../../../../test/signature/TestKey.ts"

const request: RequestHead = {
  method: vectors.request.method,
  authority: "example.com",
  target: vectors.request.requestTarget,
  headers: vectors.request.fields.map(([name = "", value = ""]) => [name, value] as const),
}

const memberOf = (field: string): DictionaryMember => {
  const members = parseDictionary(field)
  if (typeof members === "string" || members[0] === undefined) throw new Error(`not a dictionary: ${field}`)
  return members[0]
}

const componentOf = (identifier: string) =>
  itemToComponent(memberOf(`s=(${identifier})`).items?.[0] ?? never())
const never = (): never => {
  throw new Error("no item")
}

const baseOf = (signatureInput: string, message: RequestHead = request) => {
  const member = memberOf(signatureInput)
  const components = (member.items ?? []).map((item) => {
    return itemToComponent(item) ?? never()
  })
  return buildSignatureBase(toVerify(message), components, member.raw)
}

const valueOf = (identifier: string, message: Partial<RequestHead>) => {
  try {
    return baseOf(`s=(${identifier})`, { ...request, ...message })
      .split("\n")[0]
      ?.slice(identifier.length + 2)
  } catch (error) {
    return error instanceof NotificationRejected ? error.code : error
  }
}

describe("signature base", () => {
  for (const { id, signatureInput, base } of [...vectors.bases, vectors.ed25519]) {
    it(`RFC 9421 ${id}: the base is built byte for byte`, () => {
      expect(baseOf(signatureInput)).toBe(base)
    })
  }

  it("RFC 9421 B.2.5: the base gives the HMAC of the RFC", () => {
    for (const { base, hmacSecretBase64, hmacSha256Base64 } of vectors.bases) {
      if (hmacSecretBase64 === undefined) continue
      const hmac = createHmac("sha256", Buffer.from(hmacSecretBase64, "base64")).update(base).digest("base64")
      expect(hmac).toBe(hmacSha256Base64)
    }
  })

  it("RFC 9421 B.2.6: the Ed25519 signature is made and verified byte for byte", () => {
    const base = Buffer.from(vectors.ed25519.base)
    const signature = memberOf(vectors.ed25519.signature).value
    if (signature?.type !== "bytes") throw new Error("no bytes")
    expect(Buffer.from(testKey.sign(base)).toString("base64")).toBe(
      Buffer.from(signature.value).toString("base64"),
    )
    expect(testKeyVerify(base, signature.value)).toBe(true)
  })

  it("spec/signatures §2: the parameters line is what was received, byte for byte", () => {
    const base = baseOf('s=(  "@method"   "@path" ); created=1 ;  keyid="x"'.replace(" ;", ";"))
    expect(base.split("\n").at(-1)).toBe(
      '"@signature-params": (  "@method"   "@path" ); created=1;  keyid="x"',
    )
  })

  it("spec/signatures §2: @path leaves the query out and is / when empty", () => {
    expect(targetToPath("/a%2Fb?x=/c")).toBe("/a%2Fb")
    expect(targetToPath("?x")).toBe("/")
    expect(targetToPath("/")).toBe("/")
  })

  it("spec/signatures §4: @authority is in lower case without the default port", () => {
    expect(normalizeAuthority("Example.COM:443")).toBe("example.com")
    expect(normalizeAuthority("example.com:8443")).toBe("example.com:8443")
    expect(normalizeAuthority("example.com:80", "http")).toBe("example.com")
    expect(normalizeAuthority("[::1]:443")).toBe("[::1]")
    expect(normalizeAuthority("example.com:1443")).toBe("example.com:1443")
    for (const same of ["example.com:", "example.com:0443", "example.com:000443", "EXAMPLE.com"]) {
      expect(normalizeAuthority(same), same).toBe("example.com")
    }
    expect(normalizeAuthority("example.com:08443")).toBe("example.com:8443")
    for (const none of [
      "",
      ":443",
      "a:b",
      "a:65536",
      "a:-1",
      "a b",
      "a/b",
      "a@b",
      "a:1:2",
      "[::1",
      "[g]",
      "a\n",
    ]) {
      expect(normalizeAuthority(none), none).toBeUndefined()
    }
  })

  it("RFC 9421 2.2: the derived components have the values of the RFC's examples", () => {
    const message = { authority: "www.example.com", target: "/path?param=value&foo=bar&baz=batman&qux=" }
    expect(valueOf('"@target-uri"', message)).toBe(
      "https://www.example.com/path?param=value&foo=bar&baz=batman&qux=",
    )
    expect(valueOf('"@scheme"', message)).toBe("https")
    expect(valueOf('"@request-target"', message)).toBe("/path?param=value&foo=bar&baz=batman&qux=")
    expect(valueOf('"@query"', message)).toBe("?param=value&foo=bar&baz=batman&qux=")
    expect(valueOf('"@query"', { target: "/path" })).toBe("?")
    expect(valueOf('"@query-param";name="baz"', message)).toBe("batman")
    expect(valueOf('"@query-param";name="qux"', message)).toBe("")
    const encoded = {
      target:
        "/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something",
    }
    expect(valueOf('"@query-param";name="var"', encoded)).toBe("this%20is%20a%20big%0Amultiline%20value")
    expect(valueOf('"@query-param";name="bar"', encoded)).toBe("with%20plus%20whitespace")
    expect(valueOf('"@query-param";name="fa%C3%A7ade%22%3A%20"', encoded)).toBe("something")
    expect(valueOf('"@query-param";name="a"', { target: "/?a=1&a=2" })).toBe("component_missing")
    expect(valueOf('"@query-param";name="a"', { target: "/?a=%E9" })).toBe("component_missing")
  })

  it("RFC 9421 2.1: the lines of one field are trimmed and joined", () => {
    const headers = [
      ["Cache-Control", "max-age=60  "],
      ["X-Empty", ""],
      ["cache-control", "\t must-revalidate"],
    ] as const
    expect(valueOf('"cache-control"', { headers })).toBe("max-age=60, must-revalidate")
    expect(valueOf('"x-empty"', { headers })).toBe("")
    expect(valueOf('"x-absent"', { headers })).toBe("component_missing")
  })

  it("spec/signatures §9: a value that could forge a line of the base is rejected", () => {
    for (const value of ['a\n"@path": /x', "a\rb", "a\u0000b", "é", "a\u2028b"]) {
      expect(valueOf('"x-a"', { headers: [["x-a", value]] }), JSON.stringify(value)).toBe("component_missing")
      expect(valueOf('"@method"', { method: value })).toBe("component_missing")
    }
  })

  it("spec/signatures §9: component parameters that change the meaning are rejected", () => {
    for (const identifier of [
      '"content-digest";sf',
      '"content-digest";key="sha-256"',
      '"content-digest";bs',
      '"@method";req',
      '"x-a";tr',
      '"x-a";unknown',
      '"@query-param"',
      '"@query-param";name=a',
      '"@query-param";name="a";req',
      '"@status"',
      '"@signature-params"',
      '"@unknown"',
      '"Content-Type"',
      '""',
      '"a b"',
      "date",
      "1",
    ]) {
      expect(componentOf(identifier), identifier).toBeUndefined()
    }
    expect(componentOf('"@query-param"; name="a\\"b"')).toMatchObject({
      identifier: '"@query-param";name="a\\"b"',
    })
  })
})
