import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/definition/Definition"
import { Limits } from "@tocsin/domain/Limits"
import { type Count, CountStore, CountStoreIsUnavailable } from "@tocsin/domain/slo/CountStore"
import { Clock, Effect, Layer } from "effect"
import { ensurePartitions } from "./Partitions.ts"
import { codeOf, portOperation } from "./PortOperation.ts"
import { searchText } from "./StoredText.ts"

/**
 * Keeps counts by minute and their sums by hour: a sum over a month reads some 750 rows an objective.
 *
 * Who records locks the SLO's record first, so that two recordings of one SLO follow one another. An hour's sum is made
 * anew from its minutes when one of them changes, so that replacing leaves no rounding behind.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const record = (organization: OrganizationId, slo: ProjectKey, counts: ReadonlyArray<Count>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [known] = yield* sql`
        UPDATE slos SET counts_revision = counts_revision + 1, due_at = ${now}
        WHERE organization = ${organization} AND project = ${slo.project} AND name = ${slo.name}
        RETURNING true`
      if (known === undefined) return false
      // The last one of a minute counts.
      const last = [...new Map(counts.map((count) => [`${count.at} ${count.objective}`, count])).values()]
      yield* sql`
        INSERT INTO count_minutes (organization, project, slo, at, objective, good, total)
        SELECT ${organization}, ${slo.project}, ${slo.name}, * FROM unnest(
          ${last.map(({ at }) => at)}::bigint[], ${last.map(({ objective }) => objective)}::text[],
          ${last.map(({ good }) => good)}::float8[], ${last.map(({ total }) => total)}::float8[])
        ON CONFLICT (organization, project, slo, at, objective)
        DO UPDATE SET good = excluded.good, total = excluded.total`
      const hours = [
        ...new Map(last.map((count) => [`${hourOf(count.at)} ${count.objective}`, count])).values(),
      ]
      yield* sql`
        INSERT INTO count_hours (organization, project, slo, at, objective, good, total)
        SELECT ${organization}, ${slo.project}, ${slo.name}, hour, h.objective, m.good, m.total
        FROM unnest(
          ${hours.map(({ at }) => hourOf(at))}::bigint[], ${hours.map(({ objective }) => objective)}::text[]
        ) AS h (hour, objective)
        CROSS JOIN LATERAL (
          SELECT sum(good) AS good, sum(total) AS total FROM count_minutes
          WHERE organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}
            AND at >= hour AND at < hour + ${hourMs} AND objective = h.objective
        ) m
        ON CONFLICT (organization, project, slo, at, objective)
        DO UPDATE SET good = excluded.good, total = excluded.total`
      return true
    })

  const makePartitions = (counts: ReadonlyArray<Count>) =>
    Effect.forEach(
      countTables,
      (table) => {
        // Counts may lie far apart, and only the days that have some need a partition.
        const starts = new Set(counts.map(({ at }) => Math.floor(at / table.partitionMs) * table.partitionMs))
        return Effect.forEach(starts, (start) => ensurePartitions(sql, table, start, start), {
          discard: true,
        })
      },
      { discard: true },
    )

  return CountStore.of({
    record: (organization, slo, counts) => {
      const key = { project: searchText(slo.project), name: searchText(slo.name) }
      const recorded = sql.withTransaction(record(organization, key, counts))
      return operation(
        "record",
        Effect.catchIf(recorded, isPartitionMissing, () => Effect.zipRight(makePartitions(counts), recorded)),
      )
    },
    sums: (organization, slo, { from, to }) =>
      operation(
        "sums",
        Effect.map(
          sql<SumRow>`
            SELECT s.counts_revision AS revision, c.* FROM slos s
            LEFT JOIN LATERAL (
              SELECT objective, sum(good) AS good, sum(total) AS total FROM (
                ${sql.literal(partsOf(from, to))}
              ) parts
              GROUP BY objective
            ) c ON true
            WHERE s.organization = ${organization}
              AND s.project = ${searchText(slo.project)} AND s.name = ${searchText(slo.name)}`,
          (rows) => ({
            sums: rows.flatMap(({ objective, good, total }) =>
              objective === null || good === null || total === null ? [] : [{ objective, good, total }],
            ),
            revision: String(rows[0]?.revision ?? 0),
          }),
        ),
      ),
  })
})

/** The counts of a database. */
export const layer: Layer.Layer<CountStore, never, SqlClient.SqlClient> = Layer.effect(CountStore, make)

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The tables of counts. A partition that is missing is made when counts need it. */
export const countTables = [
  { table: "count_minutes", partitionMs: dayMs, retentionMs: Limits.countsRetentionMs },
  { table: "count_hours", partitionMs: 7 * dayMs, retentionMs: Limits.countsRetentionMs },
]

const operation = portOperation((failure) => new CountStoreIsUnavailable(failure))

const hourOf = (at: number): number => Math.floor(at / hourMs) * hourMs

/** Whole hours from their sums, and the minutes before and behind them; times are numbers, so they stand in the text. */
const partsOf = (from: number, to: number): string => {
  const firstHour = Math.ceil(from / hourMs) * hourMs
  const lastHour = Math.floor(to / hourMs) * hourMs
  const part = (table: string, start: number, end: number): ReadonlyArray<string> =>
    start >= end && !(start === from && end === to)
      ? []
      : [
          `SELECT objective, good, total FROM ${table}
           WHERE organization = s.organization AND project = s.project AND slo = s.name
             AND at >= ${start} AND at < ${end}`,
        ]
  const parts =
    firstHour >= lastHour
      ? part("count_minutes", from, to)
      : [
          ...part("count_minutes", from, firstHour),
          ...part("count_hours", firstHour, lastHour),
          ...part("count_minutes", lastHour, to),
        ]
  return parts.join(" UNION ALL ")
}

/** Source: PostgreSQL, `check_violation`, which is also that no partition takes a row. */
const isPartitionMissing = (error: unknown): error is SqlError =>
  error instanceof SqlError && codeOf(error) === "23514"

interface SumRow {
  readonly revision: number
  readonly objective: string | null
  readonly good: number | null
  readonly total: number | null
}
