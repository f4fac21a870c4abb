import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type KeyOwner,
  type NewestKey,
  type PublicKey,
  type SigningKey,
  SigningKeyStore,
  theServer,
} from "@tocsin/domain/ports"

/**
 * Signing keys in memory, lost when the process ends.
 *
 * Rotation bounds their number: it adds a key at most every 10 min, and deletes old ones except for the public part.
 */
export const make = Effect.sync(() => {
  const keysByOwner = new Map<KeyOwner, ReadonlyArray<SigningKey>>()
  const publicKeysByOwner = new Map<KeyOwner, ReadonlyArray<PublicKey>>()
  const keysOf = (owner: KeyOwner) => keysByOwner.get(owner) ?? []
  return SigningKeyStore.of({
    list: (owner) => Effect.sync(() => keysOf(owner)),
    append: (owner, { key, newest, removedKeyIds, end }) =>
      Effect.sync(() => {
        const keys = keysOf(owner)
        if (!isNewest(keys.at(-1), newest)) return false
        const changed = end === undefined ? keys : withEnd(keys, end.keyId, end.endsAtMs)
        keysByOwner.set(owner, [...without(changed, removedKeyIds), key])
        const { keyId, publicKey } = key
        publicKeysByOwner.set(owner, [...(publicKeysByOwner.get(owner) ?? []), { keyId, publicKey }])
        return true
      }),
    setEnd: (organization, { newest, keyId, endsAtMs, removedKeyIds }) =>
      Effect.sync(() => {
        const keys = keysOf(organization)
        if (!isNewest(keys.at(-1), newest)) return false
        keysByOwner.set(organization, without(withEnd(keys, keyId, endsAtMs), removedKeyIds))
        return true
      }),
    listPublicKeys: (owner) => Effect.sync(() => publicKeysByOwner.get(owner) ?? []),
    listOrganizations: Effect.sync(() => [...keysByOwner.keys()].filter((owner) => owner !== theServer)),
  })
})

const isNewest = (stored: NewestKey, expected: NewestKey): boolean =>
  stored?.keyId === expected?.keyId && stored?.endsAtMs === expected?.endsAtMs

const withEnd = (keys: ReadonlyArray<SigningKey>, keyId: string, endsAtMs: number | undefined) =>
  keys.map((key): SigningKey => {
    if (key.keyId !== keyId) return key
    const { endsAtMs: _previous, ...endless } = key
    return endsAtMs === undefined ? endless : { ...endless, endsAtMs }
  })

const without = (keys: ReadonlyArray<SigningKey>, removedKeyIds: ReadonlyArray<string>) => {
  const removed = new Set(removedKeyIds)
  return keys.filter(({ keyId }) => !removed.has(keyId))
}

/** No keys yet. */
export const layer = Layer.effect(SigningKeyStore, make)
