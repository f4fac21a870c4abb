/** Who is notified of what a status page publishes. Source: spec/status-pages §4. */
import type * as Redacted from "effect/Redacted"
import { webhookUrl } from "../alert-method/WebhookUrl.ts"
import { described, named, stored } from "../codec/Codec.ts"
import { eitherOf, object, optional } from "../codec/Containers.ts"
import { anyString, string } from "../codec/Leaves.ts"
import { hourMs } from "../codec/MinuteInstant.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { reveal } from "../secret/SharedRedacted.ts"

/** How a subscriber is notified. */
export const subscriptionKinds = ["email", "webhook"] as const

/** By email or by webhook. */
export type SubscriptionKind = (typeof subscriptionKinds)[number]

/** Maximum number of subscriptions of a status page. */
export const subscriptionsPerPageMax = 1_000

/** Maximum number of subscriptions of all status pages of an organization. */
export const subscriptionsMax = 5_000

/** Time within which a subscription by email must be confirmed, in hours. */
export const confirmationHours = 24

/** Longest email address, in characters (RFC 5321, section 4.5.3.1.3, without the angle brackets). */
const mailAddressMaxCharacters = 254

/** Requests to subscribe from one network, per hour and process. */
export const subscribingPolicy: RateLimitPolicy = {
  name: "status-page-subscribing",
  limit: 20,
  windowMs: hourMs,
  isPerProcess: true,
}

/** Requests to subscribe one recipient to pages of an organization, per hour and process, so that no address is stored. */
export const subscriberPolicy: RateLimitPolicy = {
  name: "status-page-subscriber",
  limit: 3,
  windowMs: hourMs,
  isPerProcess: true,
}

/** Requests to subscribe to pages of an organization, per hour. */
export const subscribersPolicy: RateLimitPolicy = {
  name: "status-page-subscribers",
  limit: 500,
  windowMs: hourMs,
}

/** A subscription to the status page of a project. */
export interface StatusPageSubscription {
  /** A UUIDv7. */
  readonly id: string
  /** The project that publishes the page. */
  readonly project: string
  /** What the contact is. */
  readonly kind: SubscriptionKind
  /** The email address or the URL of the webhook. */
  readonly contact: Redacted.Redacted<string>
  /** What its links prove that they were sent to the subscriber. */
  readonly token: Redacted.Redacted<string>
  /** When it was requested. All times are in Unix milliseconds. */
  readonly createdAt: number
  /** Absent: it is not confirmed, and nothing but the request to confirm is sent. */
  readonly confirmedAt?: number
  /** When it is deleted unless it is confirmed; absent once it is. */
  readonly expiresAt?: number
}

/** Whom a contact reaches: a page has one subscription of each recipient. */
export const recipientOf = (contact: Redacted.Redacted<string>): string => reveal(contact).toLowerCase()

/** The stored form of what is secret of a subscription. */
export const storedSubscriber = stored(object({ contact: anyString, token: anyString }), [])

/** No alert method has such a name. */
export const endpointPrefix = "subscription:"

/** The name of the endpoint of a subscription in the delivery queue, where those of alert methods are. */
export const subscriberEndpoint = ({
  project,
  id,
}: Pick<StatusPageSubscription, "project" | "id">): ProjectKey => ({
  project,
  name: `${endpointPrefix}${id}`,
})

/** The ID of the subscription that an endpoint belongs to. */
export const subscriptionOfEndpoint = ({ name }: ProjectKey): string => name.slice(endpointPrefix.length)

/** An address that needs no quoting; its domain has at least two labels in ASCII. */
const mailAddress = string({
  max: mailAddressMaxCharacters,
  format: {
    pattern:
      /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/,
    message: "must be an email address such as ada@example.com",
  },
})

/** A request to subscribe: one of the two properties. */
export const subscriptionRequest = named(
  object(
    {
      email: optional(
        described(mailAddress, "Email address, to which a link is sent that confirms the subscription"),
      ),
      url: optional(
        described(
          webhookUrl,
          "URL of a webhook, which confirms the subscription in its response to a request",
        ),
      ),
    },
    { rules: eitherOf("email", "url") },
  ),
  "StatusPageSubscriptionRequest",
)
