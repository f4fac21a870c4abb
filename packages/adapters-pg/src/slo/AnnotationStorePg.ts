import { groupBy } from "@tocsin/domain/adapter"
import { type Annotation, storedAnnotation } from "@tocsin/domain/definitions"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  type AnnotationOutcome,
  type AnnotationPlace,
  type AnnotationsChange,
  type AnnotationsRead,
  AnnotationStore,
  type SloAnnotation,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Result from "effect/Result"
import { bigints, keyArrays, searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { WriteTurns } from "../database/WriteTurns.ts"
import { dropOldRows } from "../database/Retention.ts"
import { inRow, readPage, readRows } from "../database/StoredRow.ts"

/** Annotations in PostgreSQL. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns

  const put = (organization: OrganizationId, slo: ProjectKey, annotation: Annotation, max: number) =>
    Effect.gen(function* () {
      // Waits for changes of definitions, which write annotations too, and keeps others from deleting the SLO.
      yield* sql`SELECT 1 FROM organizations WHERE organization = ${organization} FOR NO KEY UPDATE`
      const [found] = yield* sql`
        SELECT 1 FROM slos
        WHERE organization = ${organization} AND project = ${slo.project} AND name = ${slo.name}`
      if (found === undefined) return "slo_not_found"
      const place = { project: slo.project, slo: slo.name, id: annotation.id }
      const [read] = (yield* readAnnotations(sql, organization, [place])).values()
      const outcome = read?.byId.has(annotation.id) === true ? "replaced" : "created"
      if (outcome === "created" && (read?.count ?? 0) >= max) return "too_many"
      yield* writeAnnotations(sql, organization, { put: [{ slo, annotation }], remove: [] })
      return outcome
    })

  return AnnotationStore.of({
    put: (organization, slo, annotation, max) =>
      operation(
        "put",
        Effect.map(
          turns.run(organization, sql.withTransaction(put(organization, slo, annotation, max))),
          (outcome): AnnotationOutcome => outcome,
        ),
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

/**
 * The annotations of these places, and the number of all of each of their SLOs, by the text of the SLO's key. They do not change
 * while the row of the organization is locked.
 */
export const readAnnotations = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  places: ReadonlyArray<AnnotationPlace>,
) {
  const slos = new Map(
    places.map(({ project, slo: name }) => [projectKeyText({ project, name }), { project, name }]),
  )
  const counts = yield* sql<ProjectKey & { readonly count: number }>`
    SELECT k.project, k.name, count(*)::integer AS count
    FROM unnest(${keyArrays(sql, [...slos.values()])}) AS k (project, name)
    JOIN annotations a ON a.organization = ${organization} AND a.project = k.project AND a.slo = k.name
    GROUP BY k.project, k.name`
  const rows = yield* sql<FoundRow>`
    SELECT a.project, a.slo, a.id, a.annotation FROM ${placesTable(sql, places)}
    JOIN annotations a ON a.organization = ${organization}
      AND a.project = k.project AND a.slo = k.slo AND a.id = k.id`
  const stored = groupBy(yield* readRows(rows, readFound), ({ slo }) => projectKeyText(slo))
  const countOf = new Map(counts.map((each) => [projectKeyText(each), each.count]))
  return new Map(
    Array.from(slos.keys(), (slo): readonly [string, AnnotationsRead] => [
      slo,
      {
        byId: new Map(stored.get(slo)?.map(({ annotation }) => [annotation.id, annotation])),
        count: countOf.get(slo) ?? 0,
      },
    ]),
  )
})

/** Writes annotations, but for those of SLOs that do not exist; the row of the organization must be locked. */
export const writeAnnotations = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { put, remove }: AnnotationsChange,
) {
  if (remove.length > 0)
    yield* sql`
      DELETE FROM annotations a USING ${placesTable(sql, remove)}
      WHERE a.organization = ${organization} AND a.project = k.project AND a.slo = k.slo AND a.id = k.id`
  if (put.length === 0) return
  yield* sql`
    INSERT INTO annotations (organization, project, slo, id, at, annotation)
    SELECT s.organization, given.* FROM unnest(
      ${texts(put.map(({ slo }) => slo.project))}, ${texts(put.map(({ slo }) => slo.name))},
      ${texts(put.map(({ annotation }) => annotation.id))},
      ${bigints(put.map(({ annotation }) => annotation.from))},
      ${texts(put.map(({ annotation }) => storedAnnotation.write(annotation).json))}
    ) AS given (project, slo, id, at, annotation)
    JOIN slos s ON s.organization = ${organization} AND s.project = given.project AND s.name = given.slo
    ON CONFLICT (organization, project, slo, id) DO UPDATE SET
      at = excluded.at, annotation = excluded.annotation`
})

const placesTable = (sql: SqlClient.SqlClient, places: ReadonlyArray<AnnotationPlace>) => sql`unnest(
  ${texts(places.map(({ project }) => searchText(project)))},
  ${texts(places.map(({ slo }) => searchText(slo)))},
  ${texts(places.map(({ id }) => searchText(id)))}
) AS k (project, slo, id)`

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

const operation = storeOperation("AnnotationStore")

/** Deletes the annotations that began before `before` (Unix milliseconds). */
export const dropOldAnnotations = (sql: SqlClient.SqlClient, before: number) =>
  dropOldRows(sql, "annotations", sql`old.at < ${before}`)
