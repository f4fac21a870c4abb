import { openApiDocument } from "@tocsin/api/openapi"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { Api, ApiV1 } from "./Api.ts"

/** Whether a route is served. */
export type IsServed = (method: string, path: string) => boolean

/** The OpenAPI documents, as JSON, of the resources that `isServed` says. */
export const documentTexts = {
  current: (isServed: IsServed): string => JSON.stringify(servedDocument(isServed)),
  v1: (isServed: IsServed): string => JSON.stringify(openApiDocument(servedOf(ApiV1, isServed))),
}

/** The OpenAPI document of the current version, of the resources that `isServed` says. */
export const servedDocument = (isServed: IsServed) => openApiDocument(servedOf(Api, isServed))

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
