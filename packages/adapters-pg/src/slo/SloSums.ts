import type * as SqlClient from "effect/sql/SqlClient"
import {
  addSums,
  isWithinHour,
  partOfTrack,
  type RangeParts,
  rangeParts,
  sumHour,
  TotalsReader,
  unpackSloHour,
  unpackSums,
} from "@tocsin/domain/adapter"
import { dayMs, dayOf, hourMs, hourOf, type MinuteRange } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { CountRead, CountSum, CountSumsRead } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Slice } from "../database/InSlices.ts"
import { bigints, integers } from "../database/Parameters.ts"
import type { StoredRowIsInvalid } from "../database/StoredRow.ts"
import {
  hasSloRows,
  isInRun,
  readsTable,
  rowToState,
  type StateColumns,
  type StoredForm,
} from "./CountHours.ts"
import { readRow } from "./SloHours.ts"
import { sumParts, toRuns, type TrackSeries } from "./TrackSeries.ts"

/**
 * Sums ranges of SLOs with rows of their own, in one statement and therefore from one snapshot; `undefined` for those that have rows of
 * objectives.
 *
 * The ranges of a read are added up here, from the days, the hours and the minutes that any of them needs, each of which is read once:
 * a month reads about 30 days, the hours of two days, and the minutes of two hours, and the open hour, which is in no day yet.
 */
export const readSloSums = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  reads: ReadonlyArray<CountRead>,
) =>
  Effect.gen(function* () {
    const plans = new Map<ReadonlyArray<MinuteRange>, Plan>()
    const planned = reads.map(({ ranges }) => {
      const plan = plans.get(ranges) ?? planReads(ranges)
      plans.set(ranges, plan)
      return plan
    })
    const rows = yield* sql<SloRow>`
      WITH ${readsTable(sql, reads)}, s AS MATERIALIZED (
        SELECT r.n, s.slice_rules, s.latest_at, s.count_rows, s.open_hour FROM r
        JOIN slos s ON s.organization = ${organization} AND s.project = r.project AND s.name = r.slo
      )
      SELECT n::integer AS n, 0 AS level, NULL::bigint[] AS at, NULL::bytea[] AS packed,
        slice_rules, latest_at, count_rows, open_hour
      FROM s
      UNION ALL ${dayRows(sql, organization, planned)}
      UNION ALL ${hourRows(sql, organization, planned)}`
    const rowsOf = reads.map((): Array<SloRow> => [])
    for (const row of rows) rowsOf[row.n]?.push(row)
    const found: Array<CountSumsRead | undefined> = []
    const slice = new Slice()
    for (const [index, read] of reads.entries())
      found.push(yield* toSums(slice, read, planned[index] ?? planReads([]), rowsOf[index] ?? []))
    return found
  })

/**
 * The days that ranges need, in one row for each run of them: the sums of those that they need whole as one value, one after the other, and
 * the sums of the hours of the others.
 */
const dayRows = (sql: SqlClient.SqlClient, organization: OrganizationId, plans: ReadonlyArray<Plan>) => {
  const runs = plans.flatMap(({ days, hourDays }, index) => [
    ...days.map((range) => ({ index, level: 1, range })),
    ...hourDays.map((range) => ({ index, level: 2, range })),
  ])
  const { from, to } = spanOf(runs.map(({ range }) => range))
  return sql`
    SELECT r.n::integer, p.level, c.at, CASE p.level WHEN 1 THEN ARRAY[c.sums] ELSE c.hours END,
      NULL, NULL, NULL, NULL
    FROM unnest(
      ${integers(runs.map(({ index }) => index))}, ${integers(runs.map(({ level }) => level))},
      ${bigints(runs.map(({ range }) => range.from))}, ${bigints(runs.map(({ range }) => range.to))}
    ) AS p (index, level, start, stop)
    JOIN r ON r.n = p.index
    CROSS JOIN LATERAL (
      SELECT array_agg(at) AS at, string_agg(sums, '') FILTER (WHERE p.level = 1) AS sums,
        array_agg(hours) FILTER (WHERE p.level = 2) AS hours
      FROM slo_days WHERE ${isInRun(sql, organization)} AND at >= ${from}::bigint AND at < ${to}::bigint
    ) c
    WHERE c.at IS NOT NULL`
}

