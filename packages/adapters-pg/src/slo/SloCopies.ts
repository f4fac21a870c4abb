import type * as SqlClient from "effect/sql/SqlClient"
import { dayMs } from "@tocsin/domain/codec"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { bigints, keyArrays } from "../database/Parameters.ts"

/** Deletes what was copied (`copyCounts`) of days of SLOs whose counts change, or of all days. */
export const deleteCopies = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  days: ReadonlyArray<{ readonly slo: ProjectKey; readonly at?: number }>,
) =>
  Effect.forEach(
    ["slo_hours", "slo_days"],
    (table) => sql`
      DELETE FROM ${sql(table)} t
      USING unnest(
        ${keyArrays(
          sql,
          days.map(({ slo }) => slo),
        )}, ${bigints(days.map(({ at }) => at ?? 0))},
        ${bigints(days.map(({ at }) => (at === undefined ? Number.MAX_SAFE_INTEGER : at + dayMs)))}
      ) AS k (project, slo, start, stop)
      WHERE t.organization = ${organization} AND t.project = k.project AND t.slo = k.slo
        AND t.at >= k.start AND t.at < k.stop`,
    { discard: true },
  )
