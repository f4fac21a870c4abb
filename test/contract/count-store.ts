import { describe, expect, it } from "@effect/vitest"
import type { DefinitionStore } from "@tocsin/domain/definition/DefinitionStore"
import { CountStore, type Count } from "@tocsin/domain/slo/CountStore"
import { SloStore } from "@tocsin/domain/slo/SloStore"
import { Effect, type Layer, TestClock } from "effect"
import fc from "fast-check"
import { anSlo, putDefinitions, removeSlos } from "./slo-definitions.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const minute = 60_000
const day = 86_400_000
const start = Date.UTC(2026, 0, 30)

/** What every `CountStore` does, together with the stores that write beside it. `layer` gives empty ones. */
export const countStoreContract = <E>(
  name: string,
  layer: Layer.Layer<SloStore | CountStore | DefinitionStore, E>,
): void => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, SloStore | CountStore | DefinitionStore>,
  ): void =>
    it.effect(what, () =>
      Effect.provide(
        Effect.zipRight(
          Effect.zipRight(TestClock.setTime(start), putDefinitions(organization, [anSlo(key)])),
          effect,
        ),
        layer,
      ),
    )

  describe(`CountStore ${name}`, () => {
    test(
      "sums the minutes of each objective, from ≤ at < to",
      Effect.gen(function* () {
        yield* record([
          { objective: "good", at: start, good: 1, total: 2 },
          { objective: "good", at: start + minute, good: 10, total: 20 },
          { objective: "good", at: start + 2 * minute, good: 100, total: 200 },
          { objective: "great", at: start + minute, good: 0, total: 0 },
        ])
        expect(yield* sums(start, start + 2 * minute)).toEqual([
          { objective: "good", good: 11, total: 22 },
          { objective: "great", good: 0, total: 0 },
        ])
        expect(yield* sums(start + 2 * minute, start + 3 * minute)).toEqual([
          { objective: "good", good: 100, total: 200 },
        ])
        expect(yield* sums(start - day, start)).toEqual([])
        expect(yield* sums(start, start)).toEqual([])
      }),
    )

    test(
      "6.3: the same objective and minute again replaces",
      Effect.gen(function* () {
        yield* record([{ objective: "good", at: start, good: 0.1, total: 0.2 }])
        yield* record([{ objective: "good", at: start + minute, good: 1, total: 1 }])
        yield* record([{ objective: "good", at: start, good: 0, total: 5 }])
        expect(yield* sums(start, start + 2 * minute)).toEqual([{ objective: "good", good: 1, total: 6 }])
      }),
    )

    test(
      "loses nothing of recordings at once",
      Effect.gen(function* () {
        const minutes = Array.from({ length: 20 }, (_, index) => start + index * minute)
        yield* Effect.forEach(minutes, (at) => record([{ objective: "good", at, good: 1, total: 2 }]), {
          concurrency: "unbounded",
        })
        expect(yield* sums(start, start + 60 * minute)).toEqual([{ objective: "good", good: 20, total: 40 }])
      }),
    )

    test(
      "takes the last one of a minute that stands in a list twice",
      Effect.gen(function* () {
        yield* record([
          { objective: "good", at: start, good: 1, total: 2 },
          { objective: "good", at: start, good: 3, total: 4 },
        ])
        expect(yield* sums(start, start + minute)).toEqual([{ objective: "good", good: 3, total: 4 }])
      }),
    )

    test(
      "writes nothing of an SLO that does not exist",
      Effect.gen(function* () {
        const store = yield* CountStore
        const other = { project: "shop", name: "other" }
        const counts = [{ objective: "good", at: start, good: 1, total: 1 }]
        expect(yield* store.record(organization, other, counts)).toBe(false)
        expect(yield* store.record("other", key, counts)).toBe(false)
        yield* putDefinitions(organization, [anSlo(other)])
        expect((yield* store.sums(organization, other, { from: 0, to: start + day })).sums).toEqual([])
      }),
    )

    test(
      "keeps organizations and SLOs apart",
      Effect.gen(function* () {
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [anSlo(other)])
        yield* putDefinitions("other", [anSlo(key)])
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        const store = yield* CountStore
        const range = { from: 0, to: start + day }
        expect((yield* store.sums(organization, other, range)).sums).toEqual([])
        expect((yield* store.sums("other", key, range)).sums).toEqual([])
      }),
    )

    test(
      "keeps the counts when the definition is replaced, and drops them when it is removed",
      Effect.gen(function* () {
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        yield* putDefinitions(organization, [anSlo(key, { description: "new" })])
        expect(yield* sums(start, start + minute)).toHaveLength(1)
        yield* removeSlos(organization, [key])
        expect(yield* sums(start, start + minute)).toEqual([])
      }),
    )

    test(
      "makes the SLO due at once, and changes the revision with every recording",
      Effect.gen(function* () {
        const store = yield* CountStore
        const slos = yield* SloStore
        const range = { from: start, to: start + minute }
        const [due] = yield* slos.dueForStatus(start, 1)
        const { revision } = yield* store.sums(organization, key, range)
        const status = { version: due?.slo.version ?? "", countsRevision: revision, tailJson: '"name":""}' }
        expect(yield* slos.writeStatus(organization, key, status)).toBe(true)
        expect(yield* slos.dueForStatus(Number.MAX_SAFE_INTEGER, 1)).toEqual([])
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        expect(yield* slos.dueForStatus(start, 1)).toHaveLength(1)
        const next = yield* store.sums(organization, key, range)
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        const last = yield* store.sums(organization, key, range)
        expect(new Set([revision, next.revision, last.revision]).size).toBe(3)
      }),
    )

    test(
      "6.3: keeps counts for 31 days",
      Effect.gen(function* () {
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        yield* TestClock.adjust("31 days")
        yield* record([{ objective: "great", at: start + 31 * day, good: 2, total: 2 }])
        expect(yield* sums(start, start + 32 * day)).toEqual([
          { objective: "good", good: 1, total: 1 },
          { objective: "great", good: 2, total: 2 },
        ])
      }),
    )

    it.effect.prop(
      "sums as adding up minute by minute does",
      [
        fc.uuid(),
        fc.array(fc.array(counts, { maxLength: 20 }), { maxLength: 10 }),
        fc.array(ranges, { maxLength: 10 }),
      ],
      ([organization, lists, ranges]) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(start)
          yield* putDefinitions(organization, [anSlo(key)])
          const store = yield* CountStore
          const kept = new Map<string, Count>()
          for (const list of lists) {
            const unique = new Map(list.map((count) => [`${count.objective} ${count.at}`, count]))
            yield* store.record(organization, key, [...unique.values()])
            for (const [id, count] of unique) kept.set(id, count)
          }
          for (const range of ranges) {
            const expected = new Map<string, { good: number; total: number }>()
            for (const { objective, at, good, total } of kept.values()) {
              if (at < range.from || at >= range.to) continue
              const sum = expected.get(objective) ?? { good: 0, total: 0 }
              expected.set(objective, { good: sum.good + good, total: sum.total + total })
            }
            const { sums } = yield* store.sums(organization, key, range)
            expect(new Map(sums.map(({ objective, ...sum }) => [objective, sum]))).toEqual(expected)
          }
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: 50 } },
    )
  })
}

// Close together, over the edges of hours, so that minutes meet and ranges cut hours.
const minutes = fc.integer({ min: -200, max: 200 }).map((count) => start + count * minute)
const counts = fc
  .record({ objective: fc.constantFrom("good", "great"), at: minutes, bad: fc.nat(9), good: fc.nat(9) })
  .map(({ objective, at, bad, good }): Count => ({ objective, at, good, total: good + bad }))
const ranges = fc.tuple(minutes, minutes).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))

const record = (counts: ReadonlyArray<Count>) =>
  Effect.flatMap(CountStore, (store) =>
    Effect.map(store.record(organization, key, counts), (isRecorded) => expect(isRecorded).toBe(true)),
  )

const sums = (from: number, to: number) =>
  Effect.flatMap(CountStore, (store) =>
    Effect.map(store.sums(organization, key, { from, to }), ({ sums }) =>
      sums.toSorted((a, b) => (a.objective < b.objective ? -1 : 1)),
    ),
  )
