import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type AdjustmentChange, pastAdjustmentChanges, withChangedAdjustments } from "@tocsin/domain"
import {
  type Definition,
  definitionFromStored,
  definitionKey,
  keptStatuses,
  sliceRulesOf,
  storedSliceRules,
  storedStatuses,
} from "@tocsin/domain/adapter"
import { type BudgetAdjustment, selectingKinds } from "@tocsin/domain/definitions"
import {
  type DefinitionKey,
  definitionKeyText,
  type Kind,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import { type DefinitionChange, sloSearchText, type StoredDefinition } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type FormColumns, readSliceRules, rowToForm } from "./CountHours.ts"
import { recomputeSums } from "./CountRows.ts"
import { countTableNames } from "./ObjectiveTables.ts"
import { booleans, keyArrays, texts } from "../database/Parameters.ts"
import { pastChangesJson, readPastChanges } from "./PastChangeRows.ts"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { inRow } from "../database/StoredRow.ts"

/**
 * The basis of the revision of the SLO `s` (`SloRevision`). It includes the definition's version, as the revision of an SLO
 * that is deleted and created again starts at 0.
 */
export const sloBasis = (sql: SqlClient.SqlClient): Fragment =>
  sql`s.version::text || '.' || s.revision::text`

export const sloRevision = (sql: SqlClient.SqlClient): Fragment =>
  sql`s.version::text || '.' || s.revision::text || '.' || s.counts_revision::text`

export const readStatuses = (slo: ProjectKey, statuses: string) =>
  inRow(`statuses of SLO ${projectKeyText(slo)}`, storedStatuses.read(statuses, undefined))

/** The SLOs whose status depends on a change of definitions, beside those that it writes. */
interface AffectedSlos {
  readonly slos: ReadonlyArray<ProjectKey>
  /** Those of which budget adjustments change. */
  readonly adjusted: ReadonlyArray<ProjectKey & { readonly past_changes: string | null }>
  readonly adjustments: ReadonlyArray<AdjustmentChange>
}

/**
 * Locks the records of all SLOs that a change of definitions affects, in one order. Must run while `definition_references` still
 * has the references from before the change; `before` returns the definitions that it replaces or removes. Returns the other
 * SLOs whose status depends on the change: through a component, a policy, a silence or a budget adjustment.
 *
 * A silence or an adjustment by labels affects all SLOs with the label that it is indexed by.
 *
 * Components are locked too: recording their counts reads the composite SLOs after taking the lock, and so finds one that
 * was added meanwhile.
 */
