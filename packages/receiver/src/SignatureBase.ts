import type { Fields } from "./Fields.ts"
import { reject } from "./NotificationRejected.ts"
import type { CoveredComponent } from "./SignatureInput.ts"

/** The head of a request as received. */
export interface RequestHead {
  /** As sent: `POST`. */
  readonly method: string
  /** Of the URL that the sender used. Default: `https`, as in webhook URLs. */
  readonly scheme?: "https" | "http"
  /** The value of `Host`, or of `:authority` in HTTP/2; empty if there is none. */
  readonly authority: string
  /** Path and query as sent, with their percent-encoding, or a whole URL (RFC 9112, section 3.2.2). */
  readonly target: string
  /** One entry for each header line, in the order received, with names in any case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

/** A request whose header fields have been read. */
export interface RequestToVerify extends Required<Omit<RequestHead, "headers">> {
  readonly fields: Fields
}

/**
 * Builds the signature base of a request (RFC 9421, section 2.5).
 *
 * One line per covered component, then `@signature-params`; joined with LF, no trailing LF. The lines of one header field
 * are trimmed and joined with `, `. `signatureParams` is the member of `Signature-Input` byte for byte. The result is
 * ASCII.
 *
 * Throws `NotificationRejected` (`component_missing`) if a component is absent, or its value has control or non-ASCII
 * characters.
 *
 * ```
 * "@method": POST
 * "@authority": hooks.example.com
 * "@path": /tocsin
 * "content-digest": sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:
 * "content-type": application/json
 * "@signature-params": ("@method" "@authority" "@path" "content-digest" "content-type");created=1767225600;keyid="…";alg="ed25519"
 * ```
 */
export const buildSignatureBase = (
  request: RequestToVerify,
  components: ReadonlyArray<CoveredComponent>,
  signatureParams: string,
): string => {
  let base = ""
  for (const component of components) {
    const value = component.name.startsWith("@")
      ? derivedValue(request, component)
      : request.fields.get(component.name)
    if (value === undefined || !isSingleLineAscii(value)) {
      return reject("component_missing", `the request has no usable value for ${component.identifier}`)
    }
    base += `${component.identifier}: ${value}\n`
  }
  return `${base}"@signature-params": ${signatureParams}`
}

/**
 * The value of `@authority` (RFC 9421, section 2.2.3): in lower case, its port without leading zeros and only if it is not
 * that of the scheme. `undefined` for what is no host.
 */
export const normalizeAuthority = (
  authority: string,
  scheme: "https" | "http" = "https",
): string | undefined => {
  const [, host = "", digits = ""] = authorityPattern.exec(authority.toLowerCase()) ?? []
  const port = Number(digits)
  if (host === "" || port > 65_535) return undefined
  return digits === "" || port === (scheme === "https" ? 443 : 80) ? host : `${host}:${port}`
}

const authorityPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]+)(?::([0-9]*))?$/

/** The value of `@path` (RFC 9421, section 2.2.6): the target without its query; `/` if empty. */
export const targetToPath = (target: string): string => {
  const question = target.indexOf("?")
  return (question < 0 ? target : target.slice(0, question)) || "/"
}

const derivedValue = (request: RequestToVerify, component: CoveredComponent): string | undefined => {
  const { method, scheme, authority, target } = request
  switch (component.name) {
    case "@method":
      return method
    case "@authority":
      return normalizeAuthority(authority, scheme)
    case "@path":
      return targetToPath(target)
    case "@query":
      return `?${queryOf(target)}`
    case "@query-param":
      return queryParameterValue(target, component.queryParameter)
    case "@scheme":
      return scheme
    case "@request-target":
      return target
    case "@target-uri":
      return `${scheme}://${normalizeAuthority(authority, scheme)}${target}`
    default:
      return undefined
  }
}

/** A parameter that is absent or duplicated has no value (RFC 9421, section 2.2.8). */
const queryParameterValue = (target: string, name: string | undefined): string | undefined => {
  const values = queryOf(target)
    .split("&")
    .filter((pair) => reencode(pair.split("=", 1)[0] ?? "") === name)
    .map((pair) => reencode(pair.includes("=") ? pair.slice(pair.indexOf("=") + 1) : ""))
  return values.length === 1 ? values[0] : undefined
}

const queryOf = (target: string): string => {
  const question = target.indexOf("?")
  return question < 0 ? "" : target.slice(question + 1)
}

const reencode = (text: string): string | undefined => {
  try {
    const encoded = encodeURIComponent(decodeURIComponent(text.replaceAll("+", " ")))
    return encoded.replace(
      /[!'()~]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  } catch {
    return undefined
  }
}

/** Control characters other than the tab could forge a line. */
const isSingleLineAscii = (value: string): boolean => /^[\t -~]*$/.test(value)
