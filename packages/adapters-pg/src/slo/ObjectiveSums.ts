import type * as SqlClient from "effect/sql/SqlClient"
import {
  addSums,
  type HourOfCounts,
  isWithinHour,
  type MinuteStates,
  type MinuteSums,
  partOfTrack,
  type RangeParts,
  rangeParts,
  sumHour,
} from "@tocsin/domain/adapter"
import { hourOf, type MinuteRange, rangeText } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { CountRead, CountSum, CountSumsRead } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StoredRowIsInvalid } from "../database/StoredRow.ts"
import {
  hasSloRows,
  isInRun,
  readsTable,
  rowToState,
  type StateColumns,
  type StoredForm,
} from "./CountHours.ts"
import { bigints } from "../database/Parameters.ts"
import { readSeries } from "./ObjectiveSeries.ts"
import { inOrder, rowToStates, selectStates, type StatesColumn } from "./CountStates.ts"
import { minutesColumns, type MinutesRow, rowToHour } from "./ObjectiveRows.ts"
import { type ObjectiveTables, withObjectiveTables } from "./ObjectiveTables.ts"

/**
 * Sums ranges of SLOs with rows of objectives, with one statement those of reads that have few, and with another one those of reads that
 * have many, as a series has; `undefined` for SLOs that have rows of their own.
 */
export const readObjectiveSums = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  reads: ReadonlyArray<CountRead>,
) => withObjectiveTables(sql, (tables) => readFrom(sql, tables, organization, reads))

const readFrom = (
  sql: SqlClient.SqlClient,
  tables: ObjectiveTables,
  organization: OrganizationId,
  reads: ReadonlyArray<CountRead>,
) =>
  Effect.gen(function* () {
    const isSeries = ({ ranges, hasStates }: CountRead): boolean =>
      ranges.length > fewRanges && hasStates !== true
    const series = reads.filter(isSeries)
    const others = reads.filter((read) => !isSeries(read))
    const ofSeries = series.length === 0 ? [] : yield* readSeries(sql, tables, organization, series)
    const ofOthers = others.length === 0 ? [] : yield* readSumsOf(sql, tables, organization, others)
    const [inSeries, inOthers] = [ofSeries.values(), ofOthers.values()]
    return reads.map((read) => (isSeries(read) ? inSeries : inOthers).next().value)
  })

/** Of more ranges, most rows are needed by several. */
const fewRanges = 16

/**
 * Sums ranges from days, hours, and the minutes at their edges, in one statement and therefore from one snapshot.
 *
 * A month reads about 30 days, 46 hours, and the minutes of two hours per objective. `OFFSET 0` forces an index lookup
 * for each edge; for many edges, the planner would otherwise read all hours of the SLO for each of them.
 */
