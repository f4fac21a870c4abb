import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { NotifiedEvent } from "../alerting/AlertStore.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { logOutages } from "../OutageLog.ts"
import { workFor } from "../quota/ProcessorShares.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { isoTimestampText } from "../template/VariableText.ts"
import { announcedMaintenance, announcedPost, componentText } from "./Announcement.ts"
import { type StatusPageContent, statusPageContent } from "./NotifySubscriber.ts"
import { readAnnouncements } from "./ReadStatusPage.ts"
import { subscriberEndpoint } from "./Subscription.ts"
import { type ClaimedSubscribers, StatusPageSubscriptionStore } from "./SubscriptionStore.ts"

/** How often the subscribers of a page are told what is new, in milliseconds. */
const announceEveryMs = 30_000

/** How often a process looks for pages, in milliseconds. */
const announcePollMs = 5_000

/** Maximum number of pages that a process claims at a time. */
const claimedMax = 20

/** Posts are announced for this time, in milliseconds: those of an outage of the server that took longer are not. */
const postsAnnouncedMs = dayMs

/** Announcements are remembered for this much longer, as clocks differ. */
const rememberedMs = dayMs

/** Maintenance without an end is announced again after this time. */
const endlessMs = 365 * dayMs

/**
 * Adds deliveries to the subscribers of the pages that are due: of each new post, and of planned maintenance that is new or has another
 * time. Each is announced once, to those who had confirmed when it was posted. Returns whether more pages may be due.
 */
export const announceDueUpdates = Effect.gen(function* () {
  const store = yield* StatusPageSubscriptionStore
  const now = yield* Clock.currentTimeMillis
  const claimed = yield* store.claim(now, claimedMax, announceEveryMs)
  const exits = yield* Effect.forEach(claimed, (page) =>
    Effect.exit(workFor(page.organization)(announceUpdatesOf(page, now))),
  )
  yield* exits.find(Exit.isFailure) ?? Effect.void
  return claimed.length === claimedMax
})

/** Announces the updates of all pages until its fiber is interrupted. A step that fails is retried. */
export const announceUpdates = Effect.gen(function* () {
  const logging = yield* logOutages("Notifying subscribers of status pages failed")
  const step = Effect.catchCause(logging(announceDueUpdates), () => Effect.succeed(false))
  return yield* Effect.forever(
    Effect.flatMap(step, (isMoreDue) => (isMoreDue ? Effect.yieldNow : Effect.sleep(announcePollMs))),
  )
})

const announceUpdatesOf = Effect.fnUntraced(function* (
  { organization, project }: ClaimedSubscribers,
  now: number,
) {
  const store = yield* StatusPageSubscriptionStore
  const { sha256 } = yield* Sha256
  const since = now - postsAnnouncedMs
  const page = yield* readAnnouncements(organization, project, since)
  if (page === undefined) return
  const { slug, title, posted, maintenance } = page
  const posts = posted.flatMap((incident) =>
    incident.posts
      .filter(({ at }) => at >= since)
      .map((post): Update => ({
        event: "status_page.posted",
        at: post.at,
        knownUntil: post.at + postsAnnouncedMs + rememberedMs,
        ...announcedPost(sha256, slug, incident, post),
        components: incident.components.map(componentText),
        status: post.status,
      })),
  )
  const planned = maintenance.map((each): Update => {
    const { components, from, to } = each
    return {
      event: "status_page.maintenance_planned",
      at: now,
      knownUntil: (to === undefined ? now + endlessMs : Math.max(to, now)) + rememberedMs,
      ...announcedMaintenance(sha256, slug, each, isoTimestampText),
      components: components.map(componentText),
      from,
      ...(to !== undefined && { to }),
    }
  })
  // Oldest first, so that they arrive in their order.
  const updates = [...planned, ...posts].toSorted((a, b) => a.at - b.at)
  const ids = updates.map(({ id }) => id)
  const unannounced = new Set(yield* store.unannounced(organization, project, ids, now))
  for (const { event, at, knownUntil, ...update } of updates.filter(({ id }) => unannounced.has(id))) {
    const recipients = yield* store.recipients(organization, project, at)
    const deliveries = yield* Effect.forEach(recipients, (id) =>
      Effect.map(uuidV7, (delivery) => ({
        id: delivery,
        alertMethod: subscriberEndpoint({ project, id }),
      })),
    )
    const content = statusPageContent(event, organization, at, { slug, title, ...update })
    const notified: NotifiedEvent = { content, deliveries }
    yield* store.announce(organization, project, { key: update.id, knownUntil }, notified)
  }
})

interface Update extends Omit<StatusPageContent["statusPage"], "slug" | "title"> {
  readonly event: StatusPageContent["event"]
  /** In Unix milliseconds. */
  readonly at: number
  readonly knownUntil: number
}
