import type * as SqlClient from "effect/sql/SqlClient"
import type { DefinitionKey, Kind, OrganizationId } from "@tocsin/domain/kernel"
import type { PageRequest } from "@tocsin/domain/pagination"
import type { ChangeRecord } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { keysTable, searchText } from "../database/Parameters.ts"

/** Keeps the record of a change; the row of the organization must be locked. */
export const putRecord = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { id, text, keys }: ChangeRecord,
) {
  yield* sql`
    INSERT INTO definition_change_records
    SELECT o.organization, given.* FROM ${organizationRow(sql, organization)} CROSS JOIN (
      SELECT DISTINCT kind, ${id}, ${text} FROM ${keysTable(sql, keys)}
    ) AS given`
  yield* sql`
    INSERT INTO definition_changes
    SELECT o.organization, given.*, ${id} FROM ${organizationRow(sql, organization)} CROSS JOIN (
      SELECT kind, project, name FROM ${keysTable(sql, keys)}
    ) AS given`
})

/** The records of changes of a definition, or of all of a kind; newest first. */
export const listRecords = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  of: DefinitionKey | Kind,
  { after, limit }: PageRequest<string>,
) =>
  Effect.map(
    sql<{ readonly id: string; readonly text: string }>`
      SELECT r.id, r.record AS text FROM ${
        typeof of === "string"
          ? sql`definition_change_records r WHERE r.organization = ${organization} AND r.kind = ${of}`
          : sql`definition_changes c JOIN definition_change_records r
              ON r.organization = ${organization} AND r.kind = c.kind AND r.id = c.id
            WHERE c.organization = ${organization} AND c.kind = ${of.kind}
              AND c.project = ${searchText(of.project)} AND c.name = ${searchText(of.name)}`
      } ${after === undefined ? sql`` : sql`AND r.id < ${searchText(after)}`}
      ORDER BY r.id DESC
      LIMIT ${limit + 1}`,
    (rows) => ({ items: rows.slice(0, limit), hasMore: rows.length > limit }),
  )
