import * as Result from "effect/Result"
import {
  type AddressPolicy,
  makeAddressPolicy,
  parseWebhookUrl,
  publicAddressesOnly,
  webhookUrlMaxCharacters,
} from "@tocsin/domain/delivery"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const parse = (text: string, policy: AddressPolicy = publicAddressesOnly) => parseWebhookUrl(text, policy)

const codeOf = (text: string, policy?: AddressPolicy) => {
  const result = parse(text, policy)
  return Result.isSuccess(result) ? "ok" : result.failure.code
}

const withLoopback = (): AddressPolicy => {
  const policy = makeAddressPolicy(["127.0.0.0/8", "::1/128"])
  if (Result.isFailure(policy)) throw new Error("the blocks are valid")
  return policy.success
}

describe("a webhook URL", () => {
  it("has the same result after the engine has optimized the parser", () => {
    // Flat one-byte strings, as JSON.parse makes them; a concatenation is stored in another way.
    const text = JSON.parse('"https://b\u00fccher.example"') as string
    const codes = new Set(Array.from({ length: 50_000 }, () => codeOf(text)))
    expect([...codes]).toEqual(["ok"])
  })

  it("spec/signatures §4: is normalised: host in lower case and punycode, default port dropped, slash for an empty path", () => {
    expect(parse("https://Exämple.COM:443")).toEqual(
      Result.succeed({
        href: "https://xn--exmple-cua.com/",
        authority: "xn--exmple-cua.com",
        host: "xn--exmple-cua.com",
        port: 443,
        path: "/",
        target: "/",
      }),
    )
  })

  it("spec/signatures §4: keeps another port in the authority, and the query out of the path", () => {
    expect(parse("https://Hooks.Example.com:8443/a/../b%2fc/ü?x=1&y=/%20")).toEqual(
      Result.succeed({
        href: "https://hooks.example.com:8443/b%2fc/%C3%BC?x=1&y=/%20",
        authority: "hooks.example.com:8443",
        host: "hooks.example.com",
        port: 8443,
        path: "/b%2fc/%C3%BC",
        target: "/b%2fc/%C3%BC?x=1&y=/%20",
      }),
    )
  })

  it.each([
    ["/a|b", "/a%7Cb"],
    ["/a^b`c", "/a%5Eb%60c"],
    ["/[a]{b}", "/%5Ba%5D%7Bb%7D"],
    ['/"a"<b>', "/%22a%22%3Cb%3E"],
    ["/?q=a|b^c`d[e]{f}", "/?q=a%7Cb%5Ec%60d%5Be%5D%7Bf%7D"],
    ["/a%2fb%7c?c=%5B", "/a%2fb%7c?c=%5B"],
    ["/-._~!$&'()*+,;=:@?/?:@!$&()*+,;=", "/-._~!$&'()*+,;=:@?/?:@!$&()*+,;="],
  ])("spec/alert-methods §2: %s is sent and signed as %s", (given, target) => {
    const parsed = parse(`https://example.com${given}`)
    expect(parsed).toMatchObject({
      success: { target, path: target.split("?")[0], href: `https://example.com${target}` },
    })
  })

  it("spec/signatures §4: an empty query is dropped, an IPv6 literal keeps its brackets in the authority alone", () => {
    expect(parse("https://[2606:4700:4700:0::1111]:444/x?")).toEqual(
      Result.succeed({
        href: "https://[2606:4700:4700::1111]:444/x",
        authority: "[2606:4700:4700::1111]:444",
        host: "2606:4700:4700::1111",
        port: 444,
        path: "/x",
        target: "/x",
      }),
    )
  })

  it.each([
    [
      "spec/alert-methods §2: a URL that does not start with https://",
      "http://example.com/",
      "url_not_https",
    ],
    ["another scheme", "ftp://example.com/", "url_not_https"],
    ["a scheme without slashes", "https:example.com", "url_not_https"],
    ["a scheme with one slash", "https:/example.com", "url_not_https"],
    ["a scheme in capitals", "HTTPS://example.com/", "url_not_https"],
    ["the empty text", "", "url_not_https"],
    ["the hidden value", "[hidden]", "url_not_https"],
    ["a third slash", "https:///example.com/", "url_host_invalid"],
    ["no host", "https://", "url_host_invalid"],
    ["no host but a port", "https://:443/", "url_host_invalid"],
    ["spec/alert-methods §2: a user name", "https://user@example.com/", "url_has_credentials"],
    [
      "spec/alert-methods §2: a user name and password",
      "https://user:secret@example.com/",
      "url_has_credentials",
    ],
    ["spec/alert-methods §2: empty user info", "https://@example.com/", "url_has_credentials"],
    ["spec/alert-methods §2: a fragment", "https://example.com/#top", "url_has_fragment"],
    ["spec/alert-methods §2: an empty fragment", "https://example.com/#", "url_has_fragment"],
    ["a leading blank", " https://example.com/", "url_has_forbidden_character"],
    ["a final newline", "https://example.com/\n", "url_has_forbidden_character"],
    ["a newline inside", "https://exam\nple.com/", "url_has_forbidden_character"],
    ["a tab inside", "https://example.com/a\tb", "url_has_forbidden_character"],
    ["a NUL", "https://example.com/\0", "url_has_forbidden_character"],
    ["a DEL", "https://example.com/\u007f", "url_has_forbidden_character"],
    ["a blank inside", "https://example.com/a b", "url_has_forbidden_character"],
    ["a no-break space", "https://example.com/a\u00a0b", "url_has_forbidden_character"],
    ["a soft hyphen", "https://exam\u00adple.com/", "url_has_forbidden_character"],
    ["a zero-width space", "https://exam\u200bple.com/", "url_has_forbidden_character"],
    ["a right-to-left override", "https://example.com/\u202e", "url_has_forbidden_character"],
    ["a byte order mark", "\ufeffhttps://example.com/", "url_has_forbidden_character"],
    ["a lone surrogate", "https://example.com/\ud800", "url_has_forbidden_character"],
    ["a backslash", "https://example.com\\@localhost/", "url_has_forbidden_character"],
    ["spec/alert-methods §2: a % at the end", "https://example.com/100%", "url_escape_invalid"],
    ["spec/alert-methods §2: a % before a letter", "https://example.com/%zz", "url_escape_invalid"],
    ["spec/alert-methods §2: half an escape", "https://example.com/a%2", "url_escape_invalid"],
    ["spec/alert-methods §2: a % in the query", "https://example.com/?q=50%&r=1", "url_escape_invalid"],
    ["an invalid port", "https://example.com:x/", "url_invalid"],
    ["a port beyond the last", "https://example.com:65536/", "url_invalid"],
    ["port 0", "https://example.com:0/", "url_port_invalid"],
    ["a percent sign in the host", "https://exa%00mple.com/", "url_invalid"],
    ["a host with a final dot", "https://example.com./", "url_host_invalid"],
    ["an empty label", "https://a..example.com/", "url_host_invalid"],
    ["a label that begins with a dash", "https://-a.example.com/", "url_host_invalid"],
    ["a label of 64", `https://${"a".repeat(64)}.example.com/`, "url_host_invalid"],
    ["a host of 254", `https://${"a.".repeat(126)}aa/`, "url_host_invalid"],
    ["spec/alert-methods §2: localhost", "https://localhost/", "url_host_forbidden"],
    ["spec/alert-methods §2: localhost in capitals", "https://LOCALHOST:8443/", "url_host_forbidden"],
    ["spec/alert-methods §2: a name under localhost", "https://x.localhost/", "url_host_forbidden"],
    ["spec/alert-methods §2: a single label", "https://intranet/", "url_host_forbidden"],
    [
      "spec/alert-methods §2: a full-width localhost",
      "https://\uff4c\uff4f\uff43\uff41\uff4chost/",
      "url_host_forbidden",
    ],
    ["spec/alert-methods §2: a name under local", "https://printer.local/", "url_host_forbidden"],
    [
      "spec/alert-methods §2: a name under internal",
      "https://metadata.google.internal/",
      "url_host_forbidden",
    ],
    ["spec/alert-methods §2: a name under home.arpa", "https://nas.home.arpa/", "url_host_forbidden"],
  ])("%s is refused: %j", (_, text, code) => {
    expect(codeOf(text)).toBe(code)
  })

  it.each([
    "127.0.0.1",
    "127.1",
    "0177.0.0.1",
    "0x7f000001",
    "0x7f.0x0.0x0.0x1",
    "2130706433",
    "017700000001",
    "127.0.0.1:8443",
    "\uff11\uff12\uff17.0.0.1",
    "127\u30020\u30020\u30021",
    "%31%32%37.0.0.1",
    "10.0.0.1",
    "0",
    "0.0.0.0",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "168.63.129.16",
    "192.168.1.1",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[fd00:ec2::254]",
    "[fe80::1]",
  ])(
    "spec/alert-methods §2: a literal address that is not public is rejected in every spelling: %s",
    (host) => {
      expect(codeOf(`https://${host}/`)).toBe("url_address_forbidden")
    },
  )

  it("spec/alert-methods §2: what the operator allows may be saved, and only that among addresses", () => {
    const policy = withLoopback()
    for (const host of ["127.0.0.1", "2130706433", "[::1]", "localhost", "receiver", "printer.local"]) {
      expect(codeOf(`https://${host}/`, policy)).toBe("ok")
    }
    expect(codeOf("https://10.0.0.1/", policy)).toBe("url_address_forbidden")
    expect(codeOf("https://[::ffff:127.0.0.1]/", policy)).toBe("url_address_forbidden")
  })

  it("public addresses and names are taken", () => {
    for (const host of ["8.8.8.8", "a_b.example.com", "x--y.example.com", `${"a".repeat(63)}.example.com`]) {
      expect(codeOf(`https://${host}/`)).toBe("ok")
    }
  })

  it("is at most 2,048 characters, as given and as normalised", () => {
    const base = "https://example.com/"
    const longest = base + "a".repeat(webhookUrlMaxCharacters - base.length)
    expect(codeOf(longest)).toBe("ok")
    expect(codeOf(`${longest}a`)).toBe("url_too_long")
    expect(codeOf(base + "ü".repeat(500))).toBe("url_too_long")
  })

  it("spec/definitions §8: no message repeats the URL", () => {
    for (const text of [
      "http://secret-token/",
      "https://secret-token@x/",
      "https://secret-token/",
      "https://secret-token:0/",
    ]) {
      const result = parse(text)
      expect(Result.isSuccess(result) ? "" : result.failure.message).toMatch(/^must /)
      expect(JSON.stringify(result)).not.toContain("secret-token")
    }
  })

  it("spec/signatures §4: reading the normalised form again gives the same, for any URL", () => {
    fc.assert(
      fc.property(
        fc.webUrl({
          validSchemes: ["https"],
          withQueryParameters: true,
          authoritySettings: { withPort: true, withIPv6: true },
        }),
        (text) => {
          const first = parse(text)
          fc.pre(Result.isSuccess(first))
          expect(parse(first.success.href)).toEqual(first)
          expect(first.success.href).toBe(`https://${first.success.authority}${first.success.target}`)
          expect(first.success.target).toMatch(/^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/)
        },
      ),
    )
  })

  it("any text is read or rejected, never thrown at", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string({ unit: "binary" }).map((s) => `https://${s}`),
        ),
        (text) => {
          const result = parse(text)
          if (Result.isSuccess(result)) expect(parse(result.success.href)).toEqual(result)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
