import * as SqlClient from "effect/sql/SqlClient"
import { hourOf } from "@tocsin/domain/codec"
import { projectKeyText } from "@tocsin/domain/kernel"
import { CountStore, type HoursRead, type Recording } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { minutesColumns, type MinutesRow, rowToHour } from "./CountHours.ts"
import { recordCounts, withCountPartitions } from "./CountRecording.ts"
import { readSums } from "./CountSums.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { readRows } from "../database/StoredRow.ts"
import { WriteTurns } from "../database/WriteTurns.ts"
import { searchText, texts } from "../database/Parameters.ts"

/**
 * Counts in PostgreSQL: one row per hour, with the sums of hours and days.
 *
 * Recording locks the rows of the SLOs, and of the composite SLOs that have them as components, in one order: recordings
 * of one SLO run one after the other, and none deadlock.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns

  const hours = ({ organization, slo, range, tracks }: HoursRead) =>
    Effect.flatMap(
      sql<MinutesRow & { readonly track: string; readonly at: number }>`
        SELECT objective AS track, at, ${minutesColumns(sql)} FROM count_hours
        WHERE organization = ${organization} AND project = ${searchText(slo.project)}
          AND slo = ${searchText(slo.name)} AND at >= ${hourOf(range.from)} AND at < ${range.to}
          AND objective = ANY(${texts([...tracks])})`,
      (rows) =>
        readRows(rows, (row) =>
          Result.map(rowToHour(row), (counts) => ({ track: row.track, at: row.at, counts })),
        ),
    )

  return CountStore.of({
    record: (organization, recordings) => {
      const merged = mergeRecordings(recordings)
      return operation(
        "record",
        turns.run(
          organization,
          withCountPartitions(
            sql,
            timesOf(merged),
            sql.withTransaction(recordCounts(sql, organization, merged)),
          ),
        ),
      )
    },
    sums: (reads) => operation("sums", readSums(sql, reads)),
    hours: (read) => operation("hours", hours(read)),
  })
})

/** The counts of a database. */
export const layer = Layer.effect(CountStore, make)

const operation = storeOperation("CountStore")

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
