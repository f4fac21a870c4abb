import { DefinitionStore } from "@tocsin/domain/internal/definition/DefinitionStore"
import { type PublishedPage, readStatusPage } from "@tocsin/domain/internal/status-page/ReadStatusPage"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import {
  statusFeedPath,
  statusPageNotFoundHtml,
  statusPagePath,
  statusPagePolicy,
  statusPageToFeed,
  statusPageToHtml,
} from "./StatusPageHtml.ts"

/**
 * The public status pages (spec/status-pages). They need no credentials, so a slug is read at most once in
 * `statusPageCacheSeconds` by each process, whether it has a page or not.
 */
const statusPageCacheSeconds = 60

/** Most slugs that a process keeps. */
const cachedPagesMax = 1_000

const makeCache = Cache.makeWith(
  // A client that goes away does not end the read that others wait for.
  (slug: string) => Effect.uninterruptible(readStatusPage(slug)),
  {
    capacity: cachedPagesMax,
    requireServicesAt: "lookup",
    timeToLive: (exit) =>
      Exit.isSuccess(exit) || isNotFound(exit) ? `${statusPageCacheSeconds} seconds` : "1 second",
  },
)

const isNotFound = (exit: Exit.Exit<unknown, { readonly _tag: string }>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error._tag === "StatusPageNotFound")

type PageCache = Effect.Success<typeof makeCache>

/** The pages that were read of each store. */
const PageCaches = Context.Reference("@tocsin/adapters-http/internal/status-pages/PageCaches", {
  defaultValue: () => new WeakMap<DefinitionStore["Service"], PageCache>(),
})

const pageOf = Effect.fnUntraced(function* (request: ApiRequest) {
  const store = yield* DefinitionStore
  const caches = yield* PageCaches
  const cache = caches.get(store) ?? (yield* makeCache)
  caches.set(store, cache)
  return yield* Cache.get(cache, request.pathParams["slug"] ?? "")
})

const publicHeaders = {
  "cache-control": `public, max-age=${statusPageCacheSeconds}`,
  "x-content-type-options": "nosniff",
}

const htmlHeaders = {
  ...publicHeaders,
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": statusPagePolicy,
  "referrer-policy": "no-referrer",
}

const htmlOf = (page: PublishedPage): ApiResponse =>
  withETag({ status: 200, headers: htmlHeaders, body: statusPageToHtml(page) })

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
    handler: (request: ApiRequest) =>
      Effect.map(pageOf(request), htmlOf).pipe(
        Effect.catchTag("StatusPageNotFound", (error) =>
          acceptsHtml(request)
            ? Effect.succeed<ApiResponse>({
                status: 404,
                headers: { ...htmlHeaders, vary: "Accept" },
                body: statusPageNotFoundHtml(error.slug),
              })
            : Effect.fail(error),
        ),
      ),
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
] as const
