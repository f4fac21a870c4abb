import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { clientNetwork } from "../access/ClientNetwork.ts"
import { limitFailedCredentials } from "../access/ProveCredential.ts"
import type { AddressContext } from "../alert-method/WebhookUrl.ts"
import type { NotifiedEvent } from "../alerting/AlertStore.ts"
import { decode } from "../codec/Codec.ts"
import type { Issue } from "../codec/Issue.ts"
import { hourMs } from "../codec/MinuteInstant.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { Mailer } from "../notification/Mailer.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { listById, type PageQuery, readPage } from "../pagination/Page.ts"
import { atMost, type RequestsInProgress } from "../quota/CostlyRequests.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { redact, reveal } from "../secret/SharedRedacted.ts"
import { bytesToBase64Url } from "../signature/Base64.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { TaggedError } from "../TaggedError.ts"
import { isConfirmedByWebhook, type StatusPageContent, statusPageContent } from "./NotifySubscriber.ts"
import { findStatusPage, readPageTitle, StatusPageNotFound } from "./ReadStatusPage.ts"
import {
  confirmationHours,
  recipientOf,
  type StatusPageSubscription,
  subscriberEndpoint,
  subscriberPolicy,
  subscribersPolicy,
  subscribingPolicy,
  type SubscriptionKind,
  subscriptionRequest,
  subscriptionsMax,
  subscriptionsPerPageMax,
} from "./Subscription.ts"
import { StatusPageSubscriptionStore } from "./SubscriptionStore.ts"

/** Nothing was written or sent. */
export class SubscriptionIsInvalid extends TaggedError("SubscriptionIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The link of a subscription is incomplete, has expired, or its subscription was deleted. */
export class SubscriptionLinkIsInvalid extends TaggedError("SubscriptionLinkIsInvalid") {}

/** The organization has no subscription with this ID. */
export class SubscriptionNotFound extends TaggedError("SubscriptionNotFound")<{
  /** The requested ID. */
  readonly id: string
}> {}

/**
 * Subscribes to a status page. A webhook must confirm it in its response to a signed request, an email address by the link of an
 * email, which is sent through the delivery queue. The result is the same whether the recipient was subscribed before.
 *
 * Fails with `StatusPageNotFound`, `SubscriptionIsInvalid`, `RateLimitIsExceeded` beyond the limits of the client's network, the
 * recipient and the organization, or `ConcurrencyLimitIsExceeded`.
 */
export const subscribe = Effect.fn("subscribe")(function* (
  slug: string,
  body: unknown,
  {
    clientAddress,
    baseUrl,
    ...context
  }: AddressContext & { readonly clientAddress: string; readonly baseUrl: string },
) {
  const request = decode(subscriptionRequest, body, context)
  if (Result.isFailure(request)) return yield* new SubscriptionIsInvalid({ issues: request.failure })
  yield* enforceRateLimit(anyOrganization, subscribingPolicy, clientNetwork(clientAddress))
  const { organization, project } = yield* findStatusPage(slug)
  const page = yield* readPageTitle(organization, project)
  if (page?.slug !== slug) return yield* new StatusPageNotFound({ slug })
  const { email, url } = request.success
  if (email !== undefined && (yield* Mailer) === undefined)
    return yield* invalid("email", "not_allowed_value", "is not offered: the server has no mail server")

  const kind: SubscriptionKind = url === undefined ? "email" : "webhook"
  const contact = redact(url?.href ?? email ?? "")
  yield* enforceRateLimit(organization, subscriberPolicy, recipientOf(contact))
  yield* enforceRateLimit(organization, subscribersPolicy)
  const store = yield* StatusPageSubscriptionStore
  const now = yield* Clock.currentTimeMillis
  const found = Option.getOrUndefined(yield* store.findContact(organization, project, contact))
  const isKnown = found !== undefined && (found.expiresAt ?? Infinity) > now
  const before = isKnown ? found : yield* newSubscription(project, kind, contact, now)
  const content = requestContent(organization, page, now)
  const inProgress = yield* ChallengesInProgress
  const challenge =
    url &&
    atMost(organization, inProgress, challengesMax)(isConfirmedByWebhook(before, url, content, baseUrl))
  if (challenge !== undefined && !(yield* challenge))
    return yield* invalid(
      "url",
      "not_allowed_value",
      'must respond to the request with status 2xx and JSON whose property "challenge" is that of the subscription in the request',
    )
  const isConfirmed = before.confirmedAt !== undefined
  const { expiresAt: _, ...kept } = before
  const subscription: StatusPageSubscription = isConfirmed
    ? before
    : {
        ...kept,
        ...(url === undefined ? { expiresAt: now + confirmationHours * hourMs } : { confirmedAt: now }),
      }
  const event = isConfirmed || url !== undefined ? undefined : yield* eventTo(subscription, content)
  const tokenHash = yield* hashOf(reveal(subscription.token))
  if ((yield* store.put(organization, subscription, tokenHash, now, event)) === "full")
    return yield* invalid(
      "",
      "too_many",
      `the status page or its organization has as many subscriptions as it may, ${subscriptionsPerPageMax} or ${subscriptionsMax}`,
    )
  return kind
})

/** The page and the kind of the subscription of a link, without a change. Fails with `SubscriptionLinkIsInvalid`; forged tokens are limited. */
export const findLinkedSubscription = Effect.fnUntraced(function* (token: string, clientAddress: string) {
  const { organization, subscription } = yield* linkedSubscription(token, clientAddress)
  return yield* described(organization, subscription)
})

/** Confirms the subscription of a link; again, it has no effect. Fails as `findLinkedSubscription` does. */
export const confirmSubscription = Effect.fnUntraced(function* (token: string, clientAddress: string) {
  const { organization, subscription } = yield* linkedSubscription(token, clientAddress)
  const store = yield* StatusPageSubscriptionStore
  const isConfirmed =
    subscription.confirmedAt !== undefined ||
    (yield* store.confirm(organization, subscription.id, yield* Clock.currentTimeMillis))
  if (!isConfirmed) return yield* new SubscriptionLinkIsInvalid()
  return yield* described(organization, subscription)
})

/** Deletes the subscription of a link. Fails as `findLinkedSubscription` does. */
export const unsubscribe = Effect.fnUntraced(function* (token: string, clientAddress: string) {
  const { organization, subscription } = yield* linkedSubscription(token, clientAddress)
  yield* (yield* StatusPageSubscriptionStore).remove(organization, subscription.id)
  return yield* described(organization, subscription)
})

/** Which subscriptions to list. */
export interface ListSubscriptionsQuery extends PageQuery {
  /** Default: all projects. */
  readonly project?: string | undefined
}

/** Lists the subscriptions of an organization, in the order in which they were added. */
export const listSubscriptions = (organization: OrganizationId, query: ListSubscriptionsQuery) =>
  readPage(subscriptionList, query, (page) =>
    Effect.flatMap(StatusPageSubscriptionStore, ({ list }) =>
      list(organization, query.project || undefined, page),
    ),
  )

const subscriptionList = listById<StatusPageSubscription>("status-page-subscriptions", ({ id }) => id)

/** Deletes a subscription; fails with `SubscriptionNotFound`. */
export const deleteSubscription = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const isDeleted = yield* (yield* StatusPageSubscriptionStore).remove(organization, id)
  if (!isDeleted) return yield* new SubscriptionNotFound({ id })
})

