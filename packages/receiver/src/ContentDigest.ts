import type { CryptoFunctions } from "./Platform.ts"
import { reject } from "./NotificationRejected.ts"
import { parseDictionary } from "./StructuredField.ts"

/** The digests of a body that a verifier can check: one or two. */
export type ContentDigest = ReadonlyArray<readonly [algorithm: "SHA-256" | "SHA-512", digest: Uint8Array]>

/**
 * Reads `Content-Digest`, its lines joined (RFC 9530, sections 2 and 5), before there is a body.
 *
 * At least one SHA-256 or SHA-512 digest is required; other algorithms are ignored. A duplicated algorithm is malformed.
 */
export const readContentDigest = (field: string | undefined): ContentDigest => {
  if (field === undefined || field.trim() === "") {
    return reject("content_digest_missing", "Content-Digest is missing")
  }
  const members = parseDictionary(field)
  const digests = Array.isArray(members) ? members.map(({ key, value }) => [key, value] as const) : []
  if (!Array.isArray(members) || !digests.every(([, value]) => value?.type === "bytes")) {
    return reject(
      "content_digest_malformed",
      "Content-Digest is not a dictionary of digests (sha-256=:<base64>:), or a digest is duplicated",
    )
  }
  const known = digests.flatMap(([key, value]) => {
    const algorithm = algorithms.get(key)
    return algorithm === undefined || value?.type !== "bytes" ? [] : [[algorithm, value.value] as const]
  })
  return known.length > 0
    ? known
    : reject("content_digest_unsupported", "Content-Digest has neither sha-256 nor sha-512")
}

/** Compares all digests with the raw body. */
export const checkContentDigest = async (
  expected: ContentDigest,
  body: Uint8Array,
  { digest }: Pick<CryptoFunctions, "digest">,
): Promise<void> => {
  for (const [algorithm, bytes] of expected) {
    if (isEqual(bytes, await digest(algorithm, body))) continue
    reject(
      "content_digest_mismatch",
      "the digest does not match the body; pass the raw bytes, read before parsing",
    )
  }
}

const algorithms = new Map([
  ["sha-256", "SHA-256"],
  ["sha-512", "SHA-512"],
] as const)

const isEqual = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, index) => byte === right[index])
