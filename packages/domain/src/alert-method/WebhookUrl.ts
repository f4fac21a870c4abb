import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Codec, once } from "../codec/Codec.ts"
import type { WebhookUrlIssueCode } from "../codec/Issue.ts"
import type { AddressPolicy } from "./AddressPolicy.ts"

/** Longest webhook URL, in characters, as submitted and as normalized. */
export const webhookUrlMaxCharacters = 2048

/** A normalized URL of an outgoing request. Webhook URLs are stored, connected to and signed in this form. */
export interface WebhookUrl {
  /** The whole URL, percent-encoded: at most `webhookUrlMaxCharacters`. */
  readonly href: string
  /** Lowercase punycode host; with the port unless that is the scheme's default. */
  readonly authority: string
  /** An IPv6 address has no brackets. */
  readonly host: string
  /** From 1 to 65535; the default of the scheme if the URL has none. */
  readonly port: number
  /** Without the query. */
  readonly path: string
  /** Path and query, as in the request line. */
  readonly target: string
}

/** The message never contains the URL. */
export interface WebhookUrlIssue {
  readonly code: WebhookUrlIssueCode
  readonly message: string
}

/**
 * Parses and normalizes a webhook URL; fails with the first issue.
 *
 * Characters that a URL parser would silently drop or rewrite (spaces, control and invisible characters,
 * backslashes, empty user info or fragments) are rejected, so that the user sees the URL that is called.
 * Other characters that a URL must not contain are percent-encoded; a `%` that starts no escape is rejected.
 * `policy` checks addresses in any notation. Names of private networks are rejected, unless the policy has
 * allowed blocks: then their address is checked on connection.
 */
export const parseWebhookUrl = (
  text: string,
  policy: AddressPolicy,
): Result.Result<WebhookUrl, WebhookUrlIssue> =>
  parseUrl(text, policy, {
    schemes: ["https"],
    notOfScheme: issue("url_not_https", "must start with https://"),
    withCredentials: issue(
      "url_has_credentials",
      "must not contain a user name or password; send them in a custom header",
    ),
  })

/** Parses the URL of a data source like `parseWebhookUrl`, but also allows `http://`, and no query. */
export const parseSourceUrl = (
  text: string,
  policy: AddressPolicy,
): Result.Result<WebhookUrl, WebhookUrlIssue> => {
  if (text.includes("?")) return issue("url_has_query", "must not have a query (?…)")
  return parseUrl(text, policy, {
    schemes: ["https", "http"],
    notOfScheme: issue("url_not_http", "must start with https:// or http://"),
    withCredentials: issue("url_has_credentials", "must not contain a user name or password"),
  })
}

/** What the codec of a webhook needs besides the document. */
export interface AddressContext {
  /** Which addresses may be reached. */
  readonly addressPolicy: AddressPolicy
}

export const webhookUrl: Codec<WebhookUrl, AddressContext, string> = {
  read: (value, path, issues, { addressPolicy }) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const url = parseWebhookUrl(value, addressPolicy)
    return Result.isSuccess(url) ? url.success : issues.add(path, url.failure.code, url.failure.message)
  },
  write: ({ href }) => href,
  schema: once(() => Schema.String.check(Schema.isMaxCodePoints(webhookUrlMaxCharacters))),
}

/** The URL of a data source: `http://` or `https://`, without a query. */
export interface SourceUrl extends WebhookUrl {
  /** The URL as submitted, which the API returns. */
  readonly text: string
}

