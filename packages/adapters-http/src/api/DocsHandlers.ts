import * as Effect from "effect/Effect"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import { type ApiRoute, PathNotFound } from "../frame/ApiRouter.ts"
import { DocsPage, servedOnce } from "./DocsPage.ts"
import type { IsServed } from "./OpenApiDocuments.ts"

type Documents = ReadonlyArray<readonly [path: string, response: ReturnType<typeof servedOnce>]>

const documentNames = [
  ["/openapi.json", "current"],
  ["/openapi-v1.json", "v1"],
] as const

/** The OpenAPI documents, of the resources that `isServed` says. What describes them is loaded when one is requested. */
const documentsOf = (isServed: IsServed | undefined): Documents =>
  documentNames.map(([path, name]) => [
    path,
    servedOnce(async (reference) => {
      // Files have the documents of the whole API.
      const written = isServed === undefined ? await reference?.written(path) : undefined
      if (written !== undefined) return written
      const { documentTexts } = await import("./OpenApiDocuments.ts")
      return jsonResponse(200, documentTexts[name](isServed ?? (() => true)), { "cache-control": "no-cache" })
    }),
  ])

const page = servedOnce(
  async (reference): Promise<ApiResponse> =>
    (await reference?.written("/docs")) ?? (await (reference?.page() ?? Promise.reject(new PathNotFound()))),
)

const routesOf = (documents: Documents): ReadonlyArray<ApiRoute<PathNotFound, never>> => [
  ...documents.map(([path, response]) => ({
    method: "GET",
    path,
    handler: () => Effect.flatMap(DocsPage, (reference) => Effect.promise(() => response(reference))),
  })),
  {
    method: "GET",
    path: "/docs",
    handler: () =>
      Effect.flatMap(DocsPage, (reference) =>
        reference === undefined ? Effect.fail(new PathNotFound()) : Effect.promise(() => page(reference)),
      ),
  },
]

/** The documents of the whole API, which are the same for every host. */
export const docsRoutes = routesOf(documentsOf(undefined))

/** The documents of an API with these routes: a resource without routes is not in them. */
export const docsRoutesOf = (routes: ReadonlyArray<{ readonly method: string; readonly path: string }>) => {
  const served = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  return routesOf(documentsOf((method, path) => served.has(`${method} ${path}`)))
}
