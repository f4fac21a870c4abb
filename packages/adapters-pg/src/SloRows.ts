import type * as SqlClient from "@effect/sql/SqlClient"
import type { DefinitionKey, OrganizationId } from "@tocsin/domain/definition/Definition"
import type { DefinitionChange } from "@tocsin/domain/definition/DefinitionStore"
import type { Slo } from "@tocsin/domain/slo/Slo"
import { keptStatuses, sloToTailJson } from "@tocsin/domain/slo/SloRecord"
import { Effect } from "effect"

/** Removes the records and the counts of the SLOs among the definitions that go. */
export const removeSlos = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<DefinitionKey>,
) =>
  Effect.gen(function* () {
    const slos = keys.filter(({ kind }) => kind === "SLO")
    if (slos.length === 0) return
    const removed = sql`unnest(
      ${slos.map(({ project }) => project)}::text[], ${slos.map(({ name }) => name)}::text[]) AS k (project, name)`
    // The record goes first: whoever records counts waits for it, and then finds none.
    yield* sql`
      DELETE FROM slos s USING ${removed}
      WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
    for (const table of ["count_minutes", "count_hours"]) {
      yield* sql`
        DELETE FROM ${sql(table)} c USING ${removed}
        WHERE c.organization = ${organization} AND c.project = k.project AND c.slo = k.name`
    }
  })

/**
 * Writes the records of the SLOs among the definitions that are put, each due for its status at once; to be called
 * while `definitions` still holds what they replace.
 */
export const putSlos = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  put: DefinitionChange["put"],
  version: number,
  now: number,
) =>
  Effect.gen(function* () {
    const slos = put.flatMap(({ definition }) => (definition.kind === "SLO" ? [definition] : []))
    if (slos.length === 0) return
    const projects = slos.map(({ metadata }) => metadata.project)
    const names = slos.map(({ metadata }) => metadata.name)
    // The status may be written meanwhile, so that the record is locked before it is read.
    const rows = yield* sql<BeforeRow>`
      SELECT s.project, s.name, s.tail_json, d.definition, d.created_at
      FROM unnest(${projects}::text[], ${names}::text[]) AS k (project, name)
      JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
      JOIN definitions d ON d.organization = ${organization} AND d.kind = 'SLO'
        AND d.project = k.project AND d.name = k.name
      ORDER BY s.project, s.name
      FOR UPDATE OF s`
    const before = new Map(rows.map((row) => [`${row.project}/${row.name}`, row]))
    const tails = slos.map((slo) => {
      const row = before.get(`${slo.metadata.project}/${slo.metadata.name}`)
      return row === undefined
        ? sloToTailJson(slo, now, new Map())
        : sloToTailJson(
            slo,
            row.created_at,
            keptStatuses(row.tail_json, JSON.parse(row.definition) as Slo, slo),
          )
    })
    yield* sql`
      INSERT INTO slos (organization, project, name, service, tail_json, version, due_at)
      SELECT ${organization}, project, name, service, tail_json, ${version}::bigint, ${now}::bigint
      FROM unnest(
        ${projects}::text[], ${names}::text[], ${slos.map(({ spec }) => spec.service)}::text[], ${tails}::text[]
      ) AS given (project, name, service, tail_json)
      ON CONFLICT (organization, project, name) DO UPDATE SET
        service = excluded.service, tail_json = excluded.tail_json,
        version = excluded.version, due_at = excluded.due_at`
  })

interface BeforeRow {
  readonly project: string
  readonly name: string
  readonly tail_json: string
  readonly definition: string
  readonly created_at: number
}
