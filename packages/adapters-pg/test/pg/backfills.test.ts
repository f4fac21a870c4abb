import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { expect, it } from "@tocsin/testing/vitest"
import * as AnnotationStorePg from "../../src/slo/AnnotationStorePg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as IndicatorStorePg from "../../src/slo/IndicatorStorePg.ts"
import * as BackfillStorePg from "../../src/slo/BackfillStorePg.ts"
import { backfillIndicators } from "@tocsin/domain/features/data-source"
import { CountStore, MetricSource, BackfillStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { vi } from "vitest"
import { layer } from "./AdapterDatabase.ts"

const organizations = ["acme", "globex", "initech"]
const minute = 60_000
const day = 1_440 * minute
const key = { project: "shop", name: "checkout" }

const eventsAt = (at: number) => ({ good: (at / minute) % 7, total: 7 + ((at / minute) % 3) })

const asked: Array<string> = []

const source = Layer.succeed(MetricSource, {
  readGaps: () => Effect.succeed([]),
  readNames: () => Effect.succeed({ names: [], isComplete: true }),
  readSeries: ({ organization, expression, from, to }) =>
    Effect.sync(() => {
      if (expression === "total") asked.push(`${organization} ${from}`)
      return Array.from({ length: (to - from) / minute + 1 }, (_, index) => {
        const at = from + index * minute
        const { good, total } = eventsAt(at - minute)
        return { at, value: expression === "good" ? good : total }
      })
    }),
})

const stores = Layer.mergeAll(
  CountStorePg.layer,
  DefinitionStorePg.layer,
  AnnotationStorePg.layer,
  IndicatorStorePg.layer,
  BackfillStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer))

it.live(
  "spec/data-sources §10: servers on one database read each part of a backfill once, also those of one that was stopped",
  () => {
    const to = Math.floor(Date.now() / minute) * minute - day
    const range = { from: to - 40 * day - 7 * minute, to }
    return Effect.gen(function* () {
      const backfills = yield* BackfillStore
      const counts = yield* CountStore
      const indicator = {
        prometheus: { url: sourceUrlOf("http://a.example.com"), good: "good", total: "total" },
      }
      for (const organization of organizations) {
        yield* putDefinitions(organization, [anSlo(key, { indicator })])
        // A hundred events in each hour of the range, none of which remains.
        const before = Array.from({ length: 40 * 24 }, (_, index) => ({
          objective: "good",
          at: range.from + index * 60 * minute,
          good: 50,
          total: 100,
        }))
        yield* counts.record(organization, [{ slo: key, counts: before }])
        yield* backfills.start(organization, key, range, Date.now())
      }
      const [first, ...others] = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(backfillIndicators))
      yield* Effect.promise(() => vi.waitUntil(() => asked.length > 20, { timeout: 60_000, interval: 5 }))
      if (first !== undefined) yield* Fiber.interrupt(first)
      for (const organization of organizations) {
        yield* backfills
          .find(organization, key)
          .pipe(
            Effect.map(Option.getOrThrow),
            Effect.repeat({ until: ({ state }) => state === "complete" }),
            Effect.timeout("60 seconds"),
          )
      }
      for (const other of others) yield* Fiber.interrupt(other)
      // The parts that the stopped server had begun are read by another one, so that a few are read twice.
      expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(organizations.length)
      const expected = { good: 0, total: 0, minutes: (range.to - range.from) / minute }
      for (let at = range.from; at < range.to; at += minute) {
        expected.good += eventsAt(at).good
        expected.total += eventsAt(at).total
      }
      for (const organization of organizations) {
        const [found] = yield* counts.sums([{ organization, slo: key, ranges: [range] }])
        expect(found?.sums[0]).toHaveLength(2)
        for (const sum of found?.sums[0] ?? []) expect(sum).toMatchObject(expected)
      }
    }).pipe(Effect.provide(Layer.merge(stores, source)))
  },
)
