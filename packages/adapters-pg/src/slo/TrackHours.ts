import type * as SqlClient from "effect/sql/SqlClient"
import { hourOf } from "@tocsin/domain/codec"
import type { HoursRead, TrackHour } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { forEachInSlices } from "../database/InSlices.ts"
import { searchText, texts } from "../database/Parameters.ts"
import { hasSloRows, type StoredForm } from "./CountHours.ts"
import { minutesColumns, type MinutesRow, rowToHour } from "./ObjectiveRows.ts"
import { withObjectiveTables } from "./ObjectiveTables.ts"
import { readSloHour } from "./SloHours.ts"

/** The minutes of hours of an SLO, of one snapshot, from the rows that hold its counts. */
export const readTrackHours = (sql: SqlClient.SqlClient, read: HoursRead) =>
  Effect.gen(function* () {
    for (;;) {
      const found = (yield* readSloTracks(sql, read)) ?? (yield* readObjectiveTracks(sql, read))
      // Between the two, the rows of objectives may have become rows of the SLO.
      if (found !== undefined) return found
    }
  })

interface FormRow {
  readonly count_rows: StoredForm["countRows"]
}

/** From the rows of the SLO; `undefined` if it has rows of objectives. */
const readSloTracks = (sql: SqlClient.SqlClient, read: HoursRead) =>
  Effect.gen(function* () {
    const rows = yield* sql<
      FormRow & ({ readonly at: number; readonly counts: Uint8Array } | { readonly at: null })
    >`
      SELECT s.count_rows, h.at, h.counts FROM ${recordOf(sql, read)} s
      LEFT JOIN (SELECT at, counts FROM slo_hours WHERE ${isRead(sql, read)}) h ON s.count_rows = 'slo'`
    if (!rows.every(({ count_rows }) => hasSloRows({ countRows: count_rows }))) return undefined
    const found: Array<TrackHour> = []
    yield* forEachInSlices(rows, (row) => {
      if (row.at === null) return Result.void
      const { at, counts } = row
      return Result.map(readSloHour({ slo: read.slo, at }, counts), (hour) => {
        for (const [track, minutes] of hour)
          if (read.tracks.has(track)) found.push({ track, at, counts: minutes })
      })
    })
    return found
  })

/** From the rows of objectives; `undefined` if the SLO has rows of its own. */
const readObjectiveTracks = (sql: SqlClient.SqlClient, read: HoursRead) =>
  Effect.gen(function* () {
    const rows = yield* withObjectiveTables(
      sql,
      (tables) =>
        sql<
          FormRow & ((MinutesRow & { readonly track: string; readonly at: number }) | { readonly at: null })
        >`
          SELECT s.count_rows, h.* FROM ${recordOf(sql, read)} s
          LEFT JOIN (
            SELECT objective AS track, at, ${minutesColumns(sql)} FROM ${sql(tables.hours)}
            WHERE ${isRead(sql, read)} AND objective = ANY(${texts([...read.tracks])})
          ) h ON s.count_rows = 'objective'`,
    )
    if (rows.some(({ count_rows }) => hasSloRows({ countRows: count_rows }))) return undefined
    const found: Array<TrackHour> = []
    yield* forEachInSlices(rows, (row) => {
      if (row.at === null) return Result.void
      const { track, at } = row
      return Result.map(rowToHour(row), (counts) => found.push({ track, at, counts }))
    })
    return found
  })

const isOfSlo = (sql: SqlClient.SqlClient, { organization, slo }: HoursRead) =>
  sql`organization = ${organization} AND project = ${searchText(slo.project)}`

const recordOf = (sql: SqlClient.SqlClient, read: HoursRead) =>
  sql`(SELECT count_rows FROM slos WHERE ${isOfSlo(sql, read)} AND name = ${searchText(read.slo.name)})`

const isRead = (sql: SqlClient.SqlClient, read: HoursRead) => sql`
  ${isOfSlo(sql, read)} AND slo = ${searchText(read.slo.name)}
    AND at >= ${hourOf(read.range.from)}::bigint AND at < ${read.range.to}::bigint`
