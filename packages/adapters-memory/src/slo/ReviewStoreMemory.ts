import { reviewBytes, storedScope } from "@tocsin/domain/adapter"
import type { Review, ReviewNotes, ReviewSummary } from "@tocsin/domain/features/report"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { type ReportPlace, ReviewStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

interface Stored {
  review: Review
  notes: ReviewNotes
  /** The size of the document. */
  readonly size: number
}

/** Reviews in memory, lost when the process ends. */
const make = Effect.sync(() => {
  const organizations = new Map<OrganizationId, Map<string, Stored>>()
  const tableOf = (organization: OrganizationId): Map<string, Stored> => {
    const table = organizations.get(organization) ?? new Map<string, Stored>()
    organizations.set(organization, table)
    return table
  }
  const summaries = (organization: OrganizationId): ReadonlyArray<ReviewSummary> =>
    [...(organizations.get(organization)?.values() ?? [])].map(({ review }) => toSummary(review))

  return ReviewStore.of({
    add: (organization, review, { reviews, bytes }) =>
      Effect.sync(() => {
        const table = tableOf(organization)
        const stored = [...table.values()].reduce((sum, each) => sum + each.size, 0)
        const size = reviewBytes(review)
        if (table.size >= reviews || stored + size > bytes) return false
        const scope = storedScope.write(review.scope).json
        for (const each of table.values())
          if (each.review.nextReviewAt !== undefined && storedScope.write(each.review.scope).json === scope) {
            each.review = withNext(each.review, undefined)
            each.notes = { ...each.notes, revision: each.notes.revision + 1 }
          }
        table.set(review.id, { review, notes: { revision: 0 }, size })
        return true
      }),
    find: (organization, id) =>
      Effect.sync(() => Option.fromUndefinedOr(organizations.get(organization)?.get(id)?.review)),
    list: (organization, { after, limit }) =>
      Effect.sync(() => {
        const items = summaries(organization)
          .filter((each) => after === undefined || byPlace(placeOf(each), after) < 0)
          .toSorted((a, b) => byPlace(placeOf(b), placeOf(a)))
        return { items: items.slice(0, limit), hasMore: items.length > limit }
      }),
    due: (organization, before, limit) =>
      Effect.sync(() =>
        newestWithNext(summaries(organization))
          .filter(({ nextReviewAt = Infinity }) => nextReviewAt <= before)
          .toSorted((a, b) => nextOf(a) - nextOf(b) || (a.id < b.id ? -1 : 1))
          .slice(0, limit),
      ),
    areReviewed: (organization, scopes) =>
      Effect.sync(() => {
        const reviewed = new Set(summaries(organization).map(({ scope }) => storedScope.write(scope).json))
        return scopes.map((scope) => reviewed.has(storedScope.write(scope).json))
      }),
    findNotes: (organization, id) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(organizations.get(organization)?.get(id)), notesOf),
      ),
    writeNotes: (organization, id, notes, revision) =>
      Effect.sync(() => {
        const stored = organizations.get(organization)?.get(id)
        if (stored === undefined) return "not_found"
        if (revision !== undefined && revision !== stored.notes.revision) return "changed"
        stored.notes = { ...notes, revision: stored.notes.revision + 1 }
        stored.review = withNext(stored.review, notes.nextReviewAt)
        return notesOf(stored)
      }),
    remove: (organization, id) => Effect.sync(() => organizations.get(organization)?.delete(id) ?? false),
  })
})

export const layer: Layer.Layer<ReviewStore> = Layer.effect(ReviewStore, make)

const withNext = ({ nextReviewAt: _before, ...review }: Review, next: number | undefined): Review => ({
  ...review,
  ...(next !== undefined && { nextReviewAt: next }),
})

/** The next review is stored with the review, since a later review ends it. */
const notesOf = ({ notes: { nextReviewAt: _before, ...notes }, review }: Stored): ReviewNotes => ({
  ...notes,
  ...(review.nextReviewAt !== undefined && { nextReviewAt: review.nextReviewAt }),
})

/** Of each scope the newest review that has a next one. */
const newestWithNext = (all: ReadonlyArray<ReviewSummary>): ReadonlyArray<ReviewSummary> => [
  ...new Map(
    all
      .filter(({ nextReviewAt }) => nextReviewAt !== undefined)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((each) => [storedScope.write(each.scope).json, each]),
  ).values(),
]

const nextOf = ({ nextReviewAt = Infinity }: ReviewSummary): number => nextReviewAt

const placeOf = ({ id, period }: ReviewSummary): ReportPlace => ({ from: period.from, id })

const byPlace = (a: ReportPlace, b: ReportPlace): number =>
  a.from - b.from || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const toSummary = ({
  document: _json,
  keyId: _key,
  signature: _signature,
  ...summary
}: Review): ReviewSummary => summary
