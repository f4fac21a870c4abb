import {
  recipientOf,
  type StatusPageSubscription,
  subscriberEndpoint,
  subscriptionsMax,
  subscriptionsPerPageMax,
} from "@tocsin/domain/features/status-page"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { StatusPageSubscriptionStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { DeliveryTables } from "../delivery/DeliveryTables.ts"

interface Stored {
  readonly subscription: StatusPageSubscription
  readonly tokenHash: string
}

/** A page that has or had subscriptions. */
interface Subscribed {
  readonly organization: OrganizationId
  readonly project: string
  /** Until when nobody claims it, in Unix milliseconds. */
  claimedTo: number
  /** Until when an announcement is remembered, in Unix milliseconds. */
  readonly announced: Map<string, number>
}

/** Subscriptions to status pages in memory, lost when the process ends. */
const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const deliveries = yield* DeliveryTables
  const organizations = new Map<OrganizationId, Map<string, Stored>>()
  const pages = new Map<string, Subscribed>()

  const tableOf = (organization: OrganizationId) =>
    organizations.get(organization) ?? new Map<string, Stored>()
  const ofProject = (organization: OrganizationId, project: string) =>
    [...tableOf(organization).values()].filter(({ subscription }) => subscription.project === project)
  const pageKey = (organization: OrganizationId, project: string): string => `${organization} ${project}`

  const removeAll = (organization: OrganizationId, some: ReadonlyArray<Stored>, now: number): void => {
    for (const { subscription } of some) {
      tableOf(organization).delete(subscription.id)
      deliveries.forgetEndpoint(organization, subscriberEndpoint(subscription), now)
    }
  }

  const pageOf = (organization: OrganizationId, project: string): Subscribed => {
    const key = pageKey(organization, project)
    const page = pages.get(key) ?? { organization, project, claimedTo: 0, announced: new Map() }
    pages.set(key, page)
    return page
  }

  database.takePart({
    name: "status pages",
    written: ({ organization, key: { kind, name }, after, now }) => {
      if (kind !== "Project" || after !== undefined) return
      removeAll(organization, ofProject(organization, name), now)
      pages.delete(pageKey(organization, name))
    },
  })

  return StatusPageSubscriptionStore.of({
    put: (organization, subscription, tokenHash, now, event) =>
      Effect.sync(() => {
        const table = tableOf(organization)
        organizations.set(organization, table)
        const { id, project, contact } = subscription
        removeAll(
          organization,
          ofProject(organization, project).filter((each) => isExpired(each, now)),
          now,
        )
        const others = ofProject(organization, project)
        if (others.length >= subscriptionsPerPageMax || table.size >= subscriptionsMax) return "full"
        const isOfRecipient = isTo(contact)
        if (others.some((each) => isOfRecipient(each) && each.subscription.id !== id)) return "known"
        table.set(id, { subscription, tokenHash })
        pageOf(organization, project)
        if (event !== undefined) deliveries.enqueue(organization, event, now)
        return "stored"
      }),
    findContact: (organization, project, contact) =>
      Effect.sync(() =>
        Option.map(
          Option.fromUndefinedOr(ofProject(organization, project).find(isTo(contact))),
          ({ subscription }) => subscription,
        ),
      ),
    findToken: (tokenHash) =>
      Effect.sync(() => {
        for (const [organization, table] of organizations)
          for (const { subscription, tokenHash: known } of table.values())
            if (known === tokenHash) return Option.some({ organization, subscription })
        return Option.none()
      }),
    find: (organization, id) =>
      Effect.sync(() => Option.fromUndefinedOr(tableOf(organization).get(id)?.subscription)),
    list: (organization, project, { after = "", limit }) =>
      Effect.sync(() => {
        const items = [...tableOf(organization).values()]
          .map(({ subscription }) => subscription)
          .filter((each) => each.id > after && (project === undefined || each.project === project))
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        return { items: items.slice(0, limit), hasMore: items.length > limit }
      }),
    confirm: (organization, id, now) =>
      Effect.sync(() => {
        const stored = tableOf(organization).get(id)
        if (stored?.subscription.expiresAt === undefined || isExpired(stored, now)) return false
        const { expiresAt: _, ...rest } = stored.subscription
        tableOf(organization).set(id, { ...stored, subscription: { ...rest, confirmedAt: now } })
        return true
      }),
    remove: (organization, id) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const stored = tableOf(organization).get(id)
        removeAll(organization, stored === undefined ? [] : [stored], now)
        return stored !== undefined
      }),
    claim: (now, limit, everyMs) =>
      Effect.sync(() => {
        const turns = new Map<OrganizationId, number>()
        const due = [...pages.values()]
          // A time far ahead was set by a clock that was ahead.
          .filter(({ claimedTo }) => claimedTo <= now || claimedTo > now + everyMs)
          .toSorted((a, b) => a.claimedTo - b.claimedTo)
          .map((page) => {
            const turn = turns.get(page.organization) ?? 0
            turns.set(page.organization, turn + 1)
            return { page, turn }
          })
          .toSorted((a, b) => a.turn - b.turn)
          .slice(0, limit)
        return due.flatMap(({ page }) => {
          const { organization, project } = page
          const stored = ofProject(organization, project)
          const expired = stored.filter((each) => isExpired(each, now))
          removeAll(organization, expired, now)
          if (stored.length === expired.length) {
            pages.delete(pageKey(organization, project))
            return []
          }
          page.claimedTo = now + everyMs
          return [{ organization, project }]
        })
      }),
    recipients: (organization, project, confirmedUntil) =>
      Effect.sync(() =>
        ofProject(organization, project)
          .filter(({ subscription }) => (subscription.confirmedAt ?? Infinity) <= confirmedUntil)
          .map(({ subscription }) => subscription.id)
          .toSorted(),
      ),
    unannounced: (organization, project, keys, now) =>
      Effect.sync(() => {
        const { announced } = pageOf(organization, project)
        for (const [key, until] of announced) if (until < now) announced.delete(key)
        return keys.filter((key) => !announced.has(key))
      }),
    announce: (organization, project, { key, knownUntil }, event) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { announced } = pageOf(organization, project)
        if (announced.has(key)) return false
        announced.set(key, knownUntil)
        deliveries.enqueue(organization, event, now)
        return true
      }),
  })
})

const isTo = (contact: StatusPageSubscription["contact"]) => {
  const recipient = recipientOf(contact)
  return ({ subscription }: Stored): boolean => recipientOf(subscription.contact) === recipient
}

const isExpired = ({ subscription: { expiresAt = Infinity } }: Stored, now: number): boolean =>
  expiresAt <= now

export const layer = Layer.effect(StatusPageSubscriptionStore, make)
