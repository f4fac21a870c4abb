import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { storedProblem } from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import type { Replay, ReplayReason, ReplayState } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { keyArrays, texts } from "../database/Parameters.ts"
import { inRow, type StoredRowIsInvalid } from "../database/StoredRow.ts"

export interface ReplayRow {
  readonly run: number
  readonly from_at: number
  readonly to_at: number
  readonly replay_state: ReplayState
  readonly replay_reason: ReplayReason | null
  readonly replay_read_to: number
  readonly first_at: number | null
  readonly replay_failures: number
  readonly replay_problem: string | null
  readonly started_at: number
  readonly read_at: number
  readonly ended_at: number | null
}

/** The columns of a `ReplayRow`; `r` is the replay. Names that an indicator has too are prefixed. */
export const replayColumns = (sql: SqlClient.SqlClient): Fragment => sql`
  r.run, r.from_at, r.to_at, r.state AS replay_state, r.reason AS replay_reason, r.read_to AS replay_read_to,
  r.first_at, r.failures AS replay_failures, r.problem AS replay_problem, r.started_at, r.read_at, r.ended_at`

export const rowToReplay = (slo: ProjectKey, row: ReplayRow): Result.Result<Replay, StoredRowIsInvalid> => {
  const problem =
    row.replay_problem === null
      ? Result.succeed(undefined)
      : inRow(`replay of SLO ${projectKeyText(slo)}`, storedProblem.read(row.replay_problem, undefined))
  return Result.map(problem, (problem) => ({
    range: { from: row.from_at, to: row.to_at },
    state: row.replay_state,
    ...(row.replay_reason !== null && { reason: row.replay_reason }),
    readTo: row.replay_read_to,
    ...(row.first_at !== null && { firstAt: row.first_at }),
    failures: row.replay_failures,
    ...(problem !== undefined && { problem }),
    startedAt: row.started_at,
    readAt: row.read_at,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
  }))
}

/** Cancels the replays of indicators that have changed, and deletes what they have read. */
export const cancelReplays = (
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
    if (canceled.length > 0) yield* deleteReplayHours(sql, organization, canceled)
  })

/** Deletes what the replays of these SLOs have read. */
export const deleteReplayHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slos: ReadonlyArray<ProjectKey>,
) => sql`
  DELETE FROM indicator_replay_hours h USING unnest(${keyArrays(sql, slos)}) AS k (project, slo)
  WHERE h.organization = ${organization} AND h.project = k.project AND h.slo = k.slo`

/** Makes the replays of changed data sources due. */
export const makeReplaysDue = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  servers: ReadonlyArray<string>,
  now: number,
) => sql`
  UPDATE indicator_replays r SET due_at = ${now}::bigint FROM indicator_polls i
  WHERE i.organization = ${organization} AND i.server = ANY(${texts(servers)})
    AND r.organization = ${organization} AND r.project = i.project AND r.slo = i.slo AND r.due_at > ${now}::bigint`
