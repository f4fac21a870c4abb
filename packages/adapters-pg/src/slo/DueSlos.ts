import type * as SqlClient from "effect/sql/SqlClient"
import type { AlertPolicy } from "@tocsin/domain/alert-policy/AlertPolicy"
import type { AlertSilence } from "@tocsin/domain/alert-policy/AlertSilence"
import { type OrganizationId, organizationKeyText } from "@tocsin/domain/metadata/ObjectKey"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import type { SecretBox } from "@tocsin/domain/secret/SecretBox"
import type { Slo } from "@tocsin/domain/slo/Slo"
import type { DueSlo } from "@tocsin/domain/status/SloStore"
import * as Effect from "effect/Effect"
import { type DefinitionRow, rowToDefinition } from "../database/DefinitionRow.ts"
import type { DueSlosCache } from "./DueSlosCache.ts"
import { texts } from "../database/Parameters.ts"

/** The columns of an SLO whose status is to be computed. */
export interface DueRow {
  readonly organization: OrganizationId
  readonly project: string
  readonly name: string
  readonly revision: string
  readonly evaluation: string | null
}

/**
 * Reads the definitions of SLOs, their policies and their silences, unless they are cached. It reads after the revisions,
 * so that a later change is noticed when the status is written. Skips SLOs that were deleted.
 */
export const readDueSlos = (
  sql: SqlClient.SqlClient,
  box: SecretBox["Service"],
  rows: ReadonlyArray<DueRow>,
  known: DueSlosCache,
) =>
  Effect.gen(function* () {
    const wanted = rows.map((row) => ({ row, found: known.find(row) }))
    const unknown = wanted.flatMap(({ row, found }) => (found === undefined ? [row] : []))
    const read = yield* readDefinitions(sql, box, unknown)
    const dues = wanted.flatMap(({ row, found }): ReadonlyArray<DueSlo> => {
      const { organization, revision, evaluation } = row
      const definitions = found ?? read(row)
      if (definitions === undefined) return []
      const { slo, policies, silences } = definitions
      return [{ organization, slo, policies, silences, evaluation: evaluation ?? undefined, revision }]
    })
    for (const due of dues) known.add(due)
    return dues
  })

const readDefinitions = (sql: SqlClient.SqlClient, box: SecretBox["Service"], due: ReadonlyArray<DueRow>) =>
  Effect.gen(function* () {
    if (due.length === 0) return () => undefined
    const rows = yield* sql<OwnedRow>`
      WITH k AS MATERIALIZED (
        SELECT * FROM unnest(
          ${texts(due.map(({ organization }) => organization))},
          ${texts(due.map(({ project }) => project))}, ${texts(due.map(({ name }) => name))}
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
      const { organization, project } = row
      const text = organizationKeyText(organization, row)
      if (row.kind === "SLO") slos.set(text, yield* rowToDefinition<Slo>(box, organization, row))
      else if (row.kind === "AlertPolicy") {
        policies.set(text, yield* rowToDefinition<AlertPolicy>(box, organization, row))
      } else {
        const silence = yield* rowToDefinition<AlertSilence>(box, organization, row)
        const ofSlo = organizationKeyText(organization, { project, name: silence.definition.spec.slo })
        silences.set(ofSlo, [...(silences.get(ofSlo) ?? []), silence])
      }
    }
    return (row: DueRow): Pick<DueSlo, "slo" | "policies" | "silences"> | undefined => {
      const slo = slos.get(organizationKeyText(row.organization, row))
      return (
        slo && {
          slo,
          policies: slo.definition.spec.alertPolicies.flatMap(
            (name) => policies.get(organizationKeyText(row.organization, { ...row, name })) ?? [],
          ),
          silences: silences.get(organizationKeyText(row.organization, row)) ?? [],
        }
      )
    }
  })

interface OwnedRow extends DefinitionRow {
  readonly organization: OrganizationId
}
