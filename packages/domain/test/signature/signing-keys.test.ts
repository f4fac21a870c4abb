import { SigningKeyStoreMemory } from "@tocsin/adapters-memory"
import { HashNode, SignerNode, SigningKeyGeneratorNode } from "@tocsin/adapters-http/crypto"
import { signingKeyStoreContract } from "@tocsin/testing/contracts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  currentPublicKey,
  ensureSigningKey,
  publicKeys as publicKeysOf,
  revokeServerKey,
  rotateSigningKey,
} from "@tocsin/domain"
import { SigningKeyCache } from "@tocsin/domain/adapter"
import { signingKeyOverlapSeconds, signingKeyRetiredListedSeconds } from "@tocsin/domain/limits"
import { Signer, SigningKeyStore, theServer, StoreIsUnavailable } from "@tocsin/domain/ports"
import { publicKeyToKeyId } from "@tocsin/domain/signature"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { createPublicKey, verify } from "node:crypto"

signingKeyStoreContract("memory", SigningKeyStoreMemory.layer)

const layer = SigningKeyCache.layer.pipe(
  Layer.provideMerge(Layer.merge(SigningKeyStoreMemory.layer, SigningKeyGeneratorNode.layer)),
)
const currentKey = currentPublicKey(undefined)
const publicKeys = publicKeysOf(undefined)
/** A signer with a cache of its own, as another process has it. */
const newSigner = Effect.provideServiceEffect(
  SignerNode.make,
  SigningKeyCache.SigningKeyCache,
  SigningKeyCache.make,
)
const states = Effect.map(publicKeys, (keys) => keys.map(({ state }) => state))

