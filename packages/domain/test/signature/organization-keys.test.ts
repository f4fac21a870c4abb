import { SigningKeyStoreMemory } from "@tocsin/adapters-memory"
import { SignerNode, SigningKeyGeneratorNode } from "@tocsin/adapters-http/crypto"
import {
  createOrganizationKey,
  endOrganizationKey,
  ensureSigningKey,
  organizationKeys,
  publicKeys,
  rotateOrganizationKey,
  rotateSigningKey,
} from "@tocsin/domain"
import { SigningKeyCache } from "@tocsin/domain/adapter"
import { retiredKeysMax, signingKeyOverlapSeconds } from "@tocsin/domain/limits"
import { SigningKeyStore, theServer, StoreIsUnavailable } from "@tocsin/domain/ports"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "@tocsin/testing/vitest"

const overlapMs = signingKeyOverlapSeconds * 1_000

const layer = SigningKeyCache.layer.pipe(
  Layer.provideMerge(Layer.merge(SigningKeyStoreMemory.layer, SigningKeyGeneratorNode.layer)),
)

/** A signer with a cache of its own, as another process has it. */
const newSigner = Effect.provideServiceEffect(
  SignerNode.make,
  SigningKeyCache.SigningKeyCache,
  SigningKeyCache.make,
)

const keyIds = (keys: ReadonlyArray<{ readonly keyId: string }>) => keys.map(({ keyId }) => keyId)

