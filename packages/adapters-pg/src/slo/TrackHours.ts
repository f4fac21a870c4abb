import type * as SqlClient from "effect/sql/SqlClient"
import { hourOf } from "@tocsin/domain/codec"
import type { HoursRead, TrackHour } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { forEachInSlices } from "../database/InSlices.ts"
import { searchText, texts } from "../database/Parameters.ts"
import { hasSloRows, type StoredForm } from "./CountHours.ts"
import { minutesColumns, type MinutesRow, rowToHour } from "./ObjectiveRows.ts"
import { readSloHour } from "./SloHours.ts"

interface StoredHourRow {
  readonly count_rows: StoredForm["countRows"]
  readonly at: number | null
  readonly counts: Uint8Array | null
}

/** The minutes of hours of an SLO, of one snapshot, from the rows that hold its counts. */
export const readTrackHours = (sql: SqlClient.SqlClient, { organization, slo, range, tracks }: HoursRead) =>
  Effect.gen(function* () {
    const isOfSlo = sql`organization = ${organization} AND project = ${searchText(slo.project)}`
    const isWithin = sql`${isOfSlo} AND slo = ${searchText(slo.name)}
      AND at >= ${hourOf(range.from)}::bigint AND at < ${range.to}::bigint`
    const record = sql`(SELECT count_rows FROM slos WHERE ${isOfSlo} AND name = ${searchText(slo.name)}) s`
    const ofSlo = sql<StoredHourRow>`
      SELECT s.count_rows, h.at, h.counts FROM ${record}
      LEFT JOIN (SELECT at, counts FROM slo_hours WHERE ${isWithin}) h
        ON s.count_rows = 'slo'`
    const found: Array<TrackHour> = []
    const rows = yield* ofSlo
    if (rows.every(({ count_rows }) => hasSloRows({ countRows: count_rows }))) {
      yield* forEachInSlices(rows, ({ at, counts }) =>
        at === null || counts === null
          ? Result.void
          : Result.map(readSloHour({ slo, at }, counts), (hour) => {
              for (const [track, minutes] of hour)
                if (tracks.has(track)) found.push({ track, at, counts: minutes })
            }),
      )
      return found
    }
    const ofObjectives = yield* sql<MinutesRow & { readonly track: string; readonly at: number }>`
      SELECT objective AS track, at, ${minutesColumns(sql)} FROM count_hours
      WHERE ${isWithin} AND objective = ANY(${texts([...tracks])})`
    yield* forEachInSlices(ofObjectives, ({ track, at, ...row }) =>
      Result.map(rowToHour(row), (counts) => found.push({ track, at, counts })),
    )
    return found
  })
