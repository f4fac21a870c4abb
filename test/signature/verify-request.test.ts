import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { cpuTimeMs } from "../CpuTime.ts"
import { hashFunctions } from "@tocsin/adapters-http/internal/crypto/HashNode"
import * as VerifierNode from "@tocsin/adapters-http/internal/crypto/VerifierNode"
import { bytesToBase64 } from "@tocsin/domain/internal/signature/Base64"
import { writeContentDigest } from "@tocsin/domain/internal/signature/ContentDigest"
import {
  itemToComponent,
  readSignatureInput,
  signatureComponentsMax,
  writeSignatureParams,
} from "@tocsin/domain/internal/signature/SignatureInput"
import { buildSignatureBase } from "@tocsin/domain/internal/signature/SignatureBase"
import { signRequest, signedBase } from "@tocsin/domain/internal/signature/SignRequest"
import { signatureHeaderMaxBytes, parseDictionary } from "@tocsin/domain/internal/signature/StructuredField"
import {
  type ReceivedRequest,
  type VerificationPolicy,
  type VerificationRejectionCode,
  Verifier,
  receivedHeaderLinesMax,
  receivedHeadersMaxBytes,
  signatureLabelsMax,
  verifyRequest,
} from "@tocsin/domain/internal/signature/VerifyRequest"
import {
  headerOf,
  signedRequest,
  testKey,
  testKeyVector,
  testKeyVerify,
  testNowSeconds,
  withHeader,
} from "./TestKey.ts"
import { renderedBodyMaxBytes } from "@tocsin/domain/internal/notification/NotificationRequest"

const { verifierFunctions } = VerifierNode

const policy: VerificationPolicy = {
  keyOf: (keyId) => (keyId === testKeyVector.keyid ? testKeyVerify : undefined),
  nowSeconds: testNowSeconds,
}

const outcomeOf = (request: ReceivedRequest, change: Partial<VerificationPolicy> = {}) => {
  const result = verifyRequest(request, { ...policy, ...change }, verifierFunctions)
  return Result.isSuccess(result) ? "verified" : result.failure.code
}

const five = '"@method" "@authority" "@path" "content-digest" "content-type"'
const defaultParameters = `;created=${testNowSeconds};keyid="${testKeyVector.keyid}";alg="ed25519"`

/** Signs what the member of Signature-Input says, whatever it says. */
const signedAs = (member: string, label = "sig1", request = signedRequest()): ReceivedRequest => {
  const parsed = parseDictionary(`${label}=${member}`)
  const items = Result.isSuccess(parsed) ? (parsed.success[0]?.items ?? []) : []
  const components = items.flatMap((item) => {
    const component = itemToComponent(item)
    return Result.isSuccess(component) ? [component.success] : []
  })
  const base = buildSignatureBase(request, components, member)
  const bytes = new TextEncoder().encode(Result.isSuccess(base) ? base.success : "")
  const input = withHeader(request, "Signature-Input", `${label}=${member}`)
  return withHeader(input, "Signature", `${label}=:${bytesToBase64(testKey.sign(bytes))}:`)
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
        const member = parseDictionary(`sig1=${params}`)
        if (Result.isFailure(member) || member.success[0] === undefined) throw new Error("not parsed")
        const input = readSignatureInput(member.success[0])
        if (Result.isFailure(input)) throw new Error(input.failure.code)
        const headers = [
          ["content-type", "application/json"],
          ["content-digest", "sha-256=:AA==:"],
        ] as const
        const message = { method: "POST", authority, target: `${path}?query`, headers }
        expect(buildSignatureBase(message, input.success.components, input.success.signatureParams)).toEqual(
          Result.succeed(
            signedBase(
              { method: "POST", authority, path, contentType: "application/json" },
              "sha-256=:AA==:",
              params,
            ),
          ),
        )
      }),
    )
  })

  it("reads back as it was written", () => {
    fc.assert(
      fc.property(fc.nat(999_999_999_999_999), fc.stringMatching(/^[ -~]+$/), (created, keyId) => {
        const params = writeSignatureParams(created, keyId)
        const member = parseDictionary(`sig1=${params}`)
        const input =
          Result.isSuccess(member) && member.success[0] !== undefined
            ? readSignatureInput(member.success[0])
            : undefined
        expect(input).toMatchObject({
          _tag: "Success",
          success: { label: "sig1", created, keyId, signatureParams: params },
        })
      }),
    )
  })

  it("verifies through the port too, and gives what was signed", () => {
    const verified = Effect.runSync(
      Effect.provide(
        Effect.map(Verifier, (functions) => verifyRequest(signedRequest(), policy, functions)),
        VerifierNode.layer,
      ),
    )
    if (Result.isFailure(verified)) throw verified.failure
    expect(verified.success).toMatchObject({
      label: "sig1",
      keyId: testKeyVector.keyid,
      created: testNowSeconds,
    })
    expect(verified.success.base.split("\n").slice(0, 5)).toEqual([
      '"@method": POST',
      '"@authority": example.com',
      '"@path": /hook',
      '"content-digest": sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
      '"content-type": application/json',
    ])
  })

  it("verifies, a long path and an empty or large body too", () => {
    expect(outcomeOf(signedRequest({ path: `/${"x".repeat(6_000)}` }))).toBe("verified")
    expect(outcomeOf(signedRequest({ body: new Uint8Array() }))).toBe("verified")
    expect(outcomeOf(signedRequest({ body: new Uint8Array(renderedBodyMaxBytes) }))).toBe("verified")
  })

  it("is the same with a signer whose text is longer than the shared buffer, or short", () => {
    for (const path of ["/x", `/${"x".repeat(5_000)}`]) {
      const bytes: Array<Uint8Array> = []
      const key = { keyId: "k", sign: (base: Uint8Array) => (bytes.push(base.slice()), new Uint8Array(64)) }
      const request = { method: "POST", authority: "a", path, contentType: "application/json", created: 1 }
      const body = new Uint8Array()
      signRequest({ ...request, body }, key, hashFunctions)
      const digest = writeContentDigest(body, hashFunctions.sha256Base64)
      const base = signedBase(request, digest, writeSignatureParams(1, "k"))
      expect(Buffer.from(bytes[0] ?? []).toString()).toBe(base)
    }
  })
})

