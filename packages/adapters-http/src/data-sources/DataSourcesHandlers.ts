import { testDataSource } from "@tocsin/domain/data-source/TestDataSource"
import * as Effect from "effect/Effect"
import { accessWithRole } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { projectOf } from "../frame/RequestParameters.ts"
import { DataSourcesApi } from "./DataSourcesApi.ts"

export const dataSourcesRoutes = routesOf(DataSourcesApi, {
  testDataSource: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const key = { project: projectOf(request), name: request.pathParams["name"] ?? "" }
    return jsonResponse(200, JSON.stringify(yield* testDataSource(organization, key)))
  }),
})
