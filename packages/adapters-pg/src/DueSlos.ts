import type * as SqlClient from "@effect/sql/SqlClient"
import type { AlertPolicy } from "@tocsin/domain/alerting/AlertPolicy"
import type { AlertSilence } from "@tocsin/domain/alerting/AlertSilence"
import type { OrganizationId } from "@tocsin/domain/definition/Definition"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import type { SecretBox } from "@tocsin/domain/secret/SecretBox"
import type { Slo } from "@tocsin/domain/slo/Slo"
import type { SloDue } from "@tocsin/domain/slo/SloStore"
import { Effect } from "effect"
import { type DefinitionRow, rowToDefinition } from "./DefinitionRow.ts"

/** What the record of an SLO says of the status that is to be computed. */
export interface DueRow {
  readonly organization: OrganizationId
  readonly project: string
  readonly name: string
  readonly revision: string
  readonly evaluation: string | null
}

/**
 * Reads the definitions of SLOs, of their policies and of their silences: after their revisions, so that one which has
 * changed since is noticed when the status is written. An SLO that is gone is left out.
 */
export const readDueSlos = (sql: SqlClient.SqlClient, box: SecretBox["Type"], due: ReadonlyArray<DueRow>) =>
  Effect.gen(function* () {
    if (due.length === 0) return []
    const rows = yield* sql<OwnedRow>`
      WITH k AS MATERIALIZED (
        SELECT * FROM unnest(
          ${due.map(({ organization }) => organization)}::text[],
          ${due.map(({ project }) => project)}::text[], ${due.map(({ name }) => name)}::text[]
        ) AS k (organization, project, name)
      )
      SELECT d.* FROM (
        SELECT organization COLLATE "C" AS organization, 'SLO' AS kind, project COLLATE "C" AS project,
          name COLLATE "C" AS name FROM k
        UNION
        SELECT r.organization, r.to_kind, r.to_project, r.to_name FROM k JOIN definition_references r
          ON r.organization = k.organization AND r.kind = 'SLO' AND r.project = k.project AND r.name = k.name
            AND r.to_kind = 'AlertPolicy'
        UNION
        SELECT r.organization, r.kind, r.project, r.name FROM k JOIN definition_references r
          ON r.organization = k.organization AND r.to_kind = 'SLO' AND r.to_project = k.project
            AND r.to_name = k.name AND r.kind = 'AlertSilence'
      ) f
      JOIN definitions d ON d.organization = f.organization AND d.kind = f.kind
        AND d.project = f.project AND d.name = f.name
      ORDER BY d.project, d.name`

    const slos = new Map<string, StoredDefinition<Slo>>()
    const policies = new Map<string, StoredDefinition<AlertPolicy>>()
    const silences = new Map<string, Array<StoredDefinition<AlertSilence>>>()
    for (const row of rows) {
      if (row.kind === "SLO") slos.set(textOf(row), yield* rowToDefinition<Slo>(box, row.organization, row))
      else if (row.kind === "AlertPolicy") {
        policies.set(textOf(row), yield* rowToDefinition<AlertPolicy>(box, row.organization, row))
      } else {
        const silence = yield* rowToDefinition<AlertSilence>(box, row.organization, row)
        const ofSlo = textOf({ ...row, name: silence.definition.spec.slo })
        silences.set(ofSlo, [...(silences.get(ofSlo) ?? []), silence])
      }
    }
    return due.flatMap((row): ReadonlyArray<SloDue> => {
      const slo = slos.get(textOf(row))
      if (slo === undefined) return []
      return [
        {
          organization: row.organization,
          slo,
          policies: slo.definition.spec.alertPolicies.flatMap(
            (name) => policies.get(textOf({ ...row, name })) ?? [],
          ),
          silences: silences.get(textOf(row)) ?? [],
          evaluation: row.evaluation ?? undefined,
          revision: row.revision,
        },
      ]
    })
  })

interface OwnedRow extends DefinitionRow {
  readonly organization: OrganizationId
}

/** The names of projects and of what they own have no slash. */
const textOf = (row: { readonly organization: string; readonly project: string; readonly name: string }) =>
  `${row.project}/${row.name}/${row.organization}`
