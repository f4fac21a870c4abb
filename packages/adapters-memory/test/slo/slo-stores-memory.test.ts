import * as AnnotationStoreMemory from "../../src/slo/AnnotationStoreMemory.ts"
import * as PushedMetricStoreMemory from "../../src/slo/PushedMetricStoreMemory.ts"
import * as CountStoreMemory from "../../src/slo/CountStoreMemory.ts"
import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as SloStoreMemory from "../../src/slo/SloStoreMemory.ts"
import { CountsRetention } from "@tocsin/domain"
import { CountStore, SloStore } from "@tocsin/domain/ports"
import {
  annotationStoreContract,
  countStoreContract,
  pushedMetricStoreContract,
  sloDueContract,
  sloStoreContract,
} from "@tocsin/testing/contracts"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { mixedBatchesContract } from "../../../../test/contract/mixed-batches.ts"

const layer = Layer.mergeAll(
  SloStoreMemory.layer,
  CountStoreMemory.layer,
  DefinitionStoreMemory.layer,
  AnnotationStoreMemory.layer,
  PushedMetricStoreMemory.layer,
).pipe(Layer.provide(MemoryDatabase.layer))

sloStoreContract("in memory", layer)
sloDueContract("in memory", layer)
countStoreContract("in memory", layer)
annotationStoreContract("in memory", layer)
pushedMetricStoreContract("in memory", layer)
mixedBatchesContract("in memory", layer)

describe("counts in memory", () => {
  const organization = "acme"
  const key = { project: "shop", name: "checkout" }
  const day = 86_400_000
  const start = Date.UTC(2026, 0, 30)

  /** The totals by day of a count a day for so many days, as they are left at the end. */
  const totalsLeft = (days: number) =>
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      const store = yield* CountStore
      for (let n = 0; n < days; n++) {
        yield* TestClock.setTime(start + n * day + 60_000)
        const counts = [{ objective: "good", at: start + n * day, good: 1, total: 1 }]
        yield* store.record(organization, [{ slo: key, counts }])
      }
      const ranges = Array.from({ length: days }, (_, n) => ({
        from: start + n * day,
        to: start + (n + 1) * day,
      }))
      const [found] = yield* store.sums([{ organization, slo: key, ranges }])
      return found?.sums.map((sums) => sums[0]?.total ?? 0) ?? []
    }).pipe(Effect.provide(layer))

  it.effect("spec/counts §3: are kept for as long as the operator says", () =>
    Effect.gen(function* () {
      const left = yield* Effect.provideService(totalsLeft(45), CountsRetention, 39)
      // 39 days, and the rest of the day in which they begin.
      expect(left.map((total) => total > 0)).toEqual(left.map((_, n) => n >= 5))
    }),
  )

  it.effect("spec/counts §3: are kept for 408 days when nothing is said", () =>
    Effect.map(totalsLeft(411), (left) => {
      expect(left.map((total) => total > 0)).toEqual(left.map((_, n) => n >= 2))
    }),
  )
})

describe("records of SLOs in memory", () => {
  const organization = "acme"
  const key = { project: "shop", name: "checkout" }

  it.effect(
    "stay the same object when a status has the same result, and change with it and the definition",
    () =>
      Effect.gen(function* () {
        const store = yield* SloStore
        const read = Effect.map(store.find(organization, key), Option.getOrThrow)
        const write = (reliability: number) =>
          Effect.gen(function* () {
            const base = Option.getOrThrow(yield* store.findForStatus(organization, key))
            const statuses = new Map([["good", { reliability }]])
            const written = yield* store.writeStatuses([{ ...base, evaluation: "", slo: key, statuses }])
            expect(written).toEqual([true])
            return yield* read
          })
        yield* putDefinitions(organization, [anSlo(key)])
        const first = yield* write(0.5)
        expect(yield* write(0.5)).toBe(first)
        const second = yield* write(0.25)
        expect(second.statuses.get("good")).toEqual({ reliability: 0.25 })
        yield* putDefinitions(organization, [anSlo(key, { description: "new" })])
        expect((yield* read).slo.spec.description).toBe("new")
      }).pipe(Effect.provide(layer)),
  )
})
