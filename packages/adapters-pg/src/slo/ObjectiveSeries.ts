import type * as SqlClient from "effect/sql/SqlClient"
import { emptyHour, isWithinHour, partOfTrack, type RangeParts, rangeParts } from "@tocsin/domain/adapter"
import { hourMs, hourOf, type MinuteRange } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { CountRead, CountSum, CountSumsRead } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { bigints } from "../database/Parameters.ts"
import {
  hasSloRows,
  isInRun,
  readsTable,
  rowToState,
  type StateColumns,
  type StoredForm,
} from "./CountHours.ts"
import { unpackMinutes } from "./ObjectiveRows.ts"
import type { ObjectiveTables } from "./ObjectiveTables.ts"
import { sumParts, toRuns, type TrackSeries } from "./TrackSeries.ts"

/**
 * Sums many ranges of each read of SLOs with rows of objectives, without states; `undefined` for the others: the days, hours and minutes that they need are read once, in one row per objective and run,
 * and added up here. One statement, and therefore one snapshot.
 */
export const readSeries = (
  sql: SqlClient.SqlClient,
  tables: ObjectiveTables,
  organization: OrganizationId,
  reads: ReadonlyArray<CountRead>,
) => {
  const plans = new Map<ReadonlyArray<MinuteRange>, SeriesPlan>()
  const planOf = ({ ranges }: CountRead): SeriesPlan => {
    const plan = plans.get(ranges) ?? planSeries(ranges)
    plans.set(ranges, plan)
    return plan
  }
  const runsOf = (level: Level) =>
    reads.flatMap((read, index) => planOf(read)[level].map((range) => ({ index, range })))
  const given = (level: Level) => {
    const runs = runsOf(level)
    return sql`unnest(
      ${bigints(runs.map(({ index }) => index))},
      ${bigints(runs.map(({ range }) => range.from))}, ${bigints(runs.map(({ range }) => range.to))}
    ) AS p (index, start, stop) JOIN r ON r.n = p.index`
  }
  const isWanted = isInRun(sql, organization)
  const sums = (level: "days" | "hours", table: string) => sql`
    SELECT p.index, ${level}, c.*, NULL, NULL, NULL, NULL, NULL, NULL
    FROM ${given(level)}
    CROSS JOIN LATERAL (
      SELECT objective, array_agg(at ORDER BY at), array_agg(good ORDER BY at), array_agg(total ORDER BY at),
        array_agg(minutes ORDER BY at), array_agg(good_shares ORDER BY at), array_agg(good_minutes ORDER BY at)
      FROM ${sql(table)} WHERE ${isWanted} GROUP BY objective
    ) c`
  return Effect.flatMap(
    sql<SeriesRow>`
      WITH ${readsTable(sql, reads)}
      SELECT r.n AS index, 'state' AS level, NULL AS objective, NULL::bigint[] AS at,
        NULL::float8[] AS good, NULL::float8[] AS total, NULL::integer[] AS minutes,
        NULL::float8[] AS good_shares, NULL::integer[] AS good_minutes,
        NULL::bytea[] AS packed, NULL::bytea[] AS minute_good, NULL::bytea[] AS minute_total, s.slice_rules, s.latest_at,
        s.count_rows
      FROM r
      JOIN slos s ON s.organization = ${organization} AND s.project = r.project AND s.name = r.slo
      UNION ALL ${sums("days", tables.days)}
      UNION ALL ${sums("hours", tables.hours)}
      UNION ALL
      SELECT p.index, 'minutes', c.objective, c.at, NULL, NULL, NULL, NULL, NULL,
        c.packed, c.good, c.total, NULL, NULL, NULL
      FROM ${given("minutes")}
      CROSS JOIN LATERAL (
        SELECT objective, array_agg(at ORDER BY at) AS at,
          array_agg(packed ORDER BY at) AS packed,
          array_agg(array_send(minute_good) ORDER BY at) AS good,
          array_agg(array_send(minute_total) ORDER BY at) AS total
        FROM ${sql(tables.hours)} WHERE ${isWanted} GROUP BY objective
      ) c`,
    (rows) => {
      const rowsOf = reads.map((): Array<SeriesRow> => [])
      for (const row of rows) rowsOf[row.index]?.push(row)
      return Effect.fromResult(
        Result.all(reads.map((read, index) => toSums(read, planOf(read), rowsOf[index] ?? []))),
      )
    },
  )
}

type Level = "days" | "hours" | "minutes"

/** The runs of days and hours, and of hours whose minutes are needed, in the order of time; and the parts of each range. */
interface SeriesPlan extends Readonly<Record<Level, ReadonlyArray<MinuteRange>>> {
  readonly parts: ReadonlyArray<RangeParts>
}

