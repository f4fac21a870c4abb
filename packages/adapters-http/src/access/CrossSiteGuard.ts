import { TaggedError } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import { ConsoleOptions } from "../console-files/ConsoleFiles.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { PathNotFound } from "../frame/ApiRouter.ts"
import { allowedOrigin } from "../frame/Cors.ts"
import { isOverTls } from "./SessionCookie.ts"

/**
 * Rejects requests with a session cookie from pages of other sites, as browsers send cookies with those, too.
 *
 * A write must have `X-Tocsin-Console: 1`, which pages of other origins cannot send. `Sec-Fetch-Site`, if present, must be
 * `same-origin`, or for a read `none` (an address that a person typed); `Origin` must be that of the base URL, or have the
 * host of the request.
 *
 * Fails with `RequestIsCrossSite`.
 */
export const rejectCrossSite = (request: ApiRequest): Effect.Effect<void, RequestIsCrossSite> =>
  Effect.gen(function* () {
    const { baseUrl } = yield* ApiOptions
    const isSecure = yield* isOverTls(request)
    const isRead = request.method === "GET" || request.method === "HEAD"
    const site = request.header("sec-fetch-site")
    const origin = request.header("origin")
    const isSameSite =
      (isRead || request.header("x-tocsin-console") === "1") &&
      (site === undefined || site === "same-origin" || (isRead && site === "none")) &&
      (origin === undefined || isOwnOrigin(origin, { baseUrl, host: request.header("host"), isSecure }))
    if (!isSameSite) return yield* new RequestIsCrossSite()
  })

/**
 * Rejects every request where the web console is not served, and writes from pages of other sites, which could sign a person in to
 * an organization of their own.
 *
 * Fails with `PathNotFound` and `RequestIsCrossSite`.
 */
export const fromConsole = Effect.fnUntraced(function* (request: ApiRequest) {
  const { files } = yield* ConsoleOptions
  if (files === undefined) return yield* new PathNotFound()
  if (request.method !== "GET" && request.method !== "HEAD") yield* rejectCrossSite(request)
  return undefined
})

/**
 * Rejects requests from pages of other origins than that of the base URL and those of `ApiOptions.corsOrigins`, also those of
 * the host that the request names, as it may be a name that others resolve to this server. Requests without `Origin` are not from
 * a page.
 *
 * Fails with `OriginIsForeign`.
 */
export const rejectForeignOrigin = (request: ApiRequest): Effect.Effect<void, OriginIsForeign> =>
  Effect.flatMap(ApiOptions, ({ baseUrl, corsOrigins }) => {
    const origin = request.header("origin")
    const isAllowed =
      origin === undefined ||
      allowedOrigin(request, corsOrigins) !== undefined ||
      (URL.canParse(baseUrl) && new URL(baseUrl).origin === origin)
    return isAllowed ? Effect.void : Effect.fail(new OriginIsForeign())
  })

/** A request comes from a page of an origin that may not call the server. */
export class OriginIsForeign extends TaggedError("OriginIsForeign") {}

/** A request with a session cookie does not come from a page of this server. */
export class RequestIsCrossSite extends TaggedError("RequestIsCrossSite") {}

const isOwnOrigin = (
  origin: string,
  own: { readonly baseUrl: string; readonly host: string | undefined; readonly isSecure: boolean },
): boolean => {
  if (!URL.canParse(origin)) return false
  if (URL.canParse(own.baseUrl) && new URL(own.baseUrl).origin === origin) return true
  const { host, protocol } = new URL(origin)
  // A page loaded without TLS may have been modified on the way.
  return (
    host === own.host?.toLowerCase() && (protocol === "https:" || (protocol === "http:" && !own.isSecure))
  )
}