describe("properties of verifying", () => {
  it("what is signed verifies", () => {
    fc.assert(
      fc.property(requests, (request) => {
        expect(outcomeOf(request)).toBe("verified")
      }),
    )
  })

  it("changing any byte of a covered value, the parameters or the signature rejects", () => {
    const places = [
      "authority",
      "path",
      "body",
      "content-digest",
      "content-type",
      "signature-input",
      "signature",
    ]
    fc.assert(
      fc.property(requests, fc.constantFrom(...places), fc.nat(), (request, place, at) => {
        let changed: ReceivedRequest = request
        if (place === "authority") changed = { ...request, authority: flip(request.authority, at) }
        else if (place === "path") changed = { ...request, target: flip(request.target, at) }
        else if (place === "body") {
          const body = Uint8Array.from(request.body.length === 0 ? [0] : request.body)
          body[at % body.length] = (body[at % body.length] ?? 0) ^ 1
          changed = { ...request, body: request.body.length === 0 ? new Uint8Array(1) : body }
        } else changed = withHeader(request, place, flip(headerOf(request, place), at))
        expect(outcomeOf(changed)).not.toBe("verified")
      }),
      { numRuns: 400 },
    )
  })

  it("every single byte of one notification counts", () => {
    const request = signedRequest({ path: "/hook/a" })
    for (const name of ["content-digest", "content-type", "signature-input", "signature"]) {
      const value = headerOf(request, name)
      for (let at = 0; at < value.length; at++) {
        expect(outcomeOf(withHeader(request, name, flip(value, at))), `${name} ${at}`).not.toBe("verified")
      }
    }
    expect(outcomeOf({ ...request, method: "PUT" })).toBe("signature_invalid")
    expect(outcomeOf({ ...request, method: "post" })).toBe("signature_invalid")
  })

  it("changing what is not covered verifies", () => {
    const names = fc.stringMatching(/^x-[a-z]{1,8}$/)
    fc.assert(
      fc.property(
        requests,
        fc.array(fc.tuple(names, fc.string())),
        fc.string(),
        (request, headers, query) => {
          const changed = {
            ...request,
            target: `${request.target}?${encodeURIComponent(query)}`,
            headers: [...headers, ...request.headers].reverse(),
          }
          expect(outcomeOf(changed)).toBe("verified")
        },
      ),
    )
    expect(outcomeOf({ ...signedRequest(), authority: "EXAMPLE.com:443" })).toBe("verified")
  })
})

