import * as Limits from "@tocsin/domain/limits"
import { generateKeyPairSync } from "node:crypto"
import { Readable } from "node:stream"
import { runInNewContext } from "node:vm"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SigningKeyInUse } from "@tocsin/domain/ports"
import {
  createNotificationVerifier,
  makeReplayGuardMemory,
  NotificationRejected,
  type NotificationVerifierOptions,
  verifyNotification,
} from "@tocsin/receiver"
import {
  publicKeyMaxAgeSeconds,
  publicKeyPath,
  publicKeyResponseMaxBytes,
  publicKeysPath,
} from "../../src/PublicKeys.ts"
import {
  generateTestKey,
  headerOf,
  signedRequest,
  testKeyPublished,
  testNowSeconds,
  type TestRequest,
  withHeader,
} from "../../../../test/signature/TestKey.ts"
import { type KeyServer, keysResponse, startKeyServer } from "../../../../test/receiver/KeyServer.ts"

let server: KeyServer
let nowMs: number
beforeEach(async () => {
  server = await startKeyServer()
  nowMs = testNowSeconds * 1_000
})
afterEach(() => server.close())

const verifierOf = (options: Partial<NotificationVerifierOptions> = {}) =>
  createNotificationVerifier({
    baseUrl: server.baseUrl,
    authority: "example.com",
    now: () => nowMs,
    ...options,
  })

/** A notification signed at the time of the test, different from every other one. */
let counter = 0
const fresh = (headers: ReadonlyArray<readonly [string, string]> = []) =>
  signedRequest({ created: Math.floor(nowMs / 1_000), headers, body: Buffer.from(`{"n": ${counter++}}`) })

const codeOf = (outcome: Promise<unknown>): Promise<string> =>
  outcome.then(
    () => "verified",
    (error: unknown) => (error instanceof NotificationRejected ? error.code : String(error)),
  )

const seconds = (count: number) => {
  nowMs += count * 1_000
}

