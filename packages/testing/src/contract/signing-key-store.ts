import { describe, expect, it } from "./EffectTest.ts"
import { type SigningKey, SigningKeyStore } from "@tocsin/domain/internal/signature/SigningKeyStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

const signingKey = (keyId: string, activeFromMs: number): SigningKey => ({
  keyId,
  publicKey: new Uint8Array(32).fill(1),
  privateKey: Redacted.make(Uint8Array.from({ length: 32 }, (_, index) => index)),
  createdAtMs: 1_000,
  activeFromMs,
})

const first = signingKey("first", 1_000)
const second = signingKey("second", 2_000)

/** What every `SigningKeyStore` does. `layer` gives an empty one. */
export const signingKeyStoreContract = <E>(name: string, layer: Layer.Layer<SigningKeyStore, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, SigningKeyStore>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`SigningKeyStore ${name}`, () => {
    test(
      "is empty at first, and lists what was added, oldest first, private key and all",
      Effect.gen(function* () {
        const store = yield* SigningKeyStore
        expect(yield* store.list).toEqual([])
        expect(yield* store.append({ key: first, newestKeyId: undefined, removedKeyIds: [] })).toBe(true)
        expect(yield* store.append({ key: second, newestKeyId: "first", removedKeyIds: [] })).toBe(true)
        const keys = yield* store.list
        expect(keys).toEqual([first, second])
        expect(keys.map(({ privateKey }) => [...Redacted.value(privateKey)])).toEqual(
          [first, second].map(({ privateKey }) => [...Redacted.value(privateKey)]),
        )
      }),
    )

    test(
      "adds nothing and deletes nothing when the newest key is another one",
      Effect.gen(function* () {
        const store = yield* SigningKeyStore
        expect(yield* store.append({ key: first, newestKeyId: "other", removedKeyIds: [] })).toBe(false)
        yield* store.append({ key: first, newestKeyId: undefined, removedKeyIds: [] })
        for (const newestKeyId of [undefined, "other"]) {
          expect(yield* store.append({ key: second, newestKeyId, removedKeyIds: ["first"] })).toBe(false)
        }
        expect(yield* store.list).toEqual([first])
      }),
    )

    test(
      "deletes keys together with the addition, except for their public part",
      Effect.gen(function* () {
        const store = yield* SigningKeyStore
        const third = signingKey("third", 3_000)
        yield* store.append({ key: first, newestKeyId: undefined, removedKeyIds: [] })
        yield* store.append({ key: second, newestKeyId: "first", removedKeyIds: [] })
        const removedKeyIds = ["first", "unknown"]
        expect(yield* store.append({ key: third, newestKeyId: "second", removedKeyIds })).toBe(true)
        expect(yield* store.list).toEqual([second, third])
        expect(yield* store.findPublicKey("first")).toEqual(Option.some(first.publicKey))
        expect(yield* store.findPublicKey("third")).toEqual(Option.some(third.publicKey))
        expect(yield* store.findPublicKey("unknown")).toEqual(Option.none())
        expect(yield* store.findPublicKey("\u0000")).toEqual(Option.none())
      }),
    )

    test(
      "of many additions on the same state takes exactly one",
      Effect.gen(function* () {
        const store = yield* SigningKeyStore
        for (const round of [1, 2]) {
          const newestKeyId = (yield* store.list).at(-1)?.keyId
          const outcomes = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, index) => signingKey(`${round}-${index}`, round * 1_000)),
            (key) => store.append({ key, newestKeyId, removedKeyIds: [] }),
            { concurrency: "unbounded" },
          )
          expect(outcomes.filter((isAdded) => isAdded)).toHaveLength(1)
          expect(yield* store.list).toHaveLength(round)
        }
      }),
    )
  })
}
