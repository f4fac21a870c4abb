import { Limits } from "@tocsin/domain/Limits"
import { CountStore } from "@tocsin/domain/slo/CountStore"
import { Clock, Effect, Layer } from "effect"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { MinuteCounts } from "./MinuteCounts.ts"
import { sloTablesOf } from "./SloTables.ts"

/** Keeps the counts of a memory database; what is older than `countsRetentionMs` goes when newer counts come. */
export const make: Effect.Effect<CountStore["Type"], never, MemoryDatabase> = Effect.gen(function* () {
  const tables = sloTablesOf(yield* MemoryDatabase)
  return CountStore.of({
    record: (organization, slo, counts) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const state = tables.find(organization, slo)
        if (state === undefined) return false
        for (const { objective, at, good, total } of counts) {
          const minutes = state.countsByObjective.get(objective) ?? new MinuteCounts()
          state.countsByObjective.set(objective, minutes)
          minutes.set(at, good, total)
        }
        for (const [objective, minutes] of state.countsByObjective) {
          if (!minutes.dropBefore(now - Limits.countsRetentionMs)) state.countsByObjective.delete(objective)
        }
        state.countsRevision++
        tables.due.put(state, now)
        return true
      }),
    sums: (organization, slo, { from, to }) =>
      Effect.sync(() => {
        const state = tables.find(organization, slo)
        const sums = [...(state?.countsByObjective ?? [])].flatMap(([objective, minutes]) => {
          const sum = minutes.sum(from, to)
          return sum === undefined ? [] : [{ objective, ...sum }]
        })
        return { sums, revision: String(state?.countsRevision ?? 0) }
      }),
  })
})

/** The counts of the memory database. */
export const layer: Layer.Layer<CountStore, never, MemoryDatabase> = Layer.effect(CountStore, make)
