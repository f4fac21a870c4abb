import type * as Redacted from "effect/Redacted"
import { customHeaders } from "../alert-method/CustomHeader.ts"
import { sourceUrl } from "../alert-method/WebhookUrl.ts"
import { type Codec, described, type hiddenValue, once, secret, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { duration } from "../codec/DurationCodec.ts"
import { string } from "../codec/Leaves.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import { description, unlabelledMetadata } from "../metadata/Metadata.ts"

/** Longest token, password or client secret of a data source, in characters. */
const credentialMaxCharacters = 8_192

/** Longest user name, client ID, scope, audience or tenant of a data source, in characters. */
const credentialNameMaxCharacters = 1_024

/** Most OAuth 2.0 scopes of a data source. */
const scopesMax = 50

/** Longest certificate chain or private key of a data source, in characters of PEM. */
const pemMaxCharacters = 65_536

/** Longest query delay of a data source, in milliseconds. */
const queryDelayMaxMs = 3_600_000

const visible = (pattern: RegExp, message: string) =>
  string({ max: credentialNameMaxCharacters, format: { pattern, message } })

const hidden = (codec: Codec<string, unknown, string>) =>
  described(
    secret(codec, (text) => text),
    "Returned as [hidden], which keeps the stored value in a request",
  )

const password = hidden(string({ max: credentialMaxCharacters }))

/** RFC 6750, section 2.1. */
const bearerToken = hidden(
  string({
    max: credentialMaxCharacters,
    format: {
      pattern: /^[A-Za-z0-9._~+/-]+=*$/,
      message: "must consist of letters, digits and . _ ~ + / - =",
    },
  }),
)

const pem = (label: string, what: string): Codec<string, unknown, string> => {
  const block = `-----BEGIN ${label}-----\\n[A-Za-z0-9+/=\\n]+-----END ${label}-----`
  const blocks = new RegExp(`^\\s*(?:${block}\\s*)+$`)
  const text = string({ max: pemMaxCharacters })
  return {
    ...text,
    read: (value, path, issues, context) => {
      const read = text.read(value, path, issues, context)
      if (read === undefined) return undefined
      const lines = read.replaceAll("\r\n", "\n")
      return blocks.test(lines) ? lines : issues.add(path, "invalid_format", `must be ${what} in PEM`)
    },
    schema: once(() => text.schema().annotate({ description: `${what} in PEM` })),
  }
}

const certificates = pem("CERTIFICATE", "certificates")

const privateKey = pem("(?:RSA |EC )?PRIVATE KEY", "a private key without a passphrase,")

const tls = object(
  {
    ca: optional(
      described(certificates, "Certificate authorities to trust instead of the public ones, in PEM"),
    ),
    certificate: optional(
      described(certificates, "Client certificate, followed by intermediate certificates, in PEM"),
    ),
    key: optional(hidden(privateKey)),
  },
  {
    rules: ({ has, at, issues }) => {
      if (has("certificate") && !has("key")) {
        issues.add(at("key"), "required", "is required with a certificate")
      }
      if (has("key") && !has("certificate")) {
        issues.add(at("certificate"), "required", "is required with a key")
      }
    },
  },
)

const oauth2 = object({
  tokenUrl: described(sourceUrl, "URL of the token endpoint: http:// or https://, without a query"),
  clientId: string({ max: credentialNameMaxCharacters }),
  clientSecret: password,
  scopes: optional(
    list(visible(/^[!#-[\]-~]+$/, "must consist of visible ASCII characters except quotes and backslashes"), {
      max: scopesMax,
    }),
    { default: () => [], isEmpty: (scopes) => scopes.length === 0 },
  ),
  audience: optional(string({ max: credentialNameMaxCharacters })),
})

const ways = ["bearer", "basic", "oauth2"] as const

/** Headers that other properties set, and the reason. */
const headersOfProperties: ReadonlyMap<string, string> = new Map([
  ["authorization", "is set by bearer, basic or oauth2; remove one of them"],
  ["x-scope-orgid", "is set by tenant; remove one of them"],
])

const reservedSourceHeaders = new Set(["accept", "cookie"])

const prometheus = object(
  {
    url: sourceUrl,
    bearer: optional(object({ token: bearerToken })),
    basic: optional(
      object({
        // Without classes of Unicode, which tools that read OpenAPI do not know.
        // oxlint-disable-next-line no-control-regex -- RFC 7617 forbids them
        username: visible(/^[^:\u0000-\u001f\u007f-\u009f]+$/, "must not have colons or control characters"),
        password,
      }),
    ),
    oauth2: optional(described(oauth2, "Client credentials grant (RFC 6749, section 4.4)")),
    tls: optional(tls),
    tenant: optional(
      described(
        visible(/^[!-~]+$/, "must consist of visible ASCII characters"),
        "Sent as X-Scope-OrgID, for Grafana Mimir and Cortex",
      ),
    ),
    headers: optional(customHeaders, { default: () => [], isEmpty: (headers) => headers.length === 0 }),
    queryDelay: optional(
      described(
        duration((ms) => ms >= 0 && ms <= queryDelayMaxMs, "must be from 0s to 1h"),
        "Time after the end of a minute at which the minute is queried, at least 15 s. Default: 15s",
      ),
    ),
  },
  {
    rules: ({ value, has, path, at, issues }) => {
      if (ways.filter((way) => has(way)).length > 1) {
        issues.add(path, "mutually_exclusive", "must have only one of bearer, basic and oauth2")
      }
      if (has("tls") && value.url?.href.startsWith("http://") === true) {
        issues.add(at("tls"), "not_allowed_value", "is supported only for a URL that starts with https://")
      }
      for (const [index, { name }] of (value.headers ?? []).entries()) {
        const place = `${at("headers")}[${index}].name`
        const lower = name.toLowerCase()
        const reason = headersOfProperties.get(lower)
        const isSet = lower === "x-scope-orgid" ? has("tenant") : ways.some((way) => has(way))
        if (reason !== undefined && isSet) issues.add(place, "reserved", reason)
        if (reservedSourceHeaders.has(lower)) {
          issues.add(place, "reserved", "is a header that Tocsin sets; choose another name")
        }
      }
    },
  },
)

/** A server with Prometheus's HTTP API, and how to authenticate to it. */
export const dataSource = definitionOf("DataSource", {
  identifier: "DataSourceDefinition",
  metadata: unlabelledMetadata,
  spec: object({ description: optional(description), prometheus }),
})

/** A data source as submitted; hidden values refer to the stored ones. */
export type DataSourceDraft = TypeOf<typeof dataSource>

/** A type without `[hidden]`. */
type Resolved<T> =
  T extends Redacted.Redacted<unknown>
    ? T
    : T extends typeof hiddenValue
      ? never
      : T extends object
        ? { readonly [K in keyof T]: Resolved<T[K]> }
        : T

/** A data source with all secrets resolved. */
export type DataSource = Resolved<DataSourceDraft>

/** How to reach a server with Prometheus's HTTP API. Empty but for the URL: a server without authentication. */
export type PrometheusServer = Omit<DataSource["spec"]["prometheus"], "queryDelay">
