import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ensureSigningKey } from "./RotateSigningKey.ts"
import {
  type PublishedKey,
  type PublishedKeyWithState,
  publishKey,
  type ScheduledKey,
  scheduledKey,
} from "./PublishedKey.ts"
import {
  type SigningKeyGenerator,
  SigningKeyStore,
  type SigningKeyStoreIsUnavailable,
} from "./SigningKeyStore.ts"
import { listedSigningKeys } from "./SigningKeyRotation.ts"

/** How long a receiver may keep the public key, in seconds. */
export const publicKeyMaxAgeSeconds = 300

/** The current signing key. Creates the first key if none exists. */
export const currentKey: Effect.Effect<
  PublishedKey,
  SigningKeyStoreIsUnavailable,
  SigningKeyStore | SigningKeyGenerator
> = Effect.map(ensureSigningKey, publishKey)

/**
 * The public keys that sign, will sign, or signed recently, oldest first, with when. Makes the first key when there is
 * none yet.
 */
export const signingKeys: Effect.Effect<
  ReadonlyArray<ScheduledKey>,
  SigningKeyStoreIsUnavailable,
  SigningKeyStore | SigningKeyGenerator
> = Effect.gen(function* () {
  yield* ensureSigningKey
  const store = yield* SigningKeyStore
  const keys = yield* store.list
  const nowMs = yield* Clock.currentTimeMillis
  return listedSigningKeys(keys, nowMs).map(({ key, state }) => scheduledKey(key, state))
})

/** The same in their public form, without the times. */
export const publicKeys: Effect.Effect<
  ReadonlyArray<PublishedKeyWithState>,
  SigningKeyStoreIsUnavailable,
  SigningKeyStore | SigningKeyGenerator
> = Effect.map(signingKeys, (keys) => keys.map(({ activeFromMs: _activeFromMs, ...published }) => published))
