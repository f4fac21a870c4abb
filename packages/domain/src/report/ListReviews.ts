import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { decode } from "../codec/Codec.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { type PagedList, type PageQuery, readPage } from "../pagination/Page.ts"
import { TaggedError } from "../TaggedError.ts"
import { ReviewRequestIsInvalid } from "./CreateReview.ts"
import { placeOfReport, publicKeyOf } from "./ListReports.ts"
import type { ReviewSummary } from "./Review.ts"
import { reviewNotesRequest } from "./ReviewNotes.ts"
import type { ReportPlace } from "./ReportStore.ts"
import { ReviewStore } from "./ReviewStore.ts"

/** Lists the reviews of an organization, latest periods first: a page, its limit, and the cursor of the next page. */
export const listReviews = (organization: OrganizationId, query: PageQuery) =>
  readPage(reviewList, query, (page) =>
    Effect.flatMap(ReviewStore, (store) => store.list(organization, page)),
  )

const reviewList: PagedList<ReviewSummary, ReportPlace> = { endpoint: "reviews", ...placeOfReport }

/** Finds a review; fails with `ReviewNotFound`. */
export const findReview = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const found = yield* (yield* ReviewStore).find(organization, id)
  return Option.isSome(found) ? found.value : yield* new ReviewNotFound({ id })
})

/** Finds the signature of a review, with the key that verifies it; fails with `ReviewNotFound`. */
export const findReviewSignature = (organization: OrganizationId, id: string) =>
  Effect.flatMap(findReview(organization, id), (review) => publicKeyOf(organization, review))

/** Deletes a review with its notes; fails with `ReviewNotFound`. */
export const deleteReview = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  if (!(yield* (yield* ReviewStore).remove(organization, id))) return yield* new ReviewNotFound({ id })
})

/** Finds the notes of a review; fails with `ReviewNotFound`. */
export const findReviewNotes = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const found = yield* (yield* ReviewStore).findNotes(organization, id)
  return Option.isSome(found) ? found.value : yield* new ReviewNotFound({ id })
})

/**
 * Replaces the notes of a review, as the credential with the client ID `author`.
 *
 * Fails with `ReviewRequestIsInvalid` and every issue, `ReviewNotFound`, or `ReviewNotesHaveChanged`.
 */
export const writeReviewNotes = Effect.fn("writeReviewNotes")(function* (
  organization: OrganizationId,
  id: string,
  author: string,
  body: unknown,
) {
  const decoded = decode(reviewNotesRequest, body, undefined)
  if (Result.isFailure(decoded)) return yield* new ReviewRequestIsInvalid({ issues: decoded.failure })
  const { revision, ...notes } = decoded.success
  const updatedAt = yield* Clock.currentTimeMillis
  const store = yield* ReviewStore
  const written = yield* store.writeNotes(
    organization,
    id,
    { ...notes, updatedAt, updatedBy: author },
    revision,
  )
  if (written === "not_found") return yield* new ReviewNotFound({ id })
  if (written === "changed") return yield* new ReviewNotesHaveChanged({ id })
  return written
})

/** The organization has no review with this ID. */
export class ReviewNotFound extends TaggedError("ReviewNotFound")<{
  /** The requested ID. */
  readonly id: string
}> {}

/** The notes of a review were changed after they were read. Nothing was stored. */
export class ReviewNotesHaveChanged extends TaggedError("ReviewNotesHaveChanged")<{
  /** The ID of the review. */
  readonly id: string
}> {}