const readSumsOf = (
  sql: SqlClient.SqlClient,
  tables: ObjectiveTables,
  organization: OrganizationId,
  reads: ReadonlyArray<CountRead>,
) => {
  const partsOf = makePartsOf()
  const days: Array<Span> = []
  const hours: Array<Span> = []
  const edges: Array<{ readonly index: number; readonly at: number }> = []
  let place = 0
  for (const [index, read] of reads.entries()) {
    const edgesOfRead = new Set<number>()
    for (const range of read.ranges) {
      if (isWithinHour(range)) edgesOfRead.add(hourOf(range.from))
      else {
        const parts = partsOf(range)
        for (const range of parts.days) days.push({ index, place, range })
        for (const range of parts.hours) hours.push({ index, place, range })
        for (const { from } of parts.minutes) edgesOfRead.add(hourOf(from))
      }
      place++
    }
    for (const at of edgesOfRead) edges.push({ index, at })
  }

  const placesOf = (spans: ReadonlyArray<Span>) => sql`
    unnest(
      ${bigints(spans.map(({ index }) => index))}, ${bigints(spans.map(({ place }) => place))},
      ${bigints(spans.map(({ range }) => range.from))}, ${bigints(spans.map(({ range }) => range.to))}
    ) AS p (index, place, start, stop)
    JOIN r ON r.n = p.index`
  const wholeStates = (table: string, spans: ReadonlyArray<Span>) => {
    const withStates = spans.filter(({ index }) => reads[index]?.hasStates === true)
    if (withStates.length === 0) return sql``
    return sql`
      UNION ALL
      SELECT p.place, c.objective, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL,
        ARRAY[c.counted, c.carried, c.first, c.last_state]::bigint[]
      FROM ${placesOf(withStates)}
      CROSS JOIN LATERAL (${selectStates(sql, table, isInRun(sql, organization))}) c`
  }
  const wholeSums = (table: string, spans: ReadonlyArray<Span>) => sql`
    SELECT p.place, c.*, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL::bigint[]
    FROM ${placesOf(spans)}
    CROSS JOIN LATERAL (
      SELECT objective, sum(good), sum(total), sum(minutes), sum(good_shares), sum(good_minutes)
      FROM ${sql(table)} WHERE ${isInRun(sql, organization)} GROUP BY objective
    ) c`

  return Effect.flatMap(
    sql<CountSumRow>`
      WITH ${readsTable(sql, reads)}
      SELECT r.n AS place, NULL AS objective, NULL::float8 AS good, NULL::float8 AS total,
        NULL::bigint AS minutes, NULL::float8 AS "goodShares", NULL::bigint AS "goodMinutes",
        NULL::bigint AS at, NULL::bytea AS packed, NULL::float8[] AS minute_good, NULL::float8[] AS minute_total,
        s.slice_rules, s.latest_at, s.count_rows, NULL::bigint[] AS states
      FROM r
      JOIN slos s ON s.organization = ${organization} AND s.project = r.project AND s.name = r.slo
      UNION ALL ${wholeSums(tables.days, days)}
      UNION ALL ${wholeSums(tables.hours, hours)}
      ${wholeStates(tables.days, days)}
      ${wholeStates(tables.hours, hours)}
      UNION ALL
      SELECT p.index, h.objective, NULL, NULL, NULL, NULL, NULL,
        h.at, h.packed, h.minute_good, h.minute_total, NULL, NULL, NULL, NULL
      FROM unnest(
        ${bigints(edges.map(({ index }) => index))}, ${bigints(edges.map(({ at }) => at))}
      ) AS p (index, at)
      JOIN r ON r.n = p.index
      CROSS JOIN LATERAL (
        SELECT objective, at, ${minutesColumns(sql)} FROM ${sql(tables.hours)}
        WHERE organization = ${organization} AND project = r.project AND slo = r.slo AND at = p.at
        OFFSET 0
      ) h`,
    (rows) => Effect.fromResult(toCountSumsRead(reads, rows, partsOf)),
  )
}

interface Span {
  readonly index: number
  readonly place: number
  readonly range: MinuteRange
}

type CountSumRow = StateRow | SumRow | StatesRow | EdgeRow

interface StateRow extends StateColumns {
  /** The position of the read. */
  readonly place: number
  readonly count_rows: StoredForm["countRows"]
  readonly states: null
}

interface StatesRow {
  /** The position of the range among all ranges. */
  readonly place: number
  readonly objective: string
  readonly states: StatesColumn
  readonly slice_rules: null
}

interface SumRow extends Omit<MinuteSums, "states"> {
  /** The position of the range among all ranges. */
  readonly place: number
  readonly objective: string
  readonly at: null
  readonly slice_rules: null
  readonly states: null
}

type EdgeRow = MinutesRow & {
  /** The position of the read. */
  readonly place: number
  readonly objective: string
  readonly at: number
  readonly slice_rules: null
  readonly states: null
}