describe("spec/signatures §9: verifyNotification", () => {
  it("rejects with its own error what is no request", async () => {
    const { method, headers, body: rawBody } = fresh()
    const good = { method, url: "https://example.com/hook", headers, rawBody }
    const broken: ReadonlyArray<object> = [
      { url: "/hook" },
      { url: "" },
      { url: "https://a b/hook" },
      { url: undefined },
      { headers: null },
      { headers: undefined },
      { headers: [null] },
      { headers: { "content-type": 1 } },
      { method: null },
      { headers: [["content-type", null]] },
    ]
    for (const change of broken) {
      const request = { ...good, ...JSON.parse("{}"), ...change }
      const outcome = verifyNotification(verifierOf(), request)
      await expect(outcome, JSON.stringify(change)).rejects.toBeInstanceOf(NotificationRejected)
    }
    const nothing: ReadonlyArray<never> = JSON.parse('[null, 1, "x", {}]')
    for (const request of nothing) {
      await expect(verifyNotification(verifierOf(), request)).rejects.toBeInstanceOf(NotificationRejected)
    }
    expect(await codeOf(verifyNotification(verifierOf(), { ...good, url: "/hook" }))).toBe("request_invalid")
    const misplaced = { ...good, ...JSON.parse('{"rawBody": {"parsed": true}}') }
    expect(await codeOf(verifyNotification(verifierOf(), misplaced))).toBe("body_already_read")
  })

  it("says of a body of the wrong type what it must be, never what it has", async () => {
    const { method, headers } = fresh()
    const parsed = [
      ["s3cret", "a string"],
      [{ secret: "s3cret" }, "an object"],
      [["s3cret"], "an object of the type Array"],
      [new Uint16Array(2), "an object of the type Uint16Array"],
      [new Uint8Array(2).buffer, "an object of the type ArrayBuffer"],
      [1, "a number"],
      [undefined, "undefined"],
    ] as const
    for (const [wrong, what] of [...parsed, [null, "null"] as const]) {
      const request = { method, url: "https://example.com/hook", headers, rawBody: wrong as never }
      await expect(verifyNotification(verifierOf(), request), what).rejects.toMatchObject({
        name: "NotificationRejected",
        code: "body_already_read",
        status: 500,
        message: `rawBody must be the raw bytes of the body as a Uint8Array, and is ${what}: verify before anything parses or decodes the body`,
      })
    }
    for (const [wrong, what] of parsed) {
      const request = { ...fresh(), body: wrong as never }
      await expect(verifierOf().verify(request), what).rejects.toMatchObject({
        code: "body_already_read",
        message: expect.stringContaining(
          `body must be the raw bytes of the body as a Uint8Array, and is ${what}:`,
        ),
      })
      if (typeof wrong === "string" || wrong === undefined) continue
      for (const stream of [Readable.from([wrong]), ReadableStream.from([wrong])]) {
        await expect(verifierOf().verify({ ...fresh(), body: stream as never })).rejects.toMatchObject({
          message: expect.stringContaining(
            `each chunk of the body must be the raw bytes of the body as a Uint8Array, and is ${what}:`,
          ),
        })
      }
    }
  })

  it("takes the bytes of another realm, as test runners have", async () => {
    const request = fresh()
    const body: Uint8Array = runInNewContext("Uint8Array.from(bytes)", { bytes: [...request.body] })
    expect(body).not.toBeInstanceOf(Uint8Array)
    expect(await codeOf(verifierOf().verify({ ...request, body }))).toBe("verified")
  })

  it("gives what was verified, and the unsigned headers beside it", async () => {
    const request = fresh([
      ["Notification-Id", "id-1"],
      ["Notification-Event", "alert.triggered"],
      ["Notification-Attempt", "2"],
    ])
    const notification = await verifierOf().verify(request)
    expect(notification).toMatchObject({
      body: request.body,
      id: "id-1",
      event: "alert.triggered",
      attempt: 2,
      isRepeated: false,
      signature: { label: "sig1", keyId: testKeyPublished.keyId, created: testNowSeconds },
    })
    expect(notification.json()).toEqual({ n: counter - 1 })
    const bare = await verifierOf().verify(fresh([["notification-attempt", "x"]]))
    expect([bare.id, bare.event, bare.attempt, bare.isRepeated]).toEqual([
      undefined,
      undefined,
      undefined,
      false,
    ])
  })

  it("takes a request of any platform, its headers as an object or as lines", async () => {
    const verifier = verifierOf()
    const url = "https://example.com/hook?query=1"
    const requestOf = ({ method, headers, body }: TestRequest) => ({
      method,
      url,
      headers,
      rawBody: body,
    })
    const lines = requestOf(fresh())
    expect((await verifyNotification(verifier, lines)).body).toBe(lines.rawBody)
    const object = requestOf(fresh())
    const headers = { ...Object.fromEntries(object.headers), "x-absent": undefined, "x-several": ["a", "b"] }
    expect((await verifyNotification(verifier, { ...object, headers })).body).toBe(object.rawBody)
    const twice = { ...headers, "content-type": ["application/json", "text/plain"] }
    expect(await codeOf(verifyNotification(verifier, { ...object, headers: twice }))).toBe(
      "header_duplicated",
    )
    const parsed: { readonly rawBody: Uint8Array } = JSON.parse('{"rawBody": {"n": 1}}')
    expect(await codeOf(verifyNotification(verifier, { ...object, ...parsed }))).toBe("body_already_read")
  })

  it("spec/signatures §9: rejects what does not verify, so that nothing is processed by mistake", async () => {
    const verifier = verifierOf()
    expect(await codeOf(verifier.verify({ ...fresh(), body: Buffer.from("{}") }))).toBe(
      "content_digest_mismatch",
    )
    expect(await codeOf(verifier.verify({ ...fresh(), target: "/other" }))).toBe("signature_invalid")
    expect(await codeOf(verifier.verify(withHeader(fresh(), "signature", undefined)))).toBe(
      "signature_missing",
    )
  })

  it("takes ages as configured, and no body longer than configured", async () => {
    const old = fresh()
    seconds(301)
    expect(await codeOf(verifierOf().verify(old))).toBe("signature_too_old")
    expect(await codeOf(verifierOf({ maxAgeSeconds: 301 }).verify(old))).toBe("verified")
    const early = fresh()
    seconds(-61)
    expect(await codeOf(verifierOf().verify(early))).toBe("signature_too_new")
    expect(await codeOf(verifierOf({ maxAheadSeconds: 61 }).verify(early))).toBe("verified")
    const body = new Uint8Array(Limits.renderedBodyMaxBytes)
    const created = Math.floor(nowMs / 1_000)
    expect(await codeOf(verifierOf().verify(signedRequest({ body, created })))).toBe("verified")
    const longer = signedRequest({ body: new Uint8Array(body.length + 1), created })
    expect(await codeOf(verifierOf().verify(longer))).toBe("body_too_large")
    expect(await codeOf(verifierOf({ bodyMaxBytes: body.length + 1 }).verify(longer))).toBe("verified")
  })

  it("behind a proxy that changes Host takes what was signed for its one name, never a forwarded one", async () => {
    const behind = (): TestRequest => ({
      ...withHeader(fresh(), "host", "10.0.0.1:3000"),
      authority: "10.0.0.1:3000",
    })
    expect(await codeOf(verifierOf({ authority: "Example.com:443" }).verify(behind()))).toBe("verified")
    for (const authority of ["as received", "10.0.0.1:3000"]) {
      const forwarded = withHeader(behind(), "x-forwarded-host", "example.com")
      expect(await codeOf(verifierOf({ authority }).verify(forwarded))).toBe("signature_invalid")
    }
  })

  it("spec/signatures §12: rejects a request signed for another host and forwarded with that Host", async () => {
    const sentOn = (host = "attacker.example"): TestRequest => ({
      ...signedRequest({ authority: "attacker.example", created: testNowSeconds }),
      authority: host,
    })
    const one = verifierOf()
    const several = verifierOf({ authority: ["example.com", "example.org:8443"] })
    expect(await codeOf(one.verify(sentOn()))).toBe("signature_invalid")
    expect(await codeOf(one.verify(sentOn("example.com")))).toBe("signature_invalid")
    server.asked.length = 0
    expect(await codeOf(several.verify(sentOn()))).toBe("authority_unexpected")
    expect(server.asked).toEqual([])
    expect(await codeOf(several.verify(sentOn("example.com")))).toBe("signature_invalid")
    // It is genuine: a receiver that believes any Host takes it.
    expect(await codeOf(verifierOf({ authority: "as received" }).verify(sentOn()))).toBe("verified")
  })

  it("spec/signatures §12: under several names takes what was signed for the one that Host names", async () => {
    const verifier = verifierOf({ authority: ["A.example:443", "b.example:8443", "żółć.example"] })
    const signedFor = (authority: string, host: string): TestRequest => ({
      ...signedRequest({ authority, created: testNowSeconds }),
      authority: host,
    })
    for (const [authority, host, code] of [
      ["a.example", "a.example", "verified"],
      ["a.example", "A.Example:443", "replayed"],
      ["b.example:8443", "B.example:8443", "verified"],
      ["xn--kda4b0koi.example", "xn--kda4b0koi.example", "verified"],
      ["a.example", "b.example:8443", "signature_invalid"],
      ["b.example", "b.example", "authority_unexpected"],
      ["a.example:8443", "a.example:8443", "authority_unexpected"],
      ["a.example", "", "authority_unexpected"],
      ["a.example", "a.example, b.example:8443", "authority_unexpected"],
    ] as const) {
      expect(await codeOf(verifier.verify(signedFor(authority, host))), `${authority} ${host}`).toBe(code)
    }
    const refused = verifier.verify(signedFor("c.example", "c.example"))
    await expect(refused).rejects.toMatchObject({
      status: 421,
      message:
        "the Host field must be one of this receiver's own: a.example, b.example:8443, xn--kda4b0koi.example",
    })
  })

  it("is not made without an authority, with one that is no host, or with a limit that is no number", () => {
    for (const authority of [
      "",
      "https://a.example",
      "a.example/x",
      "a.example/",
      "a.example\\",
      "u@a.example",
      "@a.example",
      "a b",
      " a.example",
      "a.example\n",
      "as received ",
      "As received",
      "a.example:x",
      "a.example:65536",
      "a?",
      "a#",
      "*.a.example",
    ]) {
      for (const value of [authority, ["b.example", authority]]) {
        expect(() => verifierOf({ authority: value }), authority).toThrow(
          expect.objectContaining({
            name: "TypeError",
            message: expect.stringContaining("must be the host"),
          }),
        )
      }
    }
    expect(() => verifierOf({ authority: ["as received"] })).toThrow("authority must be the host")
    expect(() => verifierOf({ authority: [] })).toThrow("authority must be at least one host")
    const untyped: ReadonlyArray<Partial<NotificationVerifierOptions>> = [
      JSON.parse('{"authority": null}'),
      JSON.parse('{"authority": 1}'),
      JSON.parse('{"authority": {"length": 1}}'),
      JSON.parse('{"authority": [["a.example"]]}'),
      Object.fromEntries([["authority", undefined]]),
    ]
    for (const options of untyped) expect(() => verifierOf(options)).toThrow("authority must be the host")
    for (const authority of ["a.example", "A.example:8443", "[::1]:3000", "a.example:443", "żółć.example"]) {
      expect(() => verifierOf({ authority }), authority).not.toThrow()
    }
    for (const value of [Number.NaN, -1, Infinity]) {
      expect(() => verifierOf({ maxAgeSeconds: value })).toThrow("maxAgeSeconds")
      expect(() => verifierOf({ maxAheadSeconds: value })).toThrow("maxAheadSeconds")
      expect(() => verifierOf({ bodyMaxBytes: value })).toThrow("bodyMaxBytes")
    }
  })

  it("refusals have a status that never ends the delivery for good", () => {
    const statusOf = (code: NotificationRejected["code"]) => new NotificationRejected(code, "")
    expect(statusOf("signature_invalid")).toMatchObject({ status: 401, statusCode: 401 })
    expect(statusOf("content_digest_mismatch").status).toBe(400)
    expect(statusOf("body_too_large").status).toBe(413)
    expect(statusOf("keys_unavailable").status).toBe(503)
    expect(statusOf("replayed").status).toBe(409)
  })
})

