import type * as SqlClient from "effect/sql/SqlClient"
import { addChangedMinutes, type ChangedMinute } from "@tocsin/domain"
import {
  changesHour,
  emptyHour,
  type HourOfCounts,
  overallHour,
  overallParts,
  overallTrack,
  type SliceRule,
  storedSliceRules,
  withCounts,
} from "@tocsin/domain/adapter"
import { anyString, dayMs, hourOf, number, record, stored } from "@tocsin/domain/codec"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import type { Count } from "@tocsin/domain/ports"
import * as Result from "effect/Result"
import type { PartitionedTable } from "../database/Retention.ts"
import { bigints, searchText, texts } from "../database/Parameters.ts"
import { inRow } from "../database/StoredRow.ts"

/** The SLOs of reads, as the table `r` in WITH; `n` is the place of the read. */
export const readsTable = (
  sql: SqlClient.SqlClient,
  reads: ReadonlyArray<{ readonly slo: ProjectKey }>,
) => sql`
  r AS MATERIALIZED (
    SELECT * FROM unnest(
      ${texts(reads.map(({ slo }) => searchText(slo.project)))},
      ${texts(reads.map(({ slo }) => searchText(slo.name)))},
      ${bigints(reads.map((_, index) => index))}
    ) AS r (project, slo, n)
  )`

/** The rows of a table of counts that belong to an SLO of `readsTable` and are within `start` and `stop` of a table `p`. */
export const isInRun = (sql: SqlClient.SqlClient, organization: OrganizationId) => sql`
  organization = ${organization} AND project = r.project AND slo = r.slo AND at >= p.start AND at < p.stop`

export interface StateColumns {
  readonly slice_rules: string
  readonly latest_at: string
}

export const rowToState = (slo: ProjectKey, { slice_rules, latest_at }: StateColumns) =>
  Result.all({
    rules: readSliceRules(slo, slice_rules),
    latestAt: inRow(`latest minutes of SLO ${projectKeyText(slo)}`, storedLatest.read(latest_at, undefined)),
  })

export const readSliceRules = (slo: ProjectKey, rules: string) =>
  inRow(`slice rules of SLO ${projectKeyText(slo)}`, storedSliceRules.read(rules, undefined))

/** The stored form of the column `latest_at`: by objective, the start of the latest minute that ever had a count. */
export const storedLatest = stored(record(anyString, number({}), { max: Infinity }), [])

/** The place of an hour: a track of an SLO, and the start of the hour in Unix milliseconds. */
export interface HourKey {
  readonly slo: ProjectKey
  readonly objective: string
  readonly at: number
}

/** A map key, unique within an organization: names of projects and SLOs contain no slash. */
export const hourKeyText = ({ slo, objective, at }: HourKey): string =>
  `${projectKeyText(slo)}/${at}/${objective}`

export interface HourWritten extends HourKey {
  readonly hour: HourOfCounts
  readonly rules: ReadonlyArray<SliceRule>
}

/**
 * The tables of counts. Missing partitions are created when counts arrive for them, in this order, and dropped in the other: an hour may
 * have to join its day at any time, so that its partition of days is there as long as that of hours is.
 *
 * With counts every minute, the row of an hour is written 60 times, so its table is vacuumed early.
 */
export const countTablesByForm = {
  objective: [
    { table: "count_days", renamedTo: "objective_days", partitionMs: 28 * dayMs },
    {
      table: "count_hours",
      renamedTo: "objective_hours",
      partitionMs: 28 * dayMs,
      storage: "autovacuum_vacuum_scale_factor = 0.05",
    },
  ],
  slo: [
    { table: "slo_days", partitionMs: 28 * dayMs },
    {
      table: "slo_hours",
      partitionMs: 28 * dayMs,
      storage: "autovacuum_vacuum_scale_factor = 0.05, fillfactor = 90",
    },
  ],
} as const satisfies Readonly<Record<StoredForm["countRows"], ReadonlyArray<PartitionedTable>>>

export const countTables: ReadonlyArray<PartitionedTable> = Object.values(countTablesByForm).flat()

/** Which rows hold the counts of an SLO, as in its record, and what is needed to write them. */
export interface StoredForm {
  readonly countRows: "objective" | "slo"
  /** With rows of the SLO: the start of the latest hour with counts, in Unix milliseconds, which is in no day yet; null: none has. */
  readonly openHour: number | null
  /** With rows of objectives: whether their minutes are packed. */
  readonly isPacked: boolean
  /**
   * With rows of objectives: the hours before it, in Unix milliseconds, are copied to rows of the SLO, that of `openHour` being the latest;
   * null: none are. With rows of the SLO: not null while there may be rows of objectives.
   */
  readonly copiedTo: number | null
}

