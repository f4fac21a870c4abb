import { storedAnnotation } from "@tocsin/domain/internal/annotation/Annotation"
import {
  type AnnotationChange,
  type AnnotationOutcome,
  AnnotationStore,
  AnnotationStoreIsUnavailable,
  type SloAnnotation,
} from "@tocsin/domain/internal/annotation/AnnotationStore"
import {
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/internal/metadata/ObjectKey"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Result from "effect/Result"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, keyArrays, searchText, texts } from "../database/Parameters.ts"
import { portOperation } from "../database/PortOperation.ts"
import { WriteTurns } from "../database/WriteTurns.ts"
import { dropOldRows } from "../database/Retention.ts"
import { inRow, readPage, readRows } from "../database/StoredRow.ts"

/** Annotations in PostgreSQL. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns

  const putAll = (organization: OrganizationId, changes: ReadonlyArray<AnnotationChange>, max: number) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const keys = [...new Map(changes.map(({ slo }) => [projectKeyText(slo), slo])).values()]
        // The locks keep others from annotating the SLOs, and them from being deleted, meanwhile.
        const slos = yield* sql<ProjectKey>`
          SELECT s.project, s.name FROM unnest(${keyArrays(sql, keys)}) AS k (project, name)
          JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
          ORDER BY s.project, s.name
          FOR NO KEY UPDATE OF s`
        const counts = yield* sql<ProjectKey & { readonly count: number }>`
          SELECT k.project, k.name, count(*)::integer AS count
          FROM unnest(${keyArrays(sql, keys)}) AS k (project, name)
          JOIN annotations a ON a.organization = ${organization} AND a.project = k.project AND a.slo = k.name
          GROUP BY k.project, k.name`
        const existing = yield* sql<FoundRow>`
          SELECT a.project, a.slo, a.id, a.annotation FROM unnest(
            ${keyArrays(
              sql,
              changes.map(({ slo }) => slo),
            )},
            ${texts(changes.map(({ id }) => id))}) AS k (project, name, id)
          JOIN annotations a ON a.organization = ${organization}
            AND a.project = k.project AND a.slo = k.name AND a.id = k.id`
        const before = new Map(
          (yield* readRows(existing, readFound)).map(({ slo, annotation }) => [
            `${projectKeyText(slo)} ${annotation.id}`,
            annotation,
          ]),
        )
        const isSlo = new Set(slos.map(projectKeyText))
        const stored = new Map(counts.map((each) => [projectKeyText(each), each.count]))
        const given: Array<SloAnnotation> = []
        const outcomes = changes.map(({ slo, id, merge }): AnnotationOutcome => {
          const text = projectKeyText(slo)
          if (!isSlo.has(text)) return "slo_not_found"
          const kept = before.get(`${text} ${id}`)
          const annotation = merge(kept)
          if (annotation === kept) return "unchanged"
          given.push({ slo, annotation })
          if (kept !== undefined) return "replaced"
          const count = stored.get(text) ?? 0
          stored.set(text, count + 1)
          return count >= max ? "too_many" : "created"
        })
        if (outcomes.some((each) => each === "slo_not_found" || each === "too_many")) return outcomes
        if (given.length === 0) return outcomes
        yield* sql`
          INSERT INTO annotations (organization, project, slo, id, at, annotation)
          SELECT o.organization, given.* FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
            ${texts(given.map(({ slo }) => slo.project))}, ${texts(given.map(({ slo }) => slo.name))},
            ${texts(given.map(({ annotation }) => annotation.id))},
            ${bigints(given.map(({ annotation }) => annotation.from))},
            ${texts(given.map(({ annotation }) => storedAnnotation.write(annotation).json))}
          ) AS given
          ON CONFLICT (organization, project, slo, id) DO UPDATE SET
            at = excluded.at, annotation = excluded.annotation`
        return outcomes
      }),
    )

  return AnnotationStore.of({
    put: (organization, slo, annotation, max) =>
      operation(
        "put",
        Effect.map(
          turns.run(
            organization,
            putAll(organization, [{ slo, id: annotation.id, merge: () => annotation }], max),
          ),
          ([outcome = "slo_not_found"]) => outcome,
        ),
      ),
    putAll: (organization, changes, max) =>
      operation("putAll", turns.run(organization, putAll(organization, changes, max))),
    removeAll: operation("removeAll", (organization, places) =>
      Effect.asVoid(sql`
        DELETE FROM annotations a USING unnest(
          ${texts(places.map(({ project }) => searchText(project)))},
          ${texts(places.map(({ slo }) => searchText(slo)))},
          ${texts(places.map(({ id }) => searchText(id)))}
        ) AS k (project, slo, id)
        WHERE a.organization = ${organization} AND a.project = k.project AND a.slo = k.slo AND a.id = k.id`),
    ),
    find: operation("find", (organization, { project, slo, ids, from, to }, { after, limit }) =>
      Effect.flatMap(
        sql<FoundRow>`
          SELECT project, slo, id, annotation FROM annotations
          WHERE ${sql.and([
            sql`organization = ${organization}`,
            ...(after === undefined
              ? []
              : [
                  sql`(project, slo, id) > (${searchText(after.project)}, ${searchText(after.slo)}, ${searchText(after.id)})`,
                ]),
            ...(project === undefined ? [] : [sql`project = ${searchText(project)}`]),
            ...(slo === undefined ? [] : [sql`slo = ${searchText(slo)}`]),
            ...(ids === undefined ? [] : [sql`id = ANY(${texts(ids.map(searchText))})`]),
            ...(from === undefined ? [] : [sql`at >= ${from}`]),
            ...(to === undefined ? [] : [sql`at <= ${to}`]),
          ])}
          ORDER BY project, slo, id LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, readFound),
      ),
    ),
    remove: operation("remove", (organization, { project, name }, id) =>
      Effect.map(
        sql`
          DELETE FROM annotations WHERE organization = ${organization} AND project = ${searchText(project)}
            AND slo = ${searchText(name)} AND id = ${searchText(id)} RETURNING true`,
        (rows) => rows.length > 0,
      ),
    ),
    list: operation("list", (organization, { project, name }, { from, to }, limit) =>
      Effect.flatMap(
        sql<{ readonly id: string; readonly annotation: string }>`
          SELECT id, annotation FROM annotations
          WHERE organization = ${organization} AND project = ${searchText(project)} AND slo = ${searchText(name)}
            AND at >= ${from} AND at < ${to}
          ORDER BY at DESC, id DESC LIMIT ${limit}`,
        (rows) =>
          readRows(rows, ({ id, annotation }) =>
            inRow(`annotation ${id}`, storedAnnotation.read(annotation, undefined)),
          ),
      ),
    ),
  })
})

/** The annotations of a database. */
export const layer = Layer.effect(AnnotationStore, make)

interface FoundRow {
  readonly project: string
  readonly slo: string
  readonly id: string
  readonly annotation: string
}

const readFound = ({ project, slo, id, annotation }: FoundRow) =>
  Result.map(
    inRow(`annotation ${id}`, storedAnnotation.read(annotation, undefined)),
    (annotation): SloAnnotation => ({ slo: { project, name: slo }, annotation }),
  )

const operation = portOperation("AnnotationStore", (failure) => new AnnotationStoreIsUnavailable(failure))

/** Deletes the annotations that began before `before` (Unix milliseconds). */
export const dropOldAnnotations = (sql: SqlClient.SqlClient, before: number) =>
  dropOldRows(sql, "annotations", sql`old.at < ${before}`)
