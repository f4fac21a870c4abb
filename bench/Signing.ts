import { HashNode } from "@tocsin/adapters-http/crypto"
import { createPrivateKey, sign } from "node:crypto"
import * as Result from "effect/Result"
import type { RequestToSign } from "@tocsin/domain/ports"
import { signedBase, signRequest } from "@tocsin/domain/signature"
import { testKey, testKeyVector } from "../test/signature/TestKey.ts"
import { compare, type Comparison, inProcess } from "./Compare.ts"
import { roundsOf } from "./Length.ts"

/** Signing a request with a body of 1 KiB (digest, base, Ed25519) against Ed25519 over a base that is ready. */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const pkcs8 = Buffer.from(testKeyVector.privateKeyPkcs8Base64, "base64")
  const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
  const signed = Result.getOrThrow(signRequest(request, testKey, HashNode.hashFunctions))
  const base = Buffer.from(
    signedBase(request, signed["content-digest"], signed["signature-input"].slice("sig1=".length)),
  )
  if (signed.signature !== `sig1=:${sign(null, base, privateKey).toString("base64")}:`)
    throw new Error("the two contenders do not sign the same")

  let signedBytes = 0
  const comparison = await compare(
    `Signing a request with a body of ${request.body.length} bytes`,
    [
      inProcess(rawEd25519, (operations) => {
        for (let i = 0; i < operations; i++) signedBytes += sign(null, base, privateKey).length
      }),
      inProcess(wholeSigning, (operations) => {
        for (let i = 0; i < operations; i++)
          signedBytes += Result.getOrThrow(
            signRequest(requests[i % requests.length] ?? request, testKey, HashNode.hashFunctions),
          ).signature.length
      }),
      inProcess("SHA-256 of the body alone", (operations) => {
        for (let i = 0; i < operations; i++)
          signedBytes += HashNode.hashFunctions.sha256Base64(request.body).length
      }),
    ],
    {
      time: "cpu",
      ...roundsOf(101, 3),
      bounds: [{ name: wholeSigning, against: rawEd25519, atLeast: 0.93 }],
    },
  )
  if (signedBytes === 0) throw new Error("nothing was signed")
  return [comparison]
}

const rawEd25519 = "Ed25519 over a ready base"
const wholeSigning = "signRequest"

const request: RequestToSign = {
  method: "POST",
  authority: "hooks.example.com",
  path: "/services/T00000000/B00000000",
  contentType: "application/json",
  body: new TextEncoder().encode(`{"text":"${"x".repeat(1_013)}"}`),
  created: 1_618_884_473,
}

/** Each is of another second, so that nothing can be kept from one to the next. */
const requests = Array.from({ length: 64 }, (_, index) => ({ ...request, created: request.created + index }))
