import type * as SqlClient from "effect/sql/SqlClient"
import {
  emptyHour,
  type HourOfCounts,
  overallHour,
  overallParts,
  overallTrack,
  packHour,
  partOfTrack,
  type SliceRule,
  sumHour,
  unpackHour,
} from "@tocsin/domain/adapter"
import { dayMs, dayOf, hourMs, minuteMs } from "@tocsin/domain/codec"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, byteas, doubles, integers, texts } from "../database/Parameters.ts"
import { StoredRowIsInvalid } from "../database/StoredRow.ts"
import { type HourKey, hourKeyText, type HourWritten } from "./CountHours.ts"
import { selectStates, statesToText } from "./CountStates.ts"
import { type ObjectiveTables, objectiveTables } from "./ObjectiveTables.ts"

/** Minutes as arrays, null where there is no count. */
export interface ArraysRow {
  readonly minute_good: ReadonlyArray<number | null>
  readonly minute_total: ReadonlyArray<number | null>
}

export const arraysToHour = ({ minute_good, minute_total }: ArraysRow): HourOfCounts => ({
  good: toMinutes(minute_good),
  total: toMinutes(minute_total),
})

/** The minutes of an hour are packed, or arrays where the SLO does not pack its counts yet. */
export type MinutesRow = { readonly packed: Uint8Array } | (ArraysRow & { readonly packed: null })

/** The columns of `MinutesRow`. */
export const minutesColumns = (sql: SqlClient.SqlClient) => sql.literal("packed, minute_good, minute_total")

export const rowToHour = (row: MinutesRow): Result.Result<HourOfCounts, StoredRowIsInvalid> =>
  row.packed === null ? Result.succeed(arraysToHour(row)) : unpackMinutes(row.packed)

/** The track of an hour that is packed alone. */
const onlyTrack = 0

const packMinutes = (hour: HourOfCounts): Uint8Array => packHour(new Map([[onlyTrack, hour]]))

export const unpackMinutes = (packed: Uint8Array): Result.Result<HourOfCounts, StoredRowIsInvalid> =>
  Result.try({
    try: () => unpackHour(packed).get(onlyTrack) ?? emptyHour,
    catch: (cause) =>
      new StoredRowIsInvalid({
        row: "hour of counts",
        issues: [{ path: "packed", code: "not_allowed_value", message: String(cause) }],
      }),
  })

/** Reads hours of objectives, by `hourKeyText`. */
export const readObjectiveHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<HourKey>,
) =>
  Effect.gen(function* () {
    const tables = yield* objectiveTables(sql)
    const rows = yield* sql<MinutesRow & { readonly n: number }>`
      SELECT k.n, ${minutesColumns(sql)}
      FROM unnest(
        ${texts(keys.map(({ slo }) => slo.project))}, ${texts(keys.map(({ slo }) => slo.name))},
        ${bigints(keys.map(({ at }) => at))}, ${texts(keys.map(({ objective }) => objective))},
        ${integers(keys.map((_, index) => index))}
      ) AS k (project, slo, at, objective, n)
      JOIN ${sql(tables.hours)} h ON h.organization = ${organization} AND h.project = k.project AND h.slo = k.slo
        AND h.at = k.at AND h.objective = k.objective`
    const found = rows.map((row) => {
      const key = keys[row.n]
      return Result.map(rowToHour(row), (hour) => [key === undefined ? "" : hourKeyText(key), hour] as const)
    })
    return yield* Effect.fromResult(Result.map(Result.all(found), (hours) => new Map(hours)))
  })

/** Whether the SLO packs its counts (`slos.packs_counts`). */
export interface PackedOrNot {
  readonly isPacked: boolean
}

