import type * as SqlClient from "effect/sql/SqlClient"
import { stored } from "@tocsin/domain/codec/Codec"
import { record } from "@tocsin/domain/codec/Containers"
import { anyString, number } from "@tocsin/domain/codec/Leaves"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/metadata/ObjectKey"
import { type HourOfCounts, partOfTrack, sumHour } from "@tocsin/domain/counts/HourOfCounts"
import { dayMs, dayOf } from "@tocsin/domain/codec/MinuteInstant"
import { type SliceRule, storedSliceRules } from "@tocsin/domain/slo/SliceRules"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PartitionedTable } from "../database/Partitions.ts"
import { bigints, doubles, integers, texts } from "../database/Parameters.ts"
import { inRow } from "../database/StoredRow.ts"

/** The columns of `slos` that recording and summing counts depend on. */
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

/** The columns of an hour's minutes; null where there is no count. */
export interface MinutesRow {
  readonly minute_good: ReadonlyArray<number | null>
  readonly minute_total: ReadonlyArray<number | null>
}

export const rowToHour = ({ minute_good, minute_total }: MinutesRow): HourOfCounts => ({
  good: toMinutes(minute_good),
  total: toMinutes(minute_total),
})

/** Reads the hours that have counts, by `hourKeyText`. */
export const readHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<HourKey>,
) =>
  Effect.map(
    sql<MinutesRow & { readonly n: number }>`
      SELECT k.n, h.minute_good, h.minute_total
      FROM unnest(
        ${texts(keys.map(({ slo }) => slo.project))}, ${texts(keys.map(({ slo }) => slo.name))},
        ${bigints(keys.map(({ at }) => at))}, ${texts(keys.map(({ objective }) => objective))}
      ) WITH ORDINALITY AS k (project, slo, at, objective, n)
      JOIN count_hours h ON h.organization = ${organization} AND h.project = k.project AND h.slo = k.slo
        AND h.at = k.at AND h.objective = k.objective`,
    (rows) => {
      const hours = new Map<string, HourOfCounts>()
      for (const row of rows) {
        const key = keys[row.n - 1]
        if (key !== undefined) hours.set(hourKeyText(key), rowToHour(row))
      }
      return hours
    },
  )

/** A map key, unique within an organization: names of projects and SLOs contain no slash. */
export const hourKeyText = ({ slo, objective, at }: HourKey): string =>
  `${projectKeyText(slo)}/${at}/${objective}`

/** An hour to write, and the rules of its SLO. */
export interface HourWritten extends HourKey {
  readonly hour: HourOfCounts
  readonly rules: ReadonlyArray<SliceRule>
}

/** Writes hours with their sums, and then the days that they belong to; skips hours without counts. */
export const writeHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  written: ReadonlyArray<HourWritten>,
) =>
  Effect.gen(function* () {
    const rows = written.flatMap(({ hour, rules, ...key }) => {
      const sums = sumHour(hour, partOfTrack(rules, key.objective))
      return sums === undefined ? [] : [{ key, hour, sums }]
    })
    if (rows.length === 0) return
    yield* sql`
      INSERT INTO count_hours (organization, project, slo, at, objective, minute_good, minute_total,
        good, total, minutes, good_shares, good_minutes)
      SELECT ${organization}, project, slo, at, objective, minute_good::float8[], minute_total::float8[],
        good, total, minutes, good_shares, good_minutes
      FROM unnest(
        ${texts(rows.map(({ key }) => key.slo.project))}, ${texts(rows.map(({ key }) => key.slo.name))},
        ${bigints(rows.map(({ key }) => key.at))}, ${texts(rows.map(({ key }) => key.objective))},
        ${texts(rows.map(({ hour }) => fromMinutes(hour.good)))},
        ${texts(rows.map(({ hour }) => fromMinutes(hour.total)))},
        ${doubles(rows.map(({ sums }) => sums.good))}, ${doubles(rows.map(({ sums }) => sums.total))},
        ${integers(rows.map(({ sums }) => sums.minutes))},
        ${doubles(rows.map(({ sums }) => sums.goodShares))},
        ${integers(rows.map(({ sums }) => sums.goodMinutes))}
      ) AS given (project, slo, at, objective, minute_good, minute_total,
        good, total, minutes, good_shares, good_minutes)
      ON CONFLICT (organization, project, slo, at, objective) DO UPDATE SET
        minute_good = excluded.minute_good, minute_total = excluded.minute_total,
        good = excluded.good, total = excluded.total, minutes = excluded.minutes,
        good_shares = excluded.good_shares, good_minutes = excluded.good_minutes`
    yield* writeDays(
      sql,
      organization,
      rows.map(({ key }) => ({ ...key, at: dayOf(key.at) })),
    )
  })

/** Recomputes days from their hours, so that replacing counts leaves no rounding error. */
const writeDays = (sql: SqlClient.SqlClient, organization: OrganizationId, keys: ReadonlyArray<HourKey>) => {
  const days = [...new Map(keys.map((key) => [hourKeyText(key), key])).values()]
  return sql`
    INSERT INTO count_days
      (organization, project, slo, at, objective, good, total, minutes, good_shares, good_minutes)
    SELECT ${organization}, d.project, d.slo, d.at, d.objective, h.*
    FROM unnest(
      ${texts(days.map(({ slo }) => slo.project))}, ${texts(days.map(({ slo }) => slo.name))},
      ${bigints(days.map(({ at }) => at))}, ${texts(days.map(({ objective }) => objective))}
    ) AS d (project, slo, at, objective)
    CROSS JOIN LATERAL (
      SELECT sum(good), sum(total), sum(minutes), sum(good_shares), sum(good_minutes) FROM count_hours
      WHERE organization = ${organization} AND project = d.project AND slo = d.slo
        AND at >= d.at AND at < d.at + ${dayMs} AND objective = d.objective
    ) h
    ON CONFLICT (organization, project, slo, at, objective) DO UPDATE SET
      good = excluded.good, total = excluded.total, minutes = excluded.minutes,
      good_shares = excluded.good_shares, good_minutes = excluded.good_minutes`
}

/**
 * The tables of counts. Missing partitions are created when counts arrive for them.
 *
 * With counts every minute, the row of an hour is written 60 times, so its table is vacuumed early.
 */
export const countTables: ReadonlyArray<PartitionedTable> = [
  { table: "count_hours", partitionMs: 28 * dayMs, storage: "autovacuum_vacuum_scale_factor = 0.05" },
  { table: "count_days", partitionMs: 28 * dayMs },
]

/** NaN stands for a minute without a count. */
const toMinutes = (values: ReadonlyArray<number | null>): ReadonlyArray<number> =>
  values.map((value) => value ?? Number.NaN)

/** As an array literal, since the driver has no parameter type for arrays of arrays. */
const fromMinutes = (minutes: ReadonlyArray<number>): string =>
  `{${minutes.map((value) => (Number.isNaN(value) ? "NULL" : value)).join()}}`
