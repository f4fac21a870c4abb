import type { IncomingRequest } from "./ApiRequest.ts"
import { type ApiResponse, emptyResponse } from "./ApiResponse.ts"
import { withVary } from "./Vary.ts"

/** In place of an origin: any. */
export const anyOrigin = "*"

/** How long a browser may use the answer to a preflight request, in seconds. */
export const preflightMaxAgeSeconds = 600

/**
 * The response to a CORS preflight request of an allowed origin, for any path; `undefined` for other requests.
 *
 * Credentials are never allowed: pages of other origins send an access token, not the cookie of a session. For the same
 * reason `X-Tocsin-Console`, with which pages of this server prove themselves, is not among the headers.
 */
export const preflightResponse = (
  request: IncomingRequest,
  origins: ReadonlyArray<string>,
): ApiResponse | undefined =>
  request.method === "OPTIONS" &&
  request.header("access-control-request-method") !== undefined &&
  allowedOrigin(request, origins) !== undefined
    ? emptyResponse(204, {
        "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": `${preflightMaxAgeSeconds}`,
        vary: "access-control-request-method, access-control-request-headers",
      })
    : undefined

/** Allows pages of the request's origin to read a response, if it is one of `origins`. */
export const withCors = (
  request: IncomingRequest,
  origins: ReadonlyArray<string>,
  response: ApiResponse,
): ApiResponse => {
  const headers = origins.includes(anyOrigin) ? response.headers : withVary(response.headers, "origin")
  const allowed = allowedOrigin(request, origins)
  if (allowed === undefined) return { ...response, headers }
  return {
    ...response,
    headers: {
      ...headers,
      "access-control-allow-origin": allowed,
      "access-control-expose-headers": exposedHeaders,
    },
  }
}

/** The value of `Access-Control-Allow-Origin`; `undefined` if the request has no origin or another one. */
export const allowedOrigin = (
  request: IncomingRequest,
  origins: ReadonlyArray<string>,
): string | undefined => {
  const origin = request.header("origin")
  if (origin === undefined) return undefined
  if (origins.includes(anyOrigin)) return anyOrigin
  return origins.includes(origin) ? origin : undefined
}

/** The headers that the API reads, other than those that need no permission. */
const allowedHeaders = [
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match",
  "Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Organization, Project",
].join(", ")

/** The headers of responses that clients use, other than those that need no permission. */
const exposedHeaders =
  "Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, Trace-Id, WWW-Authenticate"
