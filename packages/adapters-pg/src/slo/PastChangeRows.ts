import type * as SqlClient from "effect/sql/SqlClient"
import { type ChangedMinute, type PastChanges, storedPastChanges, withChangedMinutes } from "@tocsin/domain"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { keyArrays, texts } from "../database/Parameters.ts"
import { inRow } from "../database/StoredRow.ts"

/** Reads the column `past_changes` of an SLO. */
export const readPastChanges = (slo: ProjectKey, json: string | null) =>
  json === null
    ? Result.succeed(undefined)
    : inRow(`changes of the past of SLO ${projectKeyText(slo)}`, storedPastChanges.read(json, {}))

export const pastChangesJson = (changes: PastChanges | undefined): string | null =>
  changes === undefined ? null : storedPastChanges.write(changes).json

/** The minutes of an SLO that a recording has changed. */
export interface ChangedSlo {
  readonly slo: ProjectKey
  /** Those in the past of their track. */
  readonly past: ReadonlyArray<ChangedMinute>
  /** Those in the past of composites over the SLO. */
  readonly pastOfComposites: ReadonlyArray<ChangedMinute>
}

/** Adds the minutes that have changed to what is stored of locked SLOs, and of the composite SLOs that have them as components. */
export const writeChangedMinutes = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  changed: ReadonlyArray<ChangedSlo>,
  now: number,
) =>
  Effect.gen(function* () {
    const some = new Map(
      changed.flatMap((each) =>
        each.past.length + each.pastOfComposites.length === 0
          ? []
          : [[projectKeyText(each.slo), each] as const],
      ),
    )
    if (some.size === 0) return
    const slos = [...some.values()].map(({ slo }) => slo)
    const rows = yield* sql<
      ProjectKey & {
        readonly past_changes: string | null
        readonly of_project: string
        readonly of_name: string
        readonly is_component: boolean
      }
    >`
      SELECT s.project, s.name, s.past_changes, k.of_project, k.of_name, k.is_component FROM (
        SELECT project COLLATE "C" AS project, name COLLATE "C" AS name, project AS of_project, name AS of_name,
          false AS is_component
        FROM unnest(${keyArrays(sql, slos)}) AS g (project, name)
        UNION ALL
        SELECT r.project, r.name, g.project, g.name, true
        FROM unnest(${keyArrays(sql, slos)}) AS g (project, name)
        JOIN definition_references r ON r.organization = ${organization} AND r.to_kind = 'SLO'
          AND r.to_project = g.project AND r.to_name = g.name AND r.kind = 'SLO'
      ) k
      JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
      ORDER BY s.project, s.name`
    const after = new Map<string, { readonly slo: ProjectKey; readonly changes: PastChanges | undefined }>()
    for (const { project, name, past_changes, of_project, of_name, is_component } of rows) {
      const of = some.get(projectKeyText({ project: of_project, name: of_name }))
      if (of === undefined) continue
      const text = projectKeyText({ project, name })
      const before = after.has(text)
        ? after.get(text)?.changes
        : yield* Effect.fromResult(readPastChanges({ project, name }, past_changes))
      const changes = is_component
        ? withChangedMinutes(before, of.pastOfComposites, now, of.slo)
        : withChangedMinutes(before, of.past, now)
      after.set(text, { slo: { project, name }, changes })
    }
    yield* updatePastChanges(sql, organization, [...after.values()])
  })

const updatePastChanges = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  changed: ReadonlyArray<{ readonly slo: ProjectKey; readonly changes: PastChanges | undefined }>,
) => sql`
  UPDATE slos s SET past_changes = k.past_changes
  FROM unnest(
    ${keyArrays(
      sql,
      changed.map(({ slo }) => slo),
    )},
    ${texts(changed.map(({ changes }) => pastChangesJson(changes)))}) AS k (project, name, past_changes)
  WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
