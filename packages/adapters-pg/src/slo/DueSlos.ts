import type * as SqlClient from "effect/sql/SqlClient"
import type { AlertPolicy } from "@tocsin/domain/alert-policy/AlertPolicy"
import type { AlertSilence } from "@tocsin/domain/alert-policy/AlertSilence"
import { type OrganizationId, organizationKeyText } from "@tocsin/domain/metadata/ObjectKey"
import type { Definition } from "@tocsin/domain/definition/Definition"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import type { SecretBox, SecretCannotBeOpened } from "@tocsin/domain/secret/SecretBox"
import type { Slo } from "@tocsin/domain/slo/Slo"
import type { DueSlo } from "@tocsin/domain/status/SloStore"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import type { StoredRowIsInvalid } from "../database/StoredRow.ts"
import type { DueSlosCache } from "./DueSlosCache.ts"
import { keyArrays, texts } from "../database/Parameters.ts"

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
 * so that a later change is noticed when the status is written. Skips SLOs that were deleted; fails for each SLO alone.
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
    return wanted.flatMap(({ row, found }) => {
      const definitions = found === undefined ? read(row) : Result.succeed(found)
      if (definitions === undefined) return []
      const due = Result.map(definitions, ({ slo, policies, silences }): DueSlo => {
        const { organization, revision, evaluation } = row
        return { organization, slo, policies, silences, evaluation: evaluation ?? undefined, revision }
      })
      if (Result.isSuccess(due)) known.add(due.success)
      return [due]
    })
  })

/** Logs the SLOs that could not be read, and returns the others: nobody's broken row keeps others from their turn. */
export const logUnreadable = <A, E>(read: ReadonlyArray<Result.Result<A, E>>) =>
  Effect.gen(function* () {
    const [found, failures] = Array.partition(read, (each) => each)
    for (const failure of failures) yield* Effect.logError("Reading an SLO failed", failure)
    return found
  })

const readDefinitions = (sql: SqlClient.SqlClient, box: SecretBox["Service"], due: ReadonlyArray<DueRow>) =>
  Effect.gen(function* () {
    if (due.length === 0) return () => undefined
    const rows = yield* sql<OwnedRow>`
      WITH k AS MATERIALIZED (
        SELECT * FROM unnest(
          ${texts(due.map(({ organization }) => organization))},
          ${keyArrays(sql, due)}
        ) AS k (organization, project, name)
      )
      SELECT d.*, f.silenced FROM (
        SELECT organization COLLATE "C" AS organization, 'SLO' AS kind, project COLLATE "C" AS project,
          name COLLATE "C" AS name, NULL AS silenced FROM k
        UNION
        SELECT r.organization, r.to_kind, r.to_project, r.to_name, NULL FROM k JOIN definition_references r
          ON r.organization = k.organization AND r.kind = 'SLO' AND r.project = k.project AND r.name = k.name
            AND r.to_kind = 'AlertPolicy'
        UNION
        SELECT r.organization, r.kind, r.project, r.name, k.name FROM k JOIN definition_references r
          ON r.organization = k.organization AND r.to_kind = 'SLO' AND r.to_project = k.project
            AND r.to_name = k.name AND r.kind = 'AlertSilence'
      ) f
      JOIN definitions d ON d.organization = f.organization AND d.kind = f.kind
        AND d.project = f.project AND d.name = f.name
      ORDER BY d.project, d.name`

    const slos = new Map<string, Read<Slo>>()
    const policies = new Map<string, Read<AlertPolicy>>()
    const silences = new Map<string, Array<Read<AlertSilence>>>()
    for (const row of rows) {
      const { organization, project, silenced } = row
      const text = organizationKeyText(organization, row)
      if (silenced !== null) {
        const ofSlo = organizationKeyText(organization, { project, name: silenced })
        const silence = rowToDefinitionOf("AlertSilence", box, organization, row)
        silences.set(ofSlo, [...(silences.get(ofSlo) ?? []), silence])
      } else if (row.kind === "SLO") slos.set(text, rowToDefinitionOf("SLO", box, organization, row))
      else policies.set(text, rowToDefinitionOf("AlertPolicy", box, organization, row))
    }
    return (row: DueRow) => {
      const slo = slos.get(organizationKeyText(row.organization, row))
      return (
        slo &&
        Result.flatMap(slo, (slo) =>
          Result.all({
            slo: Result.succeed(slo),
            policies: Result.all(
              slo.definition.spec.alertPolicies.flatMap(
                (name) => policies.get(organizationKeyText(row.organization, { ...row, name })) ?? [],
              ),
            ),
            silences: Result.all(silences.get(organizationKeyText(row.organization, row)) ?? []),
          }),
        )
      )
    }
  })

type Read<D extends Definition> = Result.Result<
  StoredDefinition<D>,
  SecretCannotBeOpened | StoredRowIsInvalid
>

interface OwnedRow extends DefinitionRow {
  readonly organization: OrganizationId
  /** Of a silence: the SLO that it silences. */
  readonly silenced: string | null
}
