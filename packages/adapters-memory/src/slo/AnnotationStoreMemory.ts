import type { Annotation } from "@tocsin/domain/definitions"
import { annotationPart } from "@tocsin/domain/features/annotation"
import { type OrganizationId, organizationKeyText, type ProjectKey } from "@tocsin/domain/kernel"
import {
  type AnnotationOutcome,
  type AnnotationPlace,
  type AnnotationQuery,
  AnnotationStore,
  type SloAnnotation,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { answersOf, MemoryDatabase, writtenPart } from "../definition/MemoryDatabase.ts"

/** Annotations in memory, lost when the process ends. */
const make: Effect.Effect<AnnotationStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    /** By organization and the text of the key of an SLO: its annotations by their IDs. */
    const tables = new Map<string, Map<string, Annotation>>()
    const annotationsOf = (organization: OrganizationId, slo: ProjectKey) =>
      tables.get(organizationKeyText(organization, slo)) ?? new Map<string, Annotation>()
    const set = (organization: OrganizationId, slo: ProjectKey, annotation: Annotation): void => {
      const annotations = annotationsOf(organization, slo)
      tables.set(organizationKeyText(organization, slo), annotations.set(annotation.id, annotation))
    }
    const isThere = (organization: OrganizationId, slo: ProjectKey): boolean =>
      database.definitions(organization, "SLO").get(slo) !== undefined

    database.takePart({
      name: "annotations",
      answers: [
        answersOf(annotationPart, (organization, { slo, ids }) => {
          const annotations = annotationsOf(organization, slo)
          const stored = ids.flatMap((id) => annotations.get(id) ?? [])
          return { byId: new Map(stored.map((each) => [each.id, each])), count: annotations.size }
        }),
      ],
      parts: [
        writtenPart(annotationPart, (organization, { put, remove }) => {
          for (const { project, slo, id } of remove)
            annotationsOf(organization, { project, name: slo }).delete(id)
          for (const { slo, annotation } of put)
            if (isThere(organization, slo)) set(organization, slo, annotation)
        }),
      ],
      written: ({ organization, key, after }) => {
        if (key.kind === "SLO" && after === undefined) tables.delete(organizationKeyText(organization, key))
      },
      moved: ({ organization, from, to }) => {
        const annotations = annotationsOf(organization, from)
        tables.delete(organizationKeyText(organization, from))
        tables.set(organizationKeyText(organization, to), annotations)
      },
    })

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
          if (!isThere(organization, slo)) return "slo_not_found"
          const annotations = annotationsOf(organization, slo)
          const outcome = annotations.has(annotation.id) ? "replaced" : "created"
          if (outcome === "created" && annotations.size >= max) return "too_many"
          set(organization, slo, annotation)
          return outcome
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
