import { openApiDocument } from "@tocsin/api/openapi"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { Api, ApiV1 } from "./Api.ts"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import { type ApiRoute, PathNotFound } from "../frame/ApiRouter.ts"
import { DocsPage, servedOnce } from "./DocsPage.ts"

const revalidated = { "cache-control": "no-cache" }

type IsServed = (method: string, path: string) => boolean

type Documents = ReadonlyArray<readonly [path: string, response: () => Promise<ApiResponse>]>

/** The OpenAPI documents, of the resources that `isServed` says. */
const documentsOf = (isServed: IsServed): Documents => {
  const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
    api: HttpApi.HttpApi<Id, Groups>,
  ) =>
    servedOnce(async () =>
      jsonResponse(200, JSON.stringify(openApiDocument(servedOf(api, isServed))), revalidated),
    )
  return [
    ["/openapi.json", documentOf(Api)],
    ["/openapi-v1.json", documentOf(ApiV1)],
  ]
}

/** The API with the groups of which an endpoint is served. */
const servedOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  isServed: IsServed,
) => {
  const all = Object.values(api.groups) as ReadonlyArray<HttpApiGroup.Top>
  const groups = all.filter(({ endpoints }) =>
    Object.values(endpoints).some(({ method, path }) => isServed(method, path)),
  )
  return HttpApi.make(api.identifier)
    .annotateMerge(api.annotations)
    .add(...(groups as [HttpApiGroup.Top]))
}

const completeDocuments = documentsOf(() => true)

const routesOf = (documents: Documents): ReadonlyArray<ApiRoute<PathNotFound, never>> => [
  ...documents.map(([path, response]) => ({ method: "GET", path, handler: () => Effect.promise(response) })),
  {
    method: "GET",
    path: "/docs",
    handler: () =>
      Effect.flatMap(DocsPage, ({ page }) =>
        page === undefined ? Effect.fail(new PathNotFound()) : Effect.promise(page),
      ),
  },
]

/** The documents of the whole API, which are the same for every host. */
export const docsRoutes = routesOf(completeDocuments)

/** The documents of an API with these routes: a resource without routes is not in them. */
export const docsRoutesOf = (routes: ReadonlyArray<{ readonly method: string; readonly path: string }>) => {
  const served = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  return routesOf(documentsOf((method, path) => served.has(`${method} ${path}`)))
}

/**
 * Makes the responses before anyone requests them: together they take some tenths of a second of processor time. Lets
 * requests run between them.
 */
export const prepareDocs: Effect.Effect<void> = Effect.flatMap(DocsPage, ({ page }) =>
  Effect.forEach(
    [...completeDocuments.map(([, response]) => response), ...(page === undefined ? [] : [page])],
    (response) => Effect.andThen(Effect.promise(response), Effect.yieldNow),
    { discard: true },
  ),
)
