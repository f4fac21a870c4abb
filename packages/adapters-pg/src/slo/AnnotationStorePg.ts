import { storedAnnotation } from "@tocsin/domain/internal/annotation/Annotation"
import {
  type AnnotationOutcome,
  AnnotationStore,
  AnnotationStoreIsUnavailable,
} from "@tocsin/domain/internal/annotation/AnnotationStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { searchText } from "../database/Parameters.ts"
import { portOperation } from "../database/PortOperation.ts"
import { dropOldRows } from "../database/Retention.ts"
import { inRow, readRows } from "../database/StoredRow.ts"

/** Annotations in PostgreSQL. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return AnnotationStore.of({
    put: operation("put", (organization, { project, name }, annotation, max) =>
      sql.withTransaction(
        Effect.gen(function* () {
          // The lock keeps others from annotating the SLO, and it from being deleted, meanwhile.
          const slos = yield* sql`
            SELECT FROM slos WHERE organization = ${organization} AND project = ${searchText(project)}
              AND name = ${searchText(name)} FOR NO KEY UPDATE`
          if (slos.length === 0) return "slo_not_found"
          const { id, from } = annotation
          const [row] = yield* sql<{ readonly is_there: boolean; readonly count: number }>`
            SELECT coalesce(bool_or(id = ${id}), false) AS is_there, count(*)::integer AS count FROM annotations
            WHERE organization = ${organization} AND project = ${project} AND slo = ${name}`
          const isThere = row?.is_there ?? false
          if (!isThere && (row?.count ?? 0) >= max) return "too_many"
          const { json } = storedAnnotation.write(annotation)
          yield* sql`
            INSERT INTO annotations (organization, project, slo, id, at, annotation)
            VALUES (${organization}, ${project}, ${name}, ${id}, ${from}, ${json})
            ON CONFLICT (organization, project, slo, id) DO UPDATE SET
              at = excluded.at, annotation = excluded.annotation`
          return isThere ? "replaced" : ("created" as AnnotationOutcome)
        }),
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

const operation = portOperation("AnnotationStore", (failure) => new AnnotationStoreIsUnavailable(failure))

/** Deletes the annotations that began before `before` (Unix milliseconds). */
export const dropOldAnnotations = (sql: SqlClient.SqlClient, before: number) =>
  dropOldRows(sql, "annotations", sql`old.at < ${before}`)