/** The hours of which ranges need minutes, in one row for each run of them, and the open hours that ranges include. */
const hourRows = (sql: SqlClient.SqlClient, organization: OrganizationId, plans: ReadonlyArray<Plan>) => {
  const runs = plans.flatMap((plan, index) => plan.minuteHours.map((range) => ({ index, range })))
  const { from, to } = spanOf(plans.map(({ span }) => span).filter(hasTime))
  return sql`
    SELECT r.n::integer, 3, c.at, c.counts, NULL, NULL, NULL, NULL
    FROM (
      SELECT index, start, stop FROM unnest(
        ${integers(runs.map(({ index }) => index))},
        ${bigints(runs.map(({ range }) => range.from))}, ${bigints(runs.map(({ range }) => range.to))}
      ) AS given (index, start, stop)
      UNION ALL
      SELECT n, open_hour, open_hour + ${hourMs}::bigint FROM s WHERE open_hour >= ${from}::bigint AND open_hour < ${to}::bigint
    ) p
    JOIN r ON r.n = p.index
    CROSS JOIN LATERAL (
      SELECT array_agg(at) AS at, array_agg(counts) AS counts
      FROM slo_hours WHERE ${isInRun(sql, organization)} AND at >= ${from}::bigint AND at < ${to}::bigint
    ) c
    WHERE c.at IS NOT NULL`
}

/** What ranges need: runs of days, of days of which they need hours, and of hours of which they need minutes. */
interface Plan {
  readonly days: ReadonlyArray<MinuteRange>
  readonly hours: ReadonlyArray<MinuteRange>
  readonly hourDays: ReadonlyArray<MinuteRange>
  readonly minuteHours: ReadonlyArray<MinuteRange>
  readonly parts: ReadonlyArray<RangeParts>
  /** Whole hours, from the start of the first range to the end of the last one. */
  readonly span: MinuteRange
}

const planReads = (ranges: ReadonlyArray<MinuteRange>): Plan => {
  const parts = ranges.map((range) =>
    isWithinHour(range) ? { days: [], hours: [], minutes: [range] } : rangeParts(range),
  )
  const around =
    (startOf: (at: number) => number, ms: number) =>
    ({ from, to }: MinuteRange): MinuteRange => ({ from: startOf(from), to: startOf(to - 1) + ms })
  const hours = toRuns(parts.flatMap(({ hours }) => hours))
  return {
    parts,
    days: toRuns(parts.flatMap(({ days }) => days)),
    hours,
    hourDays: toRuns(hours.map(around(dayOf, dayMs))),
    minuteHours: toRuns(parts.flatMap(({ minutes }) => minutes.map(around(hourOf, hourMs)))),
    span: spanOf(ranges.filter(hasTime).map(around(hourOf, hourMs))),
  }
}

const hasTime = ({ from, to }: MinuteRange): boolean => from < to

/** From the start of the first range to the end of the last one; an empty range for none. */
const spanOf = (ranges: ReadonlyArray<MinuteRange>): MinuteRange => {
  let [first, last] = [Infinity, -Infinity]
  for (const { from, to } of ranges) [first, last] = [Math.min(first, from), Math.max(last, to)]
  return first < last ? { from: first, to: last } : { from: 0, to: 0 }
}

type SloRow = RunRow | StateRow

interface RunRow {
  readonly n: number
  /** Sums of days, sums of the hours of days, or minutes of hours. */
  readonly level: 1 | 2 | 3
  /** The starts of the days or hours, in the order of `packed`. */
  readonly at: ReadonlyArray<number>
  readonly packed: ReadonlyArray<Uint8Array>
}

interface StateRow extends StateColumns {
  readonly n: number
  readonly level: 0
  readonly count_rows: StoredForm["countRows"]
  readonly open_hour: number | null
}

