import { describe, expect, it } from "./EffectTest.ts"
import type { Review } from "@tocsin/domain/features/report"
import { type ReportPlace, ReviewStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { pagingLaws } from "./paging-laws.ts"

const organization = "acme"
const hour = 3_600_000
const start = Date.UTC(2026, 0, 1)
const limits = { reviews: 100, bytes: 1_000_000 }

const aReview = (id: string, changed: Partial<Review> = {}): Review => ({
  id,
  title: "Ünï",
  scope: { project: "shop", service: "web" },
  period: { from: start, to: start + hour },
  createdAt: start + 2 * hour,
  results: { met: 3, missed: 1, insufficient_data: 2 },
  document: `{"id":"${id}","slos":[\n{"text":"Ünï\\u0000"}\n]}`,
  keyId: "key-1",
  signature: "c2lnbmF0dXJl",
  ...changed,
})

const summaryOf = ({ document: _json, keyId: _key, signature: _signature, ...summary }: Review) => summary

/** What every `ReviewStore` does; `layer` gives an empty one. */
export const reviewStoreContract = <E>(name: string, layer: Layer.Layer<ReviewStore, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, ReviewStore>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`ReviewStore ${name}`, () => {
    test(
      "spec/reports §9: returns a review as it was added, to its organization alone, until it is deleted",
      Effect.gen(function* () {
        const { add, find, findNotes, list, remove } = yield* ReviewStore
        const review = aReview("r-1", { nextReviewAt: start })
        expect(yield* add(organization, review, limits)).toBe(true)
        expect(yield* find(organization, "r-1")).toEqual(Option.some(review))
        expect(yield* findNotes(organization, "r-1")).toEqual(
          Option.some({ revision: 0, nextReviewAt: start }),
        )
        expect(yield* list(organization, { limit: 10 })).toEqual({
          items: [summaryOf(review)],
          hasMore: false,
        })
        for (const [scope, id] of [
          ["globex", "r-1"],
          [organization, "\u0000"],
        ] as const) {
          expect(yield* find(scope, id)).toEqual(Option.none())
          expect(yield* findNotes(scope, id)).toEqual(Option.none())
          expect(yield* remove(scope, id)).toBe(false)
        }
        expect(yield* remove(organization, "r-1")).toBe(true)
        expect(yield* find(organization, "r-1")).toEqual(Option.none())
        expect(yield* remove(organization, "r-1")).toBe(false)
      }),
    )

    test(
      "spec/reports §9: stores no more than the limits allow",
      Effect.gen(function* () {
        const { add, find } = yield* ReviewStore
        const bytes = new TextEncoder().encode(aReview("r-1").document).length
        expect(yield* add(organization, aReview("r-1"), { reviews: 1, bytes: bytes - 1 })).toBe(false)
        expect(yield* add(organization, aReview("r-1"), { reviews: 1, bytes })).toBe(true)
        expect(yield* add(organization, aReview("r-2"), { reviews: 1, bytes: 3 * bytes })).toBe(false)
        expect(yield* add(organization, aReview("r-2"), { reviews: 2, bytes: 2 * bytes - 1 })).toBe(false)
        expect(yield* find(organization, "r-2")).toEqual(Option.none())
        expect(yield* add("globex", aReview("r-2"), { reviews: 1, bytes })).toBe(true)
      }),
    )

    test(
      "spec/reports §10: a later review of the same scope ends the next review of those before",
      Effect.gen(function* () {
        const { add, areReviewed, due, find, findNotes, writeNotes } = yield* ReviewStore
        const other = { scope: { project: "shop" }, nextReviewAt: start + 1 }
        yield* add(organization, aReview("r-1", { nextReviewAt: start }), limits)
        yield* add(organization, aReview("r-2", other), limits)
        yield* add("globex", aReview("r-3", { nextReviewAt: start }), limits)
        const dueAt = (before: number, limit = 10) =>
          Effect.map(due(organization, before, limit), (found) => found.map(({ id }) => id))
        const { scope } = aReview("any")
        expect(yield* areReviewed(organization, [{}, scope, other.scope])).toEqual([false, true, true])
        expect(yield* areReviewed("globex", [other.scope, scope])).toEqual([false, true])
        expect(yield* areReviewed("initech", [])).toEqual([])
        expect(yield* dueAt(start - 1)).toEqual([])
        expect(yield* dueAt(start)).toEqual(["r-1"])
        expect(yield* dueAt(start + 1)).toEqual(["r-1", "r-2"])
        expect(yield* dueAt(start + 1, 1)).toEqual(["r-1"])
        yield* add(organization, aReview("r-4", { nextReviewAt: start + 9 }), limits)
        expect(yield* dueAt(start + 9)).toEqual(["r-2", "r-4"])
        expect(Option.map(yield* find(organization, "r-1"), summaryOf)).toEqual(
          Option.some(summaryOf(aReview("r-1"))),
        )
        // Its notes have changed by that, once.
        yield* add(organization, aReview("r-5"), limits)
        expect(yield* findNotes(organization, "r-1")).toEqual(Option.some({ revision: 1 }))
        expect(yield* writeNotes(organization, "r-1", { nextReviewAt: start }, 0)).toBe("changed")
        // Only the newest of those with a next review is due.
        yield* writeNotes(organization, "r-1", { nextReviewAt: start }, undefined)
        yield* writeNotes(organization, "r-4", { nextReviewAt: start + 9 }, undefined)
        expect(yield* dueAt(start)).toEqual([])
        expect(yield* dueAt(start + 9)).toEqual(["r-2", "r-4"])
        yield* writeNotes(organization, "r-4", {}, undefined)
        expect(yield* dueAt(start)).toEqual(["r-1"])
      }),
    )

    test(
      "spec/reports §10: replaces notes, unless they are of another revision",
      Effect.gen(function* () {
        const { add, due, findNotes, writeNotes } = yield* ReviewStore
        yield* add(organization, aReview("r-1"), limits)
        const notes = {
          text: "Ünï",
          slos: [{ project: "shop", slo: "checkout", text: "Lower" }],
          updatedAt: start,
          updatedBy: "ada",
        }
        const first = yield* writeNotes(organization, "r-1", { ...notes, nextReviewAt: start }, 0)
        expect(first).toEqual({ ...notes, nextReviewAt: start, revision: 1 })
        expect(yield* due(organization, start, 10)).toHaveLength(1)
        expect(yield* writeNotes(organization, "r-1", { text: "Lost" }, 0)).toBe("changed")
        expect(yield* findNotes(organization, "r-1")).toEqual(Option.some(first))
        expect(yield* writeNotes(organization, "r-1", { text: "Any" }, undefined)).toEqual({
          text: "Any",
          revision: 2,
        })
        expect(yield* due(organization, start, 10)).toEqual([])
        expect(yield* writeNotes(organization, "r-2", notes, undefined)).toBe("not_found")
        expect(yield* writeNotes("globex", "r-1", notes, undefined)).toBe("not_found")
      }),
    )
  })

  pagingLaws<ReportPlace, E, ReviewStore>(`the reviews ${name}`, {
    layer,
    key: fc.record({ from: fc.integer({ min: 0, max: 3 }), id: fc.stringMatching(/^[a-z]{1,3}$/) }),
    compare: (a, b) => b.from - a.from || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
    add: (scope, { from, id }) =>
      Effect.flatMap(ReviewStore, ({ add }) =>
        add(scope, aReview(`${from}-${id}`, { period: { from, to: from + hour } }), limits),
      ),
    remove: (scope, { from, id }) =>
      Effect.flatMap(ReviewStore, ({ remove }) => remove(scope, `${from}-${id}`)),
    page: (scope, { limit, after }) =>
      Effect.flatMap(ReviewStore, ({ list }) =>
        Effect.map(
          list(scope, {
            limit,
            ...(after && { after: { from: after.from, id: `${after.from}-${after.id}` } }),
          }),
          (page) => ({
            ...page,
            items: page.items.map(({ id, period }) => ({ from: period.from, id: id.slice(2) })),
          }),
        ),
      ),
  })
}
