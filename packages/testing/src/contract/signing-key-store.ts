import { describe, expect, it } from "./EffectTest.ts"
import { type KeyOwner, type SigningKey, SigningKeyStore, theServer } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"

const signingKey = (keyId: string, activeFromMs: number): SigningKey => ({
  keyId,
  publicKey: new Uint8Array(32).fill(1),
  privateKey: Redacted.make(Uint8Array.from({ length: 32 }, (_, index) => index)),
  createdAtMs: 1_000,
  activeFromMs,
})

const first = signingKey("first", 1_000)
const second = signingKey("second", 2_000)
const third = signingKey("third", 3_000)

/** What every `SigningKeyStore` does. `layer` gives an empty one. */
export const signingKeyStoreContract = <E>(
  name: string,
  layer: Layer.Layer<SigningKeyStore, E>,
  numRuns = 100,
): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, SigningKeyStore>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  for (const owner of [theServer, "acme"]) {
    describe(`SigningKeyStore ${name}, keys of ${owner === theServer ? "the server" : "an organization"}`, () => {
      test(
        "is empty at first, and lists what was added, oldest first, private key and all",
        Effect.gen(function* () {
          const store = yield* SigningKeyStore
          expect(yield* store.list(owner)).toEqual([])
          expect(yield* store.append(owner, { key: first, newest: undefined, removedKeyIds: [] })).toBe(true)
          expect(yield* store.append(owner, { key: second, newest: first, removedKeyIds: [] })).toBe(true)
          const keys = yield* store.list(owner)
          expect(keys).toStrictEqual([first, second])
          expect(keys.map(({ privateKey }) => [...Redacted.value(privateKey)])).toEqual(
            [first, second].map(({ privateKey }) => [...Redacted.value(privateKey)]),
          )
        }),
      )

      test(
        "adds nothing and deletes nothing when the newest key is another one",
        Effect.gen(function* () {
          const store = yield* SigningKeyStore
          expect(yield* store.append(owner, { key: first, newest: second, removedKeyIds: [] })).toBe(false)
          yield* store.append(owner, { key: first, newest: undefined, removedKeyIds: [] })
          for (const newest of [undefined, third, { ...first, endsAtMs: 5_000 }]) {
            expect(yield* store.append(owner, { key: second, newest, removedKeyIds: ["first"] })).toBe(false)
          }
          expect(yield* store.list(owner)).toEqual([first])
          expect(yield* store.listPublicKeys(owner)).toHaveLength(1)
        }),
      )

      test(
        "deletes keys together with the addition, except for their public part",
        Effect.gen(function* () {
          const store = yield* SigningKeyStore
          yield* store.append(owner, { key: first, newest: undefined, removedKeyIds: [] })
          yield* store.append(owner, { key: second, newest: first, removedKeyIds: [] })
          const removedKeyIds = ["first", "unknown"]
          expect(yield* store.append(owner, { key: third, newest: second, removedKeyIds })).toBe(true)
          expect(yield* store.list(owner)).toEqual([second, third])
          const publicKeys = yield* store.listPublicKeys(owner)
          expect(publicKeys.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))).toStrictEqual(
            [first, second, third].map(({ keyId, publicKey }) => ({ keyId, publicKey })),
          )
        }),
      )

      test(
        "ends a key together with the addition",
        Effect.gen(function* () {
          const store = yield* SigningKeyStore
          yield* store.append(owner, { key: first, newest: undefined, removedKeyIds: [] })
          yield* store.append(owner, { key: second, newest: first, removedKeyIds: [] })
          const end = { keyId: "first", endsAtMs: 2_000 }
          const removedKeyIds = ["second"]
          expect(yield* store.append(owner, { key: third, newest: first, removedKeyIds, end })).toBe(false)
          expect(yield* store.list(owner)).toEqual([first, second])
          expect(yield* store.append(owner, { key: third, newest: second, removedKeyIds, end })).toBe(true)
          expect(yield* store.list(owner)).toStrictEqual([{ ...first, endsAtMs: 2_000 }, third])
        }),
      )

      test(
        "of many additions on the same state takes exactly one",
        Effect.gen(function* () {
          const store = yield* SigningKeyStore
          for (const round of [1, 2]) {
            const newest = (yield* store.list(owner)).at(-1)
            const outcomes = yield* Effect.forEach(
              Array.from({ length: 20 }, (_, index) => signingKey(`${round}-${index}`, round * 1_000)),
              (key) => store.append(owner, { key, newest, removedKeyIds: [] }),
              { concurrency: "unbounded" },
            )
            expect(outcomes.filter((isAdded) => isAdded)).toHaveLength(1)
            expect(yield* store.list(owner)).toHaveLength(round)
          }
        }),
      )
    })
  }

  describe(`SigningKeyStore ${name}`, () => {
    test(
      "keeps the keys of each owner apart, also with the same ID",
      Effect.gen(function* () {
        const store = yield* SigningKeyStore
        expect(yield* store.listOrganizations).toEqual([])
        yield* store.append("globex", { key: second, newest: undefined, removedKeyIds: [] })
        yield* store.append(theServer, { key: first, newest: undefined, removedKeyIds: ["second"] })
        yield* store.append("acme", { key: first, newest: undefined, removedKeyIds: ["second"] })
        yield* store.setEnd("acme", { newest: first, keyId: "first", endsAtMs: 9, removedKeyIds: ["second"] })
        expect(yield* store.list(theServer)).toEqual([first])
        expect(yield* store.list("acme")).toEqual([{ ...first, endsAtMs: 9 }])
        expect(yield* store.list("globex")).toEqual([second])
        expect((yield* store.listPublicKeys("globex")).map(({ keyId }) => keyId)).toEqual(["second"])
        expect(yield* store.list("nobody")).toEqual([])
        expect(yield* store.listPublicKeys("nobody")).toEqual([])
        expect((yield* store.listOrganizations).toSorted()).toEqual(["acme", "globex"])
      }),
    )

    test(
      "of an end and an addition on the same state takes exactly one",
      Effect.gen(function* () {
        const store = yield* SigningKeyStore
        for (const organization of Array.from({ length: 10 }, (_, index) => `o-${index}`)) {
          yield* store.append(organization, { key: first, newest: undefined, removedKeyIds: [] })
          const outcomes = yield* Effect.all(
            [
              store.append(organization, { key: second, newest: first, removedKeyIds: [] }),
              store.setEnd(organization, { newest: first, keyId: "first", endsAtMs: 9, removedKeyIds: [] }),
            ],
            { concurrency: "unbounded" },
          )
          expect(outcomes.filter((isChanged) => isChanged)).toHaveLength(1)
          expect(yield* store.list(organization)).toEqual(
            outcomes[0] ? [first, second] : [{ ...first, endsAtMs: 9 }],
          )
        }
      }),
    )

    it.effect.prop(
      "does what a list of keys for each owner does",
      [fc.array(change, { maxLength: 12 })],
      ([changes]) =>
        Effect.gen(function* () {
          const store = yield* SigningKeyStore
          const model = new Map<KeyOwner, ReadonlyArray<SigningKey>>()
          for (const [at, { owner, isCurrent, isEnd, endsAtMs, removes }] of changes.entries()) {
            const keys = model.get(owner) ?? []
            const last = keys.at(-1)
            const newest = isCurrent ? last : { keyId: "other" }
            const removedKeyIds = removes ? keys.slice(0, -1).map(({ keyId }) => keyId) : []
            const kept = keys.filter(({ keyId }) => !removedKeyIds.includes(keyId))
            if (isEnd && owner !== theServer && last !== undefined) {
              const { endsAtMs: _previous, ...endless } = last
              const { keyId } = last
              const isSet = yield* store.setEnd(owner, { newest, keyId, endsAtMs, removedKeyIds })
              expect(isSet).toBe(isCurrent)
              const ended = { ...endless, ...(endsAtMs !== undefined && { endsAtMs }) }
              if (isSet) model.set(owner, [...kept.slice(0, -1), ended])
            } else {
              const key = signingKey(`key-${at}`, at)
              const isAdded = yield* store.append(owner, { key, newest, removedKeyIds })
              expect(isAdded).toBe(isCurrent)
              if (isAdded) model.set(owner, [...kept, key])
            }
          }
          for (const owner of owners) expect(yield* store.list(owner)).toStrictEqual(model.get(owner) ?? [])
          expect((yield* store.listOrganizations).toSorted()).toEqual(
            owners.filter((owner) => owner !== theServer && model.has(owner)).toSorted(),
          )
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns } },
    )
  })
}

const owners: ReadonlyArray<KeyOwner> = [theServer, "acme", "globex"]

const change = fc.record({
  owner: fc.constantFrom(...owners),
  isCurrent: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  isEnd: fc.boolean(),
  endsAtMs: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
  removes: fc.boolean(),
})
