import { renderedBodyMaxBytes } from "@tocsin/domain/limits"
import { HashNode } from "@tocsin/adapters-http/crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { signedBase, signRequest, writeContentDigest, writeSignatureParams } from "@tocsin/domain/signature"
import { NotificationRejected, type NotificationVerifierOptions } from "@tocsin/receiver"
import * as PlatformNode from "../../src/PlatformNode.ts"
import * as PlatformWeb from "../../src/PlatformWeb.ts"
import { notificationMaxBytes } from "../../src/NotificationVerifier.ts"
import { signatureLabelsMax } from "../../src/RequestSignature.ts"
import { buildSignatureBase } from "../../src/SignatureBase.ts"
import { readSignatureInput, signatureComponentsMax } from "../../src/SignatureInput.ts"
import { parseDictionary } from "../../src/StructuredField.ts"
import {
  acceptedCases,
  defaultParameters,
  five,
  rejectedCases,
  signedAs,
  toVerify,
} from "../signature/SignatureCases.ts"
import {
  generateTestKey,
  headerOf,
  signedRequest,
  testKeyPublished,
  testKeyVector,
  testNowSeconds,
  type TestRequest,
  verifierOfKeys,
  withHeader,
} from "../../../../test/signature/TestKey.ts"

const verifierOf = (options: Partial<NotificationVerifierOptions> = {}) =>
  verifierOfKeys([testKeyPublished], { now: () => testNowSeconds * 1_000, ...options })

const verifiers = [
  verifierOf({ crypto: PlatformNode.cryptoFunctions }),
  verifierOf({ crypto: PlatformWeb.cryptoFunctions }),
]

const verify = async (request: TestRequest, verifier = verifierOf()) => {
  try {
    return await verifier.verify(request)
  } catch (error) {
    if (error instanceof NotificationRejected) return error
    throw error
  }
}

/** The outcome, the same with the cryptography of Node and of the web. */
const outcomeOf = async (request: TestRequest, options?: Partial<NotificationVerifierOptions>) => {
  const used = options === undefined ? verifiers : [verifierOf(options)]
  const outcomes = await Promise.all(used.map((verifier) => verify(request, verifier)))
  const codes = new Set(
    outcomes.map((outcome) => (outcome instanceof NotificationRejected ? outcome.code : "verified")),
  )
  expect(codes.size).toBe(1)
  return [...codes][0]
}

const flip = (text: string, at: number): string => {
  const index = at % text.length
  return text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ 1) + text.slice(index + 1)
}

const hosts = fc.stringMatching(/^[a-z0-9]{1,12}(\.[a-z0-9]{1,12}){0,2}(:[1-9][0-9]{3})?$/)
const paths = fc.stringMatching(/^(\/[A-Za-z0-9._~%-]{0,8}){1,4}$/)
const requests = fc
  .record({ authority: hosts, path: paths, body: fc.uint8Array({ maxLength: 200 }) })
  .map((change) => signedRequest(change))

const inputOf = (params: string) => {
  const members = parseDictionary(`sig1=${params}`)
  if (typeof members === "string" || members[0] === undefined) throw new Error("not parsed")
  return readSignatureInput(members[0])
}

