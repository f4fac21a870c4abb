import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import { alertSubjectToKey, storedAlert } from "@tocsin/domain/adapter"
import type { Alert } from "@tocsin/domain/alerting"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { SloMove } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { texts } from "../database/Parameters.ts"
import { readRows } from "../database/StoredRow.ts"
import { type AlertRow, rowToAlert } from "./AlertStorePg.ts"

/** Gives the alerts of moved SLOs their new project, a part at a time; those of a former SLO of that name stay behind them. */
export const moveAlerts = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  moves: ReadonlyArray<SloMove>,
) =>
  Effect.forEach(moves, ({ name, from, to }) =>
    Effect.gen(function* () {
      const [former] = yield* sql<{ readonly position: number }>`
        SELECT coalesce(max(position), 0)::bigint AS position FROM alerts
        WHERE organization = ${organization} AND project = ${to} AND slo = ${name}`
      const behind = former?.position ?? 0
      let after = ""
      for (;;) {
        const rows = yield* sql<AlertRow>`
          SELECT id, alert FROM alerts
          WHERE organization = ${organization} AND project = ${from} AND slo = ${name} AND id > ${after}
          ORDER BY id LIMIT ${alertsMovedAtOnce} FOR NO KEY UPDATE`
        const last = rows.at(-1)
        if (last === undefined) return
        after = last.id
        const moved = yield* readRows(rows, (row) =>
          Result.map(rowToAlert(row), (alert): Alert => ({
            ...alert,
            subject: { ...alert.subject, slo: { project: to, name } },
          })),
        )
        yield* sql`
          UPDATE alerts a SET project = ${to}, subject = given.subject, alert = given.alert,
            position = a.position + ${behind}::bigint
          FROM unnest(
            ${texts(moved.map(({ id }) => id))},
            ${texts(moved.map(({ subject }) => alertSubjectToKey(subject)))},
            ${texts(moved.map((alert) => storedAlert.write(alert).json))}
          ) AS given (id, subject, alert)
          WHERE a.organization = ${organization} AND a.id = given.id`
      }
    }),
  )

const alertsMovedAtOnce = 500
