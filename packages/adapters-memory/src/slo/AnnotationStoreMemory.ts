import type { Annotation } from "@tocsin/domain/internal/annotation/Annotation"
import { AnnotationStore } from "@tocsin/domain/internal/annotation/AnnotationStore"
import {
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
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
    const annotationsOf = (organization: OrganizationId, slo: ProjectKey) =>
      bySlo.get(organizationKeyText(organization, slo)) ?? new Map<string, Annotation>()
    return AnnotationStore.of({
      put: (organization, slo, annotation, max) =>
        Effect.sync(() => {
          if (database.definitions(organization, "SLO").get(slo) === undefined) return "slo_not_found"
          const annotations = annotationsOf(organization, slo)
          const isThere = annotations.has(annotation.id)
          if (!isThere && annotations.size >= max) return "too_many"
          bySlo.set(organizationKeyText(organization, slo), annotations.set(annotation.id, annotation))
          return isThere ? "replaced" : "created"
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

export const layer: Layer.Layer<AnnotationStore, never, MemoryDatabase> = Layer.effect(AnnotationStore, make)
