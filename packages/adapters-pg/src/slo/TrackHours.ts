import type * as SqlClient from "effect/sql/SqlClient"
import {
  type HourOfCounts,
  presenceOfSloHour,
  type PresentMinutes,
  presentMinutesOf,
  unpackSloHour,
} from "@tocsin/domain/adapter"
import { hourOf } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { HoursRead, TrackHour } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { forEachInSlices, Slice } from "../database/InSlices.ts"
import { bigints, integers, keyArrays, searchText, texts } from "../database/Parameters.ts"
import { hasSloRows, type StoredForm } from "./CountHours.ts"
import { minutesColumns, type MinutesRow, rowToHour } from "./ObjectiveRows.ts"
import { withObjectiveTables } from "./ObjectiveTables.ts"
import { readUntilFound } from "./ReadUntilFound.ts"
import { readRow } from "./SloHours.ts"

/** What is read of an hour, from the row of an SLO, or from the minutes in that of an objective. */
interface HourReader<A extends HourOfCounts | PresentMinutes> {
  readonly unpack: (packed: Uint8Array) => ReadonlyMap<string, A>
  readonly ofMinutes: (hour: HourOfCounts) => A
}

export const countsOfHours: HourReader<HourOfCounts> = { unpack: unpackSloHour, ofMinutes: (hour) => hour }

export const presenceOfHours: HourReader<PresentMinutes> = {
  unpack: presenceOfSloHour,
  ofMinutes: presentMinutesOf,
}

/** What hours of SLOs have, those of each read from one snapshot, from the rows that hold its counts. */
export const readTrackHours = <A extends HourOfCounts | PresentMinutes>(
  sql: SqlClient.SqlClient,
  reads: ReadonlyArray<HoursRead>,
  reader: HourReader<A>,
) =>
  readUntilFound(
    reads,
    Effect.fnUntraced(function* (organization, some) {
      const ofSlos = yield* readSloTracks(sql, organization, some, reader)
      return yield* Effect.forEach(some, (read, place) => {
        const found = ofSlos[place]
        return found === undefined ? readObjectiveTracks(sql, read, reader) : Effect.succeed(found)
      })
    }),
  )

interface FormRow {
  readonly count_rows: StoredForm["countRows"]
}

/** From the rows of SLOs, in one statement; `undefined` for those that have rows of objectives. */
const readSloTracks = <A extends HourOfCounts | PresentMinutes>(
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  reads: ReadonlyArray<HoursRead>,
  { unpack }: HourReader<A>,
) =>
  Effect.gen(function* () {
    const firstHours = reads.map(({ range }) => hourOf(range.from))
    const [from, to] = [Math.min(...firstHours), Math.max(...reads.map(({ range }) => range.to))]
    const rows = yield* sql<
      FormRow & {
        readonly n: number
        readonly at: ReadonlyArray<number> | null
        readonly counts: ReadonlyArray<Uint8Array> | null
      }
    >`
      WITH r AS MATERIALIZED (
        SELECT * FROM unnest(
          ${keyArrays(
            sql,
            reads.map(({ slo }) => slo),
          )}, ${integers(reads.map((_, n) => n))},
          ${bigints(firstHours)}, ${bigints(reads.map(({ range }) => range.to))}
        ) AS r (project, slo, n, start, stop)
      ), s AS MATERIALIZED (
        SELECT r.*, s.count_rows FROM r
        JOIN slos s ON s.organization = ${organization} AND s.project = r.project AND s.name = r.slo
      )
      SELECT n, count_rows, NULL::bigint[] AS at, NULL::bytea[] AS counts FROM s
      UNION ALL
      SELECT s.n, s.count_rows, c.at, c.counts FROM s
      CROSS JOIN LATERAL (
        SELECT array_agg(at) AS at, array_agg(counts) AS counts FROM slo_hours
        WHERE organization = ${organization} AND project = s.project AND slo = s.slo AND at >= s.start AND at < s.stop
          AND at >= ${from}::bigint AND at < ${to}::bigint
      ) c
      WHERE s.count_rows = 'slo' AND c.at IS NOT NULL`
    const found = reads.map((): Array<TrackHour<A>> | undefined => [])
    const slice = new Slice()
    for (const { n, count_rows, at: starts, counts } of rows) {
      const read = reads[n]
      if (read === undefined) continue
      if (!hasSloRows({ countRows: count_rows })) found[n] = undefined
      for (const [index, packed] of (counts ?? []).entries()) {
        if (slice.isOver) yield* slice.end
        const at = starts?.[index] ?? 0
        const hour = readRow("hour", { slo: read.slo, at }, () => unpack(packed))
        if (Result.isFailure(hour)) return yield* hour.failure
        for (const [track, minutes] of hour.success)
          if (read.tracks.has(track)) found[n]?.push({ track, at, counts: minutes })
      }
    }
    return found
  })

/** From the rows of objectives; `undefined` if the SLO has rows of its own. */
const readObjectiveTracks = <A extends HourOfCounts | PresentMinutes>(
  sql: SqlClient.SqlClient,
  read: HoursRead,
  { ofMinutes }: HourReader<A>,
) =>
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
    const found: Array<TrackHour<A>> = []
    yield* forEachInSlices(rows, (row) => {
      if (row.at === null) return Result.void
      const { track, at } = row
      return Result.map(rowToHour(row), (hour) => found.push({ track, at, counts: ofMinutes(hour) }))
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