const planSeries = (ranges: ReadonlyArray<MinuteRange>): SeriesPlan => {
  const parts = ranges.map((range) =>
    isWithinHour(range) ? { days: [], hours: [], minutes: [range] } : rangeParts(range),
  )
  const wholeHour = ({ from }: MinuteRange): MinuteRange => ({
    from: hourOf(from),
    to: hourOf(from) + hourMs,
  })
  return {
    parts,
    days: toRuns(parts.flatMap(({ days }) => days)),
    hours: toRuns(parts.flatMap(({ hours }) => hours)),
    minutes: toRuns(parts.flatMap(({ minutes }) => minutes.map(wholeHour))),
  }
}

/** The rows of one read: its rules and latest minutes, and by objective and run what has counts. */
type SeriesRow = StateRow | SumsRow | MinutesRow

interface StateRow extends StateColumns {
  readonly index: number
  readonly level: "state"
  readonly count_rows: StoredForm["countRows"]
}

interface SumsRow {
  readonly index: number
  readonly level: "days" | "hours"
  readonly objective: string
  readonly at: ReadonlyArray<number>
  readonly good: ReadonlyArray<number>
  readonly total: ReadonlyArray<number>
  readonly minutes: ReadonlyArray<number>
  readonly good_shares: ReadonlyArray<number>
  readonly good_minutes: ReadonlyArray<number>
}

interface MinutesRow {
  readonly index: number
  readonly level: "minutes"
  readonly objective: string
  readonly at: ReadonlyArray<number>
  readonly packed: ReadonlyArray<Uint8Array | null>
  /** Of hours that are not packed, the arrays as PostgreSQL sends them. */
  readonly minute_good: ReadonlyArray<Uint8Array | null>
  readonly minute_total: ReadonlyArray<Uint8Array | null>
}

const toSums = ({ slo }: CountRead, plan: SeriesPlan, rows: ReadonlyArray<SeriesRow>) => {
  const tracks = new Map<string, Omit<TrackSeries, "rule">>()
  let state: StateRow | undefined
  for (const row of rows) {
    if (row.level === "state") {
      state = row
      continue
    }
    const track = tracks.get(row.objective) ?? { days: new Map(), hours: new Map(), minutes: new Map() }
    tracks.set(row.objective, track)
    if (row.level === "minutes") {
      for (const [place, at] of row.at.entries()) {
        const packed = row.packed[place]
        const hour = packed
          ? unpackMinutes(packed)
          : Result.succeed({
              good: toMinutes(row.minute_good[place]),
              total: toMinutes(row.minute_total[place]),
            })
        if (Result.isFailure(hour)) return Result.fail(hour.failure)
        track.minutes.set(at, hour.success)
      }
      continue
    }
    for (const [place, at] of row.at.entries()) {
      track[row.level].set(at, {
        good: row.good[place] ?? 0,
        total: row.total[place] ?? 0,
        minutes: row.minutes[place] ?? 0,
        goodShares: row.good_shares[place] ?? 0,
        goodMinutes: row.good_minutes[place] ?? 0,
      })
    }
  }
  if (state === undefined)
    return Result.succeed<CountSumsRead | undefined>({ sums: plan.parts.map(() => []), latestAt: new Map() })
  if (hasSloRows({ countRows: state.count_rows })) return Result.succeed(undefined)
  return Result.map(rowToState(slo, state), ({ rules, latestAt }): CountSumsRead | undefined => {
    const all = [...tracks].map(([objective, track]): readonly [string, TrackSeries] => {
      const rule = partOfTrack(rules, objective)
      return [objective, { ...track, rule: rule && { ...rule, hasStates: false } }]
    })
    const sums = plan.parts.map((parts) => {
      const found: Array<CountSum> = []
      for (const [objective, track] of all) {
        const sum = sumParts(track, parts, false)
        if (sum !== undefined) found.push({ objective, ...sum })
      }
      return found
    })
    return { sums, latestAt: new Map(Object.entries(latestAt)) }
  })
}

/** The minutes of an array of 60 `float8` as PostgreSQL sends it; a null is not a number. */
const toMinutes = (bytes: Uint8Array | null | undefined): ReadonlyArray<number> => {
  if (!bytes) return emptyHour.good
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = headerBytes
  return Array.from({ length: view.getInt32(lengthAt) }, () => {
    const isNull = view.getInt32(at) === -1
    at += 4
    if (isNull) return Number.NaN
    at += 8
    return view.getFloat64(at - 8)
  })
}

/** The number of dimensions, whether there are nulls, and the type; the length and the first place of the one dimension. */
const headerBytes = 20
const lengthAt = 12
