import type * as SqlClient from "effect/sql/SqlClient"
import type { AlertPolicy } from "@tocsin/domain/alert-policy/AlertPolicy"
import { type AlertSilence, silenceIsOf } from "@tocsin/domain/alert-policy/AlertSilence"
import { type OrganizationId, organizationKeyText, type ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import type { Definition } from "@tocsin/domain/definition/Definition"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import type { SecretBox, SecretCannotBeOpened } from "@tocsin/domain/secret/SecretBox"
import type { Slo } from "@tocsin/domain/slo/Slo"
import { type ComputedStatus, type DueSlo, textToRevision } from "@tocsin/domain/status/SloStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { logUnreadableRow, type StoredRowIsInvalid } from "../database/StoredRow.ts"
import { forEachOrganization } from "../database/ForEachOrganization.ts"
import { keyArrays } from "../database/Parameters.ts"

export interface DueRow extends ProjectKey {
  readonly organization: OrganizationId
  readonly revision: string
  readonly evaluation: string | null
  readonly read_to: number | null
  readonly past_counts_to: number | null
}

type Definitions = Pick<DueSlo, "slo" | "policies" | "silences">

/**
 * Makes a cache of the definitions of SLOs. Every change of a definition changes the basis of the revision, and so does
 * writing a status, which this process does itself.
 */
export const makeDueSlosCache = () => {
  const known = new LRUCache<string, Definitions & { readonly basis: string }>({ max: slosMax })
  return {
    find: (row: DueRow): Definitions | undefined => {
      const found = known.get(organizationKeyText(row.organization, row))
      return found?.basis === textToRevision(row.revision).basis ? found : undefined
    },
    /** Adds definitions that were read after the revision. */
    add: ({ organization, slo, policies, silences, revision }: DueSlo): void => {
      const { basis } = textToRevision(revision)
      known.set(organizationKeyText(organization, slo.definition.metadata), {
        slo,
        policies,
        silences,
        basis,
      })
    },
    /** Notes that the status was written, and the basis since then. */
    written: ({ organization, slo, revision }: ComputedStatus, basis: string): void => {
      const key = organizationKeyText(organization, slo)
      const found = known.get(key)
      // Definitions of another basis may be older than those that the status was computed from.
      if (found?.basis === textToRevision(revision).basis) known.set(key, { ...found, basis })
    },
  }
}

/** Each takes about 3 KB. */
const slosMax = 20_000

/**
 * Reads the definitions of SLOs, their policies and their silences, unless they are cached. It reads after the revisions,
 * so that a later change is noticed when the status is written. Skips SLOs that were deleted; fails for each SLO alone.
 */
export const readDueSlos = (
  sql: SqlClient.SqlClient,
  box: SecretBox["Service"],
  rows: ReadonlyArray<DueRow>,
  known: ReturnType<typeof makeDueSlosCache>,
) =>
  Effect.gen(function* () {
    const wanted = rows.map((row) => ({ row, found: known.find(row) }))
    const unknown = wanted.flatMap(({ row, found }) => (found === undefined ? [row] : []))
    const read = yield* readDefinitions(sql, box, unknown)
    const dues: Array<Result.Result<DueSlo, Unreadable>> = []
    for (const { row, found } of wanted) {
      const definitions = found === undefined ? read(row) : Result.succeed(found)
      if (definitions === undefined) continue
      const { organization, revision, evaluation, read_to: readTo, past_counts_to: pastCountsTo } = row
      const due = Result.map(definitions, ({ slo, policies, silences }): DueSlo => ({
        organization,
        slo,
        policies,
        silences,
        ...(readTo !== null && { readTo }),
        ...(pastCountsTo !== null && { pastCountsTo }),
        evaluation: evaluation ?? undefined,
        revision,
      }))
      dues.push(due)
      if (Result.isSuccess(due)) known.add(due.success)
      else yield* logUnreadableRow(organization, due.failure)
    }
    return dues
  })

const readDefinitions = (sql: SqlClient.SqlClient, box: SecretBox["Service"], due: ReadonlyArray<DueRow>) =>
  Effect.gen(function* () {
    const rows = yield* forEachOrganization(
      due,
      (organization, some) =>
        sql<OwnedRow>`
          WITH k AS MATERIALIZED (
            SELECT * FROM unnest(${keyArrays(sql, some)}) AS k (project, name)
          )
          SELECT d.*, f.silenced FROM (
            SELECT 'SLO' AS kind, project COLLATE "C" AS project, name COLLATE "C" AS name, NULL AS silenced FROM k
            UNION
            SELECT r.to_kind, r.to_project, r.to_name, NULL FROM k JOIN definition_references r
              ON r.organization = ${organization} AND r.kind = 'SLO' AND r.project = k.project AND r.name = k.name
                AND r.to_kind = 'AlertPolicy'
            UNION
            SELECT r.kind, r.project, r.name, k.name FROM k JOIN definition_references r
              ON r.organization = ${organization} AND r.to_kind = 'SLO' AND r.to_project = k.project
                AND r.to_name = k.name AND r.kind = 'AlertSilence'
            UNION
            SELECT r.kind, r.project, r.name, k.name FROM k
            JOIN definitions s ON s.organization = ${organization} AND s.kind = 'SLO' AND s.project = k.project
              AND s.name = k.name
            CROSS JOIN LATERAL unnest(s.labels) AS label
            JOIN definition_references r
              ON r.organization = ${organization} AND r.to_kind = 'SLO' AND r.to_project = k.project
                AND r.to_name = label COLLATE "C" AND r.kind = 'AlertSilence'
          ) f
          JOIN definitions d ON d.organization = ${organization} AND d.kind = f.kind
            AND d.project = f.project AND d.name = f.name
          ORDER BY d.project, d.name`,
    )

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
            silences: Result.map(
              Result.all(silences.get(organizationKeyText(row.organization, row)) ?? []),
              // The index has one label of each silence by labels.
              (found) => found.filter(({ definition }) => silenceIsOf(definition, slo.definition.metadata)),
            ),
          }),
        )
      )
    }
  })

type Unreadable = SecretCannotBeOpened | StoredRowIsInvalid

type Read<D extends Definition> = Result.Result<StoredDefinition<D>, Unreadable>

interface OwnedRow extends DefinitionRow {
  readonly organization: OrganizationId
  readonly silenced: string | null
}
