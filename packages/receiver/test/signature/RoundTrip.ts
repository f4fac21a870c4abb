import { HashNode } from "@tocsin/adapters-http/crypto"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { WebhookUrl } from "@tocsin/domain/delivery"
import type { RequestToSign } from "@tocsin/domain/ports"
import { signRequest } from "@tocsin/domain/signature"
import { webhookUrlOf } from "@tocsin/testing/fixtures"
import { testKey, type TestRequest } from "../../../../test/signature/TestKey.ts"

/** A request that can be signed, to any webhook URL, and how it arrives. */
export interface RoundTrip {
  /** The URL as a user writes it. */
  readonly text: string
  /** The URL as it is stored, called and signed. */
  readonly url: WebhookUrl
  readonly keyId: string
  readonly signed: RequestToSign
  /** The name of the signature. */
  readonly label: string
  /** Other signatures beside it, each a name, a member of `Signature-Input` and one of `Signature`. */
  readonly others: ReadonlyArray<readonly [label: string, input: string, signature: string]>
  /** Whether the others come first, and whether they have header lines of their own. */
  readonly isLast: boolean
  readonly isOnOtherLines: boolean
}

/** Letters of a path segment (RFC 3986, section 3.3): unreserved, sub-delims, `:` and `@`. */
const pathCharacter = fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@")
/** Escapes, also of characters that need none, with digits in either letter case. */
const escape = fc.constantFrom("%2F", "%2f", "%3F", "%61", "%7E", "%25", "%C3%A9", "%c3%a9", "%20")
/** Characters that a user may write, and that are sent percent-encoded. */
const unescaped = fc.constantFrom("é", "|", "^", '"', "<", "`", "{", "[", "漢", "🔔")
const segment = fc
  .array(fc.oneof({ weight: 6, arbitrary: pathCharacter }, { weight: 2, arbitrary: escape }, unescaped), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""))

/** With empty segments and those of dots, which a URL parser removes. */
export const pathText = fc
  .array(fc.oneof({ weight: 5, arbitrary: segment }, fc.constantFrom("", ".", "..")), { maxLength: 4 })
  .map((segments) => segments.map((each) => `/${each}`).join(""))

/** None, an empty one, `?` within it, escapes, parameters without values, and the same parameter several times. */
export const queryText = fc.oneof(
  fc.constantFrom(
    "",
    "?",
    "??",
    "?a=1&a=1&a=2",
    "?a&a=&=a",
    "?%3F=%26&b=%zz".replace("%zz", "%5A"),
    "?a=b?c/d",
  ),
  fc
    .array(fc.tuple(segment, segment), { maxLength: 3 })
    .map((pairs) => `?${pairs.map((pair) => pair.join("=")).join("&")}`),
)

const label = fc
  .stringMatching(/^[a-zA-Z_]([a-zA-Z0-9_-]{0,6}[a-zA-Z0-9])?$/)
  .filter((text) => !/^xn--/i.test(text))
const hostText = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join(".")),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom("[::1]", "[2001:DB8::0:1]", "[::ffff:192.0.2.1]", "bücher.example", "127.1"),
)
const portText = fc.oneof(
  fc.constantFrom("", ":443", ":0443", ":80", ":8443", ":65535", ":"),
  fc.integer({ min: 1, max: 65_535 }).map((port) => `:${port}`),
)
export const authorityText = fc.tuple(hostText, portText).map(([host, port]) => host + port)

export const method = fc.oneof(
  fc.constantFrom("POST", "PUT", "PATCH", "GET", "M-SEARCH", "post"),
  fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/),
)
export const contentType = fc.oneof(
  fc.constantFrom("application/json", "application/json; charset=utf-8", 'multipart/mixed; boundary="a, b"'),
  fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/),
)
export const keyId = fc.stringMatching(/^[ !#-[\]-~]{1,30}$/)
/** Up to the last second that a `Date` can have. */
export const created = fc.oneof(
  fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
  fc.nat(8_640_000_000_000),
)
const signatureLabel = fc.oneof(fc.constant("sig1"), fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,12}$/))

const other = fc.tuple(
  signatureLabel,
  fc.constantFrom(
    '("@method");created=1;keyid=token',
    '("@method" "@authority" "@path" "content-digest" "content-type");created=1767225600;keyid="k";alg="ed25519"',
    '("@status" "x";sf);created=1.5',
    "()",
    "1",
    '"text, with=a;comma"',
  ),
  fc.constantFrom(`:${"A".repeat(86)}==:`, ":AA==:", "::", "1", '"text"'),
)

export const roundTrip: fc.Arbitrary<RoundTrip> = fc
  .record({
    text: fc.tuple(authorityText, pathText, queryText).map((parts) => `https://${parts.join("")}`),
    method,
    contentType,
    keyId,
    created,
    body: fc.uint8Array({ maxLength: 200 }),
    label: signatureLabel,
    others: fc.uniqueArray(other, { maxLength: 4, selector: ([name]) => name }),
    isLast: fc.boolean(),
    isOnOtherLines: fc.boolean(),
  })
  .map(({ text, keyId, label, others, isLast, isOnOtherLines, ...facts }) => {
    const url = webhookUrlOf(text)
    const signed = { ...facts, authority: url.authority, path: url.path }
    const beside = others.filter(([name]) => name !== label)
    return { text, url, keyId, signed, label, others: beside, isLast, isOnOtherLines }
  })

/** Signs it with the test key under its key ID, and gives the request as it is sent. */
export const send = ({
  url,
  keyId,
  signed,
  label,
  others,
  isLast,
  isOnOtherLines,
}: RoundTrip): TestRequest => {
  const headers = Result.getOrThrow(
    signRequest(signed, { keyId, sign: testKey.sign }, HashNode.hashFunctions),
  )
  const renamed = (value: string) => value.replace(/^sig1=/, `${label}=`)
  const lines = (name: string, own: string, theirs: ReadonlyArray<string>) => {
    const values = isLast ? [...theirs, own] : [own, ...theirs]
    return isOnOtherLines
      ? values.map((value) => [name, value] as const)
      : [[name, values.join(", ")] as const]
  }
  return {
    method: signed.method,
    authority: url.authority,
    target: url.target,
    headers: [
      ["Host", url.authority],
      ["Content-Type", signed.contentType],
      ["Content-Digest", headers["content-digest"]],
      ...lines(
        "Signature-Input",
        renamed(headers["signature-input"]),
        others.map(([name, input]) => `${name}=${input}`),
      ),
      ...lines(
        "Signature",
        renamed(headers.signature),
        others.map(([name, , signature]) => `${name}=${signature}`),
      ),
    ],
    body: signed.body,
  }
}
