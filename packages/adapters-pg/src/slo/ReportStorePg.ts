import { makeCalendarRanges, reportDelayMs, reportScheduleAt } from "@tocsin/domain/adapter"
import type { MinuteRange } from "@tocsin/domain/codec"
import type { Report, ReportSummary } from "@tocsin/domain/features/report"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import { type ClaimedReport, type DefinitionChange, ReportStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { forEachOrganization, organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, keyArrays, searchText } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { setBackTimes } from "../database/SetBackTimes.ts"
import { readPage } from "../database/StoredRow.ts"

/** Reports in PostgreSQL. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return ReportStore.of({
    claim: operation("claim", (now, limit, leaseMs) =>
      Effect.gen(function* () {
        const due = yield* readAcrossOrganizations(
          sql,
          sql<ProjectKey & { readonly organization: OrganizationId }>`
            SELECT organization, project, slo AS name FROM report_schedules WHERE due_at <= ${now}
            ORDER BY due_at LIMIT ${limit}`,
        )
        const rows = yield* forEachOrganization(due.slice(0, limit), (organization, slos) =>
          claimReports(sql, organization, slos, now, leaseMs),
        )
        return rows
          .toSorted((a, b) => a.was_due_at - b.was_due_at)
          .map(({ organization, project, slo, period_from, period_to, leased_to }): ClaimedReport => ({
            organization,
            slo: { project, name: slo },
            period: { from: period_from, to: period_to },
            leasedTo: leased_to,
          }))
      }),
    ),
    makeDue: operation("makeDue", (now, waitMs) =>
      setBackTimes(
        sql,
        "report_schedules",
        "due_at",
        { latest: now + waitMs, to: now },
        sql`period_to <= ${now - reportDelayMs}`,
      ),
    ),
    settle: operation("settle", (claimed, { period, dueAt }, report) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const { organization, leasedTo, slo } = claimed
          const { project, name } = slo
          const settled = yield* sql`
            UPDATE report_schedules
            SET period_from = ${period.from}, period_to = ${period.to}, due_at = ${dueAt}
            WHERE organization = ${organization} AND project = ${project} AND slo = ${name}
              AND due_at = ${leasedTo}
            RETURNING true`
          if (settled.length > 0 && report !== undefined) {
            yield* insertReport(sql, organization, { ...report, slo })
          }
          return settled.length > 0
        }),
      ),
    ),
    add: operation("add", (organization, report, reportsMax) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const { project, name } = report.slo
          // Reports of one SLO are added one after the other.
          const locked = yield* sql`
            SELECT true FROM report_schedules
            WHERE organization = ${organization} AND project = ${project} AND slo = ${name}
            FOR NO KEY UPDATE`
          if (locked.length === 0) return "slo_not_found"
          const found = yield* selectByPeriod(sql, organization, report.slo, report.period)
          if (Option.isSome(found)) return found.value
          const [stored] = yield* sql<{ readonly count: number }>`
            SELECT count(*)::int AS count FROM (
              SELECT FROM reports WHERE organization = ${organization} AND project = ${project} AND slo = ${name}
              LIMIT ${reportsMax}
            ) stored`
          if (stored === undefined || stored.count >= reportsMax) return "too_many"
          yield* insertReport(sql, organization, report)
          return report
        }),
      ),
    ),
    findByPeriod: operation("findByPeriod", (organization, slo, period) =>
      selectByPeriod(sql, organization, slo, period),
    ),
    list: operation("list", (organization, { project, slo, from, to }, { after, limit }) =>
      Effect.flatMap(
        sql<SummaryRow>`
          SELECT id, project, slo, period_from, period_to, created_at FROM reports
          WHERE ${sql.and([
            sql`organization = ${organization}`,
            ...(after === undefined
              ? []
              : [sql`(period_from, id) < (${after.from}::bigint, ${searchText(after.id)})`]),
            ...(project === undefined ? [] : [sql`project = ${searchText(project)}`]),
            ...(slo === undefined ? [] : [sql`slo = ${searchText(slo)}`]),
            ...(from === undefined ? [] : [sql`period_from >= ${from}`]),
            ...(to === undefined ? [] : [sql`period_from < ${to}`]),
          ])}
          ORDER BY period_from DESC, id DESC LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, (row) => Result.succeed(rowToSummary(row))),
      ),
    ),
    find: operation("find", (organization, id) =>
      Effect.map(
        sql<ReportRow>`
          SELECT id, project, slo, period_from, period_to, created_at, document, key_id, signature FROM reports
          WHERE organization = ${organization} AND id = ${searchText(id)}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), rowToReport),
      ),
    ),
  })
})

/** The reports of a database. */
export const layer = Layer.effect(ReportStore, make)

const operation = storeOperation("ReportStore")

const insertReport = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { id, slo, period, createdAt, document, keyId, signature }: Report,
) => sql`
  INSERT INTO reports (organization, id, project, slo, period_from, period_to, created_at, document, key_id, signature)
  VALUES (${organization}, ${id}, ${slo.project}, ${slo.name}, ${period.from}, ${period.to}, ${createdAt},
    ${document}, ${keyId}, ${signature})`