describe("spec/signatures §9: what hostile headers cost", () => {
  it("is no more than their length, for blanks within a covered field under every label", () => {
    const request = withHeader(signedRequest(), "x-blank", `a${" ".repeat(50_000)}b`)
    const member = headerOf(request, "signature-input").slice("sig1=".length)
    const labels = Array.from({ length: 8 }, (_, index) => `s${index}`)
    const inputs = labels.map((label) => `${label}=${member.replace(")", ' "x-blank")')}`).join(", ")
    const signatures = labels.map((label) => `${label}=:${"A".repeat(86)}==:`).join(", ")
    const hostile = withHeader(withHeader(request, "Signature-Input", inputs), "Signature", signatures)
    // Trimmed by a pattern, this took half a minute.
    const spent = cpuTimeMs(() => expect(outcomeOf(hostile)).toBe("signature_invalid"))
    expect(spent).toBeLessThan(10_000)
  })
})

describe("spec/signatures §9: what is accepted", () => {
  it("other labels and parameter orders", () => {
    expect(outcomeOf(signedAs(`(${five})${defaultParameters}`, "other-label"))).toBe("verified")
    const turned = `;alg="ed25519";nonce="n";keyid="${testKeyVector.keyid}";tag="t";created=${testNowSeconds}`
    expect(
      outcomeOf(signedAs(`("content-type" "content-digest" "@path" "@authority" "@method")${turned}`)),
    ).toBe("verified")
  })

  it("white space in the parameters, since the base has them as received", () => {
    expect(outcomeOf(signedAs(`( ${five}  )${defaultParameters.replaceAll(";", ";  ")}`))).toBe("verified")
  })

  it("further components", () => {
    const request = { ...signedRequest(), target: "/hook?a=1&b=2" }
    const more = `(${five} "@query" "@query-param";name="b" "host")${defaultParameters}`
    expect(outcomeOf(signedAs(more, "sig1", request))).toBe("verified")
    expect(outcomeOf({ ...signedAs(more, "sig1", request), target: "/hook?a=1&b=3" })).toBe(
      "signature_invalid",
    )
  })

  it("a second signature beside sig1, whatever it is", () => {
    const others = [
      'proxy=("@method");created=1;keyid=token',
      `proxy=(${five})${defaultParameters}`,
      "proxy=1",
      'proxy=("@status" "x";sf);created=1.5',
    ]
    const request = signedRequest()
    for (const other of others) {
      for (const order of [
        (texts: ReadonlyArray<string>) => texts,
        (texts: ReadonlyArray<string>) => texts.toReversed(),
      ]) {
        const input = order([headerOf(request, "signature-input"), other]).join(", ")
        const signature = order([headerOf(request, "signature"), `proxy=:${"A".repeat(86)}==:`]).join(", ")
        const changed = withHeader(withHeader(request, "signature-input", input), "signature", signature)
        const result = verifyRequest(changed, policy, verifierFunctions)
        expect(Result.isSuccess(result) && result.success.label, other).toBe("sig1")
      }
    }
  })

  it("created from 300 s ago to 60 s ahead, or as configured", () => {
    const at = (created: number, change: Partial<VerificationPolicy> = {}) =>
      outcomeOf(signedRequest({ created }), change)
    expect(at(testNowSeconds - 300)).toBe("verified")
    expect(at(testNowSeconds - 301)).toBe("signature_too_old")
    expect(at(testNowSeconds + 60)).toBe("verified")
    expect(at(testNowSeconds + 61)).toBe("signature_too_new")
    expect(at(testNowSeconds - 301, { maxAgeSeconds: 301 })).toBe("verified")
    expect(at(testNowSeconds + 61, { maxAheadSeconds: 61 })).toBe("verified")
    expect(at(testNowSeconds - 1, { maxAgeSeconds: 0 })).toBe("signature_too_old")
    expect(at(testNowSeconds, { maxAgeSeconds: Number.NaN })).toBe("signature_too_old")
    expect(at(testNowSeconds, { maxAheadSeconds: Number.NaN })).toBe("signature_too_new")
  })

  it("expires that is not over", () => {
    expect(outcomeOf(signedAs(`(${five})${defaultParameters};expires=${testNowSeconds}`))).toBe("verified")
    expect(outcomeOf(signedAs(`(${five})${defaultParameters};expires=${testNowSeconds - 1}`))).toBe(
      "signature_expired",
    )
  })

  it("spec/signatures §10: as many labels and components as are read, and not one more", () => {
    const request = signedRequest()
    const withLabels = (count: number) => {
      const labels = Array.from({ length: count - 1 }, (_, index) => `l${index}=()`)
      return withHeader(
        request,
        "signature-input",
        [...labels, headerOf(request, "signature-input")].join(","),
      )
    }
    expect(outcomeOf(withLabels(signatureLabelsMax))).toBe("verified")
    expect(outcomeOf(withLabels(signatureLabelsMax + 1))).toBe("labels_too_many")
    const withComponents = (count: number) => {
      const names = Array.from({ length: count - 5 }, (_, index) => `x-${index}`)
      const many = { ...request, headers: [...request.headers, ...names.map((name) => [name, "v"] as const)] }
      const list = `${five} ${names.map((name) => `"${name}"`).join(" ")}`
      return signedAs(`(${list})${defaultParameters}`, "sig1", many)
    }
    expect(outcomeOf(withComponents(signatureComponentsMax))).toBe("verified")
    expect(outcomeOf(withComponents(signatureComponentsMax + 1))).toBe("components_too_many")
  })
})

