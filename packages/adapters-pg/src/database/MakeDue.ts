import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

/**
 * Makes every row due at `now` whose `due_at` is more than `waitMs` later. Passes over locked rows, as whoever holds them
 * sets `due_at`.
 *
 * Looks up the organizations without a lock, and then changes the rows of one organization per statement.
 */
export const makeRowsDue = (
  sql: SqlClient.SqlClient,
  { table, columns }: { readonly table: string; readonly columns: readonly [string, string] },
  now: number,
  waitMs: number,
) =>
  Effect.gen(function* () {
    const latest = now + waitMs
    const [project, name] = columns.map((column) => sql(column))
    const organizations = yield* sql<{ readonly organization: OrganizationId }>`
      SELECT DISTINCT organization FROM ${sql(table)} WHERE due_at > ${latest}`
    yield* Effect.forEach(
      organizations,
      ({ organization }) => sql`
        UPDATE ${sql(table)} t SET due_at = ${now}::bigint FROM (
          SELECT ${project}, ${name} FROM ${sql(table)}
          WHERE organization = ${organization} AND due_at > ${latest}
          FOR NO KEY UPDATE SKIP LOCKED
        ) late
        WHERE t.organization = ${organization} AND t.${project} = late.${project} AND t.${name} = late.${name}`,
      { discard: true },
    )
  })
