import type { CryptoFunctions } from "./Platform.ts"
import { reject } from "./NotificationRejected.ts"
import { parseDictionary } from "./StructuredField.ts"

/** The digests of a body that a verifier can check: one or two. */
export type ContentDigest = ReadonlyArray<ExpectedDigest>

interface ExpectedDigest {
  readonly algorithm: "SHA-256" | "SHA-512"
  readonly bytes: Uint8Array
  /** In canonical base64. */
  readonly base64: string
}

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
  const known: Array<ExpectedDigest> = []
  for (const { key, value } of typeof members === "string" ? malformed() : members) {
    if (value?.type !== "bytes") return malformed()
    const algorithm = algorithms.get(key)
    if (algorithm !== undefined) known.push({ algorithm, bytes: value.value, base64: value.base64 })
  }
  return known.length > 0
    ? known
    : reject("content_digest_unsupported", "Content-Digest has neither sha-256 nor sha-512")
}

const malformed = () =>
  reject(
    "content_digest_malformed",
    "Content-Digest is not a dictionary of digests (sha-256=:<base64>:), or a digest is duplicated",
  )

/** Compares all digests with the raw body. */
export const checkContentDigest = async (
  expected: ContentDigest,
  body: Uint8Array,
  { digest }: Pick<CryptoFunctions, "digest">,
): Promise<void> => {
  for (const { algorithm, bytes, base64 } of expected) {
    const found = digest(algorithm, body)
    // A microtask less where the platform digests at once.
    if (isDigest(typeof found === "object" && "then" in found ? await found : found, bytes, base64)) continue
    reject(
      "content_digest_mismatch",
      "the digest does not match the body; pass the raw bytes, read before parsing",
    )
  }
}

const isDigest = (found: Uint8Array | string, bytes: Uint8Array, base64: string): boolean =>
  typeof found === "string" ? found === base64 : isEqual(found, bytes)

const algorithms = new Map<string, ExpectedDigest["algorithm"]>([
  ["sha-256", "SHA-256"],
  ["sha-512", "SHA-512"],
])

const isEqual = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, index) => byte === right[index])
