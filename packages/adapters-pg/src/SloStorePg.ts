import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { OrganizationId } from "@tocsin/domain/definition/Definition"
import { SecretBox } from "@tocsin/domain/secret/SecretBox"
import type { Slo } from "@tocsin/domain/slo/Slo"
import { projectToJson, serviceToJson } from "@tocsin/domain/slo/SloRecord"
import { type SloRow, SloStore, SloStoreIsUnavailable } from "@tocsin/domain/slo/SloStore"
import { Effect, Layer, Option } from "effect"
import { type DefinitionRow, rowToDefinition } from "./DefinitionRow.ts"
import { portOperation } from "./PortOperation.ts"
import { searchText } from "./StoredText.ts"

/** Reads and refreshes the SLO records of a database; the project's and the service's part is joined when read. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox

  /** Joined behind the page, so that the work grows with it and not with the projects and services there are. */
  const records = (slos: Fragment) => sql<RecordRow>`
    WITH s AS MATERIALIZED (${slos})
    SELECT s.*, p.record_json AS project_json, v.record_json AS service_json
    FROM s
    LEFT JOIN definitions p
      ON p.organization = s.organization AND p.kind = 'Project' AND p.project = '' AND p.name = s.project
    LEFT JOIN definitions v
      ON v.organization = s.organization AND v.kind = 'Service' AND v.project = s.project AND v.name = s.service
    ORDER BY s.project, s.name`

  return SloStore.of({
    page: (organization, { after, limit }) =>
      operation(
        "page",
        Effect.map(
          records(sql`
            SELECT organization, project, name, service, tail_json FROM slos
            WHERE organization = ${organization}
              AND ${after === undefined ? sql`true` : sql`(project, name) > (${searchText(after.project)}, ${searchText(after.name)})`}
            ORDER BY project, name
            LIMIT ${limit + 1}`),
          (rows) => ({ items: rows.slice(0, limit).map(toSloRow), hasMore: rows.length > limit }),
        ),
      ),
    find: (organization, { project, name }) =>
      operation(
        "find",
        Effect.map(
          records(sql`
            SELECT organization, project, name, service, tail_json FROM slos
            WHERE organization = ${organization} AND project = ${searchText(project)} AND name = ${searchText(name)}`),
          ([row]) => Option.map(Option.fromNullable(row), toSloRow),
        ),
      ),
    dueForStatus: (now, limit) =>
      operation(
        "dueForStatus",
        Effect.gen(function* () {
          const rows = yield* sql<DefinitionRow & { readonly organization: OrganizationId }>`
            SELECT d.* FROM (
              SELECT organization, project, name, due_at FROM slos
              WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit}
            ) s
            JOIN definitions d ON d.organization = s.organization AND d.kind = 'SLO'
              AND d.project = s.project AND d.name = s.name
            ORDER BY s.due_at`
          return yield* Effect.forEach(rows, (row) =>
            Effect.map(rowToDefinition<Slo>(box, row.organization, row), (slo) => ({
              organization: row.organization,
              slo,
            })),
          )
        }),
      ),
    writeStatus: (organization, { project, name }, { version, countsRevision, tailJson, dueAt }) =>
      operation(
        "writeStatus",
        Effect.map(
          sql`
            UPDATE slos SET tail_json = ${tailJson}, due_at = ${dueAt ?? null}
            WHERE organization = ${organization} AND project = ${project} AND name = ${name}
              AND version::text = ${version} AND counts_revision::text = ${countsRevision}
            RETURNING true`,
          (rows) => rows.length > 0,
        ),
      ),
  })
})

/** The SLO records of a database. */
export const layer: Layer.Layer<SloStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  SloStore,
  make,
)

const operation = portOperation((failure) => new SloStoreIsUnavailable(failure))

interface RecordRow {
  readonly project: string
  readonly name: string
  readonly service: string
  readonly tail_json: string
  readonly project_json: string | null
  readonly service_json: string | null
}

/** A project or a service without a definition is known by its name. */
const toSloRow = (row: RecordRow): SloRow => ({
  project: row.project,
  name: row.name,
  service: row.service,
  projectJson: row.project_json ?? projectToJson({ metadata: { name: row.project } }),
  serviceJson: row.service_json ?? serviceToJson({ metadata: { project: row.project, name: row.service } }),
  tailJson: row.tail_json,
})
