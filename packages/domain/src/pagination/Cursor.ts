import * as Result from "effect/Result"
import * as Data from "effect/Data"
import { base64UrlToBytes, bytesToBase64Url } from "../signature/Base64.ts"

/** A cursor that this endpoint has not written, or that was damaged on its way. Source: spec/status-api §7. */
export class CursorIsInvalid extends Data.TaggedError("CursorIsInvalid")<{
  /** The cursor as it came. */
  readonly value: string
}> {}

/**
 * Writes a cursor: where in the list of an endpoint the next page starts.
 *
 * `endpoint` names the list, as `v2/slos`; `key` are the parts of the key of the last element read. The text is
 * opaque to callers, holds letters, digits, `-` and `_` only, and carries a format version and a check sum, so
 * that neither a damaged cursor nor the cursor of another list leads to a wrong page. It is no secret and grants
 * nothing: what a page may hold is decided by the organization, which is not in it.
 *
 * Source: spec/status-api §7.
 */
export const writeCursor = (endpoint: string, key: ReadonlyArray<string>): string => {
  const content = JSON.stringify([formatVersion, endpoint, ...key])
  return bytesToBase64Url(new TextEncoder().encode(checkSum(content) + content))
}

/**
 * Reads a cursor back into its key, which has as many parts as `keyLength`.
 *
 * Of all texts exactly those that `writeCursor` returns for this endpoint are accepted.
 */
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
    const parts: unknown = JSON.parse(content.slice(checkSumCharacters))
    if (!Array.isArray(parts)) return undefined
    const [version, boundTo, ...key] = parts as ReadonlyArray<unknown>
    return version === formatVersion && boundTo === endpoint && key.every((part) => typeof part === "string")
      ? key
      : undefined
  } catch {
    // Not UTF-8, or not JSON.
    return undefined
  }
}

// Changes whenever the meaning of a key changes; older cursors are then invalid.
const formatVersion = 1
const cursorMaxCharacters = 4096
const checkSumCharacters = 7

// FNV-1a over UTF-16 units, 32 bits: finds damage; a forger gains nothing.
const checkSum = (content: string): string => {
  let sum = 0x811c9dc5
  for (let at = 0; at < content.length; at++) sum = Math.imul(sum ^ content.charCodeAt(at), 0x01000193)
  return (sum >>> 0).toString(36).padStart(checkSumCharacters, "0")
}
