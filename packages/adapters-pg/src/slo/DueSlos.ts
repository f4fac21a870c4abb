import type * as SqlClient from "effect/sql/SqlClient"
import {
  type AlertSilence,
  componentsOf,
  type Definition,
  minutesReadOf,
  silenceIsOf,
  unreadOfComponents,
} from "@tocsin/domain/adapter"
import type { AlertPolicy } from "@tocsin/domain/alerting"
import { type BudgetAdjustment, kinds, type Slo } from "@tocsin/domain/definitions"
import { type OrganizationId, organizationKeyText, type ProjectKey } from "@tocsin/domain/kernel"
import {
  type ComputedStatus,
  type DueSlo,
  type MinutesRead,
  type SecretBox,
  type SecretCannotBeOpened,
  type StoredDefinition,
  textToRevision,
} from "@tocsin/domain/ports"
import type { MinuteRange } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { Slice } from "../database/InSlices.ts"
import { logUnreadableRow, type StoredRowIsInvalid } from "../database/StoredRow.ts"
import { currentRecent, readRecent } from "./IndicatorStorePg.ts"
import { readPastChanges } from "./PastChangeRows.ts"
import { forEachOrganization } from "../database/ForEachOrganization.ts"
import { keyArrays } from "../database/Parameters.ts"

export interface DueRow extends ProjectKey {
  readonly organization: OrganizationId
  readonly revision: string
  readonly evaluation: string | null
  readonly read_to: number | null
  /** `currentRecent` of its indicator. */
  readonly recent: string | null
  readonly past_changes: string | null
  readonly counts_traceparent: string | null
}

