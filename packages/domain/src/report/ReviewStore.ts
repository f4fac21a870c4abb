import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { ReportPlace } from "./ReportStore.ts"
import type { Review, ReviewSummary } from "./Review.ts"
import type { ReviewNotes, WrittenNotes } from "./ReviewNotes.ts"

/** How much an organization can store. */
export interface ReviewLimits {
  /** Maximum number of reviews. */
  readonly reviews: number
  /** Maximum size of their documents together, in bytes of UTF-8. */
  readonly bytes: number
}

/** Port: stores reviews, which never change, and their notes, which do. */
export class ReviewStore extends Context.Service<
  ReviewStore,
  {
    /**
     * Stores a review without notes. Earlier reviews of the same scope have no next review any more, since it is this one, which
     * increments the revision of their notes if they had one. Stores nothing and returns `false` if the organization would have more than the limits allow, not counting reviews that are being added.
     */
    readonly add: (
      organization: OrganizationId,
      review: Review,
      limits: ReviewLimits,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<Review>, StoreIsUnavailable>
    /** Latest periods first; of the same start by ID backwards. */
    readonly list: (
      organization: OrganizationId,
      page: PageRequest<ReportPlace>,
    ) => Effect.Effect<Page<ReviewSummary>, StoreIsUnavailable>
    /**
     * The reviews whose next review is due at `before` (Unix milliseconds) or earlier, longest due first: of the reviews of a scope that
     * have a next one, such as two that were added at the same time, only the one with the last ID.
     */
    readonly due: (
      organization: OrganizationId,
      before: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ReviewSummary>, StoreIsUnavailable>
    /** Whether there are reviews of each of these scopes, in their order. */
    readonly areReviewed: (
      organization: OrganizationId,
      scopes: ReadonlyArray<ReviewSummary["scope"]>,
    ) => Effect.Effect<ReadonlyArray<boolean>, StoreIsUnavailable>
    /** The notes of a review: revision 0 before they are written. */
    readonly findNotes: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<ReviewNotes>, StoreIsUnavailable>
    /**
     * Replaces the notes of a review, and when the next one is due. Stores nothing if there is no such review, or if the stored
     * revision is not `revision`; absent: whatever it is.
     */
    readonly writeNotes: (
      organization: OrganizationId,
      id: string,
      notes: WrittenNotes,
      revision: number | undefined,
    ) => Effect.Effect<ReviewNotes | "not_found" | "changed", StoreIsUnavailable>
    /** Deletes a review with its notes; returns whether there was one. */
    readonly remove: (organization: OrganizationId, id: string) => Effect.Effect<boolean, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/report/ReviewStore") {}
