import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { cachedSigningKeys, SigningKeyCache } from "@tocsin/domain/adapter"
import {
  type KeyOwner,
  Signer,
  type SigningKey,
  type SigningKeyGenerator,
  type SigningKeyInUse,
  type SigningKeyStore,
  theServer,
  StoreIsUnavailable,
} from "@tocsin/domain/ports"
import { activeSigningKey } from "@tocsin/domain/signature"
import * as KeyDirectorySigner from "./KeyDirectorySigner.ts"
import { loadSigningKey } from "./Ed25519Node.ts"

/**
 * Signs with the active key of the organization, or else with the server's, as the process caches them.
 *
 * A private key stays loaded while it is active.
 */
export const make = Effect.gen(function* () {
  const ports = yield* Effect.context<
    SigningKeyCache.SigningKeyCache | SigningKeyGenerator | SigningKeyStore
  >()
  const loadedKeys = new Map<KeyOwner, SigningKeyInUse>()

  const loaded = (owner: KeyOwner, key: SigningKey): SigningKeyInUse => {
    const known = loadedKeys.get(owner)
    if (known?.keyId === key.keyId) return known
    const inUse = loadSigningKey(key)
    if (loadedKeys.size >= SigningKeyCache.cachedKeyOwnersMax) loadedKeys.clear()
    loadedKeys.set(owner, inUse)
    return inUse
  }

  const activeKey = (owner: KeyOwner, nowMs: number) =>
    Effect.map(Effect.provide(cachedSigningKeys(owner), ports), (keys) => {
      const key = activeSigningKey(owner, keys, nowMs)
      return key === undefined ? undefined : loaded(owner, key)
    })

  return Signer.of({
    current: Effect.fnUntraced(
      function* (organization) {
        const nowMs = yield* Clock.currentTimeMillis
        const key = (yield* activeKey(organization, nowMs)) ?? (yield* activeKey(theServer, nowMs))
        return key ?? (yield* Effect.die(new Error("the server has no signing key after creating one")))
      },
      Effect.mapError(
        (cause) =>
          new StoreIsUnavailable({
            store: "Signer",
            operation: "current",
            isRetryable: cause.isRetryable,
            cause,
          }),
      ),
    ),
  })
})

/** The signer, and the cache of signing keys that it shares with the endpoints that publish them, and their directory. */
export const layer = Layer.merge(Layer.effect(Signer, make), KeyDirectorySigner.layer).pipe(
  Layer.provideMerge(SigningKeyCache.layer),
)