export const lockSlosOfChange = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { put, remove, moves = [] }: DefinitionChange,
  before: (key: DefinitionKey) => StoredDefinition | undefined,
) =>
  Effect.gen(function* () {
    const keys = [
      ...put.map(({ definition }) => definitionKey(definition)),
      ...remove,
      ...moves.map(({ name, from }) => ({ kind: "SLO" as const, project: from, name })),
    ]
    const changed = keys.filter(({ kind }) => statusKinds.has(kind))
    if (changed.length === 0) return noAffectedSlos
    const named = put.flatMap(({ definition, references }) =>
      references.filter(({ kind }) => kind === "SLO").map((key) => ({ by: definition.kind, key })),
    )
    const locked = [
      ...changed.filter(({ kind }) => kind === "SLO"),
      ...named.flatMap(({ by, key }) => (by === "SLO" ? [key] : [])),
    ]
    const selecting = changed.filter(({ kind }) => selectingKinds.has(kind))
    const selected = named.filter(({ by }) => selectingKinds.has(by))
    const rows = yield* sql<
      ProjectKey & {
        readonly is_followed: boolean
        readonly is_adjusted: boolean
        readonly past_changes: string | null
      }
    >`
      WITH ${
        selecting.length === 0
          ? sql``
          : sql`
      target AS MATERIALIZED (
        -- The names and labels of SLOs that silences and adjustments select, before and after the change.
        SELECT r.to_project AS project, r.to_name AS name, c.kind = 'BudgetAdjustment' AS is_adjusted FROM unnest(
          ${texts(selecting.map(({ kind }) => kind))}, ${keyArrays(sql, selecting)}) AS c (kind, project, name)
        JOIN definition_references r ON r.organization = ${organization} AND r.kind = c.kind
          AND r.project = c.project AND r.name = c.name AND r.to_kind = 'SLO'
        UNION
        SELECT project COLLATE "C", name COLLATE "C", is_adjusted FROM unnest(
          ${texts(selected.map(({ key }) => key.project))}, ${texts(selected.map(({ key }) => key.name))},
          ${booleans(selected.map(({ by }) => by === "BudgetAdjustment"))}) AS g (project, name, is_adjusted)
      ), selected AS MATERIALIZED (
        SELECT project, name, is_adjusted FROM target
        UNION ALL
        SELECT s.project, s.name, t.is_adjusted FROM target t
        JOIN definitions s ON s.organization = ${organization} AND s.kind = 'SLO' AND s.project = t.project
          AND s.labels @> ARRAY[t.name]
      ),`
      } changed AS MATERIALIZED (
        SELECT * FROM unnest(
          ${texts(changed.map(({ kind }) => kind))}, ${keyArrays(sql, changed)}) AS c (kind, project, name)
      )
      SELECT s.project, s.name, k.is_followed, k.is_adjusted,
        CASE WHEN k.is_adjusted THEN s.past_changes END AS past_changes FROM (
        SELECT project, name, bool_or(is_followed) AS is_followed, bool_or(is_adjusted) AS is_adjusted FROM (
          SELECT r.project, r.name, true AS is_followed, false AS is_adjusted
          FROM changed c JOIN definition_references r
            ON r.organization = ${organization} AND r.to_kind = c.kind AND r.to_project = c.project
              AND r.to_name = c.name AND r.kind = 'SLO'
          UNION ALL
          ${
            selecting.length === 0
              ? sql``
              : sql`
          SELECT project, name, true, is_adjusted FROM selected
          UNION ALL
          SELECT r.project, r.name, true, true FROM selected a JOIN definition_references r
            ON r.organization = ${organization} AND r.to_kind = 'SLO' AND r.to_project = a.project
              AND r.to_name = a.name AND r.kind = 'SLO'
          WHERE a.is_adjusted
          UNION ALL`
          }
          SELECT project COLLATE "C", name COLLATE "C", false, false
          FROM unnest(${keyArrays(sql, locked)}) AS g (project, name)
        ) a
        GROUP BY project, name
      ) k
      JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
      ORDER BY s.project, s.name
      FOR NO KEY UPDATE OF s`
    const leaving = [
      ...remove.filter(({ kind }) => kind === "SLO"),
      ...moves.map(({ name, from }) => ({ project: from, name })),
    ]
    // As their deletion does, but in one order: whoever keeps several from being deleted locks them in this order, too.
    if (leaving.length > 0)
      yield* sql`
        SELECT 1 FROM unnest(${keyArrays(sql, leaving)}) AS k (project, name)
        JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
        ORDER BY s.project, s.name
        FOR UPDATE OF s`
    const putByKey = new Map(
      put.map(({ definition }) => [definitionKeyText(definitionKey(definition)), definition] as const),
    )
    const affected: AffectedSlos = {
      slos: rows.filter((row) => row.is_followed),
      adjusted: rows.filter((row) => row.is_adjusted),
      adjustments: keys.flatMap((key) =>
        key.kind === "BudgetAdjustment"
          ? [
              {
                before: adjustmentOf(before(key)?.definition),
                after: adjustmentOf(putByKey.get(definitionKeyText(key))),
              },
            ]
          : [],
      ),
    }
    return affected
  })

const adjustmentOf = (definition: Definition | undefined): BudgetAdjustment | undefined =>
  definition?.kind === "BudgetAdjustment" ? definition : undefined

const noAffectedSlos: AffectedSlos = { slos: [], adjusted: [], adjustments: [] }

