import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SigningKey, SigningKeyStore } from "@tocsin/domain/signature/SigningKeyStore"

/**
 * Signing keys in memory, lost when the process ends.
 *
 * Rotation bounds their number: it adds a key at most every 10 min, and deletes old ones.
 */
export const make = Effect.sync(() => {
  let keys: ReadonlyArray<SigningKey> = []
  return SigningKeyStore.of({
    list: Effect.sync(() => keys),
    append: ({ key, newestKeyId, removedKeyIds }) =>
      Effect.sync(() => {
        if (keys.at(-1)?.keyId !== newestKeyId) return false
        const removed = new Set(removedKeyIds)
        keys = [...keys.filter(({ keyId }) => !removed.has(keyId)), key]
        return true
      }),
  })
})

export const layer = Layer.effect(SigningKeyStore, make)
