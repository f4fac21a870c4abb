import * as Context from "effect/Context"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { compressOnce } from "../frame/ContentCoding.ts"
import { memoize } from "../frame/Memoize.ts"

/** The page of the API reference at `/docs`. A host has none unless it provides `ReferencePage.layer`. */
export const DocsPage = Context.Reference<{ readonly page: (() => Promise<ApiResponse>) | undefined }>(
  "@tocsin/adapters-http/internal/api/DocsPage",
  { defaultValue: () => ({ page: undefined }) },
)

/** A response that is made, tagged and compressed when it is first needed. */
export const servedOnce = (make: () => Promise<ApiResponse>): (() => Promise<ApiResponse>) =>
  memoize(() => make().then(withETag).then(compressedOnce))

const compressedOnce = (response: ApiResponse): ApiResponse => ({
  ...response,
  precompressed: compressOnce(Buffer.from(response.body)),
})
