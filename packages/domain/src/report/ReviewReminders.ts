import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { dayMs } from "../codec/MinuteInstant.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { serviceKind } from "../slo/Service.ts"
import { inParts, type Parts } from "../work/Parts.ts"
import type { ReviewScope } from "./Review.ts"
import { firstInCycle, type ReviewCycle, reviewReminderDays } from "./ReviewCycle.ts"
import { ReviewStore } from "./ReviewStore.ts"

/** Maximum number of reminders of reviews that exist, and of services that were never reviewed. */
const reviewRemindersMax = 50

/** Maximum number of services that are gone through, and of those with a review cycle. */
const servicesMax = 10 * pageSizeMax
const cyclesMax = 200

/** A review that is due, or will be soon. */
export interface ReviewReminder {
  /** The title of the latest review, or the service that was never reviewed. */
  readonly title: string
  /** Which SLOs are to be reviewed. */
  readonly scope: ReviewScope
  /** In Unix milliseconds. */
  readonly dueAt: number
  /** The ID of the latest review of these SLOs; absent if there is none. */
  readonly review?: string
}

/**
 * Lists the reviews that are due within `reviewReminderDays`, longest due first: the next ones of reviews, and the first ones of
 * services with a review cycle that have no review (spec/reports §10).
 */
export const listReviewReminders = Effect.fn("listReviewReminders")(function* (organization: OrganizationId) {
  const before = (yield* Clock.currentTimeMillis) + reviewReminderDays * dayMs
  const store = yield* ReviewStore
  const due = yield* store.due(organization, before, reviewRemindersMax)
  const services = yield* servicesInCycle(organization)
  const scopes = services.map(({ key }): ReviewScope => ({ project: key.project, service: key.name }))
  const reviewed = yield* store.areReviewed(organization, scopes)
  const first = yield* inParts(() =>
    firstReviews(
      services.filter((_, index) => reviewed[index] !== true),
      before,
    ),
  )
  return [
    ...due.map(({ id, title, scope, nextReviewAt }): ReviewReminder => ({
      title,
      scope,
      dueAt: nextReviewAt ?? before,
      review: id,
    })),
    ...first.slice(0, reviewRemindersMax),
  ].toSorted((a, b) => a.dueAt - b.dueAt)
})

interface ServiceInCycle {
  readonly key: ProjectKey
  readonly createdAt: number
  readonly cycle: ReviewCycle
}

const servicesInCycle = Effect.fnUntraced(function* (organization: OrganizationId) {
  const store = yield* DefinitionStore
  const found: Array<ServiceInCycle> = []
  let after: ProjectKey | undefined
  for (let read = 0; read < servicesMax && found.length < cyclesMax; read += pageSizeMax) {
    const page = yield* store.list(
      organization,
      { kind: serviceKind.kind },
      { limit: pageSizeMax, ...(after !== undefined && { after }) },
    )
    for (const { definition, createdAt } of page.items) {
      const { project, name } = definition.metadata
      after = { project, name }
      const { reviewCycle: cycle } = definition.spec
      if (cycle !== undefined) found.push({ key: after, createdAt, cycle })
    }
    if (!page.hasMore) break
  }
  return found.slice(0, cyclesMax)
})

/** The first time of each cycle since its service exists. */
function* firstReviews(
  services: ReadonlyArray<ServiceInCycle>,
  before: number,
): Parts<ReadonlyArray<ReviewReminder>> {
  const due: Array<ReviewReminder> = []
  for (const { key, createdAt, cycle } of services) {
    const dueAt = firstInCycle(cycle, { from: createdAt, to: before + 1 })
    if (dueAt !== undefined)
      due.push({
        title: `${key.project}/${key.name}`,
        scope: { project: key.project, service: key.name },
        dueAt,
      })
    yield
  }
  return due.toSorted((a, b) => a.dueAt - b.dueAt)
}
