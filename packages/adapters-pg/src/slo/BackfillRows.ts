import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { storedProblem } from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import type { Backfill, BackfillReason, BackfillState } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { keyArrays, texts } from "../database/Parameters.ts"
import { inRow, type StoredRowIsInvalid } from "../database/StoredRow.ts"

export interface BackfillRow {
  readonly run: number
  readonly from_at: number
  readonly to_at: number
  readonly backfill_state: BackfillState
  readonly backfill_reason: BackfillReason | null
  readonly backfill_read_to: number
  readonly first_at: number | null
  readonly backfill_failures: number
  readonly backfill_problem: string | null
  readonly started_at: number
  readonly read_at: number
  readonly ended_at: number | null
}

/** The columns of a `BackfillRow`; `r` is the backfill. Names that an indicator has too are prefixed. */
export const backfillColumns = (sql: SqlClient.SqlClient): Fragment => sql`
  r.run, r.from_at, r.to_at, r.state AS backfill_state, r.reason AS backfill_reason, r.read_to AS backfill_read_to,
  r.first_at, r.failures AS backfill_failures, r.problem AS backfill_problem, r.started_at, r.read_at, r.ended_at`

export const rowToBackfill = (
  slo: ProjectKey,
  row: BackfillRow,
): Result.Result<Backfill, StoredRowIsInvalid> => {
  const problem =
    row.backfill_problem === null
      ? Result.succeed(undefined)
      : inRow(`backfill of SLO ${projectKeyText(slo)}`, storedProblem.read(row.backfill_problem, undefined))
  return Result.map(problem, (problem) => ({
    range: { from: row.from_at, to: row.to_at },
    state: row.backfill_state,
    ...(row.backfill_reason !== null && { reason: row.backfill_reason }),
    readTo: row.backfill_read_to,
    ...(row.first_at !== null && { firstAt: row.first_at }),
    failures: row.backfill_failures,
    ...(problem !== undefined && { problem }),
    startedAt: row.started_at,
    readAt: row.read_at,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
  }))
}

/** Cancels the backfills of indicators that have changed, and deletes what they have read. */
export const cancelBackfills = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slos: ReadonlyArray<ProjectKey>,
  now: number,
) =>
  Effect.gen(function* () {
    if (slos.length === 0) return
    const canceled = yield* sql<ProjectKey>`
      UPDATE indicator_replays r SET
        state = 'canceled', reason = 'indicator_changed', ended_at = coalesce(r.ended_at, ${now}::bigint), due_at = NULL
      FROM unnest(${keyArrays(sql, slos)}) AS k (project, slo)
      WHERE r.organization = ${organization} AND r.project = k.project AND r.slo = k.slo AND r.state <> 'complete'
      RETURNING r.project, r.slo AS name`
    if (canceled.length > 0) yield* deleteBackfillHours(sql, organization, canceled)
  })

/** Deletes what the backfills of these SLOs have read. */
export const deleteBackfillHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slos: ReadonlyArray<ProjectKey>,
) => sql`
  DELETE FROM indicator_replay_hours h USING unnest(${keyArrays(sql, slos)}) AS k (project, slo)
  WHERE h.organization = ${organization} AND h.project = k.project AND h.slo = k.slo`

/** Makes the backfills of changed data sources due. */
export const makeBackfillsDue = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  servers: ReadonlyArray<string>,
  now: number,
) => sql`
  UPDATE indicator_replays r SET due_at = ${now}::bigint FROM indicator_polls i
  WHERE i.organization = ${organization} AND i.server = ANY(${texts(servers)})
    AND r.organization = ${organization} AND r.project = i.project AND r.slo = i.slo AND r.due_at > ${now}::bigint`
