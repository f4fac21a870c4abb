import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Ed25519PublicKey } from "@tocsin/domain/internal/signature/Ed25519PublicKey"
import { type SigningKey, SigningKeyStore } from "@tocsin/domain/internal/signature/SigningKeyStore"

/**
 * Signing keys in memory, lost when the process ends.
 *
 * Rotation bounds their number: it adds a key at most every 10 min, and deletes old ones except for the public part.
 */
export const make = Effect.sync(() => {
  let keys: ReadonlyArray<SigningKey> = []
  const publicKeys = new Map<string, Ed25519PublicKey>()
  return SigningKeyStore.of({
    list: Effect.sync(() => keys),
    append: ({ key, newestKeyId, removedKeyIds }) =>
      Effect.sync(() => {
        if (keys.at(-1)?.keyId !== newestKeyId) return false
        const removed = new Set(removedKeyIds)
        keys = [...keys.filter(({ keyId }) => !removed.has(keyId)), key]
        publicKeys.set(key.keyId, key.publicKey)
        return true
      }),
    findPublicKey: (keyId) => Effect.sync(() => Option.fromUndefinedOr(publicKeys.get(keyId))),
  })
})

export const layer = Layer.effect(SigningKeyStore, make)