describe("what is signed", () => {
  it("spec/signatures §9: is three headers, with label sig1 and the five components in order", () => {
    const request = signedRequest()
    expect(headerOf(request, "content-digest")).toBe("sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
    expect(headerOf(request, "signature-input")).toBe(`sig1=(${five})${defaultParameters}`)
    expect(headerOf(request, "signature")).toMatch(/^sig1=:[A-Za-z0-9+/]{86}==:$/)
  })

  it("spec/signatures §3: has its parameters in the order created, keyid, alg", () => {
    expect(writeSignatureParams(7, 'a"b')).toBe(`(${five});created=7;keyid="a\\"b";alg="ed25519"`)
  })

  it("spec/signatures §2: is the base that the general construction gives", () => {
    fc.assert(
      fc.property(hosts, paths, fc.nat(), (authority, path, created) => {
        const params = writeSignatureParams(created, "key")
        const input = inputOf(params)
        const headers = [
          ["content-type", "application/json"],
          ["content-digest", "sha-256=:AA==:"],
        ] as const
        const message = { method: "POST", authority, target: `${path}?query`, headers }
        expect(buildSignatureBase(toVerify(message), input.components, input.signatureParams)).toBe(
          signedBase(
            { method: "POST", authority, path, contentType: "application/json" },
            "sha-256=:AA==:",
            params,
          ),
        )
      }),
    )
  })

  it("reads back as it was written", () => {
    fc.assert(
      fc.property(fc.nat(999_999_999_999_999), fc.stringMatching(/^[ -~]+$/), (created, keyId) => {
        const params = writeSignatureParams(created, keyId)
        expect(inputOf(params)).toMatchObject({ label: "sig1", created, keyId, signatureParams: params })
      }),
    )
  })

  it("verifies, and gives what was signed", async () => {
    const { signature } = await verifierOf().verify(signedRequest())
    expect(signature).toMatchObject({ label: "sig1", keyId: testKeyVector.keyid, created: testNowSeconds })
    expect(signature.base.split("\n").slice(0, 5)).toEqual([
      '"@method": POST',
      '"@authority": example.com',
      '"@path": /hook',
      '"content-digest": sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
      '"content-type": application/json',
    ])
  })

  it("verifies, a long path and an empty or large body too", async () => {
    expect(await outcomeOf(signedRequest({ path: `/${"x".repeat(6_000)}` }))).toBe("verified")
    expect(await outcomeOf(signedRequest({ body: new Uint8Array() }))).toBe("verified")
    expect(await outcomeOf(signedRequest({ body: new Uint8Array(renderedBodyMaxBytes) }))).toBe("verified")
  })

  it("is the same with a signer whose text is longer than the shared buffer", () => {
    for (const path of ["/x", `/${"x".repeat(5_000)}`]) {
      const bytes: Array<Uint8Array> = []
      const key = { keyId: "k", sign: (base: Uint8Array) => (bytes.push(base.slice()), new Uint8Array(64)) }
      const request = { method: "POST", authority: "a", path, contentType: "application/json", created: 1 }
      const body = new Uint8Array()
      signRequest({ ...request, body }, key, HashNode.hashFunctions)
      const digest = writeContentDigest(body, HashNode.hashFunctions.sha256Base64)
      const base = signedBase(request, digest, writeSignatureParams(1, "k"))
      expect(Buffer.from(bytes[0] ?? []).toString()).toBe(base)
    }
  })
})

describe("properties of verifying", () => {
  it("what is signed verifies", async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        expect(await outcomeOf(request)).toBe("verified")
      }),
    )
  })

  it("changing any byte of a covered value, the parameters or the signature rejects", async () => {
    const places = [
      "authority",
      "path",
      "body",
      "content-digest",
      "content-type",
      "signature-input",
      "signature",
    ]
    await fc.assert(
      fc.asyncProperty(requests, fc.constantFrom(...places), fc.nat(), async (request, place, at) => {
        let changed: TestRequest = request
        if (place === "authority") changed = { ...request, authority: flip(request.authority, at) }
        else if (place === "path") changed = { ...request, target: flip(request.target, at) }
        else if (place === "body") {
          const body = Uint8Array.from(request.body.length === 0 ? [0] : request.body)
          body[at % body.length] = (body[at % body.length] ?? 0) ^ 1
          changed = { ...request, body: request.body.length === 0 ? new Uint8Array(1) : body }
        } else changed = withHeader(request, place, flip(headerOf(request, place), at))
        expect(await outcomeOf(changed)).not.toBe("verified")
      }),
      { numRuns: 400 },
    )
  })

  it("every single byte of one notification counts", async () => {
    const request = signedRequest({ path: "/hook/a" })
    for (const name of ["content-digest", "content-type", "signature-input", "signature"]) {
      const value = headerOf(request, name)
      for (let at = 0; at < value.length; at++) {
        expect(await outcomeOf(withHeader(request, name, flip(value, at))), `${name} ${at}`).not.toBe(
          "verified",
        )
      }
    }
    expect(await outcomeOf({ ...request, method: "PUT" })).toBe("signature_invalid")
    expect(await outcomeOf({ ...request, method: "post" })).toBe("signature_invalid")
  })

  it("changing what is not covered verifies", async () => {
    const names = fc.stringMatching(/^x-[a-z]{1,8}$/)
    await fc.assert(
      fc.asyncProperty(
        requests,
        fc.array(fc.tuple(names, fc.string())),
        fc.string(),
        async (request, headers, query) => {
          const changed = {
            ...request,
            target: `${request.target}?${encodeURIComponent(query)}`,
            headers: [...headers, ...request.headers].reverse(),
          }
          expect(await outcomeOf(changed)).toBe("verified")
        },
      ),
    )
    expect(await outcomeOf({ ...signedRequest(), authority: "EXAMPLE.com:443" })).toBe("verified")
  })
})

