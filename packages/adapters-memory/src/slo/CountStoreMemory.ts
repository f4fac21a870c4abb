import { CountsRetention } from "@tocsin/domain/counts/CountsRetention"
import { CountStore } from "@tocsin/domain/counts/CountStore"
import { dayMs } from "@tocsin/domain/codec/MinuteInstant"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { type SloState, sloTablesOf } from "./SloTables.ts"

/** Counts in memory; recording deletes counts whose retention has ended. */
export const make: Effect.Effect<CountStore["Service"], never, MemoryDatabase> = Effect.gen(function* () {
  const tables = sloTablesOf(yield* MemoryDatabase)
  const retentionMs = (yield* CountsRetention) * dayMs
  return CountStore.of({
    record: (organization, recordings) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = recordings.map((recording) => ({
          ...recording,
          state: tables.find(organization, recording.slo),
        }))
        const missing = found.filter(({ state }) => state === undefined).map(({ slo }) => slo)
        if (missing.length > 0) return missing
        const changed = new Set<SloState>()
        for (const { slo, counts, state } of found) {
          if (state === undefined) continue
          state.counts.record(counts)
          state.counts.dropBefore(now - retentionMs)
          changed.add(state)
          for (const referrer of tables.referrers(organization, { kind: "SLO", ...slo }))
            changed.add(referrer)
        }
        for (const state of changed) tables.countsHaveChanged(state, now)
        return []
      }),
    sums: (reads) =>
      Effect.sync(() =>
        reads.map(({ organization, slo, ranges }) => {
          const counts = tables.find(organization, slo)?.counts
          return {
            sums: ranges.map((range) => counts?.sums(range) ?? []),
            latestAt: new Map(counts?.latestAt),
          }
        }),
      ),
    hours: ({ organization, slo, range, tracks }) =>
      Effect.sync(() => tables.find(organization, slo)?.counts.hours(range, tracks) ?? []),
  })
})

export const layer: Layer.Layer<CountStore, never, MemoryDatabase> = Layer.effect(CountStore, make)