describe("spec/signatures §9: the public keys", () => {
  it("spec/signatures §5: are fetched from the list, and from the single key when there is no list", async () => {
    expect(await codeOf(verifierOf().verify(fresh()))).toBe("verified")
    expect(server.asked).toEqual([publicKeysPath])
    server.answers.delete(publicKeysPath)
    server.answers.set(publicKeyPath, { status: 200, body: JSON.stringify(testKeyPublished) })
    expect(await codeOf(verifierOf({ baseUrl: `${server.baseUrl}/` }).verify(fresh()))).toBe("verified")
    expect(server.asked.slice(1)).toEqual([publicKeysPath, publicKeyPath])
    expect(
      await codeOf(
        createNotificationVerifier({
          publicKeyUrl: server.publicKeyUrl,
          authority: "example.com",
          now: () => nowMs,
        }).verify(fresh()),
      ),
    ).toBe("verified")
    expect(server.asked.slice(3)).toEqual([publicKeyPath])
  })

  it("are trusted for as long as the sender says", () => {
    expect([publicKeyMaxAgeSeconds, publicKeyPath, publicKeysPath]).toEqual([
      Limits.publicKeyMaxAgeSeconds,
      Limits.publicKeyPath,
      Limits.publicKeysPath,
    ])
  })

  it("are kept for 300 s", async () => {
    const verifier = verifierOf()
    await verifier.verify(fresh())
    seconds(publicKeyMaxAgeSeconds - 1)
    await verifier.verify(fresh())
    expect(server.asked).toHaveLength(1)
    seconds(1)
    await verifier.verify(fresh())
    expect(server.asked).toHaveLength(2)
  })

  it("are fetched once for many notifications at the same time", async () => {
    const verifier = verifierOf()
    let release = () => {}
    server.hold = new Promise((resolve) => {
      release = resolve
    })
    const outcomes = Promise.all(Array.from({ length: 50 }, () => codeOf(verifier.verify(fresh()))))
    release()
    expect(new Set(await outcomes)).toEqual(new Set(["verified"]))
    expect(server.asked).toHaveLength(1)
  })

  it("spec/signatures §10: are fetched again for an unknown keyid, at most every 30 s", async () => {
    const verifier = verifierOf()
    server.answers.set(publicKeysPath, keysResponse({ ...testKeyPublished, keyId: "older" }))
    expect(await codeOf(verifier.verify(fresh()))).toBe("key_unknown")
    expect(server.asked).toHaveLength(1)
    server.answers.set(publicKeysPath, keysResponse(testKeyPublished))
    seconds(29)
    expect(await codeOf(verifier.verify(fresh()))).toBe("key_unknown")
    expect(server.asked).toHaveLength(1)
    seconds(1)
    expect(await codeOf(verifier.verify(fresh()))).toBe("verified")
    expect(server.asked).toHaveLength(2)
  })

  it("are fetched for an unknown keyid at most every 30 s also while the endpoint fails", async () => {
    const verifier = verifierOf()
    server.answers.set(publicKeysPath, keysResponse({ ...testKeyPublished, keyId: "older" }))
    expect(await codeOf(verifier.verify(fresh()))).toBe("key_unknown")
    server.answers.set(publicKeysPath, { status: 500, body: "" })
    for (const wait of [30, 1, 28]) {
      seconds(wait)
      expect(await codeOf(verifier.verify(fresh()))).toBe("key_unknown")
    }
    expect(server.asked).toHaveLength(2)
    server.answers.set(publicKeysPath, keysResponse(testKeyPublished))
    seconds(1)
    expect(await codeOf(verifier.verify(fresh()))).toBe("verified")
  })

  it("are fetched for a signature under any label, whatever is wrong with those beside it", async () => {
    const signed = fresh()
    const under = (label: string, name: string) => headerOf(signed, name).replace(/^sig1=/, () => `${label}=`)
    for (const beside of ["first", "sig1"]) {
      const inputs = `${beside}=("@method");created=1, ${under("own", "signature-input")}`
      const signatures = `${beside}=:AA==:, ${under("own", "signature")}`
      const both = withHeader(withHeader(signed, "Signature-Input", inputs), "Signature", signatures)
      const verified = await verifierOf().verify(both)
      expect(verified.signature.label).toBe("own")
    }
  })

  it("are not fetched for a request that is wrong in another way", async () => {
    const verifier = verifierOf()
    const wrong = [
      withHeader(fresh(), "signature-input", undefined),
      { ...fresh(), target: "x" },
      signedRequest({ created: testNowSeconds - 400 }),
    ]
    for (const request of wrong) expect(await codeOf(verifier.verify(request))).not.toBe("verified")
    expect(server.asked).toEqual([])
  })

  it("that cannot be fetched make it return 503, and ask again after a second", async () => {
    const verifier = verifierOf()
    const good = server.answers.get(publicKeysPath)
    server.answers.set(publicKeysPath, { status: 500, body: "" })
    await expect(verifier.verify(fresh())).rejects.toMatchObject({
      code: "keys_unavailable",
      message: expect.stringMatching(
        / cannot be fetched from http\S+\/public-keys: .* returned 500; check the URL/,
      ),
    })
    expect(await codeOf(verifier.verify(fresh()))).toBe("keys_unavailable")
    expect(server.asked).toHaveLength(1)
    if (good !== undefined) server.answers.set(publicKeysPath, good)
    seconds(1)
    expect(await codeOf(verifier.verify(fresh()))).toBe("verified")
    expect(server.asked).toHaveLength(2)
  })

  it("that were withdrawn are not trusted once they are too old, even when the endpoint is unavailable", async () => {
    const verifier = verifierOf()
    await verifier.verify(fresh())
    server.answers.set(publicKeysPath, { status: 503, body: "" })
    seconds(publicKeyMaxAgeSeconds)
    expect(await codeOf(verifier.verify(fresh()))).toBe("keys_unavailable")
    server.answers.set(publicKeysPath, keysResponse({ ...testKeyPublished, keyId: "newer" }))
    seconds(1)
    expect(await codeOf(verifier.verify(fresh()))).toBe("key_unknown")
  })

  it("that are weak, of another algorithm or broken are left out", async () => {
    const spki = generateKeyPairSync("x25519").publicKey.export({ format: "pem", type: "spki" })
    const weak = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.alloc(32)]).toString(
      "base64",
    )
    const others = [
      { ...testKeyPublished, publicKeyPem: spki },
      {
        ...testKeyPublished,
        publicKeyPem: `-----BEGIN PUBLIC KEY-----\n${weak}\n-----END PUBLIC KEY-----\n`,
      },
      { ...testKeyPublished, algorithm: "rsa" },
      { ...testKeyPublished, publicKeyPem: 1 },
      { ...testKeyPublished, keyId: 1 },
      null,
    ]
    server.answers.set(publicKeysPath, keysResponse(...others))
    expect(await codeOf(verifierOf().verify(fresh()))).toBe("keys_unavailable")
    server.answers.set(publicKeysPath, keysResponse(...others, testKeyPublished))
    expect(await codeOf(verifierOf().verify(fresh()))).toBe("verified")
  })

  it("spec/signatures §10: are read from no response that is too long, no JSON or a redirect", async () => {
    for (const answer of [
      {
        status: 200,
        body: JSON.stringify({ keys: [testKeyPublished], pad: "x".repeat(publicKeyResponseMaxBytes) }),
      },
      { status: 200, body: "<html>" },
      { status: 200, body: "[]" },
      { status: 301, body: "" },
      { status: 404, body: "" },
    ]) {
      server.answers.set(publicKeysPath, answer)
      expect(await codeOf(verifierOf().verify(fresh()))).toBe("keys_unavailable")
    }
  })

  it("have a timeout", async () => {
    let given: AbortSignal | undefined
    const verifier = verifierOf({
      fetch: (_url, { signal, redirect }) => {
        given = signal
        expect(redirect).toBe("manual")
        return Promise.reject(new DOMException("too late", "TimeoutError"))
      },
    })
    expect(await codeOf(verifier.verify(fresh()))).toBe("keys_unavailable")
    expect(given).toBeInstanceOf(AbortSignal)
  })

  it("come over https, over http only from loopback or when it is allowed", () => {
    const create =
      (baseUrl: string, allowHttp = false) =>
      () =>
        createNotificationVerifier({ baseUrl, authority: "example.com", allowHttp })
    for (const url of [
      "https://tocsin.example.com",
      "http://localhost:8080",
      "http://127.0.0.1",
      "http://[::1]:1",
    ]) {
      expect(create(url)).not.toThrow()
    }
    for (const url of [
      "http://tocsin.example.com",
      "http://127.0.0.1.example.com",
      "ftp://example.com",
      "example",
    ]) {
      expect(create(url), url).toThrow(TypeError)
    }
    expect(create("127.0.0.1:8081")).toThrow("baseUrl must be a URL such as https://tocsin.example.com")
    expect(create("http://tocsin.internal:8080", true)).not.toThrow()
    expect(create("https://tocsin.example.com/below/")).not.toThrow()
    for (const url of ["", "?a", "?", "#a", "#"]
      .map((end) => `https://u:p@tocsin.example.com/${end}`)
      .concat(
        ["?a", "?", "#a", "#"].map((end) => `https://tocsin.example.com/${end}`),
        "https://u@tocsin.example.com",
      )) {
      expect(create(url), url).toThrow(TypeError)
    }
    const createByUrl = (publicKeyUrl: string) => () =>
      createNotificationVerifier({ publicKeyUrl, authority: "example.com" })
    expect(createByUrl("https://tocsin.example.com/key?tenant=1")).not.toThrow()
    for (const url of ["https://u:p@tocsin.example.com/key", "https://tocsin.example.com/key#1", "/key"]) {
      expect(createByUrl(url), url).toThrow(TypeError)
    }
  })
})