export const makeSlosDue = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { slos, adjusted, adjustments }: AffectedSlos,
  now: number,
) =>
  Effect.gen(function* () {
    if (slos.length === 0) return
    const past = adjusted.length === 0 ? [] : pastAdjustmentChanges(adjustments, now)
    const changes = new Map<string, string | null>()
    for (const { project, name, past_changes } of past.length === 0 ? [] : adjusted) {
      const before = yield* Effect.fromResult(readPastChanges({ project, name }, past_changes))
      changes.set(
        projectKeyText({ project, name }),
        pastChangesJson(withChangedAdjustments(before, past, now)),
      )
    }
    yield* sql`
      UPDATE slos s SET revision = s.revision + 1, due_at = least(s.due_at, ${now}::bigint),
        past_changes = coalesce(k.past_changes, s.past_changes)
      FROM unnest(
        ${keyArrays(sql, slos)}, ${texts(slos.map((slo) => changes.get(projectKeyText(slo)) ?? null))}
      ) AS k (project, name, past_changes)
      WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
  })

const statusKinds: ReadonlySet<Kind> = new Set<Kind>(["SLO", "AlertPolicy", ...selectingKinds])

/** Removes the records and the counts of the SLOs among the definitions that a change removes. */
export const removeSlos = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<DefinitionKey>,
) =>
  Effect.gen(function* () {
    const slos = keys.filter(({ kind }) => kind === "SLO")
    if (slos.length === 0) return
    const removed = sql`unnest(${keyArrays(sql, slos)}) AS k (project, name)`
    // The record first: recording counts waits for its lock, and then finds no SLO.
    yield* sql`
      DELETE FROM slos s USING ${removed}
      WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
    for (const table of yield* countTableNames(sql)) {
      yield* sql`
        DELETE FROM ${sql(table)} c USING ${removed}
        WHERE c.organization = ${organization} AND c.project = k.project AND c.slo = k.name`
    }
  })

/**
 * Writes the records of the SLOs of a change, each due at once. Must run while `definitions` still has the rows that it
 * replaces.
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
    const rows = yield* sql<BeforeRow>`
      SELECT s.project, s.name, s.statuses, s.slice_rules, s.packs_counts, s.count_rows, s.open_hour, s.copied_to, d.definition
      FROM unnest(${texts(projects)}, ${texts(names)}) AS k (project, name)
      JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
      JOIN definitions d ON d.organization = ${organization} AND d.kind = 'SLO'
        AND d.project = k.project AND d.name = k.name`
    const before = new Map(rows.map((row) => [projectKeyText(row), row]))
    const written = slos.map((slo) => {
      const row = before.get(projectKeyText(slo.metadata))
      const replaced =
        row && Result.getOrUndefined(definitionFromStored({ json: row.definition, secrets: [] }))
      const kept =
        row !== undefined && replaced?.kind === "SLO"
          ? Result.map(readStatuses(row, row.statuses), (before) => keptStatuses(before, replaced, slo))
          : undefined
      const rules = sliceRulesOf(slo)
      return {
        slo,
        row,
        statuses: storedStatuses.write((kept && Result.getOrUndefined(kept)) ?? new Map()).json,
        rules,
        rulesJson: storedSliceRules.write(rules).json,
      }
    })
    yield* sql`
      INSERT INTO slos AS s
        (organization, project, name, service, statuses, slice_rules, search_text, version, due_at)
      SELECT o.organization, project, name, service, statuses, slice_rules, search_text,
        ${version}::bigint, ${now}::bigint
      FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${texts(projects)}, ${texts(names)}, ${texts(slos.map(({ spec }) => spec.service))},
        ${texts(written.map(({ statuses }) => statuses))}, ${texts(written.map(({ rulesJson }) => rulesJson))},
        ${texts(slos.map(sloSearchText))}
      ) AS given (project, name, service, statuses, slice_rules, search_text)
      ON CONFLICT (organization, project, name) DO UPDATE SET
        service = excluded.service, statuses = excluded.statuses, slice_rules = excluded.slice_rules,
        search_text = excluded.search_text, version = excluded.version, revision = s.revision + 1,
        due_at = least(s.due_at, excluded.due_at)`
    for (const { slo, row, rules, rulesJson } of written) {
      if (row === undefined || row.slice_rules === rulesJson) continue
      const before = yield* Effect.fromResult(readSliceRules(row, row.slice_rules))
      const { project, name } = slo.metadata
      yield* recomputeSums(sql, organization, { project, name }, rowToForm(row), { before, after: rules })
    }
  })

interface BeforeRow extends ProjectKey, FormColumns {
  readonly statuses: string
  readonly slice_rules: string
  readonly definition: string
}
