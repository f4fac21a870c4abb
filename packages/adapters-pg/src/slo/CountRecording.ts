import type * as SqlClient from "effect/sql/SqlClient"
import { latestOf, pastMayEndAt, pastMinutesAt, pastMinutesOf } from "@tocsin/domain"
import { currentTraceparent, type SliceRule } from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import type { Recording } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { booleans, keyArrays, texts } from "../database/Parameters.ts"
import { ensurePartitions, isPartitionMissing } from "../database/Retention.ts"
import { readRows } from "../database/StoredRow.ts"
import {
  countTables,
  type FormColumns,
  type HourWritten,
  hoursOfRecording,
  rowToForm,
  rowToState,
  type StateColumns,
  storedLatest,
  type StoredForm,
} from "./CountHours.ts"
import { readHours, writeHours } from "./CountRows.ts"
import { type ChangedSlo, writeChangedMinutes } from "./PastChangeRows.ts"

interface CountStateRow extends ProjectKey, StateColumns, FormColumns {}

/** A recording, with the header `traceparent` of what records; absent: that of the current span. */
export interface TracedRecording extends Recording {
  readonly traceparent?: string | undefined
}

/** Within a transaction, records counts as `CountStore.record` does; each SLO is listed once. */
export const recordCounts = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  recordings: ReadonlyArray<TracedRecording>,
) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const current = yield* currentTraceparent
    const slos = recordings.map(({ slo }) => slo)
    const stateBySlo = yield* lockSlos(sql, organization, slos)
    const missing = slos.filter((slo) => !stateBySlo.has(projectKeyText(slo)))
    if (missing.length > 0) return missing

    const recorded = recordings.flatMap(({ traceparent = current, ...recording }) => {
      const state = stateBySlo.get(projectKeyText(recording.slo))
      return state === undefined ? [] : [{ ...recording, traceparent, ...state }]
    })
    const changed = yield* writeCounts(sql, organization, recorded, now)
    yield* writeChangedMinutes(sql, organization, changed, now)
    yield* markChanged(sql, organization, changed, now)
    return []
  })

/** Runs what writes counts of SLOs, again if partitions are missing, after creating them (`makeCountPartitions`). */
export const withCountPartitions = <A, E, R>(
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  counted: CountedTimes,
  written: Effect.Effect<A, E, R>,
) =>
  Effect.catchIf(written, isPartitionMissing, () =>
    Effect.andThen(makeCountPartitions(sql, organization, counted), written),
  )

/** Locks the SLOs that exist; returns what recording needs to know of them, by `projectKeyText`. */
export const lockSlos = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slos: ReadonlyArray<ProjectKey>,
) =>
  Effect.flatMap(
    sql<CountStateRow>`
      SELECT s.project, s.name, s.slice_rules, s.latest_at, s.packs_counts, s.count_rows, s.open_hour, s.copied_to
      FROM (
        SELECT project COLLATE "C" AS project, name COLLATE "C" AS name FROM ${given(sql, slos)}
        UNION
        SELECT r.project, r.name FROM ${given(sql, slos)} JOIN definition_references r
          ON ${isComponent(sql, organization)}
      ) k
      JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
      ORDER BY s.project, s.name
      FOR NO KEY UPDATE OF s`,
    (rows) =>
      Effect.map(
        readRows(rows, (row) =>
          Result.map(
            rowToState(row, row),
            (state) => [projectKeyText(row), { ...state, form: rowToForm(row) }] as const,
          ),
        ),
        (states) => new Map(states),
      ),
  )

/** Writes the hours of counts of locked SLOs; returns the SLOs of which any minute has changed. */
const writeCounts = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  recorded: ReadonlyArray<RecordedSlo>,
  now: number,
) =>
  Effect.gen(function* () {
    const planned = recorded.map((each) => ({
      ...each,
      plan: hoursOfRecording(each.slo, each.counts, each.rules),
    }))
    const forms = new Map(planned.map(({ slo, form }) => [projectKeyText(slo), form]))
    const read = yield* readHours(
      sql,
      organization,
      planned.flatMap(({ plan }) => plan.reads),
      forms,
    )
    const written: Array<HourWritten> = []
    const changed: Array<ChangedSlo & ChangedCounts> = []
    for (const { slo, counts, unmeasured, isFirstRecent, traceparent, latestAt: before, plan } of planned) {
      const latestAt = new Map(Object.entries(before))
      const hours = plan.hours(read.hours, pastMayEndAt(latestOf(latestAt), now))
      if (hours.written.length === 0) continue
      for (const each of hours.written) written.push(each)
      const past = pastMinutesOf(hours.old, latestAt, unmeasured)
      for (const { objective, at } of counts) {
        latestAt.set(objective, Math.max(at, latestAt.get(objective) ?? at))
      }
      const pastOfComposites = pastMinutesAt(hours.old, now)
      changed.push({ slo, traceparent, latestAt, isFirstRecent, past, pastOfComposites })
    }
    yield* writeHours(sql, organization, written, forms, read)
    return changed
  })