/** Writes hours with their sums, and then the days that they belong to; deletes hours and days without counts. */
export const writeObjectiveHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  written: ReadonlyArray<HourWritten & PackedOrNot>,
) =>
  Effect.gen(function* () {
    const withSums = written.map(({ hour, rules, isPacked, ...key }) => ({
      key,
      hour,
      isPacked,
      sums: sumHour(hour, partOfTrack(rules, key.objective), { from: key.at, to: key.at + hourMs }),
    }))
    const tables = yield* objectiveTables(sql)
    const empty = withSums.flatMap(({ key, sums }) => (sums === undefined ? [key] : []))
    if (empty.length > 0) yield* deleteHours(sql, tables, organization, empty)
    const rows = withSums.flatMap(({ sums, ...row }) => (sums === undefined ? [] : [{ ...row, sums }]))
    if (rows.length === 0) return
    yield* sql`
      INSERT INTO ${sql(tables.hours)} (organization, project, slo, at, objective, packed, minute_good, minute_total,
        good, total, minutes, good_shares, good_minutes, states)
      SELECT o.organization, project, slo, at, objective, packed, minute_good::float8[], minute_total::float8[],
        good, total, minutes, good_shares, good_minutes, states::integer[]
      FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${texts(rows.map(({ key }) => key.slo.project))}, ${texts(rows.map(({ key }) => key.slo.name))},
        ${bigints(rows.map(({ key }) => key.at))}, ${texts(rows.map(({ key }) => key.objective))},
        ${byteas(rows.map(({ hour, isPacked }) => (isPacked ? packMinutes(hour) : null)))},
        ${texts(rows.map(({ hour, isPacked }) => (isPacked ? null : fromMinutes(hour.good))))},
        ${texts(rows.map(({ hour, isPacked }) => (isPacked ? null : fromMinutes(hour.total))))},
        ${doubles(rows.map(({ sums }) => sums.good))}, ${doubles(rows.map(({ sums }) => sums.total))},
        ${integers(rows.map(({ sums }) => sums.minutes))},
        ${doubles(rows.map(({ sums }) => sums.goodShares))},
        ${integers(rows.map(({ sums }) => sums.goodMinutes))},
        ${texts(rows.map(({ key, sums }) => statesToText(sums.states, key.at)))}
      ) AS given (project, slo, at, objective, packed, minute_good, minute_total,
        good, total, minutes, good_shares, good_minutes, states)
      ON CONFLICT (organization, project, slo, at, objective) DO UPDATE SET
        packed = excluded.packed, minute_good = excluded.minute_good, minute_total = excluded.minute_total,
        good = excluded.good, total = excluded.total, minutes = excluded.minutes,
        good_shares = excluded.good_shares, good_minutes = excluded.good_minutes, states = excluded.states`
    yield* writeDays(
      sql,
      tables,
      organization,
      rows.map(({ key }) => ({ ...key, at: dayOf(key.at) })),
      rows.some(({ sums }) => sums.states !== undefined),
    )
  })

/** Deletes hours, and the days that have no others; the other days are recomputed. */
const deleteHours = (
  sql: SqlClient.SqlClient,
  tables: ObjectiveTables,
  organization: OrganizationId,
  keys: ReadonlyArray<HourKey>,
) =>
  Effect.gen(function* () {
    const given = sql`unnest(
      ${texts(keys.map(({ slo }) => slo.project))}, ${texts(keys.map(({ slo }) => slo.name))},
      ${bigints(keys.map(({ at }) => at))}, ${texts(keys.map(({ objective }) => objective))}
    ) AS k (project, slo, at, objective)`
    const isGiven = sql`c.organization = ${organization} AND c.project = k.project AND c.slo = k.slo
      AND c.objective = k.objective`
    const deleted = yield* sql`
      DELETE FROM ${sql(tables.hours)} c USING ${given} WHERE ${isGiven} AND c.at = k.at RETURNING true`
    if (deleted.length === 0) return
    const days = keys.map((key) => ({ ...key, at: dayOf(key.at) }))
    yield* sql`
      DELETE FROM ${sql(tables.days)} c USING ${given} WHERE ${isGiven} AND c.at = k.at - k.at % ${dayMs}::bigint
        AND NOT EXISTS (
          SELECT FROM ${sql(tables.hours)} h WHERE h.organization = ${organization} AND h.project = c.project
            AND h.slo = c.slo AND h.at >= c.at AND h.at < c.at + ${dayMs} AND h.objective = c.objective)`
    yield* writeDays(sql, tables, organization, days, true)
  })