type Definitions = Pick<DueSlo, "slo" | "policies" | "silences" | "adjustments">

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
    add: ({ organization, slo, policies, silences, adjustments, revision }: DueSlo): void => {
      const { basis } = textToRevision(revision)
      known.set(organizationKeyText(organization, slo.definition.metadata), {
        slo,
        policies,
        silences,
        adjustments,
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
 * Reads the definitions of SLOs, their policies, silences and budget adjustments, unless they are cached. It reads after the revisions,
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
    const all = wanted.flatMap(({ row, found }) => {
      const definitions = found === undefined ? read(row) : Result.succeed(found)
      return definitions === undefined ? [] : [{ row, definitions }]
    })
    const componentsUnread = yield* readComponentsUnread(
      sql,
      all.flatMap(({ row: { organization }, definitions }) =>
        Result.isFailure(definitions) ? [] : [{ organization, slo: definitions.success.slo.definition }],
      ),
    )
    const dues: Array<Result.Result<DueSlo, Unreadable>> = []
    for (const { row, definitions } of all) {
      const { organization, revision, evaluation, counts_traceparent: traceparent } = row
      const parts = Result.all({
        definitions,
        pastChanges: readPastChanges(row, row.past_changes),
        minutesRead: readMinutesRead(row, row),
        componentsUnread: componentsUnread(organization, row),
      })
      const due = Result.map(
        parts,
        ({ definitions, pastChanges, minutesRead, componentsUnread }): DueSlo => ({
          organization,
          slo: definitions.slo,
          policies: definitions.policies,
          silences: definitions.silences,
          adjustments: definitions.adjustments,
          ...minutesRead,
          ...(componentsUnread !== undefined && { componentsUnread }),
          ...(pastChanges !== undefined && { pastChanges }),
          ...(traceparent !== null && { traceparent }),
          evaluation: evaluation ?? undefined,
          revision,
        }),
      )
      dues.push(due)
      if (Result.isSuccess(due)) known.add(due.success)
      else yield* logUnreadableRow(organization, due.failure)
    }
    return dues
  })

/** How far an SLO with an indicator has been read. */
const readMinutesRead = (
  slo: ProjectKey,
  { read_to: readTo, recent }: Pick<DueRow, "read_to" | "recent">,
): Result.Result<MinutesRead | undefined, StoredRowIsInvalid> =>
  readTo === null
    ? Result.succeed(undefined)
    : Result.map(readRecent(slo, recent), (recent) =>
        minutesReadOf({ readTo, ...(recent !== undefined && { recent }) }),
      )

/** Reads which minutes of the components of SLOs are not read yet, which is `DueSlo.componentsUnread`. */
const readComponentsUnread = (
  sql: SqlClient.SqlClient,
  slos: ReadonlyArray<{ readonly organization: OrganizationId; readonly slo: Slo }>,
) =>
  Effect.gen(function* () {
    const components = new Map<string, ReadonlyArray<ProjectKey>>()
    for (const { organization, slo } of slos) {
      const keys = componentsOf(slo).map(({ component }) => component.slo)
      if (keys.length > 0) components.set(organizationKeyText(organization, slo.metadata), keys)
    }
    const wanted = slos.flatMap(({ organization, slo }) =>
      (components.get(organizationKeyText(organization, slo.metadata)) ?? []).map((key) => ({
        organization,
        ...key,
      })),
    )
    const rows = yield* forEachOrganization(
      wanted,
      (organization, some) =>
        sql<
          ProjectKey & {
            readonly organization: OrganizationId
            readonly read_to: number
            readonly succeeded_at: number | null
            readonly unavailable_since: number | null
            readonly recent: string | null
          }
        >`
          SELECT p.organization, p.project, p.slo AS name, p.read_to, p.succeeded_at, p.unavailable_since, ${currentRecent(sql, "p")} AS recent
          FROM (SELECT DISTINCT * FROM unnest(${keyArrays(sql, some)}) AS k (project, name)) k
          JOIN indicator_polls p ON p.organization = ${organization} AND p.project = k.project AND p.slo = k.name`,
    )
    const states = new Map(
      rows.map((row) => [
        organizationKeyText(row.organization, row),
        Result.map(readRecent(row, row.recent), (recent) => ({
          readTo: row.read_to,
          ...(recent !== undefined && { recent }),
          ...(row.succeeded_at !== null && { succeededAt: row.succeeded_at }),
          ...(row.unavailable_since !== null && { unavailableSince: row.unavailable_since }),
        })),
      ]),
    )
    return (
      organization: OrganizationId,
      slo: ProjectKey,
    ): Result.Result<MinuteRange | undefined, StoredRowIsInvalid> =>
      Result.map(
        Result.all(
          (components.get(organizationKeyText(organization, slo)) ?? []).flatMap(
            (key) => states.get(organizationKeyText(organization, key)) ?? [],
          ),
        ),
        unreadOfComponents,
      )
  })

const readDefinitions = (sql: SqlClient.SqlClient, box: SecretBox["Service"], due: ReadonlyArray<DueRow>) =>
  Effect.gen(function* () {
    const rows = yield* forEachOrganization(
      due,
      (organization, some) =>
        sql<OwnedRow>`
          WITH k AS MATERIALIZED (
            SELECT project COLLATE "C" AS project, name COLLATE "C" AS name
            FROM unnest(${keyArrays(sql, some)}) AS k (project, name)
          ), slo AS MATERIALIZED (
            -- The SLOs, and their components, by which the status of an owner is found.
            SELECT project, name, project || '/' || name AS owner, true AS is_owner FROM k
            UNION ALL
            SELECT c.to_project, c.to_name, k.project || '/' || k.name, false FROM k JOIN definition_references c
              ON c.organization = ${organization} AND c.kind = 'SLO' AND c.project = k.project AND c.name = k.name
                AND c.to_kind = 'SLO'
          )
          SELECT d.*, f.owners FROM (
            SELECT 'SLO' AS kind, project, name, NULL::text[] AS owners FROM k
            UNION ALL
            SELECT DISTINCT r.to_kind, r.to_project, r.to_name, NULL::text[] FROM k JOIN definition_references r
              ON r.organization = ${organization} AND r.kind = 'SLO' AND r.project = k.project AND r.name = k.name
                AND r.to_kind = 'AlertPolicy'
            UNION ALL
            SELECT r.kind, r.project, r.name, array_agg(DISTINCT t.owner) FROM (
              SELECT project, name, owner, is_owner FROM slo
              UNION ALL
              SELECT s.project, label COLLATE "C", s.owner, s.is_owner FROM slo s
              JOIN definitions l ON l.organization = ${organization} AND l.kind = 'SLO' AND l.project = s.project
                AND l.name = s.name
              CROSS JOIN LATERAL unnest(l.labels) AS label
            ) t
            JOIN definition_references r ON r.organization = ${organization} AND r.to_kind = 'SLO'
              AND r.to_project = t.project AND r.to_name = t.name
              AND (r.kind = 'BudgetAdjustment' OR (r.kind = 'AlertSilence' AND t.is_owner))
            GROUP BY r.kind, r.project, r.name
          ) f
          JOIN definitions d ON d.organization = ${organization} AND d.kind = f.kind
            AND d.project = f.project AND d.name = f.name
          ORDER BY d.project, d.name`,
    )

    const slos = new Map<string, Read<Slo>>()
    const policies = new Map<string, Read<AlertPolicy>>()
    const silences = new Map<string, Array<Read<AlertSilence>>>()
    const adjustments = new Map<string, Array<Read<BudgetAdjustment>>>()
    const slice = new Slice()
    for (const row of rows) {
      if (slice.isOver) yield* slice.end
      const { organization } = row
      const text = organizationKeyText(organization, row)
      const addTo = <A>(byOwner: Map<string, Array<A>>, read: A): void => {
        for (const owner of row.owners ?? []) {
          const key = `${organization} ${owner}`
          byOwner.set(key, [...(byOwner.get(key) ?? []), read])
        }
      }
      if (row.kind === "SLO") slos.set(text, rowToDefinitionOf("SLO", box, organization, row))
      else if (row.kind === "AlertPolicy") {
        policies.set(text, rowToDefinitionOf("AlertPolicy", box, organization, row))
      } else if (row.kind === kinds.BudgetAdjustment.kind) {
        addTo(adjustments, rowToDefinitionOf(row.kind, box, organization, row))
      } else addTo(silences, rowToDefinitionOf(kinds.AlertSilence.kind, box, organization, row))
    }
    return (row: DueRow) => {
      const key = organizationKeyText(row.organization, row)
      const slo = slos.get(key)
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
              Result.all(silences.get(key) ?? []),
              // The index has one label of each silence by labels.
              (found) => found.filter(({ definition }) => silenceIsOf(definition, slo.definition.metadata)),
            ),
            adjustments: Result.map(Result.all(adjustments.get(key) ?? []), (found) =>
              found.map(({ definition }) => definition),
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
  /** `projectKeyText` of the SLOs that a silence or an adjustment may be of. */
  readonly owners: ReadonlyArray<string> | null
}