export const sourceUrl: Codec<SourceUrl, AddressContext, string> = {
  read: (value, path, issues, { addressPolicy }) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const url = parseSourceUrl(value, addressPolicy)
    return Result.isSuccess(url)
      ? { ...url.success, text: value }
      : issues.add(path, url.failure.code, url.failure.message)
  },
  write: ({ text }) => text,
  schema: once(() =>
    Schema.String.annotate({
      description: "Base URL of the Prometheus server: http:// or https://, without a query",
    }).check(Schema.isMaxCodePoints(webhookUrlMaxCharacters), Schema.isPattern(/^https?:\/\/[^?#]+$/u)),
  ),
}

interface UrlRules {
  readonly schemes: ReadonlyArray<"https" | "http">
  readonly notOfScheme: Result.Result<never, WebhookUrlIssue>
  readonly withCredentials: Result.Result<never, WebhookUrlIssue>
}

const parseUrl = (
  text: string,
  policy: AddressPolicy,
  rules: UrlRules,
): Result.Result<WebhookUrl, WebhookUrlIssue> => {
  if (text.length > webhookUrlMaxCharacters) return tooLong
  if (forbiddenCharacter.test(text)) {
    return issue(
      "url_has_forbidden_character",
      "must not contain spaces, control or invisible characters, or backslashes",
    )
  }
  const scheme = rules.schemes.find((each) => text.startsWith(`${each}://`))
  if (scheme === undefined) return rules.notOfScheme
  if (text.includes("#")) return issue("url_has_fragment", "must not have a fragment (#…)")
  const authorityText = text.slice(`${scheme}://`.length).split(/[/?]/, 1)[0] ?? ""
  if (authorityText.includes("@")) return rules.withCredentials
  if (authorityText === "" || authorityText.startsWith(":"))
    return issue("url_host_invalid", "must name a host")

  // URL.canParse rejects Latin-1 strings such as "https://bücher.example" in optimized code of Node 20 and 22.
  const parsed = Result.try(() => new URL(text))
  if (Result.isFailure(parsed)) return issue("url_invalid", "must be a valid URL with a valid host and port")
  const url = parsed.success
  if (url.port === "0") return issue("url_port_invalid", "must have a port from 1 to 65535")

  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname
  const hostIssue = isAddress(host) ? issueOfAddress(host, policy) : issueOfName(host, policy)
  if (hostIssue !== undefined) return hostIssue

  if (brokenEscape.test(url.pathname + url.search)) {
    return issue(
      "url_escape_invalid",
      "must not have a % without two hexadecimal digits; write %25 for the character",
    )
  }
  const path = escapeRest(url.pathname)
  const target = path + escapeRest(url.search)
  const href = `${scheme}://${url.host}${target}`
  if (href.length > webhookUrlMaxCharacters) return tooLong
  return Result.succeed({
    href,
    authority: url.host,
    host,
    port: url.port === "" ? defaultPorts[scheme] : Number(url.port),
    path,
    target,
  })
}

const defaultPorts = { https: 443, http: 80 } as const

const issue = (code: WebhookUrlIssueCode, message: string): Result.Result<never, WebhookUrlIssue> =>
  Result.fail({ code, message })

const tooLong = issue("url_too_long", `must have at most ${webhookUrlMaxCharacters} characters`)

const brokenEscape = /%(?![0-9A-Fa-f]{2})/

/**
 * Percent-encodes what a path or query must not contain (RFC 3986, sections 3.3 and 3.4) and the URL parser leaves as is,
 * such as `|`, `^` and brackets: some receivers reject it.
 */
const escapeRest = (text: string): string =>
  text.replaceAll(
    /[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const forbiddenCharacter = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u

/** The URL parser converts every IPv4 notation to four decimal parts. */
const isAddress = (host: string): boolean => host.includes(":") || /^[0-9]+(?:\.[0-9]+){3}$/.test(host)

const issueOfAddress = (
  host: string,
  policy: AddressPolicy,
): Result.Result<never, WebhookUrlIssue> | undefined =>
  policy.isAllowed(host)
    ? undefined
    : issue(
        "url_address_forbidden",
        "must not point to a non-public address (loopback, private, link-local, …); an operator can allow it with TOCSIN_EGRESS_ALLOW_CIDRS",
      )

const issueOfName = (
  host: string,
  policy: AddressPolicy,
): Result.Result<never, WebhookUrlIssue> | undefined => {
  const labels = host.split(".")
  if (host.length > 253 || !labels.every((label) => hostLabel.test(label))) {
    return issue(
      "url_host_invalid",
      "must have a host name of at most 253 characters, with labels of 1 to 63 letters, digits, - and _, and without a trailing dot",
    )
  }
  if (policy.hasAllowedCidrs) return undefined
  if (labels.length === 1 || privateSuffixes.some((suffix) => `.${host}`.endsWith(suffix))) {
    return issue(
      "url_host_forbidden",
      "must have a public host name, not one of a local or private network; an operator can allow its addresses with TOCSIN_EGRESS_ALLOW_CIDRS",
    )
  }
  return undefined
}

const hostLabel = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** RFC 6761 (localhost), RFC 6762 (local), RFC 8375 (home.arpa); ICANN resolution 2024.07.29 (internal). */
const privateSuffixes = [".localhost", ".local", ".internal", ".home.arpa"]
