import * as Result from "effect/Result"
import * as Data from "effect/Data"
import type { CoveredComponent } from "./SignatureInput.ts"

/**
 * A request, as far as a signature can cover it.
 *
 * - `scheme` defaults to `https`, as in webhook URLs.
 * - `authority` is the value of `Host`, or of `:authority` in HTTP/2, in any case, with or without a port.
 * - `target` is the request target in origin form: path and query as sent, with their percent-encoding.
 * - `headers` has one entry for each header line, in the order received, with names in any case.
 */
export interface RequestMessage {
  readonly method: string
  readonly scheme?: "https" | "http"
  readonly authority: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

/** A covered component is missing from the request, or its value is not allowed in a signature base. */
export class ComponentIsMissing extends Data.TaggedError("ComponentIsMissing")<{
  readonly component: string
}> {}

/**
 * Builds the signature base of a request (RFC 9421, section 2.5).
 *
 * One line per covered component, then `@signature-params`; joined with LF, no trailing LF. The lines of one header field
 * are trimmed and joined with `, `. `signatureParams` is the member of `Signature-Input` byte for byte. The result is
 * ASCII; sign its bytes.
 *
 * Fails with `ComponentIsMissing` if a component is absent, or its value has control or non-ASCII characters.
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
  request: RequestMessage,
  components: ReadonlyArray<CoveredComponent>,
  signatureParams: string,
): Result.Result<string, ComponentIsMissing> => {
  let base = ""
  for (const component of components) {
    const value = component.name.startsWith("@")
      ? derivedValue(request, component)
      : fieldValue(request, component.name)
    if (value === undefined || !isSingleLineAscii(value)) {
      return Result.fail(new ComponentIsMissing({ component: component.identifier }))
    }
    base += `${component.identifier}: ${value}\n`
  }
  return Result.succeed(`${base}"@signature-params": ${signatureParams}`)
}

/** The value of `@authority` (RFC 9421, section 2.2.3): in lower case, without the default port of the scheme. */
export const normalizeAuthority = (authority: string, scheme: "https" | "http" = "https"): string => {
  const lower = authority.toLowerCase()
  const defaultPort = scheme === "https" ? ":443" : ":80"
  return lower.endsWith(defaultPort) ? lower.slice(0, -defaultPort.length) : lower
}

/** The value of `@path` (RFC 9421, section 2.2.6): the target without its query; `/` if empty. */
export const targetToPath = (target: string): string => {
  const question = target.indexOf("?")
  return (question < 0 ? target : target.slice(0, question)) || "/"
}

const derivedValue = (request: RequestMessage, component: CoveredComponent): string | undefined => {
  const { method, scheme = "https", authority, target } = request
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

const fieldValue = (request: RequestMessage, name: string): string | undefined => {
  let joined: string | undefined
  for (const [lineName, line] of request.headers) {
    if (lineName.length !== name.length || lineName.toLowerCase() !== name) continue
    joined = joined === undefined ? trimField(line) : `${joined}, ${trimField(line)}`
  }
  return joined
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

/** Unlike this loop, a regular expression for trailing blanks would take quadratic time. */
const trimField = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start++
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--
  return value.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/** Control characters other than the tab could forge a line. */
const isSingleLineAscii = (value: string): boolean => /^[\t -~]*$/.test(value)