describe("spec/signatures §9: what is rejected, with its code", () => {
  const request = signedRequest()
  const input = (text: string) => withHeader(request, "signature-input", text)
  const signature = (text: string) => withHeader(request, "signature", text)
  const digest = (text: string | undefined) => withHeader(request, "content-digest", text)
  const also = (name: string, value: string) => ({
    ...request,
    headers: [...request.headers, [name, value] as const],
  })
  const parameters = (from: string | RegExp, to: string) =>
    signedAs(`(${five})${defaultParameters.replace(from, to)}`)
  const components = (list: string) => signedAs(`(${list})${defaultParameters}`)
  const created = `created=${testNowSeconds}`
  const keyid = `keyid="${testKeyVector.keyid}"`

  const cases: ReadonlyArray<readonly [VerificationRejectionCode, string, ReceivedRequest]> = [
    ["content_digest_missing", "no Content-Digest", digest(undefined)],
    ["content_digest_malformed", "a digest of the old form", digest("SHA-256=X48E9qOokqqr")],
    ["content_digest_unsupported", "only md5", digest("md5=:Sd/dVLAcvNLSq16eXua5uQ==:")],
    ["content_digest_mismatch", "another body", { ...request, body: new Uint8Array(3) }],
    [
      "header_duplicated",
      "two lines of Content-Digest",
      also("content-digest", headerOf(request, "content-digest")),
    ],
    ["header_duplicated", "two lines of Content-Type", also("Content-type", "text/plain")],
    ["header_duplicated", "two lines of Signature-Input", also("signature-input", "b=()")],
    ["header_duplicated", "two lines of Signature", also("signature", "b=:AA==:")],
    ["header_duplicated", "two lines of Host", also("host", "example.com")],
    ["header_too_large", "a long Signature-Input", input(`a="${"x".repeat(signatureHeaderMaxBytes)}"`)],
    ["header_too_large", "a long Signature", signature(`a="${"x".repeat(signatureHeaderMaxBytes)}"`)],
    ["header_too_large", "a long head", also("x-long", "x".repeat(receivedHeadersMaxBytes))],
    [
      "header_too_large",
      "a head of many lines",
      {
        ...request,
        headers: Array.from({ length: receivedHeaderLinesMax + 1 }, () => ["x", "y"] as const),
      },
    ],
    ["signature_input_missing", "no Signature-Input", withHeader(request, "signature-input", undefined)],
    ["signature_input_missing", "an empty Signature-Input", input("")],
    ["signature_input_malformed", "no dictionary", input("sig1=(")],
    ["signature_input_malformed", "no list of components", input("sig1=1")],
    ["signature_missing", "no Signature", withHeader(request, "signature", undefined)],
    [
      "signature_missing",
      "a Signature of another label",
      signature(headerOf(request, "signature").replace("sig1", "x")),
    ],
    ["signature_malformed", "no dictionary", signature("sig1=:")],
    ["signature_malformed", "a string", signature('sig1="x"')],
    ["signature_malformed", "too few bytes", signature("sig1=:AAAA:")],
    ["label_duplicated", "a label twice in Signature-Input", input("sig1=(), sig1=()")],
    ["label_duplicated", "a label twice in Signature", signature("sig1=:AA==:, sig1=:AA==:")],
    ["label_duplicated", "a parameter twice", input(`sig1=(${five});${created};${created};${keyid}`)],
    ["component_duplicated", "a component twice", components(`${five} "@path"`)],
    [
      "component_duplicated",
      "a query parameter twice",
      components(`${five} "@query-param";name="a" "@query-param"; name="a"`),
    ],
    [
      "component_unsupported",
      "a parameter that changes the meaning",
      components(five.replace('digest"', 'digest";sf')),
    ],
    ["component_unsupported", "a related request", components(five.replace('method"', 'method";req'))],
    ["component_unsupported", "a derived component of responses", components(`${five} "@status"`)],
    [
      "component_unsupported",
      "a name in upper case",
      components(five.replace("content-type", "Content-Type")),
    ],
    ["component_not_covered", "no @method", components(five.replace('"@method"', ""))],
    ["component_not_covered", "no @authority", components(five.replace('"@authority"', ""))],
    ["component_not_covered", "no @path", components(five.replace('"@path"', ""))],
    ["component_not_covered", "no content-digest", components(five.replace('"content-digest"', ""))],
    ["component_not_covered", "no content-type", components(five.replace('"content-type"', ""))],
    ["component_not_covered", "nothing covered", components("")],
    ["component_missing", "a covered field that is not there", components(`${five} "x-absent"`)],
    ["component_missing", "no Content-Type", withHeader(request, "content-type", undefined)],
    [
      "component_missing",
      "a covered value that is not ASCII",
      withHeader(request, "content-type", "application/jsön"),
    ],
    ["created_invalid", "no created", parameters(`;${created}`, "")],
    ["created_invalid", "a decimal created", parameters(created, `${created}.0`)],
    ["created_invalid", "created as a string", parameters(created, `created="${testNowSeconds}"`)],
    ["created_invalid", "created as a date", parameters(created, `created=@${testNowSeconds}`)],
    ["created_invalid", "a negative created", parameters(created, "created=-1")],
    ["expires_invalid", "a decimal expires", parameters(created, `${created};expires=9999999999.0`)],
    ["keyid_invalid", "no keyid", parameters(`;${keyid}`, "")],
    ["keyid_invalid", "a token as keyid", parameters(keyid, `keyid=${testKeyVector.keyid}`)],
    ["keyid_invalid", "an empty keyid", parameters(keyid, 'keyid=""')],
    ["algorithm_unsupported", "another alg", parameters('alg="ed25519"', 'alg="hmac-sha256"')],
    ["algorithm_unsupported", "alg as a token", parameters('alg="ed25519"', "alg=ed25519")],
    ["algorithm_unsupported", "no alg", parameters(';alg="ed25519"', "")],
    ["key_unknown", "another keyid", parameters(keyid, 'keyid="other"')],
    ["signature_too_old", "an old signature", signedRequest({ created: testNowSeconds - 301 })],
    ["signature_too_new", "a signature of the future", signedRequest({ created: testNowSeconds + 61 })],
    ["signature_expired", "an expired signature", parameters(created, `${created};expires=1`)],
    ["signature_invalid", "another authority", { ...request, authority: "evil.example" }],
    ["signature_invalid", "another path", { ...request, target: "/hook2" }],
    ["authority_invalid", "no authority", { ...request, authority: "" }],
    ["authority_invalid", "an invalid authority", { ...request, authority: "a b\n" }],
    ["target_invalid", "an absolute target", { ...request, target: "https://example.com/hook" }],
    ["target_invalid", "an empty target", { ...request, target: "" }],
    ["target_invalid", "a line break in the target", { ...request, target: "/\n" }],
    [
      "labels_too_many",
      "nine labels",
      input(
        "abcdefghi"
          .split("")
          .map((label) => `${label}=()`)
          .join(","),
      ),
    ],
    [
      "components_too_many",
      "33 components",
      components(Array.from({ length: 33 }, (_, i) => `"x${i}"`).join(" ")),
    ],
  ]

  for (const [code, what, changed] of cases) {
    it(`${code}: ${what}`, () => {
      const result = verifyRequest(changed, policy, verifierFunctions)
      if (Result.isSuccess(result)) throw new Error("it verified")
      expect(result.failure.code).toBe(code)
      expect(result.failure.message.length).toBeGreaterThan(10)
    })
  }

  it("the reason is that of sig1 when there are several", () => {
    const others = `a=(), ${headerOf(request, "signature-input").replace("/hook", "")}, b=1`
    expect(outcomeOf({ ...withHeader(request, "signature-input", others), target: "/x" })).toBe(
      "signature_invalid",
    )
    expect(outcomeOf(input("a=1, b=()"))).toBe("signature_input_malformed")
  })

  it("no request of any shape makes it throw", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(...request.headers.map(([, value]) => value)))
    const name = fc.constantFrom(
      "host",
      "content-type",
      "content-digest",
      "signature-input",
      "signature",
      "x",
    )
    fc.assert(
      fc.property(text, text, text, fc.array(fc.tuple(name, text)), (method, authority, target, headers) => {
        expect(outcomeOf({ method, authority, target, headers, body: request.body })).not.toBe("verified")
      }),
    )
  })
})
