import {
  confirmSubscription,
  confirmSubscriptionPath,
  findLinkedSubscription,
  statusPagePath,
  subscribe,
  unsubscribe,
  unsubscribePath,
} from "@tocsin/domain/features/status-page"
import { Mailer } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { clientAddressOf } from "../frame/ClientAddress.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { actionPage, buttonForm, tooManyLinksPage } from "../frame/ActionPage.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { escaped } from "../frame/Escaped.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { readJson, readText } from "../frame/RequestBody.ts"
import { statusFeedPath, subscribePath } from "./StatusPageHtml.ts"
import { statusPageOf } from "./StatusPages.ts"

/** Largest body of a request to subscribe, in bytes. */
const bodyMaxBytes = 8_192

/**
 * The page on which people subscribe to a status page (spec/status-pages §4), and what its form and programs send. It has a policy of
 * its own: the status page itself has no form.
 */
const showForm = (request: ApiRequest) =>
  Effect.flatMap(statusPageOf(slugOf(request)), ({ slug, title }) => formPage(200, slug, title))

const submit = (request: ApiRequest) =>
  request.header("content-type")?.startsWith("application/x-www-form-urlencoded") === true
    ? submitForm(request)
    : Effect.gen(function* () {
        const body = yield* readJson(request, bodyMaxBytes)
        const kind = yield* subscribeWith(request, body)
        return jsonResponse(202, JSON.stringify({ kind, isConfirmed: kind === "webhook" }), noStore)
      })

const submitForm = (request: ApiRequest) =>
  Effect.gen(function* () {
    const { text } = yield* readText(request, ["application/x-www-form-urlencoded"], bodyMaxBytes)
    const { slug, title } = yield* statusPageOf(slugOf(request))
    const body = Object.fromEntries(new URLSearchParams(text))
    return yield* subscribeWith(request, body).pipe(
      Effect.map((kind) =>
        actionPage(
          202,
          kind === "email" ? "Check your inbox" : "Subscribed",
          `<p>${
            kind === "email"
              ? "If the address is not subscribed yet, it gets an e-mail with a link. Open the link to confirm the subscription."
              : "The webhook has confirmed the subscription."
          }</p>${backLink(slug)}`,
        ),
      ),
      Effect.catchTags({
        SubscriptionIsInvalid: ({ issues }) =>
          formPage(
            400,
            slug,
            title,
            `<div role="alert">${issues
              .map(
                ({ path, message }) => `<p>${escaped(`${fieldNames[path] ?? path} ${message}`.trim())}.</p>`,
              )
              .join("")}</div>`,
          ),
        RateLimitIsExceeded: ({ status }) =>
          Effect.succeed(
            actionPage(
              429,
              "Too many requests",
              `<p>Too many requests to subscribe. Try again later.</p>${backLink(slug)}`,
              rateLimitHeaders(status),
            ),
          ),
      }),
    )
  })

const slugOf = (request: ApiRequest): string => request.pathParams["slug"] ?? ""

const subscribeWith = Effect.fnUntraced(function* (request: ApiRequest, body: unknown) {
  const { baseUrl } = yield* ApiOptions
  const { addressPolicy } = yield* DefinitionOptions
  return yield* subscribe(slugOf(request), body, {
    addressPolicy,
    baseUrl,
    clientAddress: yield* clientAddressOf(request),
  })
})

const fieldNames: Readonly<Record<string, string>> = { email: "The e-mail address", url: "The URL" }

const noStore = { "cache-control": "no-store" }

const formPage = (status: number, slug: string, title: string, problem = "") =>
  Effect.map(Mailer, (mailer) => {
    const email = `<form method="post"><label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required>
<button>Subscribe by e-mail</button></form>`
    const webhook = `<form method="post"><label for="url">URL of a webhook</label>
<input id="url" name="url" type="url" placeholder="https://" required>
<button>Subscribe webhook</button></form>`
    return actionPage(
      status,
      "Subscribe to updates",
      `<p>You are notified when ${escaped(title)} posts about an incident or plans maintenance.</p>
${problem}
${mailer === undefined ? "" : email}
${webhook}
<p>Or read the <a href="${statusFeedPath(slug)}">RSS feed</a>.</p>
${backLink(slug)}`,
    )
  })

const backLink = (slug: string): string => `<p><a href="${statusPagePath(slug)}">Status page</a></p>`

type LinkUse = typeof findLinkedSubscription | typeof confirmSubscription | typeof unsubscribe

type Linked = Effect.Success<ReturnType<LinkUse>>

/**
 * A page of a link of a subscription. GET changes nothing, because mail scanners follow links; the button of the page sends POST, as
 * mail programs do to unsubscribe with one click (RFC 8058).
 */
const respond = (use: LinkUse, pageOf: (linked: Linked) => ApiResponse) => (request: ApiRequest) =>
  Effect.gen(function* () {
    return pageOf(yield* use(request.query.get("token") ?? "", yield* clientAddressOf(request)))
  }).pipe(
    Effect.catchTags({
      SubscriptionLinkIsInvalid: () =>
        Effect.succeed(
          actionPage(
            404,
            "Subscription not found",
            "<p>The link has expired, or the subscription was deleted. Subscribe again on the status page.</p>",
          ),
        ),
      RateLimitIsExceeded: ({ status }) => Effect.succeed(tooManyLinksPage(status)),
    }),
  )

const confirmed = ({ title }: Linked): ApiResponse =>
  actionPage(200, "Subscription confirmed", `<p>You get updates of ${escaped(title)}.</p>`)

const confirmPage = (linked: Linked): ApiResponse =>
  linked.isConfirmed
    ? confirmed(linked)
    : actionPage(
        200,
        "Confirm subscription",
        `<p>Get updates of ${escaped(linked.title)} by ${linked.kind === "email" ? "e-mail" : "webhook"}?</p>${buttonForm("Confirm subscription")}`,
      )

const unsubscribePage = ({ title }: Linked): ApiResponse =>
  actionPage(
    200,
    "Unsubscribe",
    `<p>Stop updates of ${escaped(title)}? The subscription is deleted.</p>${buttonForm("Unsubscribe")}`,
  )

const unsubscribed = ({ title }: Linked): ApiResponse =>
  actionPage(200, "Unsubscribed", `<p>You get no more updates of ${escaped(title)}.</p>`)

export const subscribeRoutes = [
  { method: "GET", path: subscribePath(":slug"), handler: showForm },
  { method: "POST", path: subscribePath(":slug"), handler: submit },
  { method: "GET", path: confirmSubscriptionPath, handler: respond(findLinkedSubscription, confirmPage) },
  { method: "POST", path: confirmSubscriptionPath, handler: respond(confirmSubscription, confirmed) },
  { method: "GET", path: unsubscribePath, handler: respond(findLinkedSubscription, unsubscribePage) },
  { method: "POST", path: unsubscribePath, handler: respond(unsubscribe, unsubscribed) },
] as const
