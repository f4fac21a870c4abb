import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { readAcrossOrganizations } from "./AcrossOrganizations.ts"

/**
 * Sets each time of a column that is after `latest` to `to`: it was written while the clock was ahead. A condition may restrict
 * the rows.
 *
 * Looks up the organizations without a lock, and then changes the rows of one organization per statement.
 */
export const setBackTimes = (
  sql: SqlClient.SqlClient,
  table: string,
  column: string,
  { latest, to }: { readonly latest: number; readonly to: number },
  condition: Fragment = sql`true`,
) =>
  Effect.flatMap(
    readAcrossOrganizations(
      sql,
      sql<{ readonly organization: OrganizationId }>`
        SELECT DISTINCT organization FROM ${sql(table)} WHERE ${sql(column)} > ${latest} AND ${condition}`,
    ),
    Effect.forEach(
      ({ organization }) => sql`
        UPDATE ${sql(table)} SET ${sql(column)} = ${to}::bigint
        WHERE organization = ${organization} AND ${sql(column)} > ${latest} AND ${condition}`,
      { discard: true },
    ),
  )
