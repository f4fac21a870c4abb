import { createHash } from "node:crypto"
import { emptyResponse, type ApiResponse } from "./ApiResponse.ts"
import type { ApiRequest } from "./ApiRequest.ts"

/** The answer with an `ETag` of its body. Source: RFC 9110 section 8.8.3. */
export const withETag = (answer: ApiResponse): ApiResponse => {
  const hash = createHash("sha256").update(answer.body).digest("base64url")
  return { ...answer, headers: { ...answer.headers, etag: `"${hash.slice(0, 22)}"` } }
}

/**
 * The answer, or 304 without its body when the request has one with that `ETag` already.
 *
 * Source: RFC 9110 sections 13.1.2 and 15.4.5.
 */
export const conditionalResponse = (request: ApiRequest, answer: ApiResponse): ApiResponse => {
  const known = request.header("if-none-match")?.split(",") ?? []
  return known.some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === answer.headers["etag"])
    ? emptyResponse(304, answer.headers)
    : answer
}
