import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SigningKey, SigningKeyStore } from "@tocsin/domain/signature/SigningKeyStore"

/**
 * The signing keys of one process, lost when it ends.
 *
 * Bounded by the rotation itself: a key is added at most every 10 min, and old ones are deleted with it.
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

/** Provides the store of signing keys in memory. */
export const layer = Layer.effect(SigningKeyStore, make)