describe("spec/signatures §5: a receiver with the URL of one key", () => {
  const older = generateTestKey()
  const byUrl = () =>
    createNotificationVerifier({
      publicKeyUrl: server.publicKeyUrl,
      authority: "example.com",
      now: () => nowMs,
    })
  const publish = (key: object) =>
    server.answers.set(publicKeyPath, { status: 200, body: JSON.stringify(key) })
  const signedBy = (key: SigningKeyInUse) =>
    signedRequest({ created: Math.floor(nowMs / 1_000), body: Buffer.from(`{"n": ${counter++}}`) }, key)

  it("trusts the key before a rotation for as long as it would have, beside the new one", async () => {
    const verifier = byUrl()
    publish(older.published)
    expect(await codeOf(verifier.verify(signedBy(older.key)))).toBe("verified")
    seconds(200)
    publish(testKeyPublished)
    expect(await codeOf(verifier.verify(fresh()))).toBe("verified")
    expect(await codeOf(verifier.verify(signedBy(older.key)))).toBe("verified")
    seconds(100)
    expect(await codeOf(verifier.verify(signedBy(older.key)))).toBe("key_unknown")
    expect(await codeOf(verifier.verify(fresh()))).toBe("verified")
  })

  it("trusts no key that a list has left out", async () => {
    const verifier = verifierOf()
    server.answers.set(publicKeysPath, keysResponse(older.published))
    expect(await codeOf(verifier.verify(signedBy(older.key)))).toBe("verified")
    server.answers.set(publicKeysPath, keysResponse(testKeyPublished))
    seconds(30)
    expect(await codeOf(verifier.verify(fresh()))).toBe("verified")
    expect(await codeOf(verifier.verify(signedBy(older.key)))).toBe("key_unknown")
  })
})

