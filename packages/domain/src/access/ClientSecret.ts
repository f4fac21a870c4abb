import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Limits } from "../Limits.ts"
import { bytesToBase64Url } from "../signature/Base64.ts"
import type { Digest } from "../signature/Sha256.ts"

/** Makes a secret of 256 random bits, as 43 characters of base64 for URLs. Source: decision 0701. */
export const generateClientSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom> = Effect.gen(
  function* () {
    const { randomBytes } = yield* SecureRandom
    return Redacted.make(bytesToBase64Url(yield* randomBytes(Limits.clientSecretBits / 8)))
  },
)

/**
 * What is stored of a secret: the SHA-256, as base64 for URLs, of the client id, a colon and the secret.
 *
 * With the client id in it, equal secrets of two clients do not show as such. There is nothing to slow a guesser
 * down, as a generated secret has too many bits to be guessed.
 *
 * Source: decision 0701.
 */
export const hashClientSecret = (sha256: Digest, clientId: string, secret: Redacted.Redacted): string =>
  bytesToBase64Url(sha256(new TextEncoder().encode(`${clientId}:${Redacted.value(secret)}`)))

/**
 * Whether two hashes are the same; the time it takes tells nothing of where they differ.
 *
 * Source: decision 0516.
 */
export const isSameHash = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}
