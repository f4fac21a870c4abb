import {
  confirmSubscription,
  confirmSubscriptionPath,
  findLinkedSubscription,
  statusPagePath,
  subscribe,
  unsubscribe,
  unsubscribePath,
} from "@tocsin/domain/features/status-page"
import type { Issue } from "@tocsin/domain/codec"
import { Mailer } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { clientAddressOf } from "../frame/ClientAddress.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { actionPage, buttonForm, tooManyLinksPage } from "../frame/ActionPage.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { escaped } from "../frame/Escaped.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { readJson, readText } from "../frame/RequestBody.ts"
import { statusFeedPath, subscribePath } from "./StatusPageHtml.ts"
import { statusPageOf } from "./StatusPages.ts"
import { inLanguage, requestedTexts, type StatusPageTexts } from "./StatusPageTexts.ts"

/** Largest body of a request to subscribe, in bytes. */
const bodyMaxBytes = 8_192

/**
 * The page on which people subscribe to a status page (spec/status-pages §4), and what its form and programs send. It has a policy of
 * its own: the status page itself has no form.
 */
const showForm = (request: ApiRequest) =>
  Effect.flatMap(statusPageOf(slugOf(request)), ({ slug, title }) =>
    formPage(200, slug, title, requestedTexts(request)),
  )

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
    const texts = requestedTexts(request)
    const { language } = texts
    const body = Object.fromEntries(new URLSearchParams(text))
    return yield* subscribeWith(request, body).pipe(
      Effect.map((kind) => {
        const [heading, detail] =
          kind === "email" ? [texts.checkInbox, texts.linkSent] : [texts.subscribed, texts.webhookConfirmed]
        return actionPage(202, heading, `<p>${detail}</p>${backLink(slug, texts)}`, { language })
      }),
      Effect.catchTags({
        SubscriptionIsInvalid: ({ issues }) =>
          formPage(
            400,
            slug,
            title,
            texts,
            `<div role="alert">${issues.map(issueHtml(texts)).join("")}</div>`,
          ),
        RateLimitIsExceeded: ({ status }) =>
          Effect.succeed(
            actionPage(
              429,
              texts.tooManyRequests,
              `<p>${texts.tooManySubscribing}</p>${backLink(slug, texts)}`,
              { headers: rateLimitHeaders(status), language },
            ),
          ),
      }),
    )
  })

/** The message is English. */
const issueHtml =
  ({ issueOf }: StatusPageTexts) =>
  ({ path, message }: Issue): string =>
    `<p>${escaped((Object.hasOwn(issueOf, path) ? issueOf[path] : undefined) ?? path)} <span lang="en">${escaped(message)}.</span></p>`

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

const noStore = { "cache-control": "no-store" }

const formPage = (status: number, slug: string, title: string, texts: StatusPageTexts, problem = "") =>
  Effect.map(Mailer, (mailer) => {
    const email = `<form method="post"><label for="email">${texts.emailAddress}</label>
<input id="email" name="email" type="email" autocomplete="email" required>
<button>${texts.subscribeEmail}</button></form>`
    const webhook = `<form method="post"><label for="url">${texts.webhookUrl}</label>
<input id="url" name="url" type="url" placeholder="https://" required>
<button>${texts.subscribeWebhook}</button></form>`
    return actionPage(
      status,
      texts.subscribe,
      `<p>${texts.subscribeTo(isolated(title))}</p>
${problem}
${mailer === undefined ? "" : email}
${webhook}
<p>${texts.orFeed(`<a href="${statusFeedPath(slug)}">${texts.feed}</a>`)}</p>
${backLink(slug, texts)}`,
      { language: texts.language },
    )
  })

const backLink = (slug: string, texts: StatusPageTexts): string =>
  `<p><a href="${inLanguage(statusPagePath(slug), texts)}">${texts.statusPage}</a></p>`

/** The title of a status page within a sentence. */
const isolated = (title: string): string => `<bdi>${escaped(title)}</bdi>`

type LinkUse = typeof findLinkedSubscription | typeof confirmSubscription | typeof unsubscribe

type Linked = Effect.Success<ReturnType<LinkUse>>

/**
 * A page of a link of a subscription. GET changes nothing, because mail scanners follow links; the button of the page sends POST, as
 * mail programs do to unsubscribe with one click (RFC 8058).
 */
const respond = (use: LinkUse, pageOf: LinkedPage) => (request: ApiRequest) => {
  const texts = requestedTexts(request)
  const { language } = texts
  return Effect.gen(function* () {
    const linked = yield* use(request.query.get("token") ?? "", yield* clientAddressOf(request))
    const { heading, text, button } = pageOf(texts, isolated(linked.title), linked)
    const form = button === undefined ? "" : buttonForm(button)
    return actionPage(200, heading, `<p>${text}</p>${form}`, { language })
  }).pipe(
    Effect.catchTags({
      SubscriptionLinkIsInvalid: () =>
        Effect.succeed(actionPage(404, texts.linkNotFound, `<p>${texts.linkExpired}</p>`, { language })),
      RateLimitIsExceeded: ({ status }) => Effect.succeed(tooManyLinksPage(status, texts, language)),
    }),
  )
}

type LinkedPage = (
  texts: StatusPageTexts,
  title: string,
  linked: Linked,
) => { readonly heading: string; readonly text: string; readonly button?: string }

const confirmed: LinkedPage = (texts, title) => ({
  heading: texts.confirmed,
  text: texts.confirmedOf(title),
})

const confirmPage: LinkedPage = (texts, title, linked) =>
  linked.isConfirmed
    ? confirmed(texts, title, linked)
    : { heading: texts.confirm, text: texts.confirmOf(title, linked.kind), button: texts.confirm }

const unsubscribePage: LinkedPage = (texts, title) => ({
  heading: texts.unsubscribe,
  text: texts.unsubscribeOf(title),
  button: texts.unsubscribe,
})

const unsubscribed: LinkedPage = (texts, title) => ({
  heading: texts.unsubscribed,
  text: texts.unsubscribedOf(title),
})

export const subscribeRoutes = [
  { method: "GET", path: subscribePath(":slug"), handler: showForm },
  { method: "POST", path: subscribePath(":slug"), handler: submit },
  { method: "GET", path: confirmSubscriptionPath, handler: respond(findLinkedSubscription, confirmPage) },
  { method: "POST", path: confirmSubscriptionPath, handler: respond(confirmSubscription, confirmed) },
  { method: "GET", path: unsubscribePath, handler: respond(findLinkedSubscription, unsubscribePage) },
  { method: "POST", path: unsubscribePath, handler: respond(unsubscribe, unsubscribed) },
] as const
