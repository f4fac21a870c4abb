import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { compressOnce } from "../frame/ContentCoding.ts"

/** A browser may keep it, and asks whether it is still the same. */
const revalidated = { "cache-control": "private, no-cache" }

/** A response that many requests get: hashed and compressed once. */
export const sharedJson = (bytes: Uint8Array): ApiResponse => ({
  ...withETag(jsonResponse(200, bytes, revalidated)),
  precompressed: compressOnce(bytes, "fast"),
})
