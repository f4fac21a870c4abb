import { createHash } from "node:crypto"
import { emptyResponse, type ApiResponse } from "./ApiResponse.ts"
import type { ApiRequest } from "./ApiRequest.ts"

/** Adds an `ETag` of the body (RFC 9110 section 8.8.3). */
export const withETag = (response: ApiResponse): ApiResponse => {
  const hash = createHash("sha256").update(response.body).digest("base64url")
  return { ...response, headers: { ...response.headers, etag: `"${hash.slice(0, 22)}"` } }
}

/** The response, or 304 when `If-None-Match` has its `ETag` (RFC 9110 sections 13.1.2 and 15.4.5). */
export const conditionalResponse = (request: ApiRequest, response: ApiResponse): ApiResponse => {
  const known = request.header("if-none-match")?.split(",") ?? []
  return known.some(
    (tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === response.headers["etag"],
  )
    ? emptyResponse(304, response.headers)
    : response
}
