import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { HourOfCounts } from "@tocsin/domain/adapter"
import { hourMs, type MinuteRange } from "@tocsin/domain/codec"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  ensurePartitions,
  isPartitionMissing,
  listPartitions,
  lockPartitions,
} from "../database/Retention.ts"
import { forEachInSlices } from "../database/InSlices.ts"
import { isLockUnavailable } from "../database/PortOperation.ts"
import { StoredRowIsInvalid } from "../database/StoredRow.ts"
import { countConversion } from "../migrations/CountConversion.ts"
import { migrations } from "../migrations/Migrations.ts"
import { countTablesByForm, type FormColumns, hasSloRows, readSliceRules, rowToForm } from "./CountHours.ts"
import { minutesColumns, type MinutesRow, rowToHour } from "./ObjectiveRows.ts"
import { objectiveTables, type ObjectiveTables } from "./ObjectiveTables.ts"
import { withCountsOnly, writeSloHours } from "./SloHours.ts"

/**
 * Renames the tables with rows of objectives, unless they are renamed already. Returns false, and changes nothing, while a server of an
 * earlier version may run, or others use the SLOs.
 *
 * From then on, each statement of such a server on counts fails, also of one that was suspended with its virtual machine: it neither
 * records counts where nobody reads them, nor reads what is not written any more. New SLOs have rows of their own.
 */
export const renameObjectiveTables = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    if ((yield* objectiveTables(sql)).areRenamed) return true
    if (yield* mayServeEarlier(sql)) return false
    return yield* sql.withTransaction(rename(sql))
  }).pipe(Effect.catchIf(isLockUnavailable, () => Effect.succeed(false)))

const rename = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* sql.unsafe(`SET LOCAL lock_timeout = '${lockTimeoutMs}ms'`)
    for (const table of countTablesByForm.objective) yield* lockPartitions(sql, table)
    // Before the tables of counts, as everything that uses both: nothing that has found their names can be about to use them.
    yield* sql`LOCK TABLE slos IN ACCESS EXCLUSIVE MODE`
    if ((yield* objectiveTables(sql)).areRenamed) return true
    for (const { table, renamedTo } of countTablesByForm.objective)
      yield* sql.unsafe(`ALTER TABLE ${table} RENAME TO ${renamedTo}`)
    yield* sql`ALTER TABLE slos ALTER COLUMN count_rows SET DEFAULT 'slo'`
    return true
  })

/** Whether a server that does not know this conversion was alive lately, or could have been without a sign of life. */
const mayServeEarlier = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const alive = yield* sql`
      SELECT FROM queue_processes
      WHERE alive_until > now_ms() - ${restMs}::bigint AND coalesce(schema_version, 0) < ${schemaVersion} LIMIT 1`
    if (alive.length > 0) return true
    const migrated = yield* sql`
      SELECT FROM schema_migrations
      WHERE version = ${schemaVersion} AND applied_at > now() - ${restMs} * interval '1 millisecond'`
    return migrated.length > 0
  })

const schemaVersion = migrations.indexOf(countConversion) + 1

/**
 * Takes the next step of the conversion of the counts of an SLO, in a transaction that locks the SLO, as recordings do. Returns the hours
 * that it has copied, which are none if it has deleted some, or undefined if there are no more steps. Fails with `StoredRowIsInvalid`,
 * and changes nothing, if a row cannot be read.
 *
 * Copies the rows of objectives of some hours to rows of the SLO, the earliest first, as if they were recorded in this order. Until all are
 * copied, those of objectives are read and written; what changes hours that are copied has them copied again. They are deleted
 * afterwards.
 */
export const convertStep = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey,
  rowsMax: number = rowsOfStep,
) => {
  const step = sql.withTransaction(
    Effect.gen(function* () {
      const ofRecord = sql`organization = ${organization} AND project = ${slo.project} AND name = ${slo.name}`
      const [row] = yield* sql<FormColumns & { readonly slice_rules: string }>`
        SELECT slice_rules, packs_counts, count_rows, open_hour, copied_to FROM slos WHERE ${ofRecord}
        FOR NO KEY UPDATE`
      if (row === undefined) return undefined
      const form = rowToForm(row)
      if (hasSloRows(form) && form.copiedTo === null) return undefined
      const tables = yield* objectiveTables(sql)
      if (!tables.areRenamed) return undefined
      const ofSlo = sql`organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}`
      if (hasSloRows(form)) {
        const to = yield* endOfStep(sql, [tables.hours], ofSlo, 0, rowsMax)
        for (const table of [tables.hours, tables.days])
          yield* sql`DELETE FROM ${sql(table)} WHERE ${ofSlo} AND at < ${to}::bigint`
        if (to === endOfTime) yield* sql`UPDATE slos SET copied_to = NULL WHERE ${ofRecord}`
        return to < endOfTime ? { from: endOfTime, to: endOfTime } : undefined
      }
      const from = form.copiedTo ?? 0
      const to = yield* endOfStep(sql, [tables.hours, "slo_hours"], ofSlo, from, rowsMax)
      const rules = yield* Effect.fromResult(readSliceRules(slo, row.slice_rules))
      const hours = yield* readHoursOf(sql, tables, ofSlo, slo, { from, to })
      yield* writeSloHours(sql, organization, [{ slo, rules, openHour: form.openHour, hours }])
      yield* sql`
        UPDATE slos SET copied_to = ${to}::bigint, count_rows = ${to < endOfTime ? "objective" : "slo"}
        WHERE ${ofRecord}`
      return { from, to }
    }),
  )
  return Effect.catchIf(step, isPartitionMissing, () => Effect.andThen(makeSloPartitions(sql), step))
}