const toCountSumsRead = (
  reads: ReadonlyArray<CountRead>,
  rows: ReadonlyArray<CountSumRow>,
  partsOf: (range: MinuteRange) => RangeParts,
): Result.Result<ReadonlyArray<CountSumsRead | undefined>, StoredRowIsInvalid> => {
  const stateByRead = new Map<number, StateRow>()
  const sumsByRange = new Map<number, Map<string, MinuteSums>>()
  const hoursByRead = reads.map(
    () => new Map<number, Array<readonly [objective: string, hour: HourOfCounts]>>(),
  )
  const add = (place: number, objective: string, { states, ...sums }: MinuteSums): void => {
    const ofRange = sumsByRange.get(place) ?? new Map<string, MinuteSums>()
    sumsByRange.set(place, ofRange.set(objective, addSums(ofRange.get(objective) ?? noSums, sums)))
    if (states !== undefined) addStatesOf(place, objective, states)
  }
  const statesByRange = new Map<number, Map<string, Array<MinuteStates>>>()
  const addStatesOf = (place: number, objective: string, states: MinuteStates): void => {
    const ofRange = statesByRange.get(place) ?? new Map<string, Array<MinuteStates>>()
    statesByRange.set(place, ofRange)
    ofRange.set(objective, [...(ofRange.get(objective) ?? []), states])
  }
  for (const row of rows) {
    if (row.slice_rules !== null) stateByRead.set(row.place, row)
    else if (row.states !== null) addStatesOf(row.place, row.objective, rowToStates(row.states))
    else if (row.at === null) {
      const { good, total, minutes, goodShares, goodMinutes } = row
      add(row.place, row.objective, { good, total, minutes, goodShares, goodMinutes })
    } else {
      const hours = hoursByRead[row.place]
      const atEdge = hours?.get(row.at) ?? []
      const hour = rowToHour(row)
      if (Result.isFailure(hour)) return Result.fail(hour.failure)
      atEdge.push([row.objective, hour.success])
      hours?.set(row.at, atEdge)
    }
  }

  let place = 0
  const sumsOf = ({ ranges, slo }: CountRead, index: number) => {
    const row = stateByRead.get(index)
    return Result.map(row === undefined ? withoutCounts : rowToState(slo, row), ({ rules, latestAt }) => {
      const minutesOf = (range: MinuteRange): ReadonlyArray<CountSum> => {
        const found: Array<CountSum> = []
        for (const [objective, hour] of hoursByRead[index]?.get(hourOf(range.from)) ?? []) {
          const minutes = sumHour(hour, partOfTrack(rules, objective), range)
          if (minutes !== undefined) found.push({ objective, ...minutes })
        }
        return found
      }
      const sums = ranges.map((range) => {
        const ofRange = place++
        if (isWithinHour(range)) return minutesOf(range)
        for (const part of partsOf(range).minutes) {
          for (const { objective, ...minutes } of minutesOf(part)) add(ofRange, objective, minutes)
        }
        return [...(sumsByRange.get(ofRange) ?? [])].map(([objective, each]): CountSum => {
          const states = statesByRange.get(ofRange)?.get(objective)
          return { objective, ...each, ...(states !== undefined && { states: inOrder(states) }) }
        })
      })
      if (row !== undefined && hasSloRows({ countRows: row.count_rows })) return undefined
      return { sums, latestAt: new Map(Object.entries(latestAt)) }
    })
  }
  return Result.all(reads.map(sumsOf))
}

const noSums: MinuteSums = { good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }

const withoutCounts = Result.succeed({ rules: [], latestAt: {} })

/** Splits each range once: SLOs that are read together mostly have the same windows. */
const makePartsOf = (): ((range: MinuteRange) => RangeParts) => {
  const partsByRange = new Map<string, RangeParts>()
  return (range) => {
    const parts = partsByRange.get(rangeText(range)) ?? rangeParts(range)
    partsByRange.set(rangeText(range), parts)
    return parts
  }
}