const linkedSubscription = Effect.fnUntraced(function* (token: string, clientAddress: string) {
  const found = yield* (yield* StatusPageSubscriptionStore).findToken(yield* hashOf(token))
  const now = yield* Clock.currentTimeMillis
  if (Option.isSome(found) && (found.value.subscription.expiresAt ?? Infinity) > now) return found.value
  // After the look-up, so that forged tokens of others block nobody.
  yield* limitFailedCredentials(clientAddress)
  return yield* new SubscriptionLinkIsInvalid()
})

const described = (organization: OrganizationId, { project, kind, confirmedAt }: StatusPageSubscription) =>
  Effect.map(readPageTitle(organization, project), (page) => ({
    title: page?.title ?? "Status",
    kind,
    isConfirmed: confirmedAt !== undefined,
  }))

const newSubscription = Effect.fnUntraced(function* (
  project: string,
  kind: SubscriptionKind,
  contact: StatusPageSubscription["contact"],
  now: number,
) {
  const { randomBytes } = yield* SecureRandom
  const token = bytesToBase64Url(yield* randomBytes(tokenBytes))
  const subscription: StatusPageSubscription = {
    id: yield* uuidV7,
    project,
    kind,
    contact,
    token: redact(token),
    createdAt: now,
  }
  return subscription
})

/** The request to confirm a subscription. */
const requestContent = (
  organization: OrganizationId,
  { slug, title }: { readonly slug: string; readonly title: string },
  now: number,
): StatusPageContent =>
  statusPageContent("status_page.subscription_requested", organization, now, {
    slug,
    title,
    id: "",
    heading: "Confirm your subscription",
    text: "",
    components: [],
  })

const eventTo = (
  subscription: StatusPageSubscription,
  content: StatusPageContent,
): Effect.Effect<NotifiedEvent> =>
  Effect.map(uuidV7, (id) => ({
    content,
    deliveries: [{ id, alertMethod: subscriberEndpoint(subscription) }],
  }))

const invalid = (path: string, code: Issue["code"], message: string) =>
  new SubscriptionIsInvalid({ issues: [{ path, code, message }] })

/** SHA-256 in base64url. Tokens have too many bits to be guessed. */
const hashOf = (text: string) =>
  Effect.map(Sha256, ({ sha256 }) => bytesToBase64Url(sha256(new TextEncoder().encode(text))))

/** Maximum number of webhooks that are asked for a confirmation at the same time. */
const challengesMax = { perOrganization: 2, total: 10 }

/** Shared by all servers of a process. */
const ChallengesInProgress = Context.Reference<RequestsInProgress>(
  "@tocsin/domain/internal/status-page/ChallengesInProgress",
  { defaultValue: () => ({ byOrganization: new Map(), total: 0 }) },
)

/** Entropy of the token of a link, in bytes. */
const tokenBytes = 24

/** One window for all organizations. */
const anyOrganization = ""
