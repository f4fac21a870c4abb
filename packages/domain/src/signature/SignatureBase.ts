import * as Result from "effect/Result"
import * as Data from "effect/Data"
import type { CoveredComponent } from "./CoveredComponent.ts"

/**
 * A request as its signature sees it.
 *
 * - `scheme` defaults to `https`, as in webhook URLs.
 * - `authority` is the `Host` field's value (or HTTP/2's `:authority`), in any case, with any port.
 * - `target` is the request target in origin form: path and query as sent, percent-encoding untouched.
 * - `headers` has one entry for each header line, in the order received, names in any case.
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
 * Builds the signature base: one line per covered component, then the parameters line.
 *
 * Lines are joined with LF, without a final LF; `@path` leaves the query out; the lines of one field are
 * trimmed and joined with `, `. `signatureParams` is the member of `Signature-Input` byte for byte. All is
 * ASCII, so that characters and the bytes that are signed are the same.
 *
 * Fails with `ComponentIsMissing` when a component is absent or its value has control characters or
 * characters outside ASCII.
 *
 * Source: RFC 9421 sections 2.1, 2.2 and 2.5; spec/signatures §2.
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

/**
 * The authority as it is signed: host in lower case, the scheme's default port dropped.
 *
 * Source: RFC 9421 section 2.2.3; spec/signatures §4.
 */
export const normaliseAuthority = (authority: string, scheme: "https" | "http" = "https"): string => {
  const lower = authority.toLowerCase()
  const defaultPort = scheme === "https" ? ":443" : ":80"
  return lower.endsWith(defaultPort) ? lower.slice(0, -defaultPort.length) : lower
}

/**
 * The path of a request target in origin form: without the query, `/` when empty, otherwise as sent.
 *
 * Source: RFC 9421 section 2.2.6; spec/signatures §4.
 */
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
      return normaliseAuthority(authority, scheme)
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
      return `${scheme}://${normaliseAuthority(authority, scheme)}${target}`
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

/** A parameter that is absent or comes more than once has no value (RFC 9421 section 2.2.8). */
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
    return encoded.replace(/[!'()~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
  } catch {
    return undefined
  }
}

/** Counts from both ends: a pattern for blanks before the end is tried at every blank, in quadratic time. */
const trimField = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start++
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--
  return value.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/** A tab may stand within a field's value; every other control character could forge a line. */
const isSingleLineAscii = (value: string): boolean => /^[\t -~]*$/.test(value)
