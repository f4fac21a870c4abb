import { MemoryStores } from "@tocsin/adapters-memory"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { findSloSeries } from "@tocsin/domain"
import type { Slo } from "@tocsin/domain/definitions"
import { CountStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { sentBy } from "../../../../test/pg/Statements.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(CountStorePg.layer, DefinitionStorePg.layer, SloStorePg.layer).pipe(
  Layer.provideMerge(layer),
)

const minute = 60_000
const day = 1_440 * minute
const now = Date.UTC(2026, 0, 30, 12)
const key = { project: "shop", name: "checkout" }

const slos: ReadonlyArray<Partial<Slo["spec"]>> = [
  { timeWindow: { unit: "Day", count: 400 } },
  { timeWindow: { unit: "Day", count: 28 } },
  // Begins and ends within an hour of each step.
  { timeWindow: { unit: "Minute", count: 7_001 }, budgetingMethod: "Timeslices" },
]

/** A minute in each 7 hours of 400 days, with more bad events as time passes. */
const counts = Array.from({ length: 1_371 }, (_, index) => ({
  objective: index % 5 === 0 ? "great" : "good",
  at: now - 400 * day + index * 420 * minute + (index % 60) * minute,
  good: 1_000 - (index % 97),
  total: 1_000,
}))

const seriesOf = (spec: Partial<Slo["spec"]>, from: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now + 30_000)
    const objectives =
      spec.budgetingMethod === "Timeslices"
        ? [
            { name: "good", target: 0.9, timeSliceTarget: 0.95 },
            { name: "great", target: 0.99, timeSliceTarget: 0.99 },
          ]
        : undefined
    yield* putDefinitions("acme", [anSlo(key, { ...spec, ...(objectives && { objectives }) })])
    yield* (yield* CountStore).record("acme", [{ slo: key, counts }])
    return yield* sentBy(
      findSloSeries("acme", { ...key, from: new Date(from).toISOString(), to: new Date(now).toISOString() }),
    )
  })

describe("the series of an SLO", () => {
  it.effect(
    "spec/console §5: are those of memory, over a day to 400, and read in as many statements whatever the range",
    () =>
      Effect.gen(function* () {
        for (const spec of slos) {
          const sent = new Set<number>()
          for (const days of [1, 28, 90, 400]) {
            const stored = yield* seriesOf(spec, now - days * day).pipe(Effect.provide(stores))
            const kept = yield* seriesOf(spec, now - days * day).pipe(Effect.provide(MemoryStores.layer))
            expect(stored.value.step).toBe({ 1: "5m", 28: "1h", 90: "3h", 400: "1d" }[days])
            expect(
              stored.value.objectives[0]?.reliability.filter((each) => each !== null).length,
            ).toBeGreaterThan(1)
            expect(rounded(stored.value)).toEqual(rounded(kept.value))
            sent.add(stored.sent.length)
          }
          expect(sent.size).toBe(1)
        }
      }),
    120_000,
  )
})

/** Without the noise of adding up in another order. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === "number" ? Number(each.toPrecision(9)) : each,
  )