const toSums = (
  slice: Slice,
  { slo, hasStates = false }: CountRead,
  plan: Plan,
  rows: ReadonlyArray<SloRow>,
): Effect.Effect<CountSumsRead | undefined, StoredRowIsInvalid> =>
  Effect.gen(function* () {
    const state = rows.find((row) => row.level === 0)
    if (state === undefined) return { sums: plan.parts.map(() => []), latestAt: new Map<string, number>() }
    if (!hasSloRows({ countRows: state.count_rows })) return undefined
    const { rules, latestAt } = yield* Effect.fromResult(rowToState(slo, state))
    const tracks = new Map<string, TrackSeries>()
    const trackOf = (name: string): TrackSeries => {
      const known = tracks.get(name)
      if (known !== undefined) return known
      const rule = partOfTrack(rules, name)
      const track: TrackSeries = {
        rule: rule && (hasStates ? rule : { ...rule, hasStates: false }),
        days: new Map(),
        hours: new Map(),
        minutes: new Map(),
      }
      tracks.set(name, track)
      return track
    }
    // The open hour may be read as one of which minutes are needed, too.
    const hoursRead = new Set<number>()
    for (const row of rows) {
      if (row.level === 0) continue
      const { what, readNext } = levels[row.level]
      const read = readNext(row, plan, trackOf)
      for (const [index, at] of row.at.entries()) {
        if (slice.isOver) yield* slice.end
        if (row.level === 3 && hoursRead.size === hoursRead.add(at).size) continue
        const done = readRow(what, { slo, at }, () => read(index, at))
        if (Result.isFailure(done)) return yield* done.failure
      }
    }
    const openAt = state.open_hour
    if (openAt !== null && openAt >= plan.span.from && openAt < plan.span.to) {
      // In no day yet, and therefore in none of the sums that were read.
      for (const { rule, days, hours, minutes } of tracks.values()) {
        if (slice.isOver) yield* slice.end
        const hour = minutes.get(openAt)
        const sums = hour && sumHour(hour, rule, { from: openAt, to: openAt + hourMs })
        if (sums === undefined) continue
        hours.set(openAt, sums)
        days.set(dayOf(openAt), addSums(days.get(dayOf(openAt)), sums))
      }
    }
    const all = [...tracks]
    const sums: Array<ReadonlyArray<CountSum>> = []
    for (const parts of plan.parts) {
      const found: Array<CountSum> = []
      for (const [objective, track] of all) {
        if (slice.isOver) yield* slice.end
        const sum = sumParts(track, parts, hasStates)
        if (sum !== undefined) found.push({ objective, ...sum })
      }
      sums.push(found)
    }
    return { sums, latestAt: new Map(Object.entries(latestAt)) }
  })

/** What the rows of each level hold, and what reads their days or hours one after the other. */
const levels: Readonly<
  Record<
    RunRow["level"],
    {
      readonly what: Parameters<typeof readRow>[0]
      readonly readNext: (
        row: RunRow,
        plan: Plan,
        trackOf: (name: string) => TrackSeries,
      ) => (index: number, at: number) => void
    }
  >
> = {
  1: {
    what: "sums of day",
    readNext: ({ packed: [sums = nothing] }, _, trackOf) => {
      const reader = new TotalsReader(sums)
      return (_, at) => reader.next((name, sums) => void trackOf(name).days.set(at, sums))
    },
  },
  2: {
    what: "sums of the hours of day",
    readNext:
      ({ packed }, plan, trackOf) =>
      (index, at) => {
        const { from, to } = hoursOfDay(plan, at)
        for (const [name, sums] of unpackSums(packed[index] ?? nothing, from, to)) {
          const { hours } = trackOf(name)
          for (let hour = from; hour < to; hour++) {
            const each = sums[hour]
            if (each !== undefined) hours.set(at + hour * hourMs, each)
          }
        }
      },
  },
  3: {
    what: "hour",
    readNext:
      ({ packed }, _, trackOf) =>
      (index, at) => {
        for (const [name, hour] of unpackSloHour(packed[index] ?? nothing))
          trackOf(name).minutes.set(at, hour)
      },
  },
}

const nothing = new Uint8Array()

/** Which hours of a day, from ≤ hour < to, any range needs. */
const hoursOfDay = ({ hours }: Plan, day: number): { readonly from: number; readonly to: number } => {
  const some = hours.filter((run) => run.to > day && run.from < day + dayMs)
  const [first, last] = [some[0]?.from ?? day, some.at(-1)?.to ?? day]
  return { from: Math.max(0, (first - day) / hourMs), to: Math.min(24, (last - day) / hourMs) }
}
