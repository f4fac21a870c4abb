import { HashNode } from "@tocsin/adapters-http/crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { signDigested, signRequest, writeContentDigest } from "@tocsin/domain/signature"
import {
  type CryptoFunctions,
  NotificationRejected,
  type NotificationVerifier,
  verifyNotification,
} from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { verifyNodeBody } from "@tocsin/receiver/node"
import * as PlatformNode from "../../src/PlatformNode.ts"
import * as PlatformWeb from "../../src/PlatformWeb.ts"
import {
  authorityText,
  contentType,
  created,
  keyId,
  method,
  pathText,
  queryText,
  type RoundTrip,
  roundTrip,
  send,
} from "./RoundTrip.ts"
import {
  generateTestKey,
  headerOf,
  testKey,
  testKeyPublished,
  type TestRequest,
  verifierOfKeys,
  withHeader,
} from "../../../../test/signature/TestKey.ts"

const other = generateTestKey()

/** Importing a key anew for each request would take most of the time. */
const importedOnce = (functions: CryptoFunctions): CryptoFunctions => {
  const imported = new Map<string, ReturnType<CryptoFunctions["importPublicKey"]>>()
  return {
    ...functions,
    importPublicKey: (publicKey) => {
      const hex = Buffer.from(publicKey).toString("hex")
      const key = imported.get(hex) ?? functions.importPublicKey(publicKey)
      imported.set(hex, key)
      return key
    },
  }
}

const ofNode = importedOnce(PlatformNode.cryptoFunctions)
const ofWeb = importedOnce(PlatformWeb.cryptoFunctions)

/** A verifier for the key ID, whose time is that many seconds after the signature. */
const verifierOf = (
  { keyId, signed }: RoundTrip,
  crypto: CryptoFunctions,
  secondsLater = 0,
): NotificationVerifier =>
  verifierOfKeys([{ ...testKeyPublished, keyId }, other.published], {
    crypto,
    now: () => (signed.created + secondsLater) * 1_000,
  })

const outcome = async (verifying: Promise<unknown>): Promise<string> => {
  try {
    await verifying
    return "verified"
  } catch (error) {
    if (error instanceof NotificationRejected) return error.code
    throw error
  }
}

/** The outcome with the cryptography of Node and of the web, which must be the same. */
const outcomeOf = async (trip: RoundTrip, request: TestRequest, secondsLater?: number): Promise<string> => {
  const [node, web] = await Promise.all(
    [ofNode, ofWeb].map((crypto) => outcome(verifierOf(trip, crypto, secondsLater).verify(request))),
  )
  expect(web).toBe(node)
  return node ?? ""
}

describe("spec/signatures §9: whatever is signed", () => {
  it("verifies, with any method, URL, content type, key ID, time, label and other signatures", async () => {
    await fc.assert(
      fc.asyncProperty(roundTrip, fc.integer({ min: -60, max: 300 }), async (trip, secondsLater) => {
        expect(await outcomeOf(trip, send(trip), secondsLater)).toBe("verified")
      }),
      { numRuns: 300 },
    )
  })

  it("verifies as platforms pass it on, with the URL or with the lines of the header", async () => {
    await fc.assert(
      fc.asyncProperty(roundTrip, async (trip) => {
        const sent = send(trip)
        const { headers, body, target } = sent
        const verifier = verifierOf(trip, ofNode)
        const passed = { method: sent.method, url: trip.url.href, headers, rawBody: body }
        expect(await outcome(verifyNotification(verifier, passed))).toBe("verified")
        const rawHeaders = headers.flat()
        const head = { method: sent.method, url: target, rawHeaders }
        expect(await outcome(verifyNodeBody(verifier, head, body))).toBe("verified")
      }),
      { numRuns: 200 },
    )
  })

  it("verifies as a Fetch request", async () => {
    // Fetch has its own rules for methods, and a GET without a body.
    const posted = roundTrip.map((trip) => ({ ...trip, signed: { ...trip.signed, method: "POST" } }))
    await fc.assert(
      fc.asyncProperty(posted, async (trip) => {
        const { headers, body } = send(trip)
        const request = new Request(trip.url.href, {
          method: "POST",
          headers: headers.map(([name, value]) => [name, value]),
          body: Uint8Array.from(body),
        })
        const verifier = verifierOf(trip, ofWeb)
        expect(await outcome(verifyFetchRequest(verifier, request))).toBe("verified")
      }),
      { numRuns: 200 },
    )
  })

  it("verifies with the authority and the target in other forms of the same", async () => {
    const forms = fc.record({
      isUpper: fc.boolean(),
      isWithPort: fc.boolean(),
      isAbsolute: fc.boolean(),
      query: queryText,
    })
    await fc.assert(
      fc.asyncProperty(roundTrip, forms, async (trip, { isUpper, isWithPort, isAbsolute, query }) => {
        const sent = send(trip)
        const { authority, port, path } = trip.url
        const hasPort = authority.endsWith(`:${port}`) && !authority.endsWith("]")
        const withPort = isWithPort && !hasPort ? `${authority}:0443` : authority
        const cased = isUpper ? withPort.toUpperCase() : withPort
        const target = path + new URL(`https://a${query}`).search
        const changed = isAbsolute
          ? { ...sent, authority: "other.example", target: `HTTPS://${cased}${target}` }
          : { ...sent, authority: cased, target }
        expect(await outcomeOf(trip, changed)).toBe("verified")
      }),
      { numRuns: 200 },
    )
  })

  it("is signed alike given its digest", () => {
    fc.assert(
      fc.property(roundTrip, ({ keyId, signed: { body, ...facts } }) => {
        const key = { ...testKey, keyId }
        const contentDigest = writeContentDigest(body, HashNode.hashFunctions.sha256Base64)
        expect(signDigested(facts, contentDigest, key)).toEqual(
          signRequest({ ...facts, body }, key, HashNode.hashFunctions),
        )
      }),
    )
  })
})

