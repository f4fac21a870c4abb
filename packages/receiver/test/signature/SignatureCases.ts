import { bytesToBase64 } from "@tocsin/domain/signature"
import type { NotificationRejectionCode, RequestHead } from "@tocsin/receiver"
import {
  readFields,
  receivedHeaderLinesMax,
  receivedHeadersMaxBytes,
  signatureHeaderMaxBytes,
} from "../../src/Fields.ts"
import { buildSignatureBase, type RequestToVerify } from "../../src/SignatureBase.ts"
import { itemToComponent } from "../../src/SignatureInput.ts"
import { parseDictionary } from "../../src/StructuredField.ts"
import {
  headerOf,
  signedRequest,
  testKey,
  testKeyVector,
  testNowSeconds,
  type TestRequest,
  withHeader,
} from "../../../../test/signature/TestKey.ts"

export const five = '"@method" "@authority" "@path" "content-digest" "content-type"'
export const defaultParameters = `;created=${testNowSeconds};keyid="${testKeyVector.keyid}";alg="ed25519"`

/** Signs what the member of Signature-Input says, whatever it says. */
export const signedAs = (member: string, label = "sig1", request = signedRequest()): TestRequest => {
  const parsed = parseDictionary(`${label}=${member}`)
  const items = typeof parsed === "string" ? [] : (parsed[0]?.items ?? [])
  const components = items.flatMap((item) => itemToComponent(item) ?? [])
  const bytes = new TextEncoder().encode(baseOf(request, components, member))
  const input = withHeader(request, "Signature-Input", `${label}=${member}`)
  return withHeader(input, "Signature", `${label}=:${bytesToBase64(testKey.sign(bytes))}:`)
}

/** A request whose header fields are read. */
export const toVerify = (request: RequestHead): RequestToVerify => ({
  scheme: "https",
  ...request,
  fields: readFields(request.headers),
})

const baseOf = (
  message: RequestHead,
  ...parameters: Parameters<typeof buildSignatureBase> extends [unknown, ...infer Rest] ? Rest : never
): string => {
  try {
    return buildSignatureBase(toVerify(message), ...parameters)
  } catch {
    return ""
  }
}

const request = signedRequest()

/** What must be accepted. */
export const acceptedCases: ReadonlyArray<readonly [what: string, request: TestRequest]> = [
  ["as Tocsin sends it", request],
  [
    "with an absolute target, whose host wins",
    { ...request, target: "https://example.com/hook", authority: "other.example" },
  ],
  [
    "with an absolute target in another case and a query",
    { ...request, target: "HTTPS://EXAMPLE.com:443/hook?a=1" },
  ],
  ["with an empty port", { ...request, authority: "example.com:" }],
  ["with a port with leading zeros", { ...request, authority: "example.com:0443" }],
]

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

/** What must be rejected, with its code. */
export const rejectedCases: ReadonlyArray<readonly [NotificationRejectionCode, string, TestRequest]> = [
  ["content_digest_missing", "no Content-Digest", digest(undefined)],
  ["content_digest_malformed", "a digest of the old form", digest("SHA-256=X48E9qOokqqr")],
  ["content_digest_unsupported", "only md5", digest("md5=:Sd/dVLAcvNLSq16eXua5uQ==:")],
  ["content_digest_mismatch", "another body", { ...request, body: new Uint8Array(3) }],
  ["content_digest_malformed", "a digest twice", also("content-digest", headerOf(request, "content-digest"))],
  ["header_duplicated", "two lines of Content-Type", also("Content-type", "text/plain")],
  ["label_unpaired", "a label only in Signature-Input", also("signature-input", "b=()")],
  ["label_unpaired", "a label only in Signature", also("signature", "b=:AA==:")],
  ["label_duplicated", "a label on two lines", also("signature", "sig1=:AA==:")],
  [
    "header_too_large",
    "a Signature-Input that is long with its lines joined",
    {
      ...request,
      headers: [
        ...request.headers,
        ["signature-input", `a="${"x".repeat(signatureHeaderMaxBytes / 2)}"`],
        ["signature-input", `b="${"x".repeat(signatureHeaderMaxBytes / 2)}"`],
      ],
    },
  ],
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
    "label_unpaired",
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
  ["component_unsupported", "a name in upper case", components(five.replace("content-type", "Content-Type"))],
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
  ["target_invalid", "a target of another scheme", { ...request, target: "ftp://example.com/hook" }],
  ["authority_invalid", "an absolute target without a host", { ...request, target: "https:///hook" }],
  [
    "signature_invalid",
    "an absolute target of another host",
    { ...request, target: "https://evil.example/hook" },
  ],
  ["authority_invalid", "a port that is none", { ...request, authority: "example.com:65536" }],
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
