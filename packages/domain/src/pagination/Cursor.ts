import * as Result from "effect/Result"
import { TaggedError } from "../TaggedError.ts"
import { base64UrlToBytes, bytesToBase64Url } from "../signature/Base64.ts"

/** A cursor that this endpoint did not write, or that is damaged. */
export class CursorIsInvalid extends TaggedError("CursorIsInvalid")<{
  /** As submitted. */
  readonly value: string
}> {}

/**
 * Writes a cursor (spec/status-api §7): the position in a list where the next page starts.
 *
 * `endpoint` names the list, for example `v2/slos`; `key` has the parts of the key of the last element read. The cursor is
 * opaque base64url with a format version and a checksum, so that neither a damaged cursor nor the cursor of another list
 * leads to a wrong page. It contains no organization and grants no access.
 */
export const writeCursor = (endpoint: string, key: ReadonlyArray<string>): string => {
  const content = JSON.stringify([formatVersion, endpoint, ...key])
  return bytesToBase64Url(new TextEncoder().encode(checksum(content) + content))
}

/** Reads the key of a cursor, with `keyLength` parts. Accepts only what `writeCursor` returns for this endpoint. */
export const readCursor = (
  endpoint: string,
  keyLength: number,
  text: string,
): Result.Result<ReadonlyArray<string>, CursorIsInvalid> => {
  const key = text.length > cursorMaxCharacters ? undefined : textToKey(endpoint, text)
  return key === undefined || key.length !== keyLength || writeCursor(endpoint, key) !== text
    ? Result.fail(new CursorIsInvalid({ value: text }))
    : Result.succeed(key)
}

const textToKey = (endpoint: string, text: string): ReadonlyArray<string> | undefined => {
  const bytes = base64UrlToBytes(text)
  if (bytes === undefined) return undefined
  try {
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    const parts: unknown = JSON.parse(content.slice(checksumCharacters))
    if (!Array.isArray(parts)) return undefined
    const [version, boundTo, ...key]: ReadonlyArray<unknown> = parts
    return version === formatVersion && boundTo === endpoint && key.every(isKeyPart) ? key : undefined
  } catch {
    // Not UTF-8, or not JSON.
    return undefined
  }
}

/** No stored text contains U+0000, which PostgreSQL cannot compare with one. */
const isKeyPart = (part: unknown): part is string => typeof part === "string" && !part.includes("\0")

// Changes whenever the meaning of a key changes; older cursors are then invalid.
const formatVersion = 1
const cursorMaxCharacters = 4096
const checksumCharacters = 7

// FNV-1a over UTF-16 units, 32 bits. It detects damage; forging a cursor gains nothing.
const checksum = (content: string): string => {
  let sum = 0x811c9dc5
  for (let at = 0; at < content.length; at++) sum = Math.imul(sum ^ content.charCodeAt(at), 0x01000193)
  return (sum >>> 0).toString(36).padStart(checksumCharacters, "0")
}