describe("spec/signatures §9: what hostile headers cost", () => {
  it("is no more than their length, for blanks within a covered field under every label", async () => {
    const request = withHeader(signedRequest(), "x-blank", `a${" ".repeat(50_000)}b`)
    const member = headerOf(request, "signature-input").slice("sig1=".length)
    const labels = Array.from({ length: 8 }, (_, index) => `s${index}`)
    const inputs = labels.map((label) => `${label}=${member.replace(")", ' "x-blank")')}`).join(", ")
    const signatures = labels.map((label) => `${label}=:${"A".repeat(86)}==:`).join(", ")
    const hostile = withHeader(withHeader(request, "Signature-Input", inputs), "Signature", signatures)
    // Trimmed by a pattern, this took half a minute.
    const before = process.cpuUsage()
    expect(await outcomeOf(hostile)).toBe("signature_invalid")
    const { user } = process.cpuUsage(before)
    expect(user / 1_000).toBeLessThan(10_000)
  })
})

describe("spec/signatures §9: what is accepted", () => {
  it("other labels and parameter orders", async () => {
    expect(await outcomeOf(signedAs(`(${five})${defaultParameters}`, "other-label"))).toBe("verified")
    const turned = `;alg="ed25519";nonce="n";keyid="${testKeyVector.keyid}";tag="t";created=${testNowSeconds}`
    expect(
      await outcomeOf(signedAs(`("content-type" "content-digest" "@path" "@authority" "@method")${turned}`)),
    ).toBe("verified")
  })

  it("white space in the parameters, since the base has them as received", async () => {
    expect(await outcomeOf(signedAs(`( ${five}  )${defaultParameters.replaceAll(";", ";  ")}`))).toBe(
      "verified",
    )
  })

  it("further components", async () => {
    const request = { ...signedRequest(), target: "/hook?a=1&b=2" }
    const more = `(${five} "@query" "@query-param";name="b" "host")${defaultParameters}`
    expect(await outcomeOf(signedAs(more, "sig1", request))).toBe("verified")
    expect(await outcomeOf({ ...signedAs(more, "sig1", request), target: "/hook?a=1&b=3" })).toBe(
      "signature_invalid",
    )
  })

  it("a second signature beside sig1, whatever it is, on the same line or another", async () => {
    const others = [
      'proxy=("@method");created=1;keyid=token',
      `proxy=(${five})${defaultParameters}`,
      "proxy=1",
      'proxy=("@status" "x";sf);created=1.5',
    ]
    const request = signedRequest()
    for (const other of others) {
      for (const order of [
        <A>(each: ReadonlyArray<A>) => each,
        <A>(each: ReadonlyArray<A>) => each.toReversed(),
      ]) {
        const input = order([headerOf(request, "signature-input"), other]).join(", ")
        const signature = order([headerOf(request, "signature"), `proxy=:${"A".repeat(86)}==:`]).join(", ")
        const changed = withHeader(withHeader(request, "signature-input", input), "signature", signature)
        expect(await verify(changed), other).toMatchObject({ signature: { label: "sig1" } })
        const lines = [
          ["signature-input", other],
          ["Signature", `proxy=:${"A".repeat(86)}==:`],
        ] as const
        const headers = order([0, 1]).flatMap((place) => (place === 0 ? request.headers : lines))
        expect(await verify({ ...request, headers }), other).toMatchObject({ signature: { label: "sig1" } })
      }
    }
  })

  it("created from 300 s ago to 60 s ahead, or as configured", async () => {
    const at = (created: number, options?: Partial<NotificationVerifierOptions>) =>
      outcomeOf(signedRequest({ created }), options)
    expect(await at(testNowSeconds - 300)).toBe("verified")
    expect(await at(testNowSeconds - 301)).toBe("signature_too_old")
    expect(await at(testNowSeconds + 60)).toBe("verified")
    expect(await at(testNowSeconds + 61)).toBe("signature_too_new")
    expect(await at(testNowSeconds - 301, { maxAgeSeconds: 301 })).toBe("verified")
    expect(await at(testNowSeconds + 61, { maxAheadSeconds: 61 })).toBe("verified")
    expect(await at(testNowSeconds - 1, { maxAgeSeconds: 0 })).toBe("signature_too_old")
    expect(await at(testNowSeconds, { now: () => Number.NaN })).toBe("signature_too_old")
  })

  it("expires that is over for no longer than clocks may differ", async () => {
    const until = (expires: number) => outcomeOf(signedAs(`(${five})${defaultParameters};expires=${expires}`))
    expect(await until(testNowSeconds - 60)).toBe("verified")
    expect(await until(testNowSeconds - 61)).toBe("signature_expired")
  })

  it("spec/signatures §10: as many labels and components as are read, and not one more", async () => {
    const request = signedRequest()
    const withLabels = (count: number) => {
      const labels = Array.from({ length: count - 1 }, (_, index) => `l${index}=()`)
      const inputs = [...labels, headerOf(request, "signature-input")].join(",")
      const signatures = labels.map((label) => label.replace("()", ":AA==:"))
      return withHeader(
        withHeader(request, "signature-input", inputs),
        "signature",
        [...signatures, headerOf(request, "signature")].join(","),
      )
    }
    expect(await outcomeOf(withLabels(signatureLabelsMax))).toBe("verified")
    expect(await outcomeOf(withLabels(signatureLabelsMax + 1))).toBe("labels_too_many")
    const withComponents = (count: number) => {
      const names = Array.from({ length: count - 5 }, (_, index) => `x-${index}`)
      const many = { ...request, headers: [...request.headers, ...names.map((name) => [name, "v"] as const)] }
      const list = `${five} ${names.map((name) => `"${name}"`).join(" ")}`
      return signedAs(`(${list})${defaultParameters}`, "sig1", many)
    }
    expect(await outcomeOf(withComponents(signatureComponentsMax))).toBe("verified")
    expect(await outcomeOf(withComponents(signatureComponentsMax + 1))).toBe("components_too_many")
  })
})