describe("spec/signatures §9: a receiver of one organization", () => {
  const path = `${publicKeysPath}?organization=acme+%26+co`
  const answer = (content: object) => server.answers.set(path, { status: 200, body: JSON.stringify(content) })

  it("asks for the keys of that organization, and trusts no others", async () => {
    const organization = "acme & co"
    answer({ organization, keys: [testKeyPublished] })
    expect(await codeOf(verifierOf({ organization }).verify(fresh()))).toBe("verified")
    expect(server.asked).toEqual([path])
    answer({ organization, keys: [{ ...testKeyPublished, keyId: "own" }] })
    expect(await codeOf(verifierOf({ organization }).verify(fresh()))).toBe("key_unknown")
  })

  it("trusts no key of a server that does not name the organization", async () => {
    for (const content of [
      { keys: [testKeyPublished] },
      { organization: "other", keys: [testKeyPublished] },
      testKeyPublished,
    ]) {
      answer(content)
      const verifier = verifierOf({ organization: "acme & co" })
      expect(await codeOf(verifier.verify(fresh()))).toBe("keys_unavailable")
    }
    expect(() => verifierOf({ organization: "" })).toThrow(TypeError)
  })
})

describe("the platform's fetch", () => {
  it("is called as a function, without an object, as workers require", async () => {
    const original = globalThis.fetch
    const receivers: Array<unknown> = []
    try {
      globalThis.fetch = function (this: unknown) {
        receivers.push(this)
        return Promise.resolve(Response.json({ keys: [testKeyPublished] }))
      }
      expect(await codeOf(verifierOf().verify(fresh()))).toBe("verified")
    } finally {
      globalThis.fetch = original
    }
    expect(receivers).toEqual([undefined])
  })

  it("follows no redirect", async () => {
    for (const response of [
      new Response(null, { status: 302, headers: { location: server.baseUrl } }),
      Response.error(),
    ]) {
      const verifier = verifierOf({ fetch: () => Promise.resolve(response) })
      expect(await codeOf(verifier.verify(fresh()))).toBe("keys_unavailable")
    }
  })
})

