import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { NotifiedEvent } from "../alerting/AlertStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { StatusPageSubscription } from "./Subscription.ts"

/** A subscription of an organization. */
export interface SubscriptionOfOrganization {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The subscription. */
  readonly subscription: StatusPageSubscription
}

/** The subscribers of a page, for whom the caller looks for something new. */
export interface ClaimedSubscribers {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The project that publishes the page. */
  readonly project: string
}

/** Something that a page has published. */
export interface Announcement {
  /** Unique among the announcements of the page. */
  readonly key: string
  /** Until when it may be given again, in Unix milliseconds: it is remembered at least until then. */
  readonly knownUntil: number
}

/** Port: stores who is notified of what status pages publish, and what was announced. Contacts and tokens are secrets. */
export class StatusPageSubscriptionStore extends Context.Service<
  StatusPageSubscriptionStore,
  {
    /**
     * Adds a subscription, or replaces the one with its ID, together with the deliveries of an event. Fails with `full`, and writes
     * nothing, if the page or the organization has as many as it may, even if this one is among them; with `known` if the page has
     * another subscription of the recipient (`recipientOf`). Subscriptions that have expired at `now` (Unix milliseconds) are deleted
     * before. The hash of the token is unique on the server.
     */
    readonly put: (
      organization: OrganizationId,
      subscription: StatusPageSubscription,
      tokenHash: string,
      now: number,
      event?: NotifiedEvent,
    ) => Effect.Effect<"stored" | "known" | "full", StoreIsUnavailable>
    /** The subscription of a recipient to the page of a project. */
    readonly findContact: (
      organization: OrganizationId,
      project: string,
      contact: Redacted.Redacted<string>,
    ) => Effect.Effect<Option.Option<StatusPageSubscription>, StoreIsUnavailable>
    /** The subscription of any organization with a token. */
    readonly findToken: (
      tokenHash: string,
    ) => Effect.Effect<Option.Option<SubscriptionOfOrganization>, StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<StatusPageSubscription>, StoreIsUnavailable>
    /** In the order of their IDs, of one project or of all. */
    readonly list: (
      organization: OrganizationId,
      project: string | undefined,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<StatusPageSubscription>, StoreIsUnavailable>
    /** Confirms a subscription at `now`; `false` if there is none that waits for it and has not expired. */
    readonly confirm: (
      organization: OrganizationId,
      id: string,
      now: number,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    /** Deletes a subscription, and the health of its endpoint, as is done when it expires; `false` if there is none. */
    readonly remove: (organization: OrganizationId, id: string) => Effect.Effect<boolean, StoreIsUnavailable>
    /**
     * Claims pages with subscriptions, of all organizations, that no caller has claimed for `everyMs`, and deletes what has expired of
     * them. The second page of an organization comes after the first of each. No other caller claims them until `everyMs` after
     * `now` (Unix milliseconds).
     */
    readonly claim: (
      now: number,
      limit: number,
      everyMs: number,
    ) => Effect.Effect<ReadonlyArray<ClaimedSubscribers>, StoreIsUnavailable>
    /** The IDs of the subscriptions of a page that were confirmed until a time (Unix milliseconds), at most as many as a page may have. */
    readonly recipients: (
      organization: OrganizationId,
      project: string,
      confirmedUntil: number,
    ) => Effect.Effect<ReadonlyArray<string>, StoreIsUnavailable>
    /** Which of some keys the page has not announced. Forgets those whose time has passed at `now`. */
    readonly unannounced: (
      organization: OrganizationId,
      project: string,
      keys: ReadonlyArray<string>,
      now: number,
    ) => Effect.Effect<ReadonlyArray<string>, StoreIsUnavailable>
    /** Records an announcement together with the deliveries of its event, once: `false` if it was recorded before. */
    readonly announce: (
      organization: OrganizationId,
      project: string,
      announcement: Announcement,
      event: NotifiedEvent,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/status-page/StatusPageSubscriptionStore") {}
