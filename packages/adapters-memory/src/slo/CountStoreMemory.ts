import { CountsRetention, pastMinutesAt, withChangedMinutes } from "@tocsin/domain"
import { currentTraceparent, presentMinutesOf } from "@tocsin/domain/adapter"
import { dayMs } from "@tocsin/domain/codec"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import { CountStore, type HoursRead, type Recording } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { type SloState, type SloTables, sloTablesOf } from "./SloTables.ts"

/** Counts in memory; recording deletes counts whose retention has ended. */
const make: Effect.Effect<CountStore["Service"], never, MemoryDatabase> = Effect.gen(function* () {
  const tables = sloTablesOf(yield* MemoryDatabase)
  const record = yield* makeRecord(tables)
  const hoursOf = ({ organization, slo, range, tracks: wanted }: HoursRead) =>
    tables.find(organization, slo)?.counts.hours(range, wanted) ?? []

  return CountStore.of({
    record: (organization, recordings) =>
      Effect.gen(function* () {
        return record(organization, recordings, yield* Clock.currentTimeMillis, yield* currentTraceparent)
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
    hours: (reads) => Effect.sync(() => reads.map(hoursOf)),
    presence: (reads) =>
      Effect.sync(() =>
        reads.map((read) =>
          hoursOf(read).map(({ counts, ...hour }) => ({ ...hour, counts: presentMinutesOf(counts) })),
        ),
      ),
  })
})

export const layer: Layer.Layer<CountStore, never, MemoryDatabase> = Layer.effect(CountStore, make)

/** Makes the function that is `CountStore.record`, at `now` in Unix milliseconds. */
export const makeRecord = (tables: SloTables) =>
  Effect.map(CountsRetention, (retentionDays) => {
    const retentionMs = retentionDays * dayMs
    return (
      organization: OrganizationId,
      recordings: ReadonlyArray<Recording>,
      now: number,
      traceparent?: string,
    ): ReadonlyArray<ProjectKey> => {
      const found = recordings.map((recording) => ({
        ...recording,
        state: tables.find(organization, recording.slo),
      }))
      const missing = found.filter(({ state }) => state === undefined).map(({ slo }) => slo)
      if (missing.length > 0) return missing
      const due = new Set<SloState>()
      for (const { state, ...recording } of found) {
        if (state === undefined) continue
        const { slo } = recording
        const { hasChanged, past, old } = state.counts.record(recording, now)
        state.counts.dropBefore(now - retentionMs)
        if (!hasChanged) continue
        state.pastChanges = withChangedMinutes(state.pastChanges, past, now)
        due.add(state)
        const isFirst = recording.isFirstRecent === true
        if (isFirst) state.revision++
        for (const composite of tables.referrers(organization, { kind: "SLO", ...slo })) {
          composite.pastChanges = withChangedMinutes(composite.pastChanges, pastMinutesAt(old, now), now, slo)
          due.add(composite)
          if (isFirst) composite.revision++
        }
      }
      for (const state of due) tables.countsHaveChanged(state, now, traceparent)
      return []
    }
  })
