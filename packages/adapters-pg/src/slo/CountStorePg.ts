import * as SqlClient from "effect/sql/SqlClient"
import { type OrganizationId, projectKeyText } from "@tocsin/domain/metadata/ObjectKey"
import {
  CountStore,
  CountStoreIsUnavailable,
  type HoursRead,
  type Recording,
} from "@tocsin/domain/counts/CountStore"
import { hourOf } from "@tocsin/domain/codec/MinuteInstant"
import { pastCountsTo } from "@tocsin/domain/counts/PastCounts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type MinutesRow, rowToHour } from "./CountHours.ts"
import { lockSlos, makeCountPartitions, markChanged, writeCounts } from "./CountRecording.ts"
import { readSums } from "./CountSums.ts"
import { isPartitionMissing } from "../database/Retention.ts"
import { portOperation } from "../database/PortOperation.ts"
import { searchText, texts } from "../database/Parameters.ts"

/**
 * Counts in PostgreSQL: one row per hour, with the sums of hours and days.
 *
 * Recording locks the rows of the SLOs, and of the composite SLOs that have them as components, in one order: recordings
 * of one SLO run one after the other, and none deadlock.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const record = (organization: OrganizationId, recordings: ReadonlyArray<Recording>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const slos = recordings.map(({ slo }) => slo)
      const stateBySlo = yield* lockSlos(sql, organization, slos)
      const missing = slos.filter((slo) => !stateBySlo.has(projectKeyText(slo)))
      if (missing.length > 0) return missing

      const recorded = recordings.flatMap(({ slo, counts }) => {
        const state = stateBySlo.get(projectKeyText(slo))
        return state === undefined ? [] : [{ slo, counts, ...state }]
      })
      yield* writeCounts(sql, organization, recorded)
      const changed = recorded.map(({ slo, counts, latestAt }) => {
        const latest = new Map(Object.entries(latestAt))
        const pastTo = pastCountsTo(counts, (objective) => latest.get(objective))
        for (const { objective, at } of counts) {
          latest.set(objective, Math.max(at, latest.get(objective) ?? at))
        }
        return { slo, latestAt: latest, pastTo }
      })
      yield* markChanged(sql, organization, changed, now)
      return []
    })

  const hours = ({ organization, slo, range, tracks }: HoursRead) =>
    Effect.map(
      sql<MinutesRow & { readonly track: string; readonly at: number }>`
        SELECT objective AS track, at, minute_good, minute_total FROM count_hours
        WHERE organization = ${organization} AND project = ${searchText(slo.project)}
          AND slo = ${searchText(slo.name)} AND at >= ${hourOf(range.from)} AND at < ${range.to}
          AND objective = ANY(${texts([...tracks])})`,
      (rows) => rows.map((row) => ({ track: row.track, at: row.at, counts: rowToHour(row) })),
    )

  return CountStore.of({
    record: (organization, recordings) => {
      const merged = mergeRecordings(recordings)
      const recorded = sql.withTransaction(record(organization, merged))
      return operation(
        "record",
        Effect.catchIf(recorded, isPartitionMissing, () =>
          Effect.andThen(makeCountPartitions(sql, timesOf(merged)), recorded),
        ),
      )
    },
    sums: (reads) => operation("sums", readSums(sql, reads)),
    hours: (read) => operation("hours", hours(read)),
  })
})

/** The counts of a database. */
export const layer = Layer.effect(CountStore, make)

const operation = portOperation((failure) => new CountStoreIsUnavailable(failure))

const timesOf = (recordings: ReadonlyArray<Recording>): ReadonlyArray<number> =>
  recordings.flatMap(({ counts }) => counts.map(({ at }) => at))

const mergeRecordings = (recordings: ReadonlyArray<Recording>): ReadonlyArray<Recording> => {
  const merged = new Map<string, Recording>()
  for (const { slo, counts } of recordings) {
    const before = merged.get(projectKeyText(slo))?.counts
    merged.set(projectKeyText(slo), { slo, counts: before === undefined ? counts : [...before, ...counts] })
  }
  return [...merged.values()]
}
