import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type ScheduledKey, scheduledKey } from "./PublishedKey.ts"
import {
  type SigningKey,
  SigningKeyGenerator,
  SigningKeyStore,
  type SigningKeyStoreIsUnavailable,
} from "./SigningKeyStore.ts"
import {
  signingKeyRetiredListedSeconds,
  activeSigningKey,
  listedSigningKeys,
  nextActiveFromMs,
} from "./SigningKeyRotation.ts"

/**
 * Publishes and returns a new signing key, which signs once every cached key set must have expired.
 *
 * While a next key is pending, returns that one instead, also to several processes that rotate at once. Keys that are no longer listed are deleted in the same step.
 */
export const rotateSigningKey: Effect.Effect<
  ScheduledKey,
  SigningKeyStoreIsUnavailable,
  SigningKeyStore | SigningKeyGenerator
> = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  for (;;) {
    const keys = yield* store.list
    const nowMs = yield* Clock.currentTimeMillis
    const newest = keys.at(-1)
    if (newest !== undefined && newest.activeFromMs > nowMs) return scheduledKey(newest, "next")
    const added = yield* appendKey(keys, nowMs)
    if (added !== undefined) return scheduledKey(added, newest === undefined ? "active" : "next")
  }
})

/**
 * Rotates for an editor of one organization. Since all organizations share the key, only while no replaced key is
 * listed. Fails with `RotationIsTooSoon`.
 */
export const rotateSigningKeyOnceADay: Effect.Effect<
  ScheduledKey,
  RotationIsTooSoon | SigningKeyStoreIsUnavailable,
  SigningKeyStore | SigningKeyGenerator
> = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  const listed = listedSigningKeys(yield* store.list, yield* Clock.currentTimeMillis)
  const active = listed.find(({ state }) => state === "active")
  const isInFlight = listed.some(({ state }) => state === "next")
  if (active !== undefined && !isInFlight && listed.some(({ state }) => state === "retired")) {
    const untilMs = active.key.activeFromMs + signingKeyRetiredListedSeconds * 1_000
    return yield* new RotationIsTooSoon({ untilMs })
  }
  return yield* rotateSigningKey
})

/** The key that signs replaced another one less than a day ago: until `untilMs`, in Unix milliseconds. */
export class RotationIsTooSoon extends Data.TaggedError("RotationIsTooSoon")<{ readonly untilMs: number }> {}

/**
 * The key that signs now; on the very first start it is made. Several processes that start at once agree on one.
 */
export const ensureSigningKey: Effect.Effect<
  SigningKey,
  SigningKeyStoreIsUnavailable,
  SigningKeyStore | SigningKeyGenerator
> = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  for (;;) {
    const keys = yield* store.list
    const nowMs = yield* Clock.currentTimeMillis
    // A clock that is behind may see only keys of the future: then the first of them signs.
    const active = activeSigningKey(keys, nowMs) ?? keys[0] ?? (yield* appendKey(keys, nowMs))
    if (active !== undefined) return active
  }
})

/** Adds a new key on top of the keys that were read; `undefined` when another process was faster. */
const appendKey = (keys: ReadonlyArray<SigningKey>, nowMs: number) =>
  Effect.gen(function* () {
    const store = yield* SigningKeyStore
    const generator = yield* SigningKeyGenerator
    const pair = yield* generator.generate
    const key: SigningKey = { ...pair, createdAtMs: nowMs, activeFromMs: nextActiveFromMs(keys, nowMs) }
    const listed = new Set(listedSigningKeys(keys, nowMs).map((entry) => entry.key.keyId))
    const isAdded = yield* store.append({
      key,
      newestKeyId: keys.at(-1)?.keyId,
      removedKeyIds: keys.map(({ keyId }) => keyId).filter((keyId) => !listed.has(keyId)),
    })
    return isAdded ? key : undefined
  })
