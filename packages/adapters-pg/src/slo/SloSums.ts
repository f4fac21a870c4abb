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
  type SliceRule,
  TotalsReader,
  sumHour,
} from "@tocsin/domain/adapter"
import { dayMs, dayOf, hourMs, hourOf, type MinuteRange } from "@tocsin/domain/codec"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import type { CountRead, CountSum, CountSumsRead } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
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
import { inOrder } from "./CountStates.ts"
import { readDaySums, readHourSums, readSloHour } from "./SloHours.ts"

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
    const plans = new Map<string, Plan>()
    const planned = reads.map(({ ranges }) => {
      const key = ranges.map(({ from, to }) => `${from}-${to}`).join()
      const plan = plans.get(key) ?? planReads(ranges)
      plans.set(key, plan)
      return plan
    })
    const rows = yield* sql<SloRow>`
      WITH ${readsTable(sql, reads)}
      ${stateRows(sql, organization, [...plans.values()])}
      UNION ALL ${runRows(sql, organization, planned, "days")}
      UNION ALL ${runRows(sql, organization, planned, "hours")}
      UNION ALL ${runRows(sql, organization, planned, "minutes")}`
    const rowsOf = reads.map((): Array<SloRow> => [])
    for (const row of rows) rowsOf[row.n]?.push(row)
    const found: Array<CountSumsRead | undefined> = []
    const slice = new Slice()
    for (const [index, read] of reads.entries())
      found.push(yield* toSums(slice, read, planned[index] ?? planReads([]), rowsOf[index] ?? []))
    return found
  })

/** The records of the SLOs, with their open hours, if any range includes these. */
const stateRows = (sql: SqlClient.SqlClient, organization: OrganizationId, plans: ReadonlyArray<Plan>) => {
  let [from, to] = [Infinity, -Infinity]
  for (const { span } of plans) [from, to] = [Math.min(from, span.from), Math.max(to, span.to)]
  const isEmpty = from >= to
  return sql`
    SELECT r.n::integer AS n, 0 AS level, NULL::bigint[] AS at, NULL::bytea[] AS packed,
      s.slice_rules, s.latest_at, s.count_rows, s.open_hour, h.counts AS open
    FROM r
    JOIN slos s ON s.organization = ${organization} AND s.project = r.project AND s.name = r.slo
    LEFT JOIN LATERAL (
      SELECT counts FROM slo_hours
      WHERE organization = ${organization} AND project = r.project AND slo = r.slo AND at = s.open_hour
        AND at >= ${isEmpty ? 0 : hourOf(from)}::bigint AND at < ${isEmpty ? 0 : to}::bigint
      OFFSET 0
    ) h ON true`
}

/** What the ranges need of one level, in one row for each run of times. */
const runRows = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  plans: ReadonlyArray<Plan>,
  level: Level,
) => {
  const runs = plans.flatMap((plan, index) => plan[level].map((range) => ({ index, range })))
  let [from, to] = [Infinity, -Infinity]
  for (const { range } of runs) [from, to] = [Math.min(from, range.from), Math.max(to, range.to)]
  const { table, packed, number } = levels[level]
  return sql`
    SELECT r.n::integer, ${number}::integer, c.at, c.packed, NULL, NULL, NULL, NULL, NULL
    FROM unnest(
      ${integers(runs.map(({ index }) => index))},
      ${bigints(runs.map(({ range }) => range.from))}, ${bigints(runs.map(({ range }) => range.to))}
    ) AS p (index, start, stop)
    JOIN r ON r.n = p.index
    CROSS JOIN LATERAL (
      SELECT array_agg(at ORDER BY at) AS at, ${sql.literal(packed)} AS packed FROM ${sql(table)}
      WHERE ${isInRun(sql, organization)}
        AND at >= ${runs.length === 0 ? 0 : from}::bigint AND at < ${runs.length === 0 ? 0 : to}::bigint
    ) c
    WHERE c.at IS NOT NULL`
}

type Level = "days" | "hours" | "minutes"

/** The sums of days, of which most are read, are one value, one day after the other. */
const levels = {
  days: { table: "slo_days", packed: "ARRAY[string_agg(sums, '' ORDER BY at)]", number: 1 },
  hours: { table: "slo_days", packed: "array_agg(hours ORDER BY at)", number: 2 },
  minutes: { table: "slo_hours", packed: "array_agg(counts ORDER BY at)", number: 3 },
} as const

/** The runs of days that are needed whole, of days of which hours are, and of hours of which minutes are; and the parts of each range. */
interface Plan extends Readonly<Record<Level, ReadonlyArray<MinuteRange>>> {
  readonly parts: ReadonlyArray<RangeParts>
  /** Which hours of a day, from ≤ hour < to, any range needs. */
  readonly wanted: (day: number) => { readonly from: number; readonly to: number }
  /** From the start of the first range to the end of the last one. */
  readonly span: MinuteRange
}

