import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type Alert, alertSubjectToKey, canceledAsDeleted, storedAlert } from "@tocsin/domain/alerting/Alert"
import type { DefinitionKey, OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import { inRow, readRows, type StoredRowIsInvalid } from "../database/StoredRow.ts"
import { bigints, keyArrays, texts } from "../database/Parameters.ts"

export interface AlertRow {
  readonly id: string
  readonly alert: string
}

export const rowToAlert = ({ id, alert }: AlertRow): Result.Result<Alert, StoredRowIsInvalid> =>
  inRow(`alert ${id}`, storedAlert.read(alert, undefined))

/**
 * Adds alerts, or replaces those with the same IDs. The last alert of a subject becomes its latest, unless it is an
 * existing one that is resolved or canceled here: another may have opened since.
 */
export const putAlerts = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  alerts: ReadonlyArray<Alert>,
): Fragment => sql`
  INSERT INTO alerts
    (organization, id, subject, project, slo, objective, alert_policy, status, triggered_at, alert, resolved_at)
  SELECT ${organization}, id, subject, project, slo, objective, alert_policy, status, triggered_at, alert,
    CASE WHEN status <> 'triggered' THEN now_ms() END
  FROM unnest(
    ${texts(alerts.map(({ id }) => id))},
    ${texts(alerts.map(({ subject }) => alertSubjectToKey(subject)))},
    ${texts(alerts.map(({ subject }) => subject.slo.project))},
    ${texts(alerts.map(({ subject }) => subject.slo.name))},
    ${texts(alerts.map(({ subject }) => subject.objective ?? null))},
    ${texts(alerts.map(({ subject }) => subject.alertPolicy?.name ?? null))},
    ${texts(alerts.map(({ status }) => status))},
    ${bigints(alerts.map(({ triggeredAt }) => triggeredAt))},
    ${texts(alerts.map((alert) => storedAlert.write(alert).json))}
  ) AS given (id, subject, project, slo, objective, alert_policy, status, triggered_at, alert)
  ON CONFLICT (organization, id) DO UPDATE SET
    subject = excluded.subject, project = excluded.project, slo = excluded.slo, objective = excluded.objective,
    alert_policy = excluded.alert_policy, status = excluded.status, triggered_at = excluded.triggered_at,
    alert = excluded.alert, resolved_at = excluded.resolved_at,
    position = CASE WHEN excluded.status = 'triggered' THEN excluded.position ELSE alerts.position END`

/** Cancels the open alerts of the SLOs among the definitions that a change removes, at `now` (Unix milliseconds). */
export const cancelAlerts = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  removed: ReadonlyArray<DefinitionKey>,
  now: number,
) =>
  Effect.gen(function* () {
    const slos = removed.filter(({ kind }) => kind === "SLO")
    if (slos.length === 0) return
    const rows = yield* sql<AlertRow>`
      SELECT a.id, a.alert FROM unnest(
        ${keyArrays(sql, slos)}) AS k (project, name)
      JOIN alerts a ON a.organization = ${organization} AND a.slo = k.name AND a.project = k.project
      WHERE a.status = 'triggered'
      ORDER BY a.id
      FOR NO KEY UPDATE OF a`
    const canceled = (yield* readRows(rows, rowToAlert)).map((alert) => canceledAsDeleted(alert, now))
    if (canceled.length > 0) yield* sql`${putAlerts(sql, organization, canceled)}`
  })
