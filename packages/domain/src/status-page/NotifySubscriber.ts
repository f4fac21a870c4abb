/** What a subscriber of a status page is sent. Source: spec/status-pages §4. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { anyAddress } from "../alert-method/AddressPolicy.ts"
import { parseWebhookUrl, type WebhookUrl } from "../alert-method/WebhookUrl.ts"
import type { ClaimedDelivery } from "../delivery/DeliveryQueue.ts"
import { Mailer } from "../notification/Mailer.ts"
import { type NotificationContent, notificationValues } from "../notification/Notification.ts"
import type { PreparedMethod } from "../notification/NotificationRequest.ts"
import { makeMask, makeSecretMask } from "../notification/SecretMask.ts"
import {
  type AttemptResult,
  makeSendNotification,
  type SenderFault,
  undeliverable,
} from "../notification/SendNotification.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { reveal } from "../secret/SharedRedacted.ts"
import { isoTimestampText } from "../template/VariableText.ts"
import { statusPagePath } from "./Announcement.ts"
import { type StatusPageSubscription, subscriptionOfEndpoint } from "./Subscription.ts"
import { StatusPageSubscriptionStore } from "./SubscriptionStore.ts"

/** What subscribers are sent: a request to confirm, a post, or planned maintenance. */
export interface StatusPageContent extends NotificationContent {
  readonly statusPage: NonNullable<NotificationContent["statusPage"]>
}

/** The content of a notification that is about a status page and no alert; `at` is in Unix milliseconds. */
export const statusPageContent = (
  event: StatusPageContent["event"],
  organization: OrganizationId,
  at: number,
  statusPage: StatusPageContent["statusPage"],
): StatusPageContent => ({
  event,
  organization,
  at,
  alertId: "",
  conditions: [],
  slo: { project: "", name: "" },
  statusPage,
})

/** The path of the page that confirms a subscription, under the public base URL. */
export const confirmSubscriptionPath = "/status-subscription/confirm"

/** The path of the page that deletes a subscription, under the public base URL. */
export const unsubscribePath = "/status-subscription/unsubscribe"

/**
 * Makes the attempts of deliveries to subscribers, as `DispatchOptions.otherRecipients`: webhooks get signed JSON, as those of alert
 * methods are signed, and email addresses a text with a link that unsubscribes.
 */
export const makeSubscriberAttempts = ({ baseUrl }: { readonly baseUrl: string }) =>
  Effect.gen(function* () {
    const store = yield* StatusPageSubscriptionStore
    const mailer = yield* Mailer
    const clock = yield* Clock.Clock
    const send = yield* makeSendNotification

    const mail = (
      number: number,
      content: StatusPageContent,
      subscription: StatusPageSubscription,
    ): Effect.Effect<AttemptResult> => {
      const startedAt = clock.currentTimeMillisUnsafe()
      if (mailer === undefined) return Effect.succeed(undeliverable(number, startedAt, "mail_unavailable"))
      const attempt = () => ({ number, startedAt, durationMs: clock.currentTimeMillisUnsafe() - startedAt })
      return Effect.match(mailer.send(mailOf(subscription, content, baseUrl)), {
        onSuccess: () => ({ attempt: attempt(), outcome: { kind: "delivered" } }),
        // Nothing more is sent to an address that does not exist.
        onFailure: ({ reason, detail, isPermanent }) => ({
          attempt: { ...attempt(), reason, detail },
          outcome: { kind: isPermanent ? "gone" : "failed" },
        }),
      })
    }

    const attempt = (
      { delivery, isDisabled }: ClaimedDelivery,
      statusPage: StatusPageContent["statusPage"],
    ): Effect.Effect<AttemptResult, SenderFault> =>
      Effect.gen(function* () {
        const { notification, attempt: number, alertMethod } = delivery
        const content: StatusPageContent = { ...notification, statusPage }
        const now = clock.currentTimeMillisUnsafe()
        const { organization } = notification
        const found = yield* store.find(organization, subscriptionOfEndpoint(alertMethod))
        if (Option.isNone(found)) return undeliverable(number, now, "subscription_not_found")
        if (isDisabled) return undeliverable(number, now, "method_disabled")
        const subscription = found.value
        if (subscription.kind === "email") return yield* mail(number, content, subscription)
        const url = Result.getOrThrow(parseWebhookUrl(reveal(subscription.contact), anyAddress))
        const prepared = preparedWebhook(url, webhookBody(subscription, content, baseUrl))
        const mask = makeMask([reveal(subscription.token)])
        return yield* send(
          { ...prepared, mask: (text) => prepared.mask(mask(text)) },
          { id: notification.id, event: notification.event, attempt: number },
          notificationValues(notification, baseUrl),
        )
      })
    return (claimed: ClaimedDelivery) => {
      const { statusPage } = claimed.delivery.notification
      return statusPage === undefined ? undefined : attempt(claimed, statusPage)
    }
  })