const selectByPeriod = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { project, name }: ProjectKey,
  { from, to }: MinuteRange,
) =>
  Effect.map(
    sql<ReportRow>`
      SELECT id, project, slo, period_from, period_to, created_at, document, key_id, signature FROM reports
      WHERE organization = ${organization} AND slo = ${searchText(name)} AND project = ${searchText(project)}
        AND period_from = ${from} AND period_to = ${to}
      ORDER BY created_at DESC, id DESC LIMIT 1`,
    ([row]) => Option.map(Option.fromUndefinedOr(row), rowToReport),
  )

const claimReports = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slos: ReadonlyArray<ProjectKey>,
  now: number,
  leaseMs: number,
) =>
  sql<ClaimedRow>`
    UPDATE report_schedules r SET due_at = ${now}::bigint + ${leaseMs}::bigint FROM (
      SELECT r.project, r.slo, r.due_at FROM unnest(${keyArrays(sql, slos)}) AS k (project, name)
      JOIN report_schedules r ON r.organization = ${organization} AND r.project = k.project AND r.slo = k.name
      WHERE r.due_at <= ${now}
      FOR NO KEY UPDATE OF r SKIP LOCKED
    ) due
    WHERE r.organization = ${organization} AND r.project = due.project AND r.slo = due.slo
    RETURNING r.organization, r.project, r.slo, r.period_from, r.period_to, r.due_at AS leased_to,
      due.due_at AS was_due_at`

interface ClaimedRow {
  readonly organization: OrganizationId
  readonly project: string
  readonly slo: string
  readonly period_from: number
  readonly period_to: number
  readonly leased_to: number
  readonly was_due_at: number
}

interface SummaryRow {
  readonly id: string
  readonly project: string
  readonly slo: string
  readonly period_from: number
  readonly period_to: number
  readonly created_at: number
}

interface ReportRow extends SummaryRow {
  readonly document: string
  readonly key_id: string
  readonly signature: string
}

const rowToSummary = ({ id, project, slo, ...row }: SummaryRow): ReportSummary => ({
  id,
  slo: { project, name: slo },
  period: { from: row.period_from, to: row.period_to },
  createdAt: row.created_at,
})

const rowToReport = (row: ReportRow): Report => ({
  ...rowToSummary(row),
  document: row.document,
  keyId: row.key_id,
  signature: row.signature,
})

/** Schedules the reports of the SLOs of a change at `now` (Unix milliseconds), after the SLOs were written. */
export const putReportSchedules = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  put: DefinitionChange["put"],
  now: number,
) => {
  const rangeOf = makeCalendarRanges()
  const schedules = put.flatMap(({ definition }) =>
    definition.kind === "SLO"
      ? [{ ...definition.metadata, ...reportScheduleAt(definition.spec.timeWindow, now, rangeOf) }]
      : [],
  )
  return schedules.length === 0
    ? Effect.void
    : sql`
        INSERT INTO report_schedules AS r (organization, project, slo, period_from, period_to, due_at)
        SELECT o.organization, given.* FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
          ${keyArrays(sql, schedules)}, ${bigints(schedules.map(({ period }) => period.from))},
          ${bigints(schedules.map(({ period }) => period.to))}, ${bigints(schedules.map(({ dueAt }) => dueAt))}
        ) AS given (project, slo, period_from, period_to, due_at)
        ON CONFLICT (organization, project, slo) DO UPDATE SET due_at = least(r.due_at, ${now}::bigint)
          WHERE r.period_from <> excluded.period_from OR r.period_to <> excluded.period_to`
}
