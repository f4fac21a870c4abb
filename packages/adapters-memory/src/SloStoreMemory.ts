import { SloStore } from "@tocsin/domain/slo/SloStore"
import { Effect, Layer, Option } from "effect"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { sloTablesOf } from "./SloTables.ts"

/** Reads and refreshes the SLO records of a memory database; the project's and the service's part is joined when read. */
export const make: Effect.Effect<SloStore["Type"], never, MemoryDatabase> = Effect.gen(function* () {
  const tables = sloTablesOf(yield* MemoryDatabase)
  return SloStore.of({
    page: (organization, request) =>
      Effect.sync(() => {
        const { items, hasMore } = tables.slos(organization).page(request)
        return { items: items.map(tables.row), hasMore }
      }),
    find: (organization, key) =>
      Effect.sync(() => Option.map(Option.fromNullable(tables.find(organization, key)), tables.row)),
    dueForStatus: (now, limit) =>
      Effect.sync(() =>
        tables.due.due(now, limit).map(({ organization, stored }) => ({ organization, slo: stored })),
      ),
    writeStatus: (organization, key, { version, countsRevision, tailJson, dueAt }) =>
      Effect.sync(() => {
        const state = tables.find(organization, key)
        if (state?.stored.version !== version || String(state.countsRevision) !== countsRevision) return false
        tables.writeTail(state, tailJson)
        if (dueAt === undefined) tables.due.remove(state)
        else tables.due.put(state, dueAt)
        return true
      }),
  })
})

/** The SLO records of the memory database. */
export const layer: Layer.Layer<SloStore, never, MemoryDatabase> = Layer.effect(SloStore, make)
