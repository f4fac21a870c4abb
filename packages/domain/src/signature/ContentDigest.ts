import * as Result from "effect/Result"
import type { Digest } from "./Sha256.ts"
import { signatureHeaderMaxBytes, parseDictionary } from "./StructuredField.ts"

/** The hashes that a received digest may use. Source: RFC 9530 section 5 (active algorithms). */
export interface DigestAlgorithms {
  readonly sha256: Digest
  readonly sha512: Digest
}

/** Why a digest does not vouch for a body. */
export type ContentDigestFault = "missing" | "malformed" | "unsupported" | "mismatch"

/**
 * Writes the `Content-Digest` of a body: `sha-256=:<base64>:`.
 *
 * Source: RFC 9530 section 2; spec/signatures §2.
 */
export const writeContentDigest = (body: Uint8Array, sha256Base64: (bytes: Uint8Array) => string): string =>
  `sha-256=:${sha256Base64(body)}:`

/**
 * Compares the lines of `Content-Digest` with the raw body.
 *
 * Every digest of a supported algorithm must match, at least one must be there, and an algorithm that comes
 * twice is malformed. Members of other algorithms are ignored, deprecated ones among them.
 *
 * Fails with `missing` when there is no line or no member.
 *
 * Source: spec/signatures §1, step 2; RFC 9530 sections 2 and 5.
 */
export const checkContentDigest = (
  lines: ReadonlyArray<string>,
  body: Uint8Array,
  algorithms: DigestAlgorithms,
): Result.Result<true, ContentDigestFault> => {
  const text = lines.join(", ")
  if (text.trim() === "") return Result.fail("missing")
  if (text.length > signatureHeaderMaxBytes) return Result.fail("malformed")
  const members = parseDictionary(text)
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
