import {
  type AnnotationOutcome,
  type AnnotationPlace,
  type AnnotationQuery,
  AnnotationStore,
  type SloAnnotation,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"

/** Annotations in memory, lost when the process ends. */
export const make: Effect.Effect<AnnotationStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const isWanted = (
      { project, slo, ids, from = -Infinity, to = Infinity }: AnnotationQuery,
      each: SloAnnotation,
    ): boolean =>
      (project === undefined || each.slo.project === project) &&
      (slo === undefined || each.slo.name === slo) &&
      (ids === undefined || ids.includes(each.annotation.id)) &&
      from <= each.annotation.from &&
      each.annotation.from <= to

    return AnnotationStore.of({
      put: (organization, slo, annotation, max) =>
        Effect.sync((): AnnotationOutcome => {
          if (database.definitions(organization, "SLO").get(slo) === undefined) return "slo_not_found"
          const annotations = database.annotations(organization, slo)
          const outcome = annotations.has(annotation.id) ? "replaced" : "created"
          if (outcome === "created" && annotations.size >= max) return "too_many"
          annotations.set(annotation.id, annotation)
          return outcome
        }),
      find: (organization, query, { after, limit }) =>
        Effect.sync(() => {
          const found = [...database.definitions(organization, "SLO").values()]
            .flatMap(({ definition: { metadata } }) => {
              const slo = { project: metadata.project, name: metadata.name }
              return Array.from(database.annotations(organization, slo).values(), (annotation) => ({
                slo,
                annotation,
              }))
            })
            .filter(
              (each) =>
                isWanted(query, each) && (after === undefined || placeText(placeOf(each)) > placeText(after)),
            )
            .toSorted((a, b) => (placeText(placeOf(a)) < placeText(placeOf(b)) ? -1 : 1))
          return { items: found.slice(0, limit), hasMore: found.length > limit }
        }),
      remove: (organization, slo, id) =>
        Effect.sync(() => database.annotations(organization, slo).delete(id)),
      list: (organization, slo, { from, to }, limit) =>
        Effect.sync(() =>
          [...database.annotations(organization, slo).values()]
            .filter((each) => from <= each.from && each.from < to)
            .toSorted((a, b) => b.from - a.from || (a.id < b.id ? 1 : -1))
            .slice(0, limit),
        ),
    })
  },
)

const placeOf = ({ slo, annotation }: SloAnnotation): AnnotationPlace => ({
  project: slo.project,
  slo: slo.name,
  id: annotation.id,
})

/** Sorts by code point; neither names nor IDs contain U+0000. */
const placeText = ({ project, slo, id }: AnnotationPlace): string => `${project}\u0000${slo}\u0000${id}`

export const layer: Layer.Layer<AnnotationStore, never, MemoryDatabase> = Layer.effect(AnnotationStore, make)
