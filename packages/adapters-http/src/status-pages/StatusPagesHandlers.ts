import { statusPageSubscriptions } from "@tocsin/api"
import {
  deleteSubscription,
  listSubscriptions,
  type PublishedPage,
  statusPagePath,
} from "@tocsin/domain/features/status-page"
import { reveal } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { withVary } from "../frame/Vary.ts"
import {
  statusFeedPath,
  statusPageNotFoundHtml,
  statusPagePolicy,
  statusPageToFeed,
  statusPageToHtml,
} from "./StatusPageHtml.ts"
import { serve } from "../serve/Serve.ts"
import { subscribeRoutes } from "./SubscribePages.ts"
import { statusPageCacheSeconds, statusPageOf } from "./StatusPages.ts"
import { requestedTexts, type StatusPageTexts } from "./StatusPageTexts.ts"

const pageOf = (request: ApiRequest) => statusPageOf(request.pathParams["slug"] ?? "")

const publicHeaders = {
  "cache-control": `public, max-age=${statusPageCacheSeconds}`,
  "x-content-type-options": "nosniff",
}

const htmlHeaders = ({ language }: StatusPageTexts) => ({
  ...publicHeaders,
  "content-type": "text/html; charset=utf-8",
  "content-language": language,
  vary: "accept-language",
  "content-security-policy": statusPagePolicy,
  "referrer-policy": "no-referrer",
})

const htmlOf = (page: PublishedPage, texts: StatusPageTexts): ApiResponse =>
  withETag({ status: 200, headers: htmlHeaders(texts), body: statusPageToHtml(page, texts) })

const acceptsHtml = (request: ApiRequest): boolean => request.header("accept")?.includes("text/html") === true

const feedOf = (page: PublishedPage, baseUrl: string): ApiResponse =>
  withETag({
    status: 200,
    headers: { ...publicHeaders, "content-type": "application/rss+xml; charset=utf-8" },
    body: statusPageToFeed(page, baseUrl),
  })

export const statusPagesRoutes = [
  {
    method: "GET",
    path: statusPagePath(":slug"),
    handler: (request: ApiRequest) => {
      const texts = requestedTexts(request)
      return Effect.map(pageOf(request), (page) => htmlOf(page, texts)).pipe(
        Effect.catchTag("StatusPageNotFound", (error) =>
          acceptsHtml(request)
            ? Effect.succeed<ApiResponse>({
                status: 404,
                headers: withVary(htmlHeaders(texts), "accept"),
                body: statusPageNotFoundHtml(error.slug, texts),
              })
            : Effect.fail(error),
        ),
      )
    },
  },
  {
    method: "GET",
    path: statusFeedPath(":slug"),
    handler: (request: ApiRequest) =>
      Effect.gen(function* () {
        const { baseUrl } = yield* ApiOptions
        return feedOf(yield* pageOf(request), baseUrl)
      }),
  },
  ...subscribeRoutes,
  ...serve(statusPageSubscriptions, {
    listStatusPageSubscriptions: ({ organization, page, ...filter }) =>
      Effect.map(listSubscriptions(organization, { ...page, ...filter }), ({ items, ...rest }) => ({
        ...rest,
        items: items.map(({ contact, kind, ...subscription }) => ({
          ...subscription,
          kind,
          contact: kind === "email" ? reveal(contact) : new URL(reveal(contact)).host,
        })),
      })),
    deleteStatusPageSubscription: ({ organization, id }) => deleteSubscription(organization, id),
  }),
] as const
