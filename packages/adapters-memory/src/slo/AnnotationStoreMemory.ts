import type { Annotation } from "@tocsin/domain/internal/annotation/Annotation"
import {
  type AnnotationChange,
  type AnnotationOutcome,
  type AnnotationPlace,
  type AnnotationQuery,
  AnnotationStore,
  type SloAnnotation,
} from "@tocsin/domain/internal/annotation/AnnotationStore"
import {
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/internal/metadata/ObjectKey"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"

/** Annotations in memory, lost when the process ends. */
export const make: Effect.Effect<AnnotationStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const bySlo = new Map<string, Map<string, Annotation>>()
    database.onDefinitionWritten(({ organization, key, after }) => {
      if (key.kind === "SLO" && after === undefined) bySlo.delete(organizationKeyText(organization, key))
    })
    database.onSloMoved(({ organization, from, to }) => {
      const moved = bySlo.get(organizationKeyText(organization, from))
      bySlo.delete(organizationKeyText(organization, from))
      if (moved !== undefined) bySlo.set(organizationKeyText(organization, to), moved)
    })
    const annotationsOf = (organization: OrganizationId, slo: ProjectKey) =>
      bySlo.get(organizationKeyText(organization, slo)) ?? new Map<string, Annotation>()
    const putAll = (
      organization: OrganizationId,
      changes: ReadonlyArray<AnnotationChange>,
      max: number,
    ): ReadonlyArray<AnnotationOutcome> => {
      const slos = database.definitions(organization, "SLO")
      const created = new Map<string, number>()
      const given: Array<SloAnnotation> = []
      const outcomes = changes.map(({ slo, id, merge }): AnnotationOutcome => {
        if (slos.get(slo) === undefined) return "slo_not_found"
        const annotations = annotationsOf(organization, slo)
        const kept = annotations.get(id)
        const annotation = merge(kept)
        if (annotation === kept) return "unchanged"
        given.push({ slo, annotation })
        if (kept !== undefined) return "replaced"
        const createdBefore = created.get(projectKeyText(slo)) ?? 0
        created.set(projectKeyText(slo), createdBefore + 1)
        return annotations.size + createdBefore >= max ? "too_many" : "created"
      })
      if (outcomes.some((each) => each === "slo_not_found" || each === "too_many")) return outcomes
      for (const { slo, annotation } of given) {
        const annotations = annotationsOf(organization, slo)
        // A copy, which only `merge` can return.
        bySlo.set(organizationKeyText(organization, slo), annotations.set(annotation.id, { ...annotation }))
      }
      return outcomes
    }
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
        Effect.sync(
          () =>
            putAll(organization, [{ slo, id: annotation.id, merge: () => annotation }], max)[0] ??
            "slo_not_found",
        ),
      putAll: (organization, changes, max) => Effect.sync(() => putAll(organization, changes, max)),
      removeAll: (organization, places) =>
        Effect.sync(() => {
          for (const { project, slo, id } of places)
            annotationsOf(organization, { project, name: slo }).delete(id)
        }),
      find: (organization, query, { after, limit }) =>
        Effect.sync(() => {
          const found = [...database.definitions(organization, "SLO").values()]
            .flatMap(({ definition: { metadata } }) => {
              const slo = { project: metadata.project, name: metadata.name }
              return Array.from(annotationsOf(organization, slo).values(), (annotation) => ({
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
      remove: (organization, slo, id) => Effect.sync(() => annotationsOf(organization, slo).delete(id)),
      list: (organization, slo, { from, to }, limit) =>
        Effect.sync(() =>
          [...annotationsOf(organization, slo).values()]
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
