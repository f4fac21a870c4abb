import * as Layer from "effect/Layer"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { DocsPage } from "../api/DocsPage.ts"
import type { IsServed } from "../api/OpenApiDocuments.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"

/** Rendered, with the OpenAPI document, only when someone opens it. */
const page = async (isServed: IsServed): Promise<ApiResponse> =>
  (await import("./ReferenceHtml.ts")).renderPage(isServed)

/** Serves the API reference as a page. */
export const layer: Layer.Layer<never> = Layer.succeed(DocsPage, {
  page,
  written: () => Promise.resolve(undefined),
})

/**
 * Serves the API reference and the OpenAPI documents from the files that were written when the program was built, one for
 * each path, such as `docs.json` with the `headers` and the `body` of the response. What has no file is made when it is
 * first requested, which takes some tenths of a second of processor time.
 */
export const layerOf = (directory: string): Layer.Layer<never> =>
  Layer.succeed(DocsPage, {
    page,
    written: async (path) => {
      const name = path.slice(1).replace(/(\.json)?$/, ".json")
      try {
        const { headers, body } = JSON.parse(await readFile(join(directory, name), "utf8")) as WrittenResponse
        return { status: 200, headers, body }
      } catch {
        return undefined
      }
    },
  })

interface WrittenResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
