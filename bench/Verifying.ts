import { createPublicKey, verify } from "node:crypto"
import { verifySignature } from "http-message-sig"
import { httpbis } from "http-message-signatures"
import type { RequestHead } from "@tocsin/receiver"
import {
  signedRequest,
  testKeyPublished,
  testKeyVector,
  type TestRequest,
  verifierOfKeys,
  withHeader,
} from "../test/signature/TestKey.ts"
import { compare, type Comparison, inProcess } from "./Compare.ts"
import { roundsOf } from "./Length.ts"

/**
 * Verifying a received request with a body of 1 KiB against Ed25519 over a base that is ready, and against the two
 * independent implementations.
 *
 * All use one `KeyObject`, imported once. Only `@tocsin/receiver` looks at the body: the others leave `Content-Digest`
 * and duplicate header lines to their caller.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const publicKey = createPublicKey(testKeyVector.publicKeyPem)
  const verifyBytes = (bytes: Uint8Array, signature: Uint8Array): boolean =>
    verify(null, bytes, publicKey, signature)

  const verifier = verifierOfKeys([testKeyPublished])

  const asDescriptor = ({ method, headers }: RequestHead) => ({
    kind: "request" as const,
    method,
    targetUri,
    fields: headers.map(([name, value]) => ({ name, value })),
  })
  const byHttpMessageSig = (message: ReturnType<typeof asDescriptor>) =>
    verifySignature(message, {
      policy: {
        algorithms: ["ed25519"],
        requiredComponents: five,
        requiredParameters: ["created", "keyid", "alg"],
        maxAge: 300,
        clockSkew: 60,
      },
      resolveVerifier: ({ parameters }) => {
        if (parameters.keyid !== testKeyVector.keyid) throw new Error("unknown key")
        return { algorithm: "ed25519", verify: verifyBytes }
      },
    })

  const asMessage = ({ method, headers }: RequestHead) => ({
    method,
    url: targetUri,
    headers: Object.fromEntries(headers),
  })
  const key = {
    id: testKeyVector.keyid,
    algs: ["ed25519"],
    verify: async (bytes: Buffer, signature: Buffer) => verifyBytes(bytes, signature),
  }
  const byHttpMessageSignatures = (message: ReturnType<typeof asMessage>) =>
    httpbis.verifyMessage(
      {
        keyLookup: async ({ keyid }) => (keyid === testKeyVector.keyid ? key : null),
        requiredFields: five,
        requiredParams: ["created", "keyid", "alg"],
        maxAge: 300,
        tolerance: 60,
      },
      message,
    )

  const request = received()
  const verified = await verifier.verify(request)
  const base = Buffer.from(verified.signature.base)
  const { signature } = verified.signature
  const descriptor = asDescriptor(request)
  const message = asMessage(request)

  const tampered = withHeader(request, "content-type", "text/plain")
  if (await verifier.verify(tampered).catch(() => false)) throw new Error(`${ours} accepts what was changed`)
  if (await byHttpMessageSig(asDescriptor(tampered)).catch(() => false))
    throw new Error(`${httpMessageSig} accepts what was changed`)
  if (await byHttpMessageSignatures(asMessage(tampered)))
    throw new Error(`${httpMessageSignatures} accepts what was changed`)

  const valid = (name: string, isValid: boolean): void => {
    if (!isValid) throw new Error(`${name} refuses what is valid`)
  }
  return [
    await compare(
      `Verifying a request with a body of ${request.body.length} bytes`,
      [
        inProcess(rawEd25519, (operations) => {
          for (let i = 0; i < operations; i++) valid(rawEd25519, verifyBytes(base, signature))
        }),
        inProcess(ours, async (operations) => {
          for (let i = 0; i < operations; i++)
            valid(ours, (await verifier.verify(request)).signature.label === "sig1")
        }),
        inProcess(httpMessageSig, async (operations) => {
          for (let i = 0; i < operations; i++)
            valid(httpMessageSig, (await byHttpMessageSig(descriptor)).label === "sig1")
        }),
        inProcess(httpMessageSignatures, async (operations) => {
          for (let i = 0; i < operations; i++)
            valid(httpMessageSignatures, (await byHttpMessageSignatures(message)) === true)
        }),
      ],
      {
        time: "cpu",
        ...roundsOf(31, 3),
        bounds: [
          { name: ours, against: rawEd25519, atLeast: 0.86 },
          { name: ours, against: httpMessageSig, atLeast: 1 },
          { name: ours, against: httpMessageSignatures, atLeast: 1 },
        ],
      },
    ),
  ]
}

const rawEd25519 = "Ed25519 over a ready base"
const ours = "@tocsin/receiver"
const httpMessageSig = "http-message-sig 0.3.0"
const httpMessageSignatures = "http-message-signatures 1.0.6"

const five = ["@method", "@authority", "@path", "content-digest", "content-type"]
const targetUri = "https://hooks.example.com/services/tocsin"

/** A notification of now, with the header lines that a Node server gets with it. */
const received = (): TestRequest =>
  signedRequest({
    authority: "hooks.example.com",
    path: "/services/tocsin",
    body: new TextEncoder().encode(`{"text":"${"x".repeat(1_013)}"}`),
    created: Math.floor(Date.now() / 1_000),
    headers: [
      ["Accept-Encoding", "identity"],
      ["User-Agent", "tocsin/0.1.0"],
      ["Notification-Event", "alert.triggered"],
      ["Notification-Id", "019a0000-0000-7000-8000-000000000000"],
      ["Notification-Attempt", "1"],
      ["Connection", "keep-alive"],
      ["Content-Length", "1024"],
    ],
  })
