import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { expect, it } from "vitest"
import type { ProgramFolder, SignedRequest, VerifyProgram } from "./programs.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")

/** What each language writes differently in a string. */
const body =
  '{"text":"Überlastung 🚨 “50 %” \\u2028 日本語 `${x}` #{x} %s \\\\ \\" \u0001\u2028\u202e","n":1}\n'

const digestOf = (text: string): string => `sha-256=:${createHash("sha256").update(text).digest("base64")}:`

/** Signs as spec/signatures §5 says. */
export const signedRequest = (digest = digestOf(body)): SignedRequest => {
  const parameters =
    '("@method" "@authority" "@path" "content-digest" "content-type");created=1795529396;keyid="a-key_7";alg="ed25519"'
  const base = [
    '"@method": POST',
    '"@authority": hooks.example.com:8443',
    '"@path": /a%2Fb/%C3%BC',
    `"content-digest": ${digest}`,
    '"content-type": application/json',
    `"@signature-params": ${parameters}`,
  ].join("\n")
  return {
    url: "https://hooks.example.com:8443/a%2Fb/ü?token=not-covered",
    headers: [
      { name: "Content-Type", value: "application/json" },
      { name: "Content-Digest", value: digest },
      { name: "Signature-Input", value: `sig1=${parameters}` },
      { name: "Signature", value: `sig1=:${sign(null, Buffer.from(base), privateKey).toString("base64")}:` },
    ],
    body,
    publicKeyPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
  }
}

const withHeader = (request: SignedRequest, name: string, value: string): SignedRequest => ({
  ...request,
  headers: request.headers.map((each) => (each.name === name ? { name, value } : each)),
})

/** What a program of any language does with a request, once its language can be run. */
export const verifySuite = (program: VerifyProgram, { runProgram }: ProgramFolder): void => {
  const run = (request: SignedRequest) => runProgram(program, program.code(request))

  it("spec/console §9: verifies a signed request, and rejects one of which anything is changed", () => {
    const request = signedRequest()
    expect(run(request)).toEqual({ status: 0, said: "verified" })
    expect(run({ ...request, body: body.replace('"n":1', '"n":2') })).toEqual({
      status: 1,
      said: "rejected: the body does not match Content-Digest",
    })
    expect(run({ ...request, url: "https://hooks.example.com:8443/other" })).toEqual({
      status: 1,
      said: "rejected: the signature is not valid",
    })
    const uncovered = request.headers[2]?.value.replace(' "@path"', "") ?? ""
    expect(run(withHeader(request, "Signature-Input", uncovered))).toEqual({
      status: 1,
      said: "rejected: Signature-Input does not cover what it must",
    })
  })
}