/** Recomputes days from their hours, so that replacing counts leaves no rounding error. */
const writeDays = (
  sql: SqlClient.SqlClient,
  tables: ObjectiveTables,
  organization: OrganizationId,
  keys: ReadonlyArray<HourKey>,
  hasStates: boolean,
) => {
  const ofDay = sql`organization = ${organization} AND project = d.project AND slo = d.slo
    AND at >= d.at AND at < d.at + ${dayMs} AND objective = d.objective`
  const days = [...new Map(keys.map((key) => [hourKeyText(key), key])).values()]
  return sql`
    INSERT INTO ${sql(tables.days)}
      (organization, project, slo, at, objective, good, total, minutes, good_shares, good_minutes, states)
    SELECT o.organization, d.project, d.slo, d.at, d.objective, h.*, ${
      hasStates
        ? sql`CASE WHEN s.counted IS NULL THEN NULL
          WHEN s.first IS NULL THEN ARRAY[s.counted, s.carried]::integer[]
          ELSE ARRAY[s.counted, s.carried, s.first - d.at / ${minuteMs}::bigint,
            s.last_state / 2 - d.at / ${minuteMs}::bigint, s.last_state % 2]::integer[] END`
        : sql`NULL::integer[]`
    }
    FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
      ${texts(days.map(({ slo }) => slo.project))}, ${texts(days.map(({ slo }) => slo.name))},
      ${bigints(days.map(({ at }) => at))}, ${texts(days.map(({ objective }) => objective))}
    ) AS d (project, slo, at, objective)
    CROSS JOIN LATERAL (
      SELECT sum(good), sum(total), sum(minutes), sum(good_shares), sum(good_minutes) FROM ${sql(tables.hours)}
      WHERE ${ofDay}
      HAVING count(*) > 0
    ) h ${hasStates ? sql`LEFT JOIN LATERAL (${selectStates(sql, tables.hours, ofDay)}) s ON true` : sql``}
    ON CONFLICT (organization, project, slo, at, objective) DO UPDATE SET
      good = excluded.good, total = excluded.total, minutes = excluded.minutes,
      good_shares = excluded.good_shares, good_minutes = excluded.good_minutes, states = excluded.states`
}

/** NaN stands for a minute without a count. */
const toMinutes = (values: ReadonlyArray<number | null>): ReadonlyArray<number> =>
  values.map((value) => value ?? Number.NaN)

/** As an array literal, since the driver has no parameter type for arrays of arrays. */
export const fromMinutes = (minutes: ReadonlyArray<number>): string =>
  `{${minutes.map((value) => (Number.isNaN(value) ? "NULL" : value)).join()}}`

/**
 * Applies new slice rules to an SLO: recomputes the sums that depend on the rules, one week at a time, since one
 * statement over a year may exceed the statement timeout.
 */
export const recomputeObjectiveSums = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey & PackedOrNot,
  rules: { readonly before: ReadonlyArray<SliceRule>; readonly after: ReadonlyArray<SliceRule> },
) =>
  Effect.gen(function* () {
    const ofSlo = sql`organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}`
    const isChanged = <A>(read: (rules: ReadonlyArray<SliceRule>) => A): boolean =>
      JSON.stringify(read(rules.before)) !== JSON.stringify(read(rules.after))
    const isOverallChanged = isChanged(overallParts)
    const tables = yield* objectiveTables(sql)
    if (isOverallChanged && overallParts(rules.before) !== undefined) {
      for (const table of [tables.hours, tables.days]) {
        yield* sql`DELETE FROM ${sql(table)} WHERE ${ofSlo} AND objective = ${overallTrack}`
      }
    }
    const days = yield* sql<{ readonly at: number }>`
      SELECT DISTINCT at FROM ${sql(tables.days)} WHERE ${ofSlo} AND objective <> ${overallTrack} ORDER BY at`
    for (let first = 0; first < days.length; first += daysAtOnce) {
      const some = days.slice(first, first + daysAtOnce).map(({ at }) => at)
      const rows = yield* sql<MinutesRow & { readonly at: number; readonly objective: string }>`
        SELECT at, objective, ${minutesColumns(sql)} FROM ${sql(tables.hours)}
        WHERE ${ofSlo} AND at >= ${some.at(0) ?? 0} AND at < ${(some.at(-1) ?? 0) + dayMs}
          AND objective <> ${overallTrack}`
      const hours = new Map<number, Map<string, HourOfCounts>>()
      for (const row of rows) {
        const ofHour = hours.get(row.at) ?? new Map<string, HourOfCounts>()
        hours.set(row.at, ofHour.set(row.objective, yield* Effect.fromResult(rowToHour(row))))
      }
      const written = [...hours].flatMap(([at, ofHour]): ReadonlyArray<HourWritten> => {
        const place = { slo: { project: slo.project, name: slo.name }, at, rules: rules.after }
        const objectives = [...ofHour].filter(([objective]) =>
          isChanged((all) => partOfTrack(all, objective)),
        )
        const parts = isOverallChanged ? overallParts(rules.after) : undefined
        return [
          ...objectives.map(([objective, hour]) => ({ ...place, objective, hour })),
          ...(parts === undefined
            ? []
            : [{ ...place, objective: overallTrack, hour: overallHour(parts, ofHour) }]),
        ]
      })
      const { isPacked } = slo
      yield* writeObjectiveHours(
        sql,
        organization,
        written.map((each) => ({ ...each, isPacked })),
      )
    }
  })

const daysAtOnce = 7
