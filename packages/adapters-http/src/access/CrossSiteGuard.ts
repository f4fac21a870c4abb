import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { isOverTls } from "./SessionCookie.ts"

/**
 * Lets a request through whose cookie a page of this server sent, and no other: a browser sends cookies whichever site makes
 * it ask.
 *
 * What changes something carries `X-Tocsin-Console: 1`, which no page of another origin can send without our leave.
 * Other headers from the browser must agree: `Sec-Fetch-Site` says `same-origin`, or for a read `none`, as when somebody
 * types the address; `Origin` is the base address's, or has the host of the request.
 *
 * Fails with `RequestIsCrossSite`.
 */
export const refuseCrossSite = (request: ApiRequest): Effect.Effect<void, RequestIsCrossSite> =>
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

/** A request with the session's cookie does not come from a page of this server. */
export class RequestIsCrossSite extends Data.TaggedError("RequestIsCrossSite") {}

const isOwnOrigin = (
  origin: string,
  own: { readonly baseUrl: string; readonly host: string | undefined; readonly isSecure: boolean },
): boolean => {
  if (!URL.canParse(origin)) return false
  if (URL.canParse(own.baseUrl) && new URL(own.baseUrl).origin === origin) return true
  const { host, protocol } = new URL(origin)
  // A page that came without TLS may have been written by anybody on the way.
  return (
    host === own.host?.toLowerCase() && (protocol === "https:" || (protocol === "http:" && !own.isSecure))
  )
}
