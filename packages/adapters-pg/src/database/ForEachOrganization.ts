import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Runs a statement for each organization that the items belong to, with its items in their order; returns all rows.
 *
 * A statement on the data of organizations names one of them: a distributed PostgreSQL runs it on one node, and a lock that
 * it waits for delays no other organization.
 */
export const forEachOrganization = <Item extends { readonly organization: OrganizationId }, Row, E, R>(
  items: ReadonlyArray<Item>,
  run: (organization: OrganizationId, items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Row>, E, R>,
): Effect.Effect<ReadonlyArray<Row>, E, R> => {
  const byOrganization = new Map<OrganizationId, Array<Item>>()
  for (const item of items) {
    const others = byOrganization.get(item.organization)
    if (others === undefined) byOrganization.set(item.organization, [item])
    else others.push(item)
  }
  return Effect.map(
    Effect.forEach(byOrganization, ([organization, some]) => run(organization, some), {
      concurrency: organizationsAtOnce,
    }),
    (rows) => rows.flat(),
  )
}

/** Each takes a connection of the pool, unless all are within a transaction. */
const organizationsAtOnce = 2

/**
 * The row of an organization, as `o` in FROM: `INSERT … SELECT o.organization, … FROM` it and the new values. The row exists
 * once definitions were applied.
 *
 * A distributed PostgreSQL runs an INSERT with a query on one node when the query reads the organization from a table.
 */
export const organizationRow = (sql: SqlClient.SqlClient, organization: OrganizationId): Fragment =>
  sql`(SELECT organization FROM organizations WHERE organization = ${organization}) o`
