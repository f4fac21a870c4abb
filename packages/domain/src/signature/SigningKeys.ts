import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { publicKeyToPem } from "./Ed25519PublicKey.ts"
import { type SigningKey, SigningKeyGenerator, SigningKeyStore } from "./SigningKeyStore.ts"

/**
 * Time for which a new signing key is published before it signs, in seconds; longer than receivers (300 s)
 * and processes of the service (30 s) cache keys, with a margin for clock skew.
 */
export const signingKeyOverlapSeconds = 600

/** Time for which a retired signing key stays listed, in seconds. */
export const signingKeyRetiredListedSeconds = 86_400

/** Longest time that a receiver may cache the public key, in seconds. */
export const publicKeyMaxAgeSeconds = 300

/** The path of the key that signs now, below the public base URL. */
export const publicKeyPath = "/api/notifications/v1/webhook-http-signature/public-key"

/** The path of every key that may have signed, below the public base URL. */
export const publicKeysPath = "/api/notifications/v1/webhook-http-signature/public-keys"

/** A public key as the public key endpoint returns it. */
export interface PublishedKey {
  readonly keyId: string
  readonly algorithm: "ed25519"
  readonly publicKeyPem: string
}

/** A listed key. It is published but does not sign yet (`next`), signs (`active`), or was replaced (`retired`). */
export interface ScheduledKey extends PublishedKey {
  readonly state: "next" | "active" | "retired"
  /** When it starts to sign, in Unix milliseconds. */
  readonly activeFromMs: number
}

export const publishKey = (key: Pick<SigningKey, "keyId" | "publicKey">): PublishedKey => ({
  keyId: key.keyId,
  algorithm: "ed25519",
  publicKeyPem: publicKeyToPem(key.publicKey),
})

const scheduledKey = (key: SigningKey, state: ScheduledKey["state"]): ScheduledKey => ({
  ...publishKey(key),
  state,
  activeFromMs: key.activeFromMs,
})

/**
 * The key that signs at a time (Unix milliseconds): the last one that has become active, or the first one when the clock
 * was set back so far that none has; `undefined` if there is none. `keys` are in the order of `activeFromMs`.
 */
export const activeSigningKey = (keys: ReadonlyArray<SigningKey>, nowMs: number): SigningKey | undefined =>
  keys.findLast(({ activeFromMs }) => activeFromMs <= nowMs) ?? keys[0]

/** The keys that are published at a time, oldest first: a retired one until 24 h after its successor became active. */
const listedSigningKeys = (keys: ReadonlyArray<SigningKey>, nowMs: number): ReadonlyArray<ScheduledKey> => {
  const active = activeSigningKey(keys, nowMs)
  return keys.flatMap((key, index) => {
    if (key === active) return [scheduledKey(key, "active")]
    if (key.activeFromMs > nowMs) return [scheduledKey(key, "next")]
    const retiredAtMs = keys[index + 1]?.activeFromMs ?? nowMs
    const isListed = nowMs < retiredAtMs + signingKeyRetiredListedSeconds * 1_000
    return isListed ? [scheduledKey(key, "retired")] : []
  })
}

/** The key that signs now. Creates the first key if none exists; several processes that start at once agree on it. */
export const ensureSigningKey = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  for (;;) {
    const keys = yield* store.list
    const nowMs = yield* Clock.currentTimeMillis
    const active = activeSigningKey(keys, nowMs) ?? (yield* appendKey(keys, nowMs))
    if (active !== undefined) return active
  }
})

/** The key that signs now, in its public form. Creates the first key if none exists. */
export const currentKey = Effect.map(ensureSigningKey, publishKey)

/** The keys that sign, will sign, or signed recently, oldest first. Creates the first key if none exists. */
export const signingKeys = Effect.gen(function* () {
  yield* ensureSigningKey
  const keys = yield* (yield* SigningKeyStore).list
  return listedSigningKeys(keys, yield* Clock.currentTimeMillis)
})

