import { listText, t } from "../language/Text.tsx"
import { headerOf, type ReceivedRequest } from "./ReceivedRequest.ts"

/** A public key of the endpoint that receivers read. */
export interface PublicKey {
  readonly keyId: string
  readonly publicKeyPem: string
}

/** A step of the verification; `open`: it cannot be decided. */
export interface VerifyStep {
  readonly name: string
  readonly outcome: "ok" | "bad" | "open"
  readonly detail: string
}

const bodyMaxBytes = 256 * 1024
const oldestSeconds = 300
const aheadSeconds = 60
const covered = ["@method", "@authority", "@path", "content-digest", "content-type"]

const step = (name: string, outcome: VerifyStep["outcome"], detail: string): VerifyStep => ({
  name,
  outcome,
  detail,
})

/**
 * Verifies a request as a receiver does, step by step (docs/guides/verify-a-notification.md), with Web Crypto.
 *
 * `receivedAt` is when the receiver got it, in Unix seconds. A later step is tried even if an earlier one failed, so that
 * every cause is seen at once.
 */
export const verifyRequest = async (
  { url, headers, body }: ReceivedRequest,
  keys: ReadonlyArray<PublicKey> | undefined,
  receivedAt: number,
  status: number | undefined,
): Promise<ReadonlyArray<VerifyStep>> => {
  const bytes = new TextEncoder().encode(body)
  const input = parseInput(headerOf(headers, "signature-input") ?? "")
  const key = keys?.find(({ keyId }) => keyId === input?.keyId)
  const target = targetOf(url)
  const digest = headerOf(headers, "content-digest") ?? ""
  const actual = await digestOf(bytes)
  const base =
    input === undefined || target === undefined
      ? undefined
      : [
          `"@method": POST`,
          `"@authority": ${target.authority}`,
          `"@path": ${target.path}`,
          `"content-digest": ${digest}`,
          `"content-type": ${headerOf(headers, "content-type") ?? ""}`,
          `"@signature-params": ${input.params}`,
        ].join("\n")
  return [
    step(
      t("Read the raw body"),
      bytes.length <= bodyMaxBytes ? "ok" : "bad",
      t("{count, plural, one {# byte} other {# bytes}}", { count: bytes.length }),
    ),
    actual === undefined
      ? step(t("Compare its digest"), "open", noCrypto())
      : step(
          t("Compare its digest"),
          digest === actual ? "ok" : "bad",
          digest === actual
            ? actual
            : t("Content-Digest is {digest}, but the digest of the body is {actual}.", { digest, actual }),
        ),
    keys === undefined
      ? step(t("Fetch the public keys"), "bad", t("The public keys could not be read."))
      : step(
          t("Fetch the public keys"),
          "ok",
          t("{count, plural, one {# key is listed} other {# keys are listed}}.", { count: keys.length }),
        ),
    input === undefined
      ? step(t("Find the key of the signature"), "bad", t("Signature-Input cannot be read."))
      : step(
          t("Find the key of the signature"),
          key === undefined ? "bad" : "ok",
          key === undefined ? t("The key {keyId} is not listed.", { keyId: input.keyId }) : input.keyId,
        ),
    base === undefined
      ? step(
          t("Build the signature base"),
          "open",
          t("Enter the URL of the alert method, whose host and path are signed."),
        )
      : step(t("Build the signature base"), "ok", base),
    await signatureStep(base, key, input, headerOf(headers, "signature"), receivedAt),
    status === undefined
      ? step(t("Process it, then respond with 204"), "open", t("No response is known."))
      : step(
          t("Process it, then respond with 204"),
          status >= 200 && status < 300 ? "ok" : "bad",
          t("The receiver responded with {status}.", { status: `${status}` }),
        ),
  ]
}

const signatureStep = async (
  base: string | undefined,
  key: PublicKey | undefined,
  input: SignatureInput | undefined,
  signature: string | undefined,
  receivedAt: number,
): Promise<VerifyStep> => {
  const name = t("Verify the signature")
  if (input !== undefined) {
    const missing = covered.filter((component) => !input.components.includes(component))
    if (missing.length > 0)
      return step(name, "bad", t("The signature does not cover {missing}.", { missing: listText(missing) }))
    if (input.algorithm !== "ed25519") return step(name, "bad", t("The algorithm is not ed25519."))
    const age = receivedAt - input.created
    if (age > oldestSeconds)
      return step(name, "bad", t("The signature is {age} s old, more than 300 s.", { age: `${age}` }))
    if (age < -aheadSeconds)
      return step(
        name,
        "bad",
        t("The signature is {ahead} s in the future: check the clocks.", { ahead: `${-age}` }),
      )
  }
  const value = /(?:^|,\s*)sig1=:([A-Za-z0-9+/=]+):/.exec(signature ?? "")?.[1]
  if (value === undefined)
    return step(name, "open", t("Paste the Signature header as your receiver got it. It is not stored here."))
  if (base === undefined || key === undefined)
    return step(name, "open", t("An earlier step is not complete."))
  const isValid = await verifyEd25519(key.publicKeyPem, value, base)
  if (isValid === undefined) return step(name, "open", noCrypto())
  return isValid
    ? step(name, "ok", t("The signature is valid for this URL, and covers all five components."))
    : step(
        name,
        "bad",
        t(
          "The signature is not valid for this URL, body and key. Compare host and path with the webhook URL of the alert method.",
        ),
      )
}

const noCrypto = (): string =>
  t(
    "This browser cannot verify signatures here. Open the console over HTTPS in a browser that supports Ed25519.",
  )

interface SignatureInput {
  readonly params: string
  readonly components: ReadonlyArray<string>
  readonly created: number
  readonly keyId: string
  readonly algorithm: string
}

/** Reads what Tocsin writes: one signature with the label `sig1`. Others may be beside it. */
const parseInput = (text: string): SignatureInput | undefined => {
  const params = /(?:^|,\s*)sig1=(\([^)]*\)(?:;[a-z]+=(?:"[^"]*"|-?\d+))*)/.exec(text)?.[1]
  if (params === undefined) return undefined
  const parameter = (name: string): string => new RegExp(`;${name}="?([^";]*)"?`).exec(params)?.[1] ?? ""
  return {
    params,
    components: Array.from(
      params.slice(0, params.indexOf(")")).matchAll(/"([^"]+)"/g),
      ([, name = ""]) => name,
    ),
    created: Number(parameter("created")),
    keyId: parameter("keyid"),
    algorithm: parameter("alg"),
  }
}

/** The ID of the key that a `Signature-Input` names. */
export const keyIdOf = (text: string): string | undefined => parseInput(text)?.keyId

/** The components `@authority` and `@path` of a URL. */
const targetOf = (text: string): { readonly authority: string; readonly path: string } | undefined => {
  if (!URL.canParse(text)) return undefined
  const { host, pathname } = new URL(text)
  return { authority: host, path: pathname }
}

const digestOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> => {
  if (crypto.subtle === undefined) return undefined
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Verifies the signature of a text. `undefined`: the browser has no Ed25519, or only on secure pages. */
export const verifyEd25519 = async (
  pem: string,
  signature: string,
  base: string,
): Promise<boolean | undefined> => {
  try {
    const spki = bytesOf(pem.replaceAll(/-----[^-]+-----|\s/g, ""))
    const key = await crypto.subtle.importKey("spki", spki, { name: "Ed25519" }, false, ["verify"])
    return await crypto.subtle.verify("Ed25519", key, bytesOf(signature), new TextEncoder().encode(base))
  } catch {
    return undefined
  }
}