/**
 * The end of the hours of a step, in Unix milliseconds: at most about `rowsMax` rows of each table are before it, and at least one hour
 * that has rows.
 */
const endOfStep = (
  sql: SqlClient.SqlClient,
  tables: ReadonlyArray<string>,
  ofSlo: Fragment,
  from: number,
  rowsMax: number,
) =>
  Effect.gen(function* () {
    let end = endOfTime
    for (const table of tables) {
      const rows = yield* sql<{ readonly at: number }>`
        SELECT at FROM ${sql(table)} WHERE ${ofSlo} AND at >= ${from}::bigint ORDER BY at LIMIT ${rowsMax + 1}`
      const [first, next] = [rows[0], rows[rowsMax]]
      if (first !== undefined && next !== undefined) end = Math.min(end, Math.max(next.at, first.at + hourMs))
    }
    return end
  })

/** The hours of an SLO in rows of objectives, and without tracks those that only rows of the SLO have, which are to be deleted. */
const readHoursOf = (
  sql: SqlClient.SqlClient,
  tables: ObjectiveTables,
  ofSlo: Fragment,
  slo: ProjectKey,
  { from, to }: MinuteRange,
) =>
  Effect.gen(function* () {
    const isWithin = sql`${ofSlo} AND at >= ${from}::bigint AND at < ${to}::bigint`
    const copied = yield* sql<{ readonly at: number }>`SELECT at FROM slo_hours WHERE ${isWithin}`
    const rows = yield* sql<MinutesRow & { readonly at: number; readonly objective: string }>`
      SELECT at, objective, ${minutesColumns(sql)} FROM ${sql(tables.hours)} WHERE ${isWithin}`
    const hours = new Map(copied.map(({ at }) => [at, new Map<string, HourOfCounts>()]))
    yield* forEachInSlices(rows, ({ at, objective, ...row }) =>
      Result.map(readHour(slo, at, row), (hour) => {
        const tracks = hours.get(at) ?? new Map<string, HourOfCounts>()
        hours.set(at, tracks.set(objective, hour))
      }),
    )
    return new Map([...hours].map(([at, tracks]) => [at, withCountsOnly(tracks)]))
  })

/** Reads an hour that nothing but the database has checked since it was written. */
const readHour = (slo: ProjectKey, at: number, row: MinutesRow) =>
  Result.flatMap(rowToHour(row), (hour) => {
    const { good, total } = hour
    const isWhole = good.length === 60 && total.length === 60
    if (isWhole && good.every((each, minute) => Number.isNaN(each) === Number.isNaN(total[minute])))
      return Result.succeed(hour)
    return Result.fail(
      new StoredRowIsInvalid({
        row: `hour ${new Date(at).toISOString()} of SLO ${projectKeyText(slo)}`,
        issues: [
          {
            path: "",
            code: "not_allowed_value",
            message: "must have good and total events of the same minutes",
          },
        ],
      }),
    )
  })

/** Creates the partitions that rows of SLOs need wherever rows of objectives may be. */
const makeSloPartitions = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const starts = new Set<number>()
    for (const table of countTablesByForm.objective)
      for (const { start } of yield* listPartitions(sql, table)) starts.add(start)
    for (const table of countTablesByForm.slo)
      for (const start of starts) yield* ensurePartitions(sql, table, start, start)
  })

/** Most rows of a step, which takes about 20 ms; each is about 1 KB. */
export const rowsOfStep = 200

const endOfTime = Number.MAX_SAFE_INTEGER

/** How long no server of an earlier version must have been alive, in milliseconds: one that stops answering may come back. */
const restMs = 600_000

/** The wait for statements that use a table, in milliseconds, as all others wait behind it. */
const lockTimeoutMs = 100
