import type { Annotation } from "@tocsin/domain/internal/annotation/Annotation"
import {
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
    /** What `put` does, given how many annotations of the SLO are created before it. */
    const outcomeOf = (
      organization: OrganizationId,
      { slo, annotation }: SloAnnotation,
      max: number,
      createdBefore: number,
    ): AnnotationOutcome => {
      if (database.definitions(organization, "SLO").get(slo) === undefined) return "slo_not_found"
      const annotations = annotationsOf(organization, slo)
      if (annotations.has(annotation.id)) return "replaced"
      return annotations.size + createdBefore >= max ? "too_many" : "created"
    }
    const putAll = (
      organization: OrganizationId,
      given: ReadonlyArray<SloAnnotation>,
      max: number,
    ): ReadonlyArray<AnnotationOutcome> => {
      const created = new Map<string, number>()
      const outcomes = given.map((each) => {
        const text = projectKeyText(each.slo)
        const outcome = outcomeOf(organization, each, max, created.get(text) ?? 0)
        if (outcome === "created") created.set(text, (created.get(text) ?? 0) + 1)
        return outcome
      })
      if (outcomes.some((each) => each === "slo_not_found" || each === "too_many")) return outcomes
      for (const { slo, annotation } of given) {
        const annotations = annotationsOf(organization, slo)
        bySlo.set(organizationKeyText(organization, slo), annotations.set(annotation.id, annotation))
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
        Effect.sync(() => putAll(organization, [{ slo, annotation }], max)[0] ?? "slo_not_found"),
      putAll: (organization, annotations, max) => Effect.sync(() => putAll(organization, annotations, max)),
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