describe("spec/signatures §10: the body", () => {
  const streamOf = (chunks: Iterable<Uint8Array>, atEnd: "close" | "hang" = "close") => {
    const pulled = { count: 0, isCancelled: false }
    const iterator = chunks[Symbol.iterator]()
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const { value, done } = iterator.next()
          if (done !== true) {
            pulled.count++
            controller.enqueue(value)
          } else if (atEnd === "close") controller.close()
          else return new Promise(() => {})
          return undefined
        },
        cancel: () => {
          pulled.isCancelled = true
        },
      },
      { highWaterMark: 0 },
    )
    return { body, pulled }
  }
  const bytewise = (bytes: Uint8Array) => Array.from(bytes, (byte) => Uint8Array.of(byte))

  it("is read only once the signature is valid", async () => {
    for (const wrong of [withHeader(fresh(), "signature", undefined), { ...fresh(), target: "/other" }]) {
      const { body, pulled } = streamOf(bytewise(wrong.body))
      expect(await codeOf(verifierOf().verify({ ...wrong, body }))).not.toBe("verified")
      expect(pulled.count).toBe(0)
    }
  })

  it("is put together from chunks of any size", async () => {
    const text = JSON.stringify("x".repeat(50_000))
    const request = signedRequest({ created: Math.floor(nowMs / 1_000), body: Buffer.from(text) })
    const { body } = streamOf(bytewise(request.body))
    const notification = await verifierOf().verify({ ...request, body })
    expect(notification.json()).toBe("x".repeat(50_000))
  })

  it("is not read beyond its limit, and must arrive in time", async () => {
    const request = fresh()
    const endless = streamOf(
      (function* () {
        for (;;) yield new Uint8Array(1_000)
      })(),
    )
    expect(await codeOf(verifierOf().verify({ ...request, body: endless.body }))).toBe("body_too_large")
    expect(endless.pulled).toEqual({
      count: Math.ceil(Limits.renderedBodyMaxBytes / 1_000),
      isCancelled: true,
    })
    const slow = streamOf(bytewise(request.body).slice(1), "hang")
    const outcome = verifierOf({ bodyTimeoutMs: 20 }).verify({ ...request, body: slow.body })
    await expect(outcome).rejects.toMatchObject({ code: "body_timeout", status: 408 })
    expect(slow.pulled.isCancelled).toBe(true)
  })

  it("that is not the signed one is rejected, and not remembered", async () => {
    const verifier = verifierOf()
    const request = fresh()
    const { body } = streamOf([Buffer.from("{}")])
    expect(await codeOf(verifier.verify({ ...request, body }))).toBe("content_digest_mismatch")
    expect(await codeOf(verifier.verify({ ...request, body: null }))).toBe("content_digest_mismatch")
    expect(await codeOf(verifier.verify(request))).toBe("verified")
  })
})

