import * as Redacted from "effect/Redacted"
import { entryPath, type IssueList } from "../codec/Issue.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import { listOf, type Rule, text, trueOrFalse } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import type { CustomHeaderDraft } from "./AlertMethod.ts"
import { hiddenValue } from "./HiddenValue.ts"

/** The custom headers of an alert method. Source: decisions 0101 to 0104. */
export const customHeaders: Rule<ReadonlyArray<CustomHeaderDraft>> = (value, path, issues) => {
  const headers = listOf(customHeader, { max: Limits.customHeadersMax })(value, path, issues)
  refuseRepeatedNames(value, path, issues)
  if (headers !== undefined && customHeadersAreTooLarge(headers)) {
    issues.add(path, "too_long", tooLargeMessage)
  }
  return headers
}

/** Whether the names and values that are known exceed the limit of all headers together. Source: decision 0103. */
export const customHeadersAreTooLarge = (headers: ReadonlyArray<CustomHeaderDraft>): boolean => {
  const bytes = headers.map(
    ({ name, value }) => name.length + (value === undefined ? 0 : Redacted.value(value).length),
  )
  return bytes.reduce((sum, each) => sum + each, 0) > Limits.customHeadersMaxBytes
}

/** What to say of headers that are too large. */
export const tooLargeMessage = `must have at most ${Limits.customHeadersMaxBytes} bytes of names and values together`

/**
 * The field names that a user cannot set: those of the connection, of the body and of the signature, and our own.
 * A name that ends with `*` stands for every name that begins so. Source: decision 0102.
 */
export const reservedHeaderNames = [
  "host",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "proxy-*",
  "content-length",
  "content-type",
  "content-encoding",
  "content-digest",
  "digest",
  "signature",
  "signature-input",
  "accept-encoding",
  "user-agent",
  "notification-*",
  "traceparent",
  "tracestate",
] as const

const headerNameText = text({
  max: Limits.customHeaderNameMaxCharacters,
  format: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
    message: "must consist of letters, digits, hyphens and underscores, and begin with a letter or digit",
  },
})

const headerName: Rule<string> = (value, path, issues) => {
  const name = headerNameText(value, path, issues)
  if (name === undefined) return undefined
  const isReserved = reservedHeaderNames.some((reserved) =>
    reserved.endsWith("*")
      ? name.toLowerCase().startsWith(reserved.slice(0, -1))
      : name.toLowerCase() === reserved,
  )
  return isReserved
    ? issues.add(path, "reserved", "is a header field that the service sets itself; choose another name")
    : name
}

const headerValueText = text({
  max: Limits.customHeaderValueMaxCharacters,
  format: {
    pattern: /^[\t\x20-\x7e]*$/,
    message: "must consist of visible ASCII characters, spaces and horizontal tabs",
  },
})

/** Source: decision 0103; RFC 9110 section 5.5. */
const headerValue: Rule<{ readonly given: string | undefined }> = (value, path, issues) => {
  if (value === hiddenValue) return { given: undefined }
  const given = headerValueText(value, path, issues)
  if (given === undefined) return undefined
  if (/^[\t ]*$/.test(given)) return issues.add(path, "required", "must not be blank")
  if (/^[\t ]|[\t ]$/.test(given)) {
    return issues.add(path, "invalid_format", "must not begin or end with white space")
  }
  return { given }
}

const customHeader: Rule<CustomHeaderDraft> = objectOf((reader) => {
  const name = reader.required("name", headerName)
  const value = reader.required("value", headerValue)
  const isSecret = reader.optional("isSecret", trueOrFalse) ?? false
  if (name === undefined || value === undefined) return undefined
  return { name, value: value.given === undefined ? undefined : Redacted.make(value.given), isSecret }
})

/** Looks at the names as written, since a header with an issue in its value still takes its name. */
const refuseRepeatedNames = (headers: unknown, path: string, issues: IssueList): void => {
  if (!Array.isArray(headers)) return
  const seen = new Set<string>()
  for (const [index, header] of headers.slice(0, Limits.customHeadersMax).entries()) {
    const name = (header as { readonly name?: unknown } | null | undefined)?.name
    if (typeof name !== "string" || name === "") continue
    if (seen.has(name.toLowerCase())) {
      issues.add(`${entryPath(path, index)}.name`, "duplicate", "must be unique; letter case does not count")
    }
    seen.add(name.toLowerCase())
  }
}
