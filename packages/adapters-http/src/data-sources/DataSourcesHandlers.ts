import { definitionToJson } from "@tocsin/domain"
import {
  findDataSource,
  listDataSources,
  type ListedDataSource,
  testDataSource,
  testProposedSource,
} from "@tocsin/domain/features/data-source"
import type { ProjectKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { costly, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { readJson } from "../frame/RequestBody.ts"
import { filteredLinks, projectOf, queryOf } from "../frame/RequestParameters.ts"
import { timeText } from "../frame/TimeText.ts"
import { DataSourcesApi } from "./DataSourcesApi.ts"

export const dataSourcesRoutes = routesOf(DataSourcesApi, {
  listDataSources: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const query = queryOf(request, ["limit", "cursor", "project"])
    const { dataSources, ...page } = yield* listDataSources(organization, query).pipe(
      costly(organization, costlyReadsPolicy, stateUnits),
    )
    const { vendorPrefix } = yield* DefinitionOptions
    const data = dataSources.map((each) => statusToJson(each, vendorPrefix))
    const links = filteredLinks(request, "/api/datasources", ["project"], page)
    return jsonResponse(200, JSON.stringify({ data, links }))
  }),

  findDataSource: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const found = yield* findDataSource(organization, keyOf(request)).pipe(
      costly(organization, costlyReadsPolicy, stateUnits),
    )
    const { vendorPrefix } = yield* DefinitionOptions
    return jsonResponse(200, JSON.stringify(statusToJson(found, vendorPrefix)))
  }),

  testDataSource: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    return jsonResponse(200, JSON.stringify(yield* testDataSource(organization, keyOf(request))))
  }),

  testProposedDataSource: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const test = yield* testProposedSource(organization, body, yield* DefinitionOptions)
    return jsonResponse(200, JSON.stringify(test))
  }),
})

/** Units of costly requests for which the state of data sources counts; it is derived from all of their SLOs. */
const stateUnits = 1

const keyOf = (request: ApiRequest): ProjectKey => ({
  project: projectOf(request),
  name: request.pathParams["name"] ?? "",
})

const statusToJson = ({ definition, state, reading }: ListedDataSource, vendorPrefix: string): object => {
  const { slos, succeededAt, unavailableSince, problem, affected, affectedSlos } = reading
  return {
    definition: definitionToJson(definition, vendorPrefix),
    state,
    sloCount: slos,
    ...(succeededAt !== undefined && { succeededAt: timeText(succeededAt) }),
    ...(unavailableSince !== undefined && { unavailableSince: timeText(unavailableSince) }),
    ...(problem !== undefined && { problem: { ...problem, at: timeText(problem.at) } }),
    affectedSloCount: affected,
    affectedSlos,
  }
}
