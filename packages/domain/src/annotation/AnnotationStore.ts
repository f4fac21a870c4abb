import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Annotation, AnnotationPlace, SloAnnotation } from "../slo/Annotation.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** What became of an annotation that was to be written. */
export type AnnotationOutcome = "created" | "replaced" | "slo_not_found" | "too_many"

/** Annotations of one SLO that a change can read. */
export interface AnnotationsRead {
  /** Only the annotations with one of the requested IDs. */
  readonly byId: ReadonlyMap<string, Annotation>
  /** The number of all annotations of the SLO. */
  readonly count: number
}

/** Which annotations to find; what is absent lets all through. */
export interface AnnotationQuery {
  /** The name of the project. */
  readonly project?: string
  /** The name of the SLO. */
  readonly slo?: string
  /** The IDs of the annotations. */
  readonly ids?: ReadonlyArray<string>
  /** Those that begin at or after this, in Unix milliseconds. */
  readonly from?: number
  /** Those that begin at or before this, in Unix milliseconds. */
  readonly to?: number
}

/**
 * Port: stores the annotations of SLOs, which changes of definitions write too. Annotations that are older than the retention
 * of counts may be deleted. Deleting an SLO deletes its annotations.
 */
export class AnnotationStore extends Context.Service<
  AnnotationStore,
  {
    /** Creates the annotation, unless the SLO has `max`, or replaces the one of its ID. */
    readonly put: (
      organization: OrganizationId,
      slo: ProjectKey,
      annotation: Annotation,
      max: number,
    ) => Effect.Effect<AnnotationOutcome, StoreIsUnavailable>
    /** In the order of project, SLO and ID, by code point. */
    readonly find: (
      organization: OrganizationId,
      query: AnnotationQuery,
      page: PageRequest<AnnotationPlace>,
    ) => Effect.Effect<Page<SloAnnotation>, StoreIsUnavailable>
    /** Whether there was one. */
    readonly remove: (
      organization: OrganizationId,
      slo: ProjectKey,
      id: string,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    /** Those that begin at from ≤ t < to (Unix milliseconds), at most `limit`, newest first; of the same start by ID backwards. */
    readonly list: (
      organization: OrganizationId,
      slo: ProjectKey,
      range: MinuteRange,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Annotation>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/annotation/AnnotationStore") {}
