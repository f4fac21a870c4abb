import { HashNode } from "@tocsin/adapters-http/crypto"
import * as Result from "effect/Result"
import type { SecretMask } from "@tocsin/domain"
import { parseWebhookUrl, publicAddressesOnly } from "@tocsin/domain/delivery"
import { responseBodyKeptMaxBytes } from "@tocsin/domain/limits"
import { sampleVariableValues } from "@tocsin/domain/template"
import { makeSecretMask } from "../../src/notification/SecretMask.ts"
import { WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { prepareMethod } from "../../src/notification/NotificationRequest.ts"
import { makeSendNotification } from "../../src/notification/SendNotification.ts"
import { aMethod } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { testSigner } from "../../../../test/signature/TestKey.ts"
import { cpuTimeMs } from "../../../../test/CpuTime.ts"

const maskOf = (url: string, secrets: ReadonlyArray<string>): SecretMask => {
  const parsed = parseWebhookUrl(url, publicAddressesOnly)
  if (Result.isFailure(parsed)) throw new Error(parsed.failure.message)
  return makeSecretMask(parsed.success, secrets)
}

/** A text whose characters are all escaped. */
const everyUnit = (text: string, escape: (code: number) => string): string =>
  text
    .split("")
    .map((unit) => escape(unit.charCodeAt(0)))
    .join("")

const url = "https://hooks.example.com/in/s3cret-path?key=url-secret&n=1&to=a%20b+c%E0"

describe("spec/definitions §8: the response of a receiver that echoes the request", () => {
  it("shows no secret header value, no scheme's credentials, and no part of the URL", () => {
    const mask = maskOf(url, ["Bearer abc.def+/=", 'quoted "pass\\word"'])
    const echo = JSON.stringify({
      url,
      host: "hooks.example.com",
      path: "/in/s3cret-path",
      args: { key: "url-secret", n: "1", to: "a%20b+c%E0" },
      headers: { authorization: "Bearer abc.def+/=", token: 'quoted "pass\\word"', "x-team": "ops" },
      error: "unknown token abc.def+/=",
    })
    expect(JSON.parse(mask(echo))).toEqual({
      url: "[hidden]",
      host: "[hidden]",
      path: "[hidden]",
      args: { key: "[hidden]", n: "1", to: "[hidden]" },
      headers: { authorization: "[hidden]", token: "[hidden]", "x-team": "ops" },
      error: "unknown token [hidden]",
    })
    expect(mask("Cannot POST /in/s3cret-path?key=url-secret&n=1&to=a%20b+c%E0")).toBe("Cannot POST [hidden]")
  })

  it("hides the password of Basic credentials", () => {
    const mask = maskOf("https://hooks.example.com/in", [`Basic ${btoa("tocsin:pass:w0rd")}`])
    expect(mask("tocsin has no password pass:w0rd")).toBe("tocsin has no password [hidden]")
    expect(mask(`user=tocsin:pass%3aw0rd&scheme=Basic`)).toBe("user=[hidden]&scheme=Basic")
  })

  it("hides the beginning of an escaped secret where a body is cut off", () => {
    const mask = maskOf("https://hooks.example.com/in", ["se/cret+token"])
    const start = "x".repeat(responseBodyKeptMaxBytes)
    expect(mask(`${start} se%2Fcret%2`)).toBe(`${start} [hidden]`)
    expect(mask(`${start} se\\/cret\\u00`)).toBe(`${start} [hidden]`)
  })

  it("hides a secret in every encoding that a receiver echoes it in", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, maxLength: 40, unit: "grapheme-ascii" }),
        fc.string({ maxLength: 5 }),
        fc.string({ maxLength: 5 }),
        (secret, before, after) => {
          const mask = maskOf("https://hooks.example.com/in", [secret])
          const whole = before + secret + after
          const html = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
          for (const [echo, encoded] of [
            [encodeURIComponent(secret), encodeURIComponent(secret)],
            [html.replaceAll('"', "&quot;").replaceAll("'", "&#39;"), undefined],
            [Buffer.from(secret).toString("hex"), undefined],
            [JSON.stringify(secret).replaceAll("/", "\\/"), undefined],
            [
              everyUnit(secret, (code) => `\\u${code.toString(16).padStart(4, "0").toUpperCase()}`),
              undefined,
            ],
            [everyUnit(secret, (code) => `%${code.toString(16).padStart(2, "0")}`), undefined],
            [everyUnit(secret, (code) => `&#${code};`), undefined],
            [everyUnit(secret, (code) => `&#x${code.toString(16)};`), undefined],
            [JSON.stringify(JSON.stringify(JSON.stringify(secret))), undefined],
            [encodeURIComponent(JSON.stringify(html)), undefined],
            [encodeURIComponent(Buffer.from(secret).toString("base64").replace(/=+$/, "")), undefined],
            [Buffer.from(whole).toString("base64"), undefined],
            [Buffer.from(whole).toString("base64url"), undefined],
          ] as const) {
            const shown = mask(`echo ${echo} end`)
            expect(shown).toContain("[hidden]")
            // What is left of it decodes to nothing of the secret but its edges.
            if (encoded !== undefined) expect(shown).not.toContain(encoded)
            expect(Buffer.from(shown, "base64").toString("latin1")).not.toContain(secret)
          }
        },
      ),
    )
  })

  it.effect("is kept without secrets", () => {
    const recording = Recording.make((request) =>
      Recording.responseOf(500, JSON.stringify({ url: request.url.href, headers: request.headers })),
    )
    const secret = { name: "Authorization", value: Redacted.make("Bearer s3cret"), isSecret: true }
    return Effect.gen(function* () {
      const prepared = prepareMethod(aMethod({ project: "shop", name: "hook" }, { headers: [secret] }))
      if (prepared === undefined) return expect.unreachable()
      const send = yield* makeSendNotification
      const facts = { id: "1", event: "alert.triggered", attempt: 1 } as const
      const { responseBody } = (yield* send(prepared, facts, sampleVariableValues)).attempt
      expect(responseBody).toContain('{"url":"[hidden]"')
      expect(responseBody).toContain('["Authorization","[hidden]"]')
      expect(responseBody).not.toContain("s3cret")
    }).pipe(Effect.provide([recording.layer, HashNode.layer, testSigner]))
  })

  it("shows no query value that was decoded on the way", () => {
    expect(maskOf("https://example.com/?key=p%C3%A4ss+w", [])("bad key päss w")).toBe("bad key [hidden]")
  })

  it("shows no beginning of a secret where it was cut off", () => {
    const mask = maskOf(url, ["Bearer " + "k".repeat(4_000)])
    const cut = `${"x".repeat(2_000)}Bearer kkkk`
    expect(mask(cut)).toBe(`${"x".repeat(2_000)}[hidden]`)
    const filled = `${"x".repeat(100)}Bearer ${"k".repeat(4_000)}`.slice(0, responseBodyKeptMaxBytes)
    expect(mask(filled)).toBe(`${"x".repeat(100)}[hidden]`)
  })

  it("is masked in one pass, so that masks are not masked again and the text stays bounded", () => {
    const mask = maskOf("https://example.com/", ["hidd", "idde", "[hidden]", "dden"])
    expect(mask("hidd idde dden [hidden]")).toBe("[hidden] [hidden] [hidden] [hidden]")
    expect(mask("a".repeat(4_096))).toBe("a".repeat(4_096))
  })

  it("costs no more than its length, for a response that is almost a secret at every place", () => {
    const mask = maskOf(
      "https://example.com/",
      Array.from({ length: 4 }, (_, index) => "k".repeat(4_000) + index),
    )
    // Each takes a fifth of a second where the whole of a secret is looked for at every place.
    const spent = cpuTimeMs(() => {
      for (let n = 0; n < 200; n++) expect(mask(`${"k".repeat(4_095)}j`)).toBe("[hidden][hidden]j")
    })
    expect(spent).toBeLessThan(5_000)
  })

  it("property: has no secret in it, whatever characters that is made of", () => {
    const secret = fc.string({ minLength: 4, maxLength: 40, unit: "grapheme-ascii" })
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const masked = maskOf("https://example.com/", [value])(before + value + after)
        expect(masked.replaceAll("[hidden]", "\n")).not.toContain(value)
      }),
    )
  })
})
