import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { PortFailure } from "../PortFailure.ts"
import type { Annotation } from "./Annotation.ts"

/** What became of an annotation that was to be written. */
export type AnnotationOutcome = "created" | "replaced" | "unchanged" | "slo_not_found" | "too_many"

/** An annotation that is to be written. */
export interface AnnotationChange {
  /** The SLO that it is of. */
  readonly slo: ProjectKey
  /** Its ID, unique for the SLO. */
  readonly id: string
  /** The annotation, given the stored one of its ID. If it returns that one, nothing is written. Must be pure. */
  readonly merge: (stored: Annotation | undefined) => Annotation
}

/** An annotation with the SLO that it is of. */
export interface SloAnnotation {
  readonly slo: ProjectKey
  readonly annotation: Annotation
}

/** The position of an annotation in the order of projects, SLOs and IDs. */
export interface AnnotationPlace {
  readonly project: string
  readonly slo: string
  readonly id: string
}

/** Which annotations to find; what is absent lets all through. */
export interface AnnotationQuery {
  readonly project?: string
  /** The name of the SLO. */
  readonly slo?: string
  readonly ids?: ReadonlyArray<string>
  /** Those that begin at or after this, in Unix milliseconds. */
  readonly from?: number
  /** Those that begin at or before this, in Unix milliseconds. */
  readonly to?: number
}

/**
 * Port: stores the annotations of SLOs. Those that are older than the retention of counts may be deleted. Deleting an SLO
 * deletes its annotations.
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
    ) => Effect.Effect<AnnotationOutcome, AnnotationStoreIsUnavailable>
    /**
     * Like `put` for several, in order, each once: all of them or, if one can be neither created nor replaced, none. No stored one
     * changes between `merge` and the end.
     */
    readonly putAll: (
      organization: OrganizationId,
      changes: ReadonlyArray<AnnotationChange>,
      max: number,
    ) => Effect.Effect<ReadonlyArray<AnnotationOutcome>, AnnotationStoreIsUnavailable>
    /** Removes those that there are, in one step. */
    readonly removeAll: (
      organization: OrganizationId,
      places: ReadonlyArray<AnnotationPlace>,
    ) => Effect.Effect<void, AnnotationStoreIsUnavailable>
    /** In the order of project, SLO and ID, by code point. */
    readonly find: (
      organization: OrganizationId,
      query: AnnotationQuery,
      page: PageRequest<AnnotationPlace>,
    ) => Effect.Effect<Page<SloAnnotation>, AnnotationStoreIsUnavailable>
    /** Whether there was one. */
    readonly remove: (
      organization: OrganizationId,
      slo: ProjectKey,
      id: string,
    ) => Effect.Effect<boolean, AnnotationStoreIsUnavailable>
    /** Those that begin at from ≤ t < to (Unix milliseconds), at most `limit`, newest first; of the same start by ID backwards. */
    readonly list: (
      organization: OrganizationId,
      slo: ProjectKey,
      range: MinuteRange,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Annotation>, AnnotationStoreIsUnavailable>
  }
>()("@tocsin/domain/internal/annotation/AnnotationStore") {}

/** The store could not be reached, or did not respond. `isRetryable` says whether the same call may succeed later. */
export class AnnotationStoreIsUnavailable extends Data.TaggedError(
  "AnnotationStoreIsUnavailable",
)<PortFailure> {}