describe("spec/signatures §9: one request, however it is sent", () => {
  for (const [what, changed] of acceptedCases) {
    it(`verifies ${what}`, async () => {
      expect(await outcomeOf(changed)).toBe("verified")
    })
  }

  it("verifies with another port, with or without zeros", async () => {
    const other = signedRequest({ authority: "example.com:8443" })
    expect(await outcomeOf(other)).toBe("verified")
    expect(await outcomeOf({ ...other, authority: "example.com:08443" })).toBe("verified")
    expect(await outcomeOf({ ...other, authority: "example.com" })).toBe("signature_invalid")
  })

  it("reads at most as much as is sent", () => {
    expect(notificationMaxBytes).toBe(renderedBodyMaxBytes)
  })
})

describe("spec/signatures §9: what is rejected, with its code", () => {
  const request = signedRequest()
  const input = (text: string) => withHeader(request, "signature-input", text)

  for (const [code, what, changed] of rejectedCases) {
    it(`${code}: ${what}`, async () => {
      expect(await outcomeOf(changed)).toBe(code)
      const rejection = await verify(changed)
      if (!(rejection instanceof NotificationRejected)) throw new Error("it verified")
      expect(rejection.message.length).toBeGreaterThan(10)
    })
  }

  it("key_unknown comes last: whatever else is wrong is the reason, so that it fetches no keys", async () => {
    const { published } = generateTestKey()
    // What is checked after the signature is not reached without a key.
    const needsKey: ReadonlySet<string> = new Set([
      "key_unknown",
      "signature_invalid",
      "content_digest_mismatch",
    ])
    for (const [code, what, changed] of rejectedCases) {
      let asked = 0
      const fetch = async () => (asked++, Response.json({ keys: [published] }))
      const rejection = await verify(changed, verifierOf({ fetch }))
      const expected = needsKey.has(code) ? "key_unknown" : code
      expect(rejection, what).toMatchObject({ code: expected })
      expect(asked > 0, what).toBe(expected === "key_unknown")
    }
  })

  it("the reason is that of sig1 when there are several", async () => {
    const others = withHeader(
      input(`a=(), ${headerOf(request, "signature-input")}, b=1`),
      "signature",
      `a=:AA==:, ${headerOf(request, "signature")}, b=:AA==:`,
    )
    expect(await outcomeOf({ ...others, target: "/x" })).toBe("signature_invalid")
    const unlike = withHeader(input("a=1, b=()"), "signature", "a=:AA==:, b=:AA==:")
    expect(await outcomeOf(unlike)).toBe("signature_input_malformed")
  })

  it("no request of any shape makes it throw", async () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(...request.headers.map(([, value]) => value)))
    const name = fc.constantFrom(
      "host",
      "content-type",
      "content-digest",
      "signature-input",
      "signature",
      "x",
    )
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        text,
        fc.array(fc.tuple(name, text)),
        async (method, authority, target, headers) => {
          expect(await outcomeOf({ method, authority, target, headers, body: request.body })).not.toBe(
            "verified",
          )
        },
      ),
    )
  })
})