interface RecordedSlo extends TracedRecording {
  readonly form: StoredForm
  readonly rules: ReadonlyArray<SliceRule>
  readonly latestAt: Readonly<Record<string, number>>
}

interface ChangedCounts {
  readonly slo: ProjectKey
  /** By objective, the start of the latest minute that ever had a count, in Unix milliseconds. */
  readonly latestAt: ReadonlyMap<string, number>
  /** The header `traceparent` of what has changed them. */
  readonly traceparent?: string | undefined
  /** As in `Recording`. */
  readonly isFirstRecent?: boolean | undefined
}

/**
 * Makes SLOs whose counts have changed due, and the composite SLOs that have them as components. Reads the composite SLOs
 * again: one may have been added while the locks were waited for.
 */
export const markChanged = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  changed: ReadonlyArray<ChangedCounts>,
  now: number,
) => {
  if (changed.length === 0) return Effect.void
  const slos = changed.map(({ slo }) => slo)
  const traceparents = texts(changed.map(({ traceparent }) => traceparent ?? null))
  const areFirst = booleans(changed.map(({ isFirstRecent = false }) => isFirstRecent))
  const latest = changed.map(({ latestAt }) => storedLatest.write(Object.fromEntries(latestAt)).json)
  return sql`
    UPDATE slos s SET
      counts_revision = s.counts_revision + 1, revision = s.revision + k.is_first::integer, due_at = least(s.due_at, ${now}::bigint),
      latest_at = coalesce(k.latest_at, s.latest_at),
      counts_traceparent = coalesce(k.traceparent, s.counts_traceparent)
    FROM (
      SELECT project, name, max(latest_at) AS latest_at, max(traceparent) AS traceparent, bool_or(is_first) AS is_first FROM (
        SELECT project COLLATE "C" AS project, name COLLATE "C" AS name, latest_at, traceparent, is_first FROM unnest(
          ${keyArrays(sql, slos)}, ${texts(latest)}, ${traceparents}, ${areFirst})
          AS g (project, name, latest_at, traceparent, is_first)
        UNION ALL
        SELECT r.project, r.name, NULL, g.traceparent, g.is_first
        FROM unnest(${keyArrays(sql, slos)}, ${traceparents}, ${areFirst}) AS g (project, name, traceparent, is_first)
        JOIN definition_references r ON ${isComponent(sql, organization)}
      ) changed
      GROUP BY project, name
    ) k
    WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
}

const given = (sql: SqlClient.SqlClient, slos: ReadonlyArray<ProjectKey>) =>
  sql`unnest(${keyArrays(sql, slos)}) AS g (project, name)`

const isComponent = (sql: SqlClient.SqlClient, organization: OrganizationId) => sql`
  r.organization = ${organization} AND r.to_kind = 'SLO' AND r.to_project = g.project
    AND r.to_name = g.name AND r.kind = 'SLO'`

/** Which SLOs counts are written of, and of which times, which may be far apart, in Unix milliseconds. */
export interface CountedTimes {
  readonly slos: ReadonlyArray<ProjectKey>
  readonly times: ReadonlyArray<number>
}

/** Creates the missing partitions of these times, and of the open hours of the SLOs, which join their days when later hours are written. */
export const makeCountPartitions = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { slos, times }: CountedTimes,
) =>
  Effect.gen(function* () {
    const open = yield* sql<{ readonly at: number }>`
      SELECT DISTINCT s.open_hour AS at FROM ${given(sql, slos)} JOIN slos s
        ON s.organization = ${organization} AND s.project = g.project AND s.name = g.name
      WHERE s.open_hour IS NOT NULL`
    const all = [...times, ...open.map(({ at }) => at)]
    for (const table of countTables) {
      const starts = new Set(all.map((at) => Math.floor(at / table.partitionMs) * table.partitionMs))
      for (const start of starts) yield* ensurePartitions(sql, table, start, start)
    }
  })
