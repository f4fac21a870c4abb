import * as Effect from "effect/Effect"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest, IncomingRequest } from "../frame/ApiRequest.ts"
import { sessionLifetimeSeconds } from "@tocsin/domain/limits"

/**
 * Whether the browser uses TLS, according to the base URL, the request or a trusted proxy. Then the cookie is restricted
 * to TLS and to this host.
 */
export const isOverTls = (request: IncomingRequest): Effect.Effect<boolean> =>
  Effect.map(
    ApiOptions,
    ({ baseUrl, trustedProxies }) =>
      baseUrl.startsWith("https://") ||
      request.target.startsWith("https://") ||
      (trustedProxies > 0 && /^https\b/i.test(request.header("x-forwarded-proto") ?? "")),
  )

/**
 * The token of the session in the request's cookie; `undefined` without one.
 *
 * Two cookies count as none: another host of the same site may have set one of them.
 */
export const sessionTokenOf = (request: IncomingRequest): Effect.Effect<string | undefined> =>
  Effect.map(isOverTls(request), (isSecure) => {
    const start = `${cookieName(isSecure)}=`
    const pairs = (request.header("cookie") ?? "").split(";").map((pair) => pair.trim())
    const [token, ...others] = pairs.filter((pair) => pair.startsWith(start))
    return others.length > 0 ? undefined : token?.slice(start.length)
  })

/** The `Set-Cookie` header that stores a session token out of reach of scripts. */
export const sessionCookie = (request: ApiRequest, token: string): Effect.Effect<string> =>
  setCookie(request, token, sessionLifetimeSeconds)

export const clearedSessionCookie = (request: ApiRequest): Effect.Effect<string> => setCookie(request, "", 0)

const setCookie = (request: ApiRequest, value: string, maxAgeSeconds: number): Effect.Effect<string> =>
  Effect.map(
    isOverTls(request),
    (isSecure) =>
      `${cookieName(isSecure)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`,
  )

/** With the prefix, which requires TLS, no other host can set the cookie (RFC 6265bis section 4.1.3). */
const cookieName = (isSecure: boolean): string => (isSecure ? `__Host-${bareName}` : bareName)

const bareName = "tocsin_session"
