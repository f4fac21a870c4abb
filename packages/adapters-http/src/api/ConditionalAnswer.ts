import { createHash } from "node:crypto"
import { emptyAnswer, type ApiAnswer } from "./ApiAnswer.ts"
import type { ApiRequest } from "./ApiRequest.ts"

/**
 * The answer with an `ETag` of its body, or 304 without the body when the request has it already.
 *
 * Source: RFC 9110 sections 8.8.3, 13.1.2 and 15.4.5; decision 0401.
 */
export const withETag = (request: ApiRequest, answer: ApiAnswer): ApiAnswer => {
  const etag = `"${createHash("sha256").update(answer.body).digest("base64url").slice(0, 22)}"`
  const headers = { ...answer.headers, etag }
  const known = request.header("if-none-match")?.split(",") ?? []
  return known.some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag)
    ? emptyAnswer(304, headers)
    : { ...answer, headers }
}
