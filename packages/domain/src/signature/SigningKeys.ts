import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SigningKeyCache } from "./SigningKeyCache.ts"
import {
  activeSigningKey,
  endBefore,
  isPending,
  listedSigningKeys,
  nextActiveFromMs,
  type ScheduledKey,
  scheduledKey,
} from "./SigningKeySchedule.ts"
import {
  type KeyOwner,
  type SigningKey,
  SigningKeyGenerator,
  SigningKeyStore,
  theServer,
} from "./SigningKeyStore.ts"

/** Longest time that a receiver may cache the public key, in seconds. */
export const publicKeyMaxAgeSeconds = 300

/** The path of the key that signs now, below the public base URL. */
export const publicKeyPath = "/api/notifications/v1/webhook-http-signature/public-key"

/** The path of every key that may have signed, below the public base URL. */
export const publicKeysPath = "/api/notifications/v1/webhook-http-signature/public-keys"

/** The server's key that signs now. Creates the first key if none exists; several processes that start at once agree on it. */
export const ensureSigningKey = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  for (;;) {
    const keys = yield* store.list(theServer)
    const nowMs = yield* Clock.currentTimeMillis
    const active = activeSigningKey(theServer, keys, nowMs) ?? (yield* appendKey(theServer, keys, nowMs))
    if (active !== undefined) return active
  }
})

/** The keys of an owner as this process caches them; the server always has one. */
export const cachedSigningKeys = Effect.fnUntraced(function* (owner: KeyOwner) {
  const cache = yield* SigningKeyCache
  const keys = yield* cache.keysOf(owner)
  if (owner !== theServer || keys.length > 0) return keys
  yield* ensureSigningKey
  yield* cache.forget(owner)
  return yield* cache.keysOf(owner)
})

/** The keys of an owner that sign, will sign, or signed recently, oldest first. */
export const signingKeys = Effect.fnUntraced(function* (owner: KeyOwner) {
  const keys = yield* (yield* SigningKeyStore).list(owner)
  const listed = listedSigningKeys(owner, keys, yield* Clock.currentTimeMillis)
  return listed.map(({ key, state }) => scheduledKey(key, state))
})

/**
 * Publishes and returns a new signing key of the server, which signs once all cached key sets have expired.
 *
 * Returns the next key instead if there is one, also to several processes that rotate at once. Deletes keys that are no
 * longer listed.
 */
export const rotateSigningKey = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  for (;;) {
    const keys = yield* store.list(theServer)
    const nowMs = yield* Clock.currentTimeMillis
    const added = yield* pendingOrNewKey(theServer, keys, nowMs)
    if (added !== undefined) return added
  }
})

/** The key that is about to sign, or else a new one; `undefined` if another process added one since `keys` were read. */
export const pendingOrNewKey = Effect.fnUntraced(function* (
  owner: KeyOwner,
  keys: ReadonlyArray<SigningKey>,
  nowMs: number,
) {
  const newest = keys.at(-1)
  if (newest !== undefined && isPending(owner, newest, activeSigningKey(owner, keys, nowMs), nowMs))
    return scheduledKey(newest, "next")
  const added = yield* appendKey(owner, keys, nowMs)
  if (added === undefined) return undefined
  const scheduled: ScheduledKey = scheduledKey(added, added.activeFromMs > nowMs ? "next" : "active")
  return scheduled
})

/**
 * Adds a new key, unless another process added one since `keys` were read: then `undefined`. It replaces keys that would sign
 * later still, from before the clock was set back, and the `revoked` one. If that signs, the new key takes its place in the
 * schedule, so that it signs at once. The key before the revoked one stays listed no longer than before.
 */
export const appendKey = Effect.fnUntraced(function* (
  owner: KeyOwner,
  keys: ReadonlyArray<SigningKey>,
  nowMs: number,
  revoked?: SigningKey,
) {
  const store = yield* SigningKeyStore
  const pair = yield* (yield* SigningKeyGenerator).generate
  const active = activeSigningKey(owner, keys, nowMs)
  const activeFromMs =
    active !== undefined && active === revoked
      ? Math.min(nowMs, active.activeFromMs)
      : nextActiveFromMs(owner, active, nowMs)
  const key: SigningKey = { ...pair, createdAtMs: nowMs, activeFromMs }
  const listed = listedSigningKeys(owner, keys, nowMs)
  const kept = new Set(
    listed.flatMap(({ key, state }) => (state === "next" || key === revoked ? [] : [key.keyId])),
  )
  const retired = listed.find(({ key, state }) => key === revoked && state === "retired")
  const before = retired === undefined ? undefined : endBefore(keys, retired.key)
  const isAdded = yield* store.append(owner, {
    key,
    newest: keys.at(-1),
    removedKeyIds: keys.map(({ keyId }) => keyId).filter((keyId) => !kept.has(keyId)),
    ...(before !== undefined && { end: { keyId: before.key.keyId, endsAtMs: before.endsAtMs } }),
  })
  if (isAdded) yield* (yield* SigningKeyCache).forget(owner)
  return isAdded ? key : undefined
})