describe("spec/signatures §11: the replay guard on Notification-Id", () => {
  it("rejects a replayed signature with any change of unsigned parts", async () => {
    const verifier = verifierOf()
    const request = fresh([["Notification-Id", "id-1"]])
    expect(await codeOf(verifier.verify(request))).toBe("verified")
    expect(await codeOf(verifier.verify(request))).toBe("replayed")
    const relabelled = withHeader(withHeader(request, "notification-id", "id-2"), "notification-attempt", "9")
    expect(await codeOf(verifier.verify({ ...relabelled, target: "/hook?again" }))).toBe("replayed")
    seconds(300)
    expect(await codeOf(verifier.verify(request))).toBe("replayed")
    seconds(1)
    expect(await codeOf(verifier.verify(request))).toBe("signature_too_old")
  })

  it("remembers a signature whose time is ahead for as long as it is fresh", async () => {
    const verifier = verifierOf()
    seconds(60)
    const request = fresh()
    seconds(-60)
    expect(await codeOf(verifier.verify(request))).toBe("verified")
    seconds(360)
    expect(await codeOf(verifier.verify(request))).toBe("replayed")
  })

  it("accepts an honest retry, which has a new signature, and reports its ID as repeated", async () => {
    const verifier = verifierOf()
    const first = await verifier.verify(fresh([["Notification-Id", "id-1"]]))
    seconds(5)
    const retry = await verifier.verify(fresh([["Notification-Id", "id-1"]]))
    expect([first.isRepeated, retry.isRepeated]).toEqual([false, true])
  })

  it("does not remember what was rejected", async () => {
    const verifier = verifierOf()
    const request = fresh([["Notification-Id", "id-1"]])
    expect(await codeOf(verifier.verify({ ...request, target: "/other" }))).toBe("signature_invalid")
    expect(await codeOf(verifier.verify(request))).toBe("verified")
  })

  it("of many copies at once takes one", async () => {
    const verifier = verifierOf()
    const request = fresh()
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(verifier.verify(request))))
    expect(codes.filter((code) => code === "verified")).toHaveLength(1)
    expect(codes.filter((code) => code === "replayed")).toHaveLength(19)
  })

  it("can be an own store, which is asked once a kind of key and may fail", async () => {
    const asked: Array<readonly [string, number]> = []
    const replayGuard = { remember: async (key: string, ttl: number) => asked.push([key, ttl]) > 0 }
    await verifierOf({ replayGuard }).verify(fresh([["notification-id", "x".repeat(500)]]))
    expect(asked.map(([key, ttl]) => [key.replace(/:.*/, ""), key.length < 160, ttl])).toEqual([
      ["signature", true, 361],
      ["notification", true, 361],
    ])
    const failing = { remember: () => Promise.reject(new Error("away")) }
    expect(await codeOf(verifierOf({ replayGuard: failing }).verify(fresh()))).toBe(
      "replay_guard_unavailable",
    )
  })

  it("is bounded: beyond its size the oldest is forgotten, and what has expired first", () => {
    const guard = makeReplayGuardMemory(() => nowMs, 3)
    for (const key of ["a", "b", "c"]) expect(guard.remember(key, 10)).toBe(true)
    expect(guard.remember("a", 10)).toBe(false)
    expect(guard.remember("d", 10)).toBe(true)
    expect(guard.remember("b", 10)).toBe(false)
    expect(guard.remember("a", 10)).toBe(true)
    seconds(10)
    expect(guard.remember("c", 10)).toBe(true)
    expect(guard.remember("c", 10)).toBe(false)
  })
})
