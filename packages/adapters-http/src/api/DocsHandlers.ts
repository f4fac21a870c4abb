import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { type ApiRoute, PathNotFound } from "../frame/ApiRouter.ts"
import { type ApiReference, DocsPage, servedOnce } from "./DocsPage.ts"
import type { IsServed } from "./OpenApiDocuments.ts"

const documents = [
  ["/openapi.json", "current"],
  ["/openapi-v1.json", "v1"],
] as const

/**
 * The OpenAPI documents and the API reference of the resources that `isServed` says; `undefined`: of the whole API, which files
 * have. What describes them is loaded when one is requested.
 */
const routesOf = (isServed: IsServed | undefined): ReadonlyArray<ApiRoute<PathNotFound, never>> => {
  const served = isServed ?? (() => true)
  const writtenOf = async (reference: ApiReference | undefined, path: string) =>
    isServed === undefined ? await reference?.written(path) : undefined

  const documentRoutes = documents.map(([path, name]) => {
    const document = servedOnce(async (reference: ApiReference | undefined) => {
      const written = await writtenOf(reference, path)
      if (written !== undefined) return written
      const { documentTexts } = await import("./OpenApiDocuments.ts")
      return jsonResponse(200, documentTexts[name](served), { "cache-control": "no-cache" })
    })
    return {
      method: "GET",
      path,
      handler: () => Effect.flatMap(DocsPage, (reference) => Effect.promise(() => document(reference))),
    }
  })
  const page = servedOnce(
    async (reference: ApiReference) =>
      (await writtenOf(reference, "/docs")) ?? (await reference.page(served)),
  )
  return [
    ...documentRoutes,
    {
      method: "GET",
      path: "/docs",
      handler: () =>
        Effect.flatMap(DocsPage, (reference) =>
          reference === undefined ? Effect.fail(new PathNotFound()) : Effect.promise(() => page(reference)),
        ),
    },
  ]
}

/** The documents of the whole API, which are the same for every host. */
export const docsRoutes = routesOf(undefined)

/** The documents of an API with these routes: a resource without routes is not in them. */
export const docsRoutesOf = (routes: ReadonlyArray<{ readonly method: string; readonly path: string }>) => {
  const served = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  return routesOf((method, path) => served.has(`${method} ${path}`))
}
