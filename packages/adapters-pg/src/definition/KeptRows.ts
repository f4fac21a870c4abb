import type { KeptChange, KeptDocument, ObjectKey, KeptQuery } from "@tocsin/domain"
import { definitionKeyText, type OrganizationId } from "@tocsin/domain/kernel"
import type { PageRequest } from "@tocsin/domain/pagination"
import { referrersReadMax } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { searchText, texts } from "../database/Parameters.ts"

/** The documents of these keys that exist, by `definitionKeyText`. */
export const readKept = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<ObjectKey>,
) =>
  Effect.map(
    sql<KeptDocument>`
      SELECT d.kind, d.project, d.name, d.document AS text FROM ${keysTable(sql, keys)}
      JOIN unsupported_documents d ON d.organization = ${organization}
        AND d.kind = k.kind AND d.project = k.project AND d.name = k.name`,
    (rows) => new Map(rows.map((row) => [definitionKeyText(row), row])),
  )

/** The first documents of a project. */
export const readKeptIn = (sql: SqlClient.SqlClient, organization: OrganizationId, project: string) =>
  sql<ObjectKey>`
    SELECT kind, project, name FROM unsupported_documents
    WHERE organization = ${organization} AND project = ${searchText(project)}
    ORDER BY kind, name LIMIT ${referrersReadMax}`

/** Writes and deletes the documents of a change; the row of the organization must be locked. */
export const writeKept = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { put, remove }: KeptChange,
) {
  if (remove.length > 0)
    yield* sql`
      DELETE FROM unsupported_documents d USING ${keysTable(sql, remove)}
      WHERE d.organization = ${organization}
        AND d.kind = k.kind AND d.project = k.project AND d.name = k.name`
  if (put.length === 0) return
  yield* sql`
    INSERT INTO unsupported_documents (organization, kind, project, name, document)
    SELECT o.organization, given.* FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
      ${texts(put.map(({ kind }) => kind))}, ${texts(put.map(({ project }) => project))},
      ${texts(put.map(({ name }) => name))}, ${texts(put.map(({ text }) => text))}
    ) AS given
    ON CONFLICT (organization, kind, project, name) DO UPDATE SET document = excluded.document`
})

/** Sorted by kind, project and name. */
export const listKept = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { kind, project, names }: KeptQuery,
  { after, limit }: PageRequest<ObjectKey>,
) =>
  Effect.map(
    sql<KeptDocument>`
      SELECT kind, project, name, document AS text FROM unsupported_documents
      WHERE ${sql.and([
        sql`organization = ${organization}`,
        ...(kind === undefined ? [] : [sql`kind = ${searchText(kind)}`]),
        ...(project === undefined ? [] : [sql`project = ${searchText(project)}`]),
        ...(names === undefined ? [] : [sql`name = ANY(${texts(names.map(searchText))})`]),
        ...(after === undefined
          ? []
          : [sql`(kind, project, name) > (${after.kind}, ${after.project}, ${after.name})`]),
      ])}
      ORDER BY kind, project, name LIMIT ${limit + 1}`,
    (rows) => ({ items: rows.slice(0, limit), hasMore: rows.length > limit }),
  )

const keysTable = (sql: SqlClient.SqlClient, keys: ReadonlyArray<ObjectKey>) => sql`unnest(
  ${texts(keys.map(({ kind }) => searchText(kind)))}, ${texts(keys.map(({ project }) => searchText(project)))},
  ${texts(keys.map(({ name }) => searchText(name)))}) AS k (kind, project, name)`

/** The number of all documents of an organization. */
export const countKept = (sql: SqlClient.SqlClient, organization: OrganizationId) =>
  sql`(SELECT count(*) FROM unsupported_documents WHERE organization = ${organization})::integer`