/** Whether the rows of the SLO hold its counts, rather than those of its objectives. */
export const hasSloRows = ({ countRows }: Pick<StoredForm, "countRows">): boolean => countRows === "slo"

export interface FormColumns {
  readonly count_rows: StoredForm["countRows"]
  readonly open_hour: number | null
  readonly packs_counts: boolean
  readonly copied_to: number | null
}

export const rowToForm = ({ count_rows, open_hour, packs_counts, copied_to }: FormColumns): StoredForm => ({
  countRows: count_rows,
  openHour: open_hour,
  isPacked: packs_counts,
  copiedTo: copied_to,
})

interface RecordedHours {
  readonly reads: ReadonlyArray<HourKey>
  /**
   * Computes the hours to write, which are those that change, from those that were read, by `hourKeyText`; a missing hour has no
   * counts. Also returns the minutes before `oldBefore` (Unix milliseconds) that change.
   */
  readonly hours: (read: ReadonlyMap<string, HourOfCounts>, oldBefore?: number) => ChangedHours
}

interface ChangedHours {
  readonly written: ReadonlyArray<HourWritten>
  readonly old: ReadonlyArray<ChangedMinute>
}

/** Plans the hours of the objectives, and those of the legacy composite that depend on them. */
export const hoursOfRecording = (
  slo: ProjectKey,
  counts: ReadonlyArray<Count>,
  rules: ReadonlyArray<SliceRule>,
): RecordedHours => {
  const countsByHour = new Map<string, { readonly key: HourKey; readonly counts: Array<Count> }>()
  for (const count of counts) {
    const key = { slo, objective: count.objective, at: hourOf(count.at) }
    const text = hourKeyText(key)
    const hour = countsByHour.get(text)
    if (hour === undefined) countsByHour.set(text, { key, counts: [count] })
    else hour.counts.push(count)
  }
  const changed = [...countsByHour.values()]
  const parts = overallParts(rules)
  const starts = parts === undefined ? [] : [...new Set(changed.map(({ key }) => key.at))]
  const partKeys = starts.flatMap((at) =>
    (parts ?? []).map(({ objective }): HourKey => ({ slo, objective, at })),
  )
  const reads = new Map([...changed.map(({ key }) => key), ...partKeys].map((key) => [hourKeyText(key), key]))
  return {
    reads: [...reads.values()],
    hours: (read, oldBefore = 0) => {
      const old: Array<ChangedMinute> = []
      const written = changed.flatMap(({ key, counts }): ReadonlyArray<HourWritten> => {
        const before = read.get(hourKeyText(key)) ?? emptyHour
        if (!changesHour(before, counts)) return []
        const hour = withCounts(before, counts)
        addChangedMinutes(old, key.objective, key.at, before, hour, oldBefore)
        return [{ ...key, rules, hour }]
      })
      const changedHours = new Map(written.map((each) => [hourKeyText(each), each.hour] as const))
      const overallOf = (at: number, hourOfKey: (key: string) => HourOfCounts | undefined): HourOfCounts =>
        overallHour(
          parts ?? [],
          new Map(
            (parts ?? []).flatMap(({ objective }) => {
              const hour = hourOfKey(hourKeyText({ slo, objective, at }))
              return hour === undefined ? [] : [[objective, hour] as const]
            }),
          ),
        )
      const changedStarts = new Set(written.map(({ at }) => at))
      const overall = starts.flatMap((at): ReadonlyArray<HourWritten> => {
        if (!changedStarts.has(at)) return []
        const hour = overallOf(at, (key) => changedHours.get(key) ?? read.get(key))
        if (at < oldBefore) {
          const before = overallOf(at, (key) => read.get(key))
          addChangedMinutes(old, overallTrack, at, before, hour, oldBefore)
        }
        return [{ slo, objective: overallTrack, at, rules, hour }]
      })
      return { written: [...written, ...overall], old }
    },
  }
}

/**
 * The hours of the objectives with these counts, and those of the legacy composite; `hours` has every hour that has changed, by
 * its start and then by objective.
 */
export const hoursWithOverall = (
  slo: ProjectKey,
  rules: ReadonlyArray<SliceRule>,
  hours: ReadonlyMap<number, ReadonlyMap<string, HourOfCounts>>,
): ReadonlyArray<HourWritten> => {
  const parts = overallParts(rules)
  return [...hours].flatMap(([at, ofHour]) => [
    ...[...ofHour].map(([objective, hour]) => ({ slo, objective, at, rules, hour })),
    ...(parts === undefined
      ? []
      : [{ slo, objective: overallTrack, at, rules, hour: overallHour(parts, ofHour) }]),
  ])
}
