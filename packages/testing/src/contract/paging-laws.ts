import { describe, expect, it } from "./EffectTest.ts"
import type { Page, PageRequest } from "@tocsin/domain/pagination"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as fc from "fast-check"

/** A list that is read in pages. `scope` keeps runs apart: each is an organization of its own. */
export interface PagedList<Key, E, R> {
  /** The stores, empty. */
  readonly layer: Layer.Layer<R, E>
  /** The keys of elements; any two that differ can be in one list. */
  readonly key: fc.Arbitrary<Key>
  /** The order of the list: below 0 when the first comes first, 0 when they are equal. */
  readonly compare: (a: Key, b: Key) => number
  readonly add: (scope: string, key: Key) => Effect.Effect<unknown, unknown, R>
  /** Absent where elements cannot be removed. */
  readonly remove?: (scope: string, key: Key) => Effect.Effect<unknown, unknown, R>
  readonly page: (scope: string, request: PageRequest<Key>) => Effect.Effect<Page<Key>, unknown, R>
}

/**
 * The laws of every list that is read in pages: each element exactly once and in order with every limit, `hasMore`
 * exact, and none lost or returned twice while others are added and removed.
 *
 * Source: spec/status-api §7.
 */
export const pagingLaws = <Key, E, R>(name: string, list: PagedList<Key, E, R>): void => {
  const keys = fc.uniqueArray(list.key, { maxLength: 40, comparator: (a, b) => list.compare(a, b) === 0 })
  const limit = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 500 }))
  const scope = fc.uuid()
  const sorted = (some: ReadonlyArray<Key>): ReadonlyArray<Key> => some.toSorted(list.compare)

  const pageAfter = (scope: string, limit: number, last: Key | undefined) =>
    list.page(scope, last === undefined ? { limit } : { limit, after: last })

  describe(`the pages of ${name}`, () => {
    it.effect.prop(
      "spec/status-api §7: return each element exactly once, in order, with every limit",
      [scope, keys, limit],
      ([scope, keys, limit]) =>
        Effect.gen(function* () {
          for (const key of keys) yield* list.add(scope, key)
          const read: Array<Key> = []
          for (let hasMore = true; hasMore;) {
            const page = yield* pageAfter(scope, limit, read.at(-1))
            expect(page.items.length).toBe(Math.min(limit, keys.length - read.length))
            read.push(...page.items)
            hasMore = page.hasMore
            expect(hasMore).toBe(read.length < keys.length)
          }
          expect(read).toEqual(sorted(keys))
        }).pipe(Effect.provide(list.layer)),
      { fastCheck: { numRuns: 50 } },
    )

    it.effect.prop(
      "spec/status-api §7: return an SLO that exists throughout exactly once while others are added and removed",
      [
        scope,
        keys,
        limit,
        fc.array(fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 6 }), { maxLength: 40 }),
      ],
      ([scope, keys, limit, changes]) =>
        Effect.gen(function* () {
          const staying = keys.filter((_, index) => index % 2 === 0)
          const passing = keys.filter((_, index) => index % 2 === 1)
          const present = new Set<Key>()
          for (const key of staying) yield* list.add(scope, key)
          const change = (index: number, isAdded: boolean) => {
            const key = passing[index % Math.max(1, passing.length)]
            if (key === undefined || isAdded === present.has(key)) return Effect.void
            if (isAdded)
              return Effect.andThen(
                Effect.sync(() => present.add(key)),
                list.add(scope, key),
              )
            if (list.remove === undefined) return Effect.void
            return Effect.andThen(
              Effect.sync(() => present.delete(key)),
              list.remove(scope, key),
            )
          }
          const read: Array<Key> = []
          let turn = 0
          for (let hasMore = true; hasMore; turn++) {
            for (const [index, isAdded] of changes[turn] ?? []) yield* change(index, isAdded)
            const page = yield* pageAfter(scope, limit, read.at(-1))
            expect(page.items.length).toBeLessThanOrEqual(limit)
            if (page.hasMore) expect(page.items.length).toBe(limit)
            read.push(...page.items)
            hasMore = page.hasMore
          }
          // Strictly in order, so nothing is returned twice.
          for (const [index, key] of read.entries()) {
            if (index > 0) expect(list.compare(read[index - 1] ?? key, key)).toBeLessThan(0)
          }
          const isIn = (some: ReadonlyArray<Key>, key: Key): boolean =>
            some.some((other) => list.compare(other, key) === 0)
          expect(read.filter((key) => isIn(staying, key))).toEqual(sorted(staying))
          expect(read.every((key) => isIn(keys, key))).toBe(true)
        }).pipe(Effect.provide(list.layer)),
      { fastCheck: { numRuns: 50 } },
    )

    it.effect("spec/status-api §7: hold nothing of another organization", () =>
      Effect.gen(function* () {
        for (const key of fc.sample(list.key, 3)) yield* list.add("one", key)
        expect(yield* list.page("another", { limit: 500 })).toEqual({ items: [], hasMore: false })
      }).pipe(Effect.provide(list.layer)),
    )
  })
}
