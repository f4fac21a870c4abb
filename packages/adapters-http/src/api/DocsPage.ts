import * as Context from "effect/Context"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { compressOnce } from "../frame/ContentCoding.ts"
import { memoize } from "../frame/Memoize.ts"
import type { IsServed } from "./OpenApiDocuments.ts"

/** What a host with an API reference has. */
export interface ApiReference {
  /** Renders the page at `/docs`, of the resources that `isServed` says. */
  readonly page: (isServed: IsServed) => Promise<ApiResponse>
  /** A response for the whole API that was written to a file before the program started, by its path; `undefined` if there is none. */
  readonly written: (path: string) => Promise<ApiResponse | undefined>
}

/** The API reference. A host has none unless it provides `ReferencePage.layer`. */
export const DocsPage = Context.Reference<ApiReference | undefined>(
  "@tocsin/adapters-http/internal/api/DocsPage",
  { defaultValue: () => undefined },
)

/** A response that is read or made, tagged and compressed when it is first needed. */
export const servedOnce = <A>(
  make: (reference: A) => Promise<ApiResponse>,
): ((reference: A) => Promise<ApiResponse>) =>
  memoize((reference) => make(reference).then(withETag).then(compressedOnce))

const compressedOnce = (response: ApiResponse): ApiResponse => ({
  ...response,
  precompressed: compressOnce(Buffer.from(response.body)),
})
