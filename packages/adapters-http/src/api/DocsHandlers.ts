import { openApiDocument } from "@tocsin/api/openapi"
import * as Effect from "effect/Effect"
import { Api, ApiV1 } from "./Api.ts"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import { type ApiRoute, PathNotFound } from "../frame/ApiRouter.ts"
import { DocsPage, servedOnce } from "./DocsPage.ts"

const revalidated = { "cache-control": "no-cache" }

const documents: ReadonlyArray<readonly [path: string, response: () => Promise<ApiResponse>]> = [
  [
    "/openapi.json",
    servedOnce(async () => jsonResponse(200, JSON.stringify(openApiDocument(Api)), revalidated)),
  ],
  [
    "/openapi-v1.json",
    servedOnce(async () => jsonResponse(200, JSON.stringify(openApiDocument(ApiV1)), revalidated)),
  ],
]

const documentRoutes: ReadonlyArray<ApiRoute<never, never>> = documents.map(([path, response]) => ({
  method: "GET",
  path,
  handler: () => Effect.promise(response),
}))

export const docsRoutes: ReadonlyArray<ApiRoute<PathNotFound, never>> = [
  ...documentRoutes,
  {
    method: "GET",
    path: "/docs",
    handler: () =>
      Effect.flatMap(DocsPage, ({ page }) =>
        page === undefined ? Effect.fail(new PathNotFound()) : Effect.promise(page),
      ),
  },
]

/**
 * Makes the responses before anyone requests them: together they take some tenths of a second of processor time. Lets
 * requests run between them.
 */
export const prepareDocs: Effect.Effect<void> = Effect.flatMap(DocsPage, ({ page }) =>
  Effect.forEach(
    [...documents.map(([, response]) => response), ...(page === undefined ? [] : [page])],
    (response) => Effect.andThen(Effect.promise(response), Effect.yieldNow),
    { discard: true },
  ),
)