const planReads = (ranges: ReadonlyArray<MinuteRange>): Plan => {
  const parts = ranges.map((range) =>
    isWithinHour(range) ? { days: [], hours: [], minutes: [range] } : rangeParts(range),
  )
  const around =
    (startOf: (at: number) => number, ms: number) =>
    ({ from, to }: MinuteRange): MinuteRange => ({ from: startOf(from), to: startOf(to - 1) + ms })
  let [from, to] = [Infinity, -Infinity]
  for (const range of ranges) [from, to] = [Math.min(from, range.from), Math.max(to, range.to)]
  const hours = toRuns(parts.flatMap(({ hours }) => hours))
  return {
    parts,
    wanted: (day) => {
      const some = hours.filter((run) => run.to > day && run.from < day + dayMs)
      return {
        from: Math.max(0, ((some[0]?.from ?? day) - day) / hourMs),
        to: ((some.at(-1)?.to ?? day) - day) / hourMs,
      }
    },
    span: { from, to },
    days: toRuns(parts.flatMap(({ days }) => days)),
    hours: toRuns(hours.map(around(dayOf, dayMs))),
    minutes: toRuns(parts.flatMap(({ minutes }) => minutes.map(around(hourOf, hourMs)))),
  }
}

/** Ranges that overlap or touch as one. */
export const toRuns = (ranges: ReadonlyArray<MinuteRange>): ReadonlyArray<MinuteRange> => {
  const runs: Array<{ readonly from: number; to: number }> = []
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = runs.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else runs.push({ from, to })
  }
  return runs
}

type SloRow = RunRow | StateRow

interface RunRow {
  readonly n: number
  readonly level: 1 | 2 | 3
  readonly at: ReadonlyArray<number>
  readonly packed: ReadonlyArray<Uint8Array>
}

interface StateRow extends StateColumns {
  readonly n: number
  readonly level: 0
  readonly count_rows: StoredForm["countRows"]
  readonly open_hour: number | null
  readonly open: Uint8Array | null
}

/** What was read of a track, by the start of the day or hour. */
interface TrackSeries {
  readonly rule: SliceRule["parts"][number] | undefined
  readonly days: Map<number, MinuteSums>
  readonly hours: Map<number, MinuteSums>
  readonly minutes: Map<number, HourOfCounts>
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
    for (const row of rows) if (row.level !== 0) yield* addRow(slice, trackOf, plan.wanted, slo, row)
    const { open, open_hour: openAt } = state
    if (open !== null && openAt !== null) {
      // In no day yet, and therefore in none of the sums that were read.
      for (const [name, hour] of yield* Effect.fromResult(readSloHour({ slo, at: openAt }, open))) {
        if (slice.isOver) yield* slice.end
        const { rule, days, hours } = trackOf(name)
        const sums = sumHour(hour, rule, { from: openAt, to: openAt + hourMs })
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

const addRow = (
  slice: Slice,
  trackOf: (name: string) => TrackSeries,
  wanted: Plan["wanted"],
  slo: ProjectKey,
  { level, at: starts, packed }: RunRow,
): Effect.Effect<void, StoredRowIsInvalid> =>
  Effect.gen(function* () {
    const days = level === 1 ? new TotalsReader(packed[0] ?? new Uint8Array()) : undefined
    for (const [index, at] of starts.entries()) {
      if (slice.isOver) yield* slice.end
      const place = { slo, at }
      if (days !== undefined) {
        const add = (name: string, sums: MinuteSums): void => void trackOf(name).days.set(at, sums)
        yield* Effect.fromResult(readDaySums(place, { reader: days, add }))
        continue
      }
      const bytes = packed[index]
      if (bytes === undefined) continue
      if (level === 3) {
        const hour = yield* Effect.fromResult(readSloHour(place, bytes))
        for (const [name, minutes] of hour) trackOf(name).minutes.set(at, minutes)
        continue
      }
      const read = yield* Effect.fromResult(readHourSums(place, { bytes, ...wanted(at) }))
      for (const [name, sums] of read) {
        const { hours } = trackOf(name)
        for (let hour = 0; hour < sums.length; hour++) {
          const each = sums[hour]
          if (each !== undefined) hours.set(at + hour * hourMs, each)
        }
      }
    }
  })

/** The sums of a range of a track; `undefined` without any count. */
const sumParts = (
  { rule, days, hours, minutes }: TrackSeries,
  parts: RangeParts,
  hasStates: boolean,
): MinuteSums | undefined => {
  const sums = { good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }
  let isCounted = false
  const states: Array<MinuteStates> = []
  const add = (each: MinuteSums | undefined): void => {
    if (each === undefined) return
    isCounted = true
    sums.good += each.good
    sums.total += each.total
    sums.minutes += each.minutes
    sums.goodShares += each.goodShares
    sums.goodMinutes += each.goodMinutes
    if (hasStates && each.states !== undefined) states.push(each.states)
  }
  for (const { from, to } of parts.days) for (let at = from; at < to; at += dayMs) add(days.get(at))
  for (const { from, to } of parts.hours) for (let at = from; at < to; at += hourMs) add(hours.get(at))
  for (const range of parts.minutes) {
    const hour = minutes.get(hourOf(range.from))
    if (hour !== undefined) add(sumHour(hour, rule, range))
  }
  if (!isCounted) return undefined
  return states.length === 0 ? sums : { ...sums, states: inOrder(states) }
}