describe("signing keys", () => {
  it.effect("spec/signatures §5: the first key signs at once and is published", () =>
    Effect.gen(function* () {
      const key = yield* currentKey
      expect(Object.keys(key)).toEqual(["keyId", "algorithm", "publicKeyPem"])
      expect(key.algorithm).toBe("ed25519")
      const { x = "" } = createPublicKey(key.publicKeyPem).export({ format: "jwk" })
      expect(key.keyId).toBe(publicKeyToKeyId(Buffer.from(x, "base64url"), HashNode.sha256))
      expect(yield* publicKeys).toEqual([{ ...key, state: "active" }])
      expect(yield* currentKey).toEqual(key)
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/signatures §7: a new key is listed first, then signs, and the old one stays listed for a day",
    () =>
      Effect.gen(function* () {
        expect(yield* states).toEqual(["active"])
        const old = yield* currentKey
        yield* TestClock.adjust("1 hour")
        const next = yield* rotateSigningKey
        expect(next).toMatchObject({
          state: "next",
          activeFromMs: 3_600_000 + signingKeyOverlapSeconds * 1_000,
        })
        expect(yield* states).toEqual(["active", "next"])
        expect(yield* currentKey).toEqual(old)
        yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000 - 1)
        expect((yield* currentKey).keyId).toBe(old.keyId)
        yield* TestClock.adjust(1)
        expect((yield* currentKey).keyId).toBe(next.keyId)
        expect(yield* states).toEqual(["retired", "active"])
        yield* TestClock.adjust(signingKeyRetiredListedSeconds * 1_000 - 1)
        expect(yield* states).toEqual(["retired", "active"])
        yield* TestClock.adjust(1)
        expect(yield* states).toEqual(["active"])
      }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/signatures §7: keys that are no longer listed are deleted with the next rotation", () =>
    Effect.gen(function* () {
      const store = yield* SigningKeyStore
      const first = yield* rotateSigningKey
      expect(first.state).toBe("active")
      const second = yield* rotateSigningKey
      yield* TestClock.adjust("2 days")
      expect(yield* store.list(theServer)).toHaveLength(2)
      const third = yield* rotateSigningKey
      expect((yield* store.list(theServer)).map(({ keyId }) => keyId)).toEqual([second.keyId, third.keyId])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/signatures §7: signing and rotation go on when the clock is set back", () =>
    Effect.gen(function* () {
      const hour = 3_600_000
      const signer = yield* newSigner
      const signs = Effect.gen(function* () {
        const listed = yield* publicKeys
        const { keyId } = yield* currentKey
        expect(listed.filter(({ state }) => state === "active")).toMatchObject([{ keyId }])
        expect((yield* signer.current("acme")).keyId).toBe(keyId)
        return keyId
      })
      // The first key is from a clock that was ahead.
      yield* TestClock.setTime(24 * hour)
      const first = yield* signs
      yield* TestClock.setTime(0)
      expect(yield* signs).toBe(first)

      // Rotated while the clock was ahead, before and after the next key signs.
      yield* TestClock.setTime(48 * hour)
      const ahead = yield* rotateSigningKey
      yield* TestClock.setTime(25 * hour)
      expect(yield* signs).toBe(first)
      expect(yield* states).toEqual(["active", "next"])
      yield* TestClock.setTime(49 * hour)
      expect(yield* signs).toBe(ahead.keyId)
      yield* TestClock.setTime(25 * hour)
      expect(yield* signs).toBe(first)

      // It does not wait for a day.
      const next = yield* rotateSigningKey
      expect(next).toMatchObject({
        state: "next",
        activeFromMs: 25 * hour + signingKeyOverlapSeconds * 1_000,
      })
      expect(yield* rotateSigningKey).toEqual(next)
      expect(yield* signs).toBe(first)
      yield* TestClock.setTime(26 * hour)
      expect(yield* signs).toBe(next.keyId)
      expect(yield* states).toEqual(["retired", "active"])
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/signatures §18: a retired key of the server is listed for a day after it stopped signing when the key after it is revoked",
    () =>
      Effect.gen(function* () {
        const overlapMs = signingKeyOverlapSeconds * 1_000
        const first = yield* ensureSigningKey
        const second = yield* rotateSigningKey
        yield* TestClock.setTime(20 * overlapMs)
        const third = yield* rotateSigningKey
        yield* TestClock.adjust(overlapMs)
        yield* revokeServerKey(second.keyId)
        const listed = Effect.map(publicKeys, (keys) => keys.map(({ keyId }) => keyId))
        expect((yield* listed).slice(0, 2)).toEqual([first.keyId, third.keyId])
        yield* TestClock.setTime(second.activeFromMs + signingKeyRetiredListedSeconds * 1_000 - 1)
        expect(yield* listed).toContain(first.keyId)
        yield* TestClock.adjust(1)
        expect(yield* listed).not.toContain(first.keyId)
        // The server always has a key, even when the clock is set back to when the revoked key signed.
        yield* TestClock.setTime(second.activeFromMs)
        expect((yield* currentKey).keyId).toBe(first.keyId)
      }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/signatures §7: processes that start or rotate at once agree on one key", () =>
    Effect.gen(function* () {
      const started = yield* Effect.all(
        Array.from({ length: 20 }, () => ensureSigningKey),
        { concurrency: "unbounded" },
      )
      expect(new Set(started.map(({ keyId }) => keyId)).size).toBe(1)
      const rotated = yield* Effect.all(
        Array.from({ length: 20 }, () => rotateSigningKey),
        { concurrency: "unbounded" },
      )
      expect(new Set(rotated.map(({ keyId }) => keyId)).size).toBe(1)
      expect(yield* rotateSigningKey).toEqual(rotated[0])
      expect(yield* states).toEqual(["active", "next"])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/signatures §5: a process that lost the race takes over what the winner made", () =>
    Effect.gen(function* () {
      const store = yield* SigningKeyStore
      const raced = SigningKeyStore.of({
        ...store,
        append: (owner, append) => Effect.andThen(store.append(owner, append), store.append(owner, append)),
      })
      const key = yield* Effect.provideService(ensureSigningKey, SigningKeyStore, raced)
      expect((yield* store.list(theServer)).map(({ keyId }) => keyId)).toEqual([key.keyId])
      const next = yield* Effect.provideService(rotateSigningKey, SigningKeyStore, raced)
      expect((yield* store.list(theServer)).map(({ keyId }) => keyId)).toEqual([key.keyId, next.keyId])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("a private key is never shown", () =>
    Effect.gen(function* () {
      const key = yield* ensureSigningKey
      expect(`${String(key.privateKey)} ${JSON.stringify(key)}`).not.toContain(
        Buffer.from(Redacted.value(key.privateKey)).toString("base64").slice(0, 8),
      )
      expect(JSON.stringify(key.privateKey)).toBe('"<redacted>"')
    }).pipe(Effect.provide(layer)),
  )
})

describe("the signer", () => {
  it.effect(
    "spec/delivery §6: signs with the key that is active then, on every process at the same moment",
    () =>
      Effect.gen(function* () {
        const one = yield* newSigner
        const two = yield* newSigner
        const old = yield* one.current("acme")
        expect(yield* one.current("acme")).toBe(old)
        expect((yield* two.current("acme")).keyId).toBe(old.keyId)
        const next = yield* rotateSigningKey
        yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000 - 1)
        expect([(yield* one.current("acme")).keyId, (yield* two.current("acme")).keyId]).toEqual([
          old.keyId,
          old.keyId,
        ])
        yield* TestClock.adjust(1)
        for (const signer of [one, two]) {
          const { keyId, sign } = yield* signer.current("acme")
          const published = yield* currentKey
          expect(keyId).toBe(next.keyId)
          expect(published.keyId).toBe(next.keyId)
          const bytes = new TextEncoder().encode("base")
          expect(verify(null, bytes, published.publicKeyPem, sign(bytes))).toBe(true)
        }
      }).pipe(Effect.provide(layer)),
  )

  it.effect("asks the store at most every 30 s, and says when it is unavailable", () => {
    let asked = 0
    let isAway = false
    const counting = Layer.effect(
      SigningKeyStore,
      Effect.map(SigningKeyStoreMemory.make, (store) => ({
        ...store,
        list: (owner) =>
          Effect.suspend(() => {
            asked++
            return isAway
              ? Effect.fail(
                  new StoreIsUnavailable({
                    store: "SigningKeyStore",
                    operation: "list",
                    isRetryable: true,
                    cause: "away",
                  }),
                )
              : store.list(owner)
          }),
      })),
    )
    return Effect.gen(function* () {
      const signer = yield* Signer
      yield* signer.current("acme")
      const askedAtFirst = asked
      yield* TestClock.adjust(SigningKeyCache.signingKeyCacheMs - 1)
      yield* signer.current("acme")
      expect(asked).toBe(askedAtFirst)
      isAway = true
      yield* TestClock.adjust(1)
      expect(yield* Effect.flip(signer.current("acme"))).toMatchObject({
        _tag: "StoreIsUnavailable",
        store: "Signer",
        isRetryable: true,
      })
      isAway = false
      yield* signer.current("acme")
      const askedBefore = asked
      yield* TestClock.setTime(-3_600_000)
      yield* signer.current("acme")
      expect(asked).toBeGreaterThan(askedBefore)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(SignerNode.layer, Layer.merge(counting, SigningKeyGeneratorNode.layer)),
      ),
    )
  })
})
