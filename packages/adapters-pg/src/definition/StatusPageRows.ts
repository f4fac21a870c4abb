import type * as SqlClient from "effect/sql/SqlClient"
import type { DefinitionKey, OrganizationId } from "@tocsin/domain/kernel"
import type { DefinitionChange } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { searchText, texts } from "../database/Parameters.ts"
import { removeSubscriptions } from "../status-page/SubscriptionRows.ts"

/** Writes which slugs the projects of a change publish, and since when. */
export const putStatusPages = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  put: DefinitionChange["put"],
  now: number,
) =>
  Effect.gen(function* () {
    const projects = put.flatMap(({ definition }) => (definition.kind === "Project" ? [definition] : []))
    const published = projects.flatMap(({ metadata, spec: { statusPage } }) =>
      statusPage === undefined ? [] : [{ project: metadata.name, slug: statusPage.slug }],
    )
    yield* deletePages(
      sql,
      organization,
      projects.flatMap(({ metadata, spec }) => (spec.statusPage === undefined ? [metadata.name] : [])),
    )
    if (published.length === 0) return
    yield* sql`
      INSERT INTO status_pages AS p (organization, project, slug, published_at)
      SELECT o.organization, project, slug, ${now}::bigint
      FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${texts(published.map(({ project }) => project))}, ${texts(published.map(({ slug }) => slug))}
      ) AS given (project, slug)
      ON CONFLICT (organization, project) DO UPDATE SET slug = excluded.slug, published_at = excluded.published_at
        WHERE p.slug <> excluded.slug`
  })

/** Removes the pages of deleted projects, with their subscriptions. */
export const removeStatusPages = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  removed: ReadonlyArray<DefinitionKey>,
) =>
  Effect.gen(function* () {
    const projects = removed.flatMap(({ kind, name }) => (kind === "Project" ? [name] : []))
    if (projects.length === 0) return
    yield* removeSubscriptions(sql, organization, sql`project = ANY(${texts(projects)})`)
    for (const table of ["status_page_audiences", "status_page_announcements"])
      yield* sql`
        DELETE FROM ${sql(table)} WHERE organization = ${organization} AND project = ANY(${texts(projects)})`
    yield* deletePages(sql, organization, projects)
  })

const deletePages = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  projects: ReadonlyArray<string>,
) =>
  projects.length === 0
    ? Effect.void
    : sql`DELETE FROM status_pages WHERE organization = ${organization} AND project = ANY(${texts(projects)})`

/** The project that has published a slug for longest. */
export const findStatusPage = (sql: SqlClient.SqlClient, slug: string) =>
  Effect.map(
    readAcrossOrganizations(
      sql,
      sql<{ readonly organization: OrganizationId; readonly project: string; readonly publishedAt: number }>`
        SELECT organization, project, published_at AS "publishedAt" FROM status_pages
        WHERE slug = ${searchText(slug)} ORDER BY published_at, organization, project LIMIT 1`,
    ),
    (rows) => {
      // Each node of a distributed database returns its first.
      const [first] = rows.toSorted((a, b) => a.publishedAt - b.publishedAt)
      return Option.map(Option.fromNullishOr(first), ({ organization, project }) => ({
        organization,
        project,
      }))
    },
  )
