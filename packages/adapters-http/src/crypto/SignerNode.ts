import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { activeSigningKey, ensureSigningKey } from "@tocsin/domain/internal/signature/SigningKeys"
import {
  Signer,
  SignerIsUnavailable,
  type SigningKeyInUse,
} from "@tocsin/domain/internal/signature/SignRequest"
import {
  type SigningKey,
  SigningKeyGenerator,
  SigningKeyStore,
} from "@tocsin/domain/internal/signature/SigningKeyStore"
import { loadSigningKey } from "./Ed25519Node.ts"

/** Longest time that a process caches the signing keys, in milliseconds. */
export const signingKeyCacheMs = 30_000

/**
 * Signs with the active key of the store.
 *
 * Caches the keys for 30 s: a new key is published 10 min before it becomes active, so all processes switch to it at the
 * same time. The private key stays loaded while it is active.
 */
export const make = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  const generator = yield* SigningKeyGenerator
  let keys: ReadonlyArray<SigningKey> = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let inUse: SigningKeyInUse | undefined

  const refresh = Effect.gen(function* () {
    yield* ensureSigningKey
    keys = yield* store.list
    readAtMs = yield* Clock.currentTimeMillis
  }).pipe(
    Effect.provideService(SigningKeyStore, store),
    Effect.provideService(SigningKeyGenerator, generator),
    Effect.mapError(
      (cause) => new SignerIsUnavailable({ operation: "current", isRetryable: cause.isRetryable, cause }),
    ),
  )

  const activeOf = (nowMs: number): SigningKeyInUse => {
    const active = activeSigningKey(keys, nowMs)
    if (active === undefined) throw new Error("there is no signing key after making one")
    if (inUse?.keyId !== active.keyId) inUse = loadSigningKey(active)
    return inUse
  }

  const current = Effect.clockWith((clock) => {
    const nowMs = clock.currentTimeMillisUnsafe()
    return Math.abs(nowMs - readAtMs) < signingKeyCacheMs
      ? Effect.succeed(activeOf(nowMs))
      : Effect.map(refresh, () => activeOf(nowMs))
  })

  return Signer.of({ current })
})

export const layer = Layer.effect(Signer, make)
