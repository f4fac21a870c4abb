import { describe, expect, it } from "vitest"
import { verifySignature } from "http-message-sig"
import { createSigner, createVerifier, httpbis } from "http-message-signatures"
import { verifySignature as verifyByReceiver } from "../../src/RequestSignature.ts"
import {
  headerOf,
  signedRequest,
  testKeyVector,
  testKeyVerify,
  withHeader,
} from "../../../../test/signature/TestKey.ts"

const five = ["@method", "@authority", "@path", "content-digest", "content-type"]
const created = Math.floor(Date.now() / 1_000)
const request = signedRequest({ created, path: "/hook/a%20b" })
const tampered = withHeader(request, "content-type", "text/plain")

const byHttpMessageSig = ({ method, headers }: typeof request) =>
  verifySignature(
    {
      kind: "request",
      method,
      targetUri: "https://example.com/hook/a%20b?query=1",
      fields: headers.map(([name, value]) => ({ name, value })),
    },
    {
      policy: {
        algorithms: ["ed25519"],
        requiredComponents: five,
        requiredParameters: ["created", "keyid", "alg"],
        maxAge: 300,
        clockSkew: 5,
      },
      resolveVerifier: () => ({ algorithm: "ed25519", verify: testKeyVerify }),
    },
  )

const byHttpMessageSignatures = ({ method, headers }: typeof request) =>
  httpbis.verifyMessage(
    {
      keyLookup: async ({ keyid }) =>
        keyid === testKeyVector.keyid
          ? { id: keyid, algs: ["ed25519"], verify: createVerifier(testKeyVector.publicKeyPem, "ed25519") }
          : null,
      requiredFields: five,
      requiredParams: ["created", "keyid", "alg"],
      maxAge: 300,
    },
    { method, url: "https://example.com/hook/a%20b?query=1", headers: Object.fromEntries(headers) },
  )

describe("independent implementations", () => {
  it("spec/signatures §9: http-message-sig verifies what is signed, and rejects it when changed", async () => {
    expect(await byHttpMessageSig(request)).toMatchObject({ label: "sig1", algorithm: "ed25519" })
    await expect(byHttpMessageSig(tampered)).rejects.toThrow()
  })

  it("spec/signatures §9: http-message-signatures verifies what is signed, and rejects it when changed", async () => {
    expect(await byHttpMessageSignatures(request)).toBe(true)
    expect(await byHttpMessageSignatures(tampered)).toBe(false)
  })

  it("spec/signatures §9: what http-message-signatures signs under another label is verified", async () => {
    const pem = Buffer.from(testKeyVector.privateKeyPkcs8Base64, "base64")
    const signed = await httpbis.signMessage(
      {
        key: createSigner({ key: pem, format: "der", type: "pkcs8" }, "ed25519", testKeyVector.keyid),
        name: "theirs",
        fields: five.toReversed(),
        params: ["alg", "keyid", "created"],
        paramValues: { created: new Date(created * 1_000) },
      },
      {
        method: "POST",
        url: "https://example.com/hook",
        headers: {
          "content-type": "application/json",
          "content-digest": headerOf(request, "content-digest"),
        },
      },
    )
    const headers = Object.entries(signed.headers).map(([name, value]) => [name, String(value)] as const)
    const received = {
      method: "POST",
      authority: "example.com",
      target: "/hook",
      headers,
    }
    const policy = {
      keyOf: () => testKeyVerify,
      authorityOf: (host: string | undefined) => host,
      nowSeconds: created,
      maxAgeSeconds: 300,
      maxAheadSeconds: 60,
    }
    const { signature } = await verifyByReceiver(received, policy)
    expect(signature.label).toBe("theirs")
  })
})
