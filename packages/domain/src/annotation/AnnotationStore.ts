import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { PortFailure } from "../PortFailure.ts"
import type { Annotation } from "./Annotation.ts"

/** What became of an annotation that was to be written. */
export type AnnotationOutcome = "created" | "replaced" | "slo_not_found" | "too_many"

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