describe("the keys of an organization", () => {
  it.effect("spec/signatures §13: editors who create or rotate at once get one key", () =>
    Effect.gen(function* () {
      const atOnce = <A, E, R>(change: Effect.Effect<A, E, R>) =>
        Effect.all(
          Array.from({ length: 20 }, () => change),
          { concurrency: "unbounded" },
        )
      const created = yield* atOnce(createOrganizationKey("acme"))
      expect(new Set(keyIds(created)).size).toBe(1)
      yield* TestClock.adjust(overlapMs)
      const rotated = yield* atOnce(rotateOrganizationKey("acme"))
      expect(new Set(keyIds(rotated)).size).toBe(1)
      const ended = yield* atOnce(endOrganizationKey("acme"))
      expect(ended.map(({ keyId, endsAtMs }) => [keyId, endsAtMs])).toEqual(
        Array.from({ length: 20 }, () => [rotated[0]?.keyId, 3 * overlapMs]),
      )
      expect((yield* organizationKeys("acme")).keys).toHaveLength(2)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/signatures §14: a change that lost against a deletion is made on what it left", () =>
    Effect.gen(function* () {
      const store = yield* SigningKeyStore
      const { keyId } = yield* createOrganizationKey("acme")
      yield* TestClock.adjust(overlapMs)
      const ports = yield* Effect.context<SigningKeyCache.SigningKeyCache | SigningKeyStore>()
      const deletion = Effect.provide(Effect.ignore(endOrganizationKey("acme")), ports)
      const raced = SigningKeyStore.of({
        ...store,
        append: (owner, append) => Effect.andThen(deletion, store.append(owner, append)),
      })
      const rotating = Effect.provideService(rotateOrganizationKey("acme"), SigningKeyStore, raced)
      expect(yield* Effect.flip(rotating)).toMatchObject({
        _tag: "OrganizationKeyEnds",
        endsAtMs: 2 * overlapMs,
      })
      expect(keyIds((yield* organizationKeys("acme")).keys)).toEqual([keyId])
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/signatures §14: a key from a clock that was ahead is deleted, and its end is not kept",
    () =>
      Effect.gen(function* () {
        const first = yield* createOrganizationKey("acme")
        yield* TestClock.adjust(overlapMs)
        yield* TestClock.setTime(100 * overlapMs)
        const ahead = yield* rotateOrganizationKey("acme")
        expect(ahead.activeFromMs).toBe(101 * overlapMs)
        yield* TestClock.setTime(3 * overlapMs)
        expect(yield* endOrganizationKey("acme")).toMatchObject({
          keyId: first.keyId,
          endsAtMs: 4 * overlapMs,
        })
        expect(keyIds((yield* organizationKeys("acme")).keys)).toEqual([first.keyId])

        // The end, too, is from a clock that was ahead.
        yield* TestClock.setTime(2 * overlapMs)
        expect(yield* endOrganizationKey("acme")).toMatchObject({ endsAtMs: 3 * overlapMs })
        // Before the first key signed, the server's did.
        yield* TestClock.setTime(overlapMs - 1)
        expect((yield* organizationKeys("acme")).signedBy).toBe("server")
      }).pipe(Effect.provide(layer)),
  )

  const step = fc.record({
    change: fc.constantFrom("create", "rotate", "end", "none"),
    passedMs: fc.oneof(
      fc.constantFrom(0, 1, overlapMs - 1, overlapMs, overlapMs / 2, 86_400_000),
      fc.integer({ min: 0, max: 3 * overlapMs }),
    ),
  })

  it.effect.prop(
    "spec/signatures §13: whatever editors do, a list that a receiver cached 5 minutes ago has each key of the organization that signs",
    [fc.array(step, { maxLength: 25 })],
    ([steps]) =>
      Effect.gen(function* () {
        const signer = yield* newSigner
        const server = yield* ensureSigningKey
        const changes = {
          create: createOrganizationKey("acme"),
          rotate: rotateOrganizationKey("acme"),
          end: endOrganizationKey("acme"),
        }
        let cached: ReadonlyArray<string> = []
        for (const { change, passedMs } of steps) {
          const before = (yield* signer.current("acme")).keyId
          if (change !== "none") yield* Effect.result(changes[change])
          // What a receiver gets now from any process, and keeps for 5 minutes.
          const listed = yield* Effect.result(publicKeys("acme"))
          cached = Result.isSuccess(listed) ? keyIds(listed.success) : []
          expect(cached.length).toBeLessThanOrEqual(retiredKeysMax + 3)
          const { keys, signedBy } = yield* organizationKeys("acme")
          expect(keys.filter(({ state }) => state === "active").length).toBe(signedBy === "server" ? 0 : 1)
          // No change takes effect at once.
          expect((yield* signer.current("acme")).keyId).toBe(before)
          const aheadMs = Math.min(passedMs, 300_000)
          yield* TestClock.adjust(aheadMs)
          const { keyId } = yield* signer.current("acme")
          if (keyId !== server.keyId) expect(cached).toContain(keyId)
          yield* TestClock.adjust(passedMs - aheadMs)
        }
      }).pipe(Effect.provide(layer)),
    { fastCheck: { numRuns: 100 } },
  )
})

describe("the cache of signing keys", () => {
  it.effect("reads once for all who ask at the same time, also when the first is interrupted", () =>
    Effect.gen(function* () {
      const stored = yield* SigningKeyStore
      yield* ensureSigningKey
      const gate = yield* Deferred.make<void>()
      let reads = 0
      const slow = SigningKeyStore.of({
        ...stored,
        list: (owner) =>
          Effect.andThen(
            Effect.sync(() => reads++),
            Effect.andThen(Deferred.await(gate), stored.list(owner)),
          ),
      })
      const cache = yield* Effect.provideService(SigningKeyCache.make, SigningKeyStore, slow)
      const first = yield* Effect.forkChild(cache.keysOf(theServer))
      const others = yield* Effect.forEach(Array.from({ length: 50 }), () =>
        Effect.forkChild(cache.keysOf(theServer)),
      )
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      for (const other of others) expect(yield* Fiber.join(other)).toHaveLength(1)
      expect(reads).toBe(1)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("does not keep what was read before a change of this process, nor a failure", () =>
    Effect.gen(function* () {
      const stored = yield* SigningKeyStore
      yield* ensureSigningKey
      const hasRead = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      let isAway = false
      const slow = SigningKeyStore.of({
        ...stored,
        list: (owner) =>
          isAway
            ? Effect.fail(
                new StoreIsUnavailable({
                  store: "SigningKeyStore",
                  operation: "list",
                  isRetryable: true,
                  cause: "away",
                }),
              )
            : Effect.tap(stored.list(owner), () =>
                Effect.andThen(Deferred.succeed(hasRead, undefined), Deferred.await(gate)),
              ),
      })
      const cache = yield* Effect.provideService(SigningKeyCache.make, SigningKeyStore, slow)
      const reading = yield* Effect.forkChild(cache.keysOf(theServer))
      yield* Deferred.await(hasRead)
      yield* rotateSigningKey
      yield* cache.forget(theServer)
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(reading)).toHaveLength(1)
      expect(yield* cache.keysOf(theServer)).toHaveLength(2)
      yield* TestClock.adjust(SigningKeyCache.signingKeyCacheMs)
      isAway = true
      expect(yield* Effect.flip(cache.keysOf(theServer))).toMatchObject({ isRetryable: true })
      isAway = false
      expect(yield* cache.keysOf(theServer)).toHaveLength(2)
    }).pipe(Effect.provide(layer)),
  )
})
