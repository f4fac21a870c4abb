import {
  customHeadersMax,
  customHeaderNameMaxCharacters,
  customHeaderValueMaxCharacters,
  customHeadersMaxBytes,
} from "./CustomHeaderLimits.ts"
import type * as Redacted from "effect/Redacted"
import { reveal } from "../secret/SharedRedacted.ts"
import { type Codec, hiddenValue, secret, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { entryPath, type IssueList } from "../codec/Issue.ts"
import { boolean, isObject, string } from "../codec/Leaves.ts"

/**
 * Headers that users cannot set, also with `_` for `-`: those of the connection, body, tracing and signature. `*` is a
 * wildcard at the end.
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

const nameText = string({
  max: customHeaderNameMaxCharacters,
  format: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
    message: "must consist of letters, digits, - and _, and begin with a letter or digit",
  },
})

const headerName: Codec<string, unknown, string> = {
  ...nameText,
  read: (value, path, issues, context) => {
    const name = nameText.read(value, path, issues, context)
    if (name === undefined) return undefined
    // Receivers behind CGI cannot tell `_` from `-`.
    const field = name.toLowerCase().replaceAll("_", "-")
    const isReserved = reservedHeaderNames.some((reserved) =>
      reserved.endsWith("*") ? field.startsWith(reserved.slice(0, -1)) : field === reserved,
    )
    return isReserved
      ? issues.add(path, "reserved", "is a header that Tocsin sets; choose another name")
      : name
  },
}

const valueText = string({
  max: customHeaderValueMaxCharacters,
  format: {
    pattern: /^[\t\x20-\x7e]*$/,
    message: "must consist of visible ASCII characters, spaces and horizontal tabs",
  },
})

/** RFC 9110, section 5.5. */
const headerValue: Codec<string, unknown, string> = {
  ...valueText,
  read: (value, path, issues, context) => {
    const read = valueText.read(value, path, issues, context)
    if (read === undefined) return undefined
    if (/^[\t ]*$/.test(read)) return issues.add(path, "required", "must not be blank")
    if (/^[\t ]|[\t ]$/.test(read)) {
      return issues.add(path, "invalid_format", "must not begin or end with white space")
    }
    return read
  },
}

const anyHeader = object({
  name: headerName,
  value: secret(headerValue, (text) => text),
  isSecret: optional(boolean, { default: () => false }),
})

/** A custom header; only secret values are hidden. */
const customHeader: typeof anyHeader = {
  ...anyHeader,
  write: (header, options) => anyHeader.write(header, header.isSecret ? options : { secret: (text) => text }),
}

/** A custom header as submitted; its value can be `[hidden]`. */
export type CustomHeaderDraft = TypeOf<typeof customHeader>

/** A custom header of requests to an alert method or data source, with its value resolved. */
export interface CustomHeader extends CustomHeaderDraft {
  /** Visible ASCII characters, spaces and tabs, not blank (RFC 9110, section 5.5); redacted even if `isSecret` is false. */
  readonly value: Redacted.Redacted<string>
}

const headerList = list(customHeader, {
  max: customHeadersMax,
  example: "[{ name: X-Team, value: payments }]",
})

export const customHeaders: typeof headerList = {
  ...headerList,
  read: (value, path, issues, context) => {
    const headers = headerList.read(value, path, issues, context)
    rejectDuplicateNames(value, path, issues)
    if (headers !== undefined && customHeadersAreTooLarge(headers)) {
      issues.add(path, "too_long", tooLargeMessage)
    }
    return headers
  },
}

/** Hidden values are not counted. */
export const customHeadersAreTooLarge = (headers: ReadonlyArray<CustomHeaderDraft>): boolean => {
  const bytes = headers.map(
    ({ name, value }) => name.length + (value === hiddenValue ? 0 : reveal(value).length),
  )
  return bytes.reduce((sum, each) => sum + each, 0) > customHeadersMaxBytes
}

export const tooLargeMessage = `must have at most ${customHeadersMaxBytes} bytes of names and values together`

/** Checks the names as written: a header with an invalid value still uses its name. */
const rejectDuplicateNames = (headers: unknown, path: string, issues: IssueList): void => {
  if (!Array.isArray(headers)) return
  const seen = new Set<string>()
  for (const [index, header] of headers.slice(0, customHeadersMax).entries()) {
    const name: unknown = isObject(header) ? header["name"] : undefined
    if (typeof name !== "string" || name === "") continue
    if (seen.has(name.toLowerCase())) {
      issues.add(`${entryPath(path, index)}.name`, "duplicate", "must be unique; case is ignored")
    }
    seen.add(name.toLowerCase())
  }
}