/**
 * Whether a webhook confirms its subscription: it responds to a signed request with 2xx and the challenge at the top of its JSON. In
 * the request the challenge is further down, so that a server that echoes requests confirms nothing.
 */
export const isConfirmedByWebhook = Effect.fnUntraced(function* (
  subscription: StatusPageSubscription,
  url: WebhookUrl,
  content: StatusPageContent,
  baseUrl: string,
) {
  const send = yield* makeSendNotification
  const id = subscription.id
  const { attempt, outcome } = yield* send(
    preparedWebhook(url, webhookBody(subscription, content, baseUrl)),
    { id, event: content.event, attempt: 1 },
    notificationValues({ ...content, id }, baseUrl),
  ).pipe(
    Effect.catchTag("TransportFailure", () =>
      Effect.map(Clock.currentTimeMillis, (now) => undeliverable(1, now, "sender_unavailable")),
    ),
  )
  return outcome.kind === "delivered" && challengeIn(attempt.responseBody) === reveal(subscription.token)
})

const challengeIn = (body: string | undefined): unknown => {
  try {
    return Object(JSON.parse(body ?? "")).challenge
  } catch {
    return undefined
  }
}

/** A webhook whose body is no template. */
const preparedWebhook = (url: WebhookUrl, body: object): PreparedMethod => ({
  url,
  template: { start: JSON.stringify(body), holes: [] },
  headers: [],
  mask: makeSecretMask(url, []),
})

/** The JSON that a webhook gets. Absent properties do not apply. */
const webhookBody = (
  { token }: StatusPageSubscription,
  content: StatusPageContent,
  baseUrl: string,
): object => {
  const { event, at, statusPage } = content
  const { slug, title, id, heading, text, components, status, from, to } = statusPage
  return {
    event,
    timestamp: isoTimestampText(at),
    page: { title, url: baseUrl + statusPagePath(slug) },
    ...(isRequest(content)
      ? { subscription: { challenge: reveal(token) } }
      : {
          update: {
            id,
            title: heading,
            text,
            components,
            ...(status !== undefined && { status }),
            ...(from !== undefined && { from: isoTimestampText(from) }),
            ...(to !== undefined && { to: isoTimestampText(to) }),
          },
        }),
    unsubscribeUrl: linkOf(baseUrl, unsubscribePath, token),
  }
}

const mailOf = ({ contact, token }: StatusPageSubscription, content: StatusPageContent, baseUrl: string) => {
  const { slug, title, heading, text } = content.statusPage
  const unsubscribeUrl = linkOf(baseUrl, unsubscribePath, token)
  return {
    to: reveal(contact),
    subject: `${title}: ${heading}`,
    text: isRequest(content)
      ? `Someone asked to send updates from the status page ${title} to this address.

Confirm the subscription:
${linkOf(baseUrl, confirmSubscriptionPath, token)}

If it was not you, ignore this email. Nothing else is sent without the confirmation.
`
      : `${heading}

${text}

Status page: ${baseUrl}${statusPagePath(slug)}
Unsubscribe: ${unsubscribeUrl}
`,
    // RFC 8058.
    headers: {
      "List-Unsubscribe": `<${unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  }
}

const isRequest = ({ event }: StatusPageContent): boolean => event === "status_page.subscription_requested"

/** The token is in the query, which no log of the server has. */
const linkOf = (baseUrl: string, path: string, token: StatusPageSubscription["token"]): string =>
  `${baseUrl}${path}?token=${reveal(token)}`