/** `signingKeys` in their public form, without the times. */
export const publicKeys = Effect.map(signingKeys, (keys) =>
  keys.map(({ activeFromMs: _activeFromMs, ...published }) => published),
)

/** The public key with an ID, however long ago it was retired; fails with `PublicKeyNotFound`. */
export const findPublishedKey = Effect.fnUntraced(function* (keyId: string) {
  const found = yield* (yield* SigningKeyStore).findPublicKey(keyId)
  return Option.isSome(found)
    ? publishKey({ keyId, publicKey: found.value })
    : yield* new PublicKeyNotFound({ keyId })
})

/** No key of the server has this ID. */
export class PublicKeyNotFound extends Data.TaggedError("PublicKeyNotFound")<{ readonly keyId: string }> {}

/**
 * Publishes and returns a new signing key, which signs once all cached key sets have expired.
 *
 * Returns the next key instead if there is one, also to several processes that rotate at once. Deletes keys that are no
 * longer listed.
 */
export const rotateSigningKey = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  for (;;) {
    const keys = yield* store.list
    const nowMs = yield* Clock.currentTimeMillis
    const newest = keys.at(-1)
    if (newest !== undefined && isPending(newest, activeSigningKey(keys, nowMs), nowMs))
      return scheduledKey(newest, "next")
    const added = yield* appendKey(keys, nowMs)
    if (added !== undefined) return scheduledKey(added, newest === undefined ? "active" : "next")
  }
})

/** Whether a key is about to sign. One that has longer to wait is from before the clock was set back. */
const isPending = (key: SigningKey, active: SigningKey | undefined, nowMs: number): boolean =>
  key !== active && key.activeFromMs > nowMs && key.activeFromMs <= nextActiveFromMs(active, nowMs)

/** When a key that is created at a time starts to sign. The first key of all signs at once, as no receiver knows another. */
const nextActiveFromMs = (active: SigningKey | undefined, nowMs: number): number =>
  active === undefined ? nowMs : Math.max(nowMs, active.activeFromMs) + signingKeyOverlapSeconds * 1_000

/**
 * Rotates for an editor of one organization. All organizations share the key, so it fails with `RotationIsTooSoon` while a
 * retired key is listed.
 */
export const rotateSigningKeyOnceADay = Effect.gen(function* () {
  const keys = yield* (yield* SigningKeyStore).list
  const listed = listedSigningKeys(keys, yield* Clock.currentTimeMillis)
  const active = listed.find(({ state }) => state === "active")
  const hasNext = listed.some(({ state }) => state === "next")
  if (active !== undefined && !hasNext && listed.some(({ state }) => state === "retired")) {
    const untilMs = active.activeFromMs + signingKeyRetiredListedSeconds * 1_000
    return yield* new RotationIsTooSoon({ untilMs })
  }
  return yield* rotateSigningKey
})

/** The key that signs replaced another one less than a day ago; `untilMs` is in Unix milliseconds. */
export class RotationIsTooSoon extends Data.TaggedError("RotationIsTooSoon")<{ readonly untilMs: number }> {}

/**
 * Adds a new key, unless another process added one since `keys` were read: then `undefined`. It replaces keys that would sign
 * later still, from before the clock was set back.
 */
const appendKey = Effect.fnUntraced(function* (keys: ReadonlyArray<SigningKey>, nowMs: number) {
  const store = yield* SigningKeyStore
  const pair = yield* (yield* SigningKeyGenerator).generate
  const activeFromMs = nextActiveFromMs(activeSigningKey(keys, nowMs), nowMs)
  const key: SigningKey = { ...pair, createdAtMs: nowMs, activeFromMs }
  const listed = new Set(
    listedSigningKeys(keys, nowMs).flatMap(({ keyId, state }) => (state === "next" ? [] : [keyId])),
  )
  const isAdded = yield* store.append({
    key,
    newestKeyId: keys.at(-1)?.keyId,
    removedKeyIds: keys.map(({ keyId }) => keyId).filter((keyId) => !listed.has(keyId)),
  })
  return isAdded ? key : undefined
})