describe("spec/signatures §9: one change of what is signed", () => {
  /** With the label of which the reason is given, whatever is beside it. */
  const trips = roundTrip.map((trip) => ({
    ...trip,
    label: "sig1",
    others: trip.others.filter(([name]) => name !== "sig1"),
  }))

  const rejects = <A>(
    what: string,
    code: string,
    arbitrary: fc.Arbitrary<A>,
    change: (request: TestRequest, value: A, trip: RoundTrip) => TestRequest | undefined,
  ) =>
    it(`is rejected with ${code}: ${what}`, async () => {
      await fc.assert(
        fc.asyncProperty(trips, arbitrary, async (trip, value) => {
          const changed = change(send(trip), value, trip)
          fc.pre(changed !== undefined)
          expect(await outcomeOf(trip, changed)).toBe(code)
        }),
        { numRuns: 25 },
      )
    })

  /** Changes what matches in `Signature-Input`, which is the one of the label `sig1`. */
  const inInput = (request: TestRequest, pattern: RegExp, to: string): TestRequest => ({
    ...request,
    headers: request.headers.map(([name, value]) => [
      name,
      name === "Signature-Input" ? value.replace(pattern, () => to) : value,
    ]),
  })
  const unless = (isSame: boolean, changed: TestRequest) => (isSame ? undefined : changed)
  const nothing = fc.constant(undefined)

  rejects("another method", "signature_invalid", method, (request, value) =>
    unless(value === request.method, { ...request, method: value }),
  )
  rejects("the method in another letter case", "signature_invalid", nothing, (request) => {
    const lower = request.method.toLowerCase()
    const value = lower === request.method ? request.method.toUpperCase() : lower
    return unless(value === request.method, { ...request, method: value })
  })
  rejects("another authority", "signature_invalid", authorityText, (request, value) => {
    const { host } = new URL(`https://${value}`)
    return unless(host === request.authority, { ...request, authority: host })
  })
  rejects(
    "another port",
    "signature_invalid",
    fc.integer({ min: 1, max: 65_535 }),
    (request, port, { url }) => {
      const host = url.host.includes(":") ? `[${url.host}]` : url.host
      return unless(port === url.port, { ...request, authority: `${host}:${port}` })
    },
  )
  rejects("another path", "signature_invalid", pathText, (request, text, { url }) => {
    const { pathname } = new URL(`https://a${text}`)
    return unless(pathname === url.path, {
      ...request,
      target: request.target.replace(url.path, () => pathname),
    })
  })
  rejects(
    "a path with a character more",
    "signature_invalid",
    fc.constantFrom("/", ".", ";", "%20"),
    (request, value, { url }) => ({
      ...request,
      target: `${url.path}${value}`,
    }),
  )
  rejects(
    "an escape of the path in another letter case, or decoded",
    "signature_invalid",
    fc.constantFrom("%2F", "/"),
    (request, value, trip) => {
      const path = `${trip.url.path}%2f`
      const at = { ...trip, url: { ...trip.url, target: path }, signed: { ...trip.signed, path } }
      return { ...send(at), target: trip.url.path + value }
    },
  )
  rejects(
    "a sub-delim of the path percent-encoded",
    "signature_invalid",
    fc.constantFrom(..."!$&'()*+,;=:@"),
    (_, value, trip) => {
      const path = `${trip.url.path}${value}`
      const at = { ...trip, url: { ...trip.url, target: path }, signed: { ...trip.signed, path } }
      return { ...send(at), target: `${trip.url.path}%${value.charCodeAt(0).toString(16).toUpperCase()}` }
    },
  )
  rejects("another content type", "signature_invalid", contentType, (request, value) =>
    unless(value === headerOf(request, "content-type"), withHeader(request, "Content-Type", value)),
  )
  rejects("no content type", "component_missing", nothing, (request) =>
    withHeader(request, "Content-Type", undefined),
  )
  rejects("a second content type", "header_duplicated", contentType, (request, value) => ({
    ...request,
    headers: [...request.headers, ["content-type", value]],
  }))
  rejects("another body", "content_digest_mismatch", fc.uint8Array({ maxLength: 200 }), (request, body) =>
    unless(Buffer.compare(body, request.body) === 0, { ...request, body }),
  )
  rejects(
    "another body and its digest",
    "signature_invalid",
    fc.uint8Array({ maxLength: 200 }),
    (request, body) =>
      unless(
        Buffer.compare(body, request.body) === 0,
        withHeader(
          { ...request, body },
          "Content-Digest",
          writeContentDigest(body, HashNode.hashFunctions.sha256Base64),
        ),
      ),
  )
  rejects("a second digest", "signature_invalid", nothing, (request) => ({
    ...request,
    headers: [...request.headers, ["content-digest", "md5=:Sd/dVLAcvNLSq16eXua5uQ==:"]],
  }))
  rejects("no digest", "content_digest_missing", nothing, (request) =>
    withHeader(request, "Content-Digest", undefined),
  )
  rejects(
    "another time of signing that is accepted too",
    "signature_invalid",
    fc.integer({ min: -300, max: 60 }),
    (request, seconds, { signed }) => {
      const value = signed.created + seconds
      return unless(
        seconds === 0 || value < 0,
        inInput(request, /(?<=sig1=\([^)]*\);created=)\d+/, String(value)),
      )
    },
  )
  rejects("an older time of signing", "signature_too_old", created, (request, value, { signed }) =>
    unless(value >= signed.created - 300, inInput(request, /(?<=sig1=\([^)]*\);created=)\d+/, String(value))),
  )
  rejects("a later time of signing", "signature_too_new", created, (request, value, { signed }) =>
    unless(value <= signed.created + 60, inInput(request, /(?<=sig1=\([^)]*\);created=)\d+/, String(value))),
  )
  rejects("an unknown key", "key_unknown", keyId, (request, value, trip) =>
    unless(
      value === trip.keyId,
      inInput(request, /(?<=sig1=\([^)]*\);created=\d+;keyid=)"[^"]*"/, JSON.stringify(value)),
    ),
  )
  rejects("another key of the sender", "signature_invalid", nothing, (request) =>
    inInput(request, /(?<=sig1=\([^)]*\);created=\d+;keyid=)"[^"]*"/, JSON.stringify(other.published.keyId)),
  )
  rejects(
    "another algorithm",
    "algorithm_unsupported",
    fc.constantFrom("rsa-pss-sha512", "hmac-sha256", "ED25519"),
    (request, value) =>
      inInput(request, /(?<=sig1=\([^)]*\);created=\d+;keyid="[^"]*";alg=)"ed25519"/, JSON.stringify(value)),
  )
  rejects(
    "a parameter more",
    "signature_invalid",
    fc.constantFrom(';nonce="n"', ";tag=t", ";expires=9999999999999"),
    (request, value) =>
      inInput(request, /(?<=sig1=\([^)]*\);created=\d+;keyid="[^"]*";alg="ed25519")/, value),
  )
  rejects(
    "a covered component less",
    "component_not_covered",
    fc.constantFrom("@method", "@authority", "@path", "content-digest", "content-type"),
    (request, name) => inInput(request, new RegExp(`(?<=sig1=\\([^)]*)"${name}" ?`), ""),
  )
  rejects("a covered component more", "signature_invalid", nothing, (request) =>
    inInput(request, /(?<=sig1=\([^)]*)\)/, ' "host")'),
  )
  rejects("the components in another order", "signature_invalid", nothing, (request) =>
    inInput(request, /(?<=sig1=\()"@method" "@authority"/, '"@authority" "@method"'),
  )
  rejects("a bit of the signature", "signature_invalid", fc.nat(511), (request, bit) => ({
    ...request,
    headers: request.headers.map(([name, value]) => [
      name,
      name === "Signature"
        ? value.replace(/(?<=sig1=:)[^:]*/, (base64) => withBitFlipped(base64, bit))
        : value,
    ]),
  }))
})

const withBitFlipped = (base64: string, bit: number): string => {
  const bytes = Buffer.from(base64, "base64")
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return bytes.toString("base64")
}
