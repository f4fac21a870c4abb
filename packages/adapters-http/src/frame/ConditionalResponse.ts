import { createHash } from "node:crypto"
import { addHeaders, emptyResponse, type ApiResponse } from "./ApiResponse.ts"
import type { IncomingRequest } from "./ApiRequest.ts"

/** Adds an `ETag` of the body (RFC 9110 section 8.8.3). The dispatch sends 304 to a client that has it. */
export const withETag = (response: ApiResponse): ApiResponse => {
  const hash = createHash("sha256").update(response.body).digest("base64url")
  return addHeaders(response, { etag: `"${hash.slice(0, 22)}"` })
}

/** The response, or 304 when the `If-None-Match` of a read has its `ETag` (RFC 9110 sections 13.1.2 and 15.4.5). */
export const conditionalResponse = (request: IncomingRequest, response: ApiResponse): ApiResponse => {
  const { etag } = response.headers
  if (etag === undefined || response.status !== 200) return response
  if (request.method !== "GET" && request.method !== "HEAD") return response
  const known = request.header("if-none-match")?.split(",") ?? []
  return known.some((tag) => tag.trim() === "*" || opaque(tag) === opaque(etag))
    ? emptyResponse(304, response.headers)
    : response
}

/** Weak comparison ignores whether a tag is weak (section 8.8.3.2). */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, "")
