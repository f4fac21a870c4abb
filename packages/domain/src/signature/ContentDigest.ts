import * as Result from "effect/Result"
import type { Digest } from "./Sha256.ts"
import { signatureHeaderMaxBytes, parseDictionary } from "./StructuredField.ts"

/** The active hash algorithms of RFC 9530, section 5. */
export interface DigestAlgorithms {
  readonly sha256: Digest
  readonly sha512: Digest
}

export type ContentDigestFault = "missing" | "malformed" | "unsupported" | "mismatch"

/**
 * Writes the `Content-Digest` of a body (RFC 9530, section 2).
 *
 * The body `{"hello": "world"}` has `sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:`.
 */
export const writeContentDigest = (body: Uint8Array, sha256Base64: (bytes: Uint8Array) => string): string =>
  `sha-256=:${sha256Base64(body)}:`

/**
 * Compares the lines of `Content-Digest` with the raw body (RFC 9530, sections 2 and 5).
 *
 * Every SHA-256 and SHA-512 digest must match, and at least one is required; other algorithms are ignored. A duplicated
 * algorithm is malformed. Fails with `missing` if there is no line or no member.
 */
export const checkContentDigest = (
  lines: ReadonlyArray<string>,
  body: Uint8Array,
  algorithms: DigestAlgorithms,
): Result.Result<true, ContentDigestFault> => {
  const field = lines.join(", ")
  if (field.trim() === "") return Result.fail("missing")
  if (field.length > signatureHeaderMaxBytes) return Result.fail("malformed")
  const members = parseDictionary(field)
  if (Result.isFailure(members)) return Result.fail("malformed")
  let isChecked = false
  for (const { key, value } of members.success) {
    if (value?.type !== "bytes") return Result.fail("malformed")
    if (key !== "sha-256" && key !== "sha-512") continue
    const digest = key === "sha-256" ? algorithms.sha256(body) : algorithms.sha512(body)
    if (!isEqual(value.value, digest)) return Result.fail("mismatch")
    isChecked = true
  }
  return isChecked ? Result.succeed(true) : Result.fail("unsupported")
}

const isEqual = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, index) => byte === right[index])
