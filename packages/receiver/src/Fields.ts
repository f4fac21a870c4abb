import { reject } from "./NotificationRejected.ts"

/** Largest signature header that a verifier reads, its lines joined, in bytes. */
export const signatureHeaderMaxBytes = 8 * 1024

/** Largest total size of the headers of a request that a verifier reads, in bytes. */
export const receivedHeadersMaxBytes = 64 * 1024

/** Most header lines of a request that a verifier reads. */
export const receivedHeaderLinesMax = 500

/** The values of header fields by their names in lower case: lines trimmed and joined with `, ` (RFC 9110, section 5.3). */
export type Fields = ReadonlyMap<string, string>

/**
 * Reads all header lines once, within the limits of their size.
 *
 * Throws `NotificationRejected`: `header_too_large`, or `header_duplicated` for a field that can have only one line and is
 * part of what is verified.
 */
export const readFields = (headers: ReadonlyArray<readonly [name: string, value: string]>): Fields => {
  const fields = new Map<string, string>()
  if (headers.length > receivedHeaderLinesMax) {
    reject("header_too_large", `the header must have at most ${receivedHeaderLinesMax} lines`)
  }
  let size = 0
  for (const [name, line] of headers) {
    size += name.length + line.length
    if (size > receivedHeadersMaxBytes) {
      reject("header_too_large", `the header must have at most ${receivedHeadersMaxBytes} bytes`)
    }
    const lower = name.toLowerCase()
    const former = fields.get(lower)
    if (former !== undefined && singleFields.has(lower)) reject("header_duplicated", `${lower} is duplicated`)
    const value = former === undefined ? trim(line) : `${former}, ${trim(line)}`
    if (value.length > signatureHeaderMaxBytes && signatureFields.has(lower)) {
      reject("header_too_large", `${lower} must have at most ${signatureHeaderMaxBytes} bytes`)
    }
    fields.set(lower, value)
  }
  return fields
}

const singleFields = new Set(["content-type", "host"])
const signatureFields = new Set([...singleFields, "content-digest", "signature", "signature-input"])

/** Unlike this loop, a regular expression for trailing blanks would take quadratic time. */
const trim = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start++
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--
  return end - start === value.length ? value : value.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
