import * as SqlClient from "effect/sql/SqlClient"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/metadata/ObjectKey"
import {
  CountStore,
  CountStoreIsUnavailable,
  type HoursRead,
  type Recording,
} from "@tocsin/domain/counts/CountStore"
import { hourOf } from "@tocsin/domain/codec/MinuteInstant"
import { pastCountsTo } from "@tocsin/domain/counts/PastCounts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import {
  countTables,
  readHours,
  type MinutesRow,
  rowToHour,
  rowToState,
  type StateColumns,
  storedLatest,
  writeHours,
  hoursOfRecording,
} from "./CountHours.ts"
import { readSums } from "./CountSums.ts"
import { ensurePartitions, isPartitionMissing } from "../database/Retention.ts"
import { portOperation } from "../database/PortOperation.ts"
import { readRows } from "../database/StoredRow.ts"
import { bigints, keyArrays, searchText, texts } from "../database/Parameters.ts"

/**
 * Counts in PostgreSQL: one row per hour, with the sums of hours and days.
 *
 * Recording locks the rows of the SLOs, and of the composite SLOs that have them as components, in one order: recordings
 * of one SLO run one after the other, and none deadlock.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const record = (organization: OrganizationId, recordings: ReadonlyArray<Recording>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const slos = recordings.map(({ slo }) => slo)
      const stateBySlo = yield* lockSlos(organization, slos)
      const missing = slos.filter((slo) => !stateBySlo.has(projectKeyText(slo)))
      if (missing.length > 0) return missing

      const recorded = recordings.flatMap(({ slo, counts }) => {
        const state = stateBySlo.get(projectKeyText(slo))
        return state === undefined ? [] : [{ slo, counts, ...state }]
      })
      const planned = recorded.map((each) => hoursOfRecording(each.slo, each.counts, each.rules))
      const before = yield* readHours(
        sql,
        organization,
        planned.flatMap(({ reads }) => reads),
      )
      yield* writeHours(
        sql,
        organization,
        planned.flatMap(({ hours }) => hours(before)),
      )
      yield* markChanged(organization, recorded, now)
      return []
    })

  /** Locks the SLOs that exist; returns what recording needs to know of them, by `projectKeyText`. */
  const lockSlos = (organization: OrganizationId, slos: ReadonlyArray<ProjectKey>) =>
    Effect.flatMap(
      sql<CountStateRow>`
        SELECT s.project, s.name, s.slice_rules, s.latest_at
        FROM (
          SELECT project COLLATE "C" AS project, name COLLATE "C" AS name FROM ${given(slos)}
          UNION
          SELECT r.project, r.name FROM ${given(slos)} JOIN definition_references r
            ON ${isComponent(organization)}
        ) k
        JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
        ORDER BY s.project, s.name
        FOR NO KEY UPDATE OF s`,
      (rows) =>
        Effect.map(
          readRows(rows, (row) =>
            Result.map(rowToState(row, row), (state) => [projectKeyText(row), state] as const),
          ),
          (states) => new Map(states),
        ),
    )

  /** Reads the composite SLOs again: one may have been added while the locks were waited for. */
  const markChanged = (
    organization: OrganizationId,
    recorded: ReadonlyArray<Recording & { readonly latestAt: Readonly<Record<string, number>> }>,
    now: number,
  ) => {
    const slos = recorded.map(({ slo }) => slo)
    const latest = recorded.map(({ counts, latestAt }) => {
      const latest = new Map(Object.entries(latestAt))
      for (const { objective, at } of counts) {
        latest.set(objective, Math.max(at, latest.get(objective) ?? at))
      }
      return storedLatest.write(Object.fromEntries(latest)).json
    })
    const past = recorded.map(({ counts, latestAt }) => {
      const latest = new Map(Object.entries(latestAt))
      return pastCountsTo(counts, (objective) => latest.get(objective)) ?? null
    })
    return sql`
      UPDATE slos s SET
        counts_revision = s.counts_revision + 1, due_at = least(s.due_at, ${now}::bigint),
        latest_at = coalesce(k.latest_at, s.latest_at),
        past_counts_to = greatest(s.past_counts_to, k.past_to)
      FROM (
        SELECT project, name, max(latest_at) AS latest_at, max(past_to) AS past_to FROM (
          SELECT project COLLATE "C" AS project, name COLLATE "C" AS name, latest_at, past_to FROM unnest(
            ${keyArrays(sql, slos)},
            ${texts(latest)}, ${bigints(past)}) AS g (project, name, latest_at, past_to)
          UNION ALL
          SELECT r.project, r.name, NULL, g.past_to
          FROM unnest(${keyArrays(sql, slos)}, ${bigints(past)}) AS g (project, name, past_to)
          JOIN definition_references r ON ${isComponent(organization)}
        ) changed
        GROUP BY project, name
      ) k
      WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
  }

  const given = (slos: ReadonlyArray<ProjectKey>) => sql`unnest(${keyArrays(sql, slos)}) AS g (project, name)`

  const isComponent = (organization: OrganizationId) => sql`
    r.organization = ${organization} AND r.to_kind = 'SLO' AND r.to_project = g.project
      AND r.to_name = g.name AND r.kind = 'SLO'`

  const hours = ({ organization, slo, range, tracks }: HoursRead) =>
    Effect.map(
      sql<MinutesRow & { readonly track: string; readonly at: number }>`
        SELECT objective AS track, at, minute_good, minute_total FROM count_hours
        WHERE organization = ${organization} AND project = ${searchText(slo.project)}
          AND slo = ${searchText(slo.name)} AND at >= ${hourOf(range.from)} AND at < ${range.to}
          AND objective = ANY(${texts([...tracks])})`,
      (rows) => rows.map((row) => ({ track: row.track, at: row.at, counts: rowToHour(row) })),
    )

  const makePartitions = (recordings: ReadonlyArray<Recording>) =>
    Effect.forEach(
      countTables,
      (table) => {
        // Counts may be far apart: only partitions that get some are needed.
        const times = recordings.flatMap(({ counts }) => counts.map(({ at }) => at))
        const starts = new Set(times.map((at) => Math.floor(at / table.partitionMs) * table.partitionMs))
        return Effect.forEach(starts, (start) => ensurePartitions(sql, table, start, start), {
          discard: true,
        })
      },
      { discard: true },
    )

  return CountStore.of({
    record: (organization, recordings) => {
      const merged = mergeRecordings(recordings)
      const recorded = sql.withTransaction(record(organization, merged))
      return operation(
        "record",
        Effect.catchIf(recorded, isPartitionMissing, () => Effect.andThen(makePartitions(merged), recorded)),
      )
    },
    sums: (reads) => operation("sums", readSums(sql, reads)),
    hours: (read) => operation("hours", hours(read)),
  })
})

/** The counts of a database. */
export const layer = Layer.effect(CountStore, make)

const operation = portOperation((failure) => new CountStoreIsUnavailable(failure))

interface CountStateRow extends ProjectKey, StateColumns {}

const mergeRecordings = (recordings: ReadonlyArray<Recording>): ReadonlyArray<Recording> => {
  const merged = new Map<string, Recording>()
  for (const { slo, counts } of recordings) {
    const before = merged.get(projectKeyText(slo))?.counts
    merged.set(projectKeyText(slo), { slo, counts: before === undefined ? counts : [...before, ...counts] })
  }
  return [...merged.values()]
}
