import { enforceRateLimit } from "@tocsin/domain/rate-limit/RateLimiter"
import {
  consolePolicy,
  findSloPolicy,
  listSlosPolicy,
  listSlosV1Policy,
} from "@tocsin/domain/rate-limit/RateLimitPolicy"
import { findSlo } from "@tocsin/domain/status/FindSlo"
import { listSlos } from "@tocsin/domain/status/ListSlos"
import { pageLinks } from "@tocsin/domain/pagination/Page"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { accessOf } from "../access/RequestAccess.ts"
import { type ApiVersion, SloEncoder } from "./SloJson.ts"
import { queryOf } from "../frame/RequestParameters.ts"
import { StatusApi, StatusV1Api } from "./StatusApi.ts"

const listSlosOf = (version: ApiVersion) => {
  const policy = version === "v2" ? listSlosPolicy : listSlosV1Policy
  const list = `${version}/slos`
  return Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization, isSession } = yield* accessOf(request)
    const rateLimit = yield* enforceRateLimit(organization, isSession ? consolePolicy(policy) : policy)
    const query = queryOf(request, ["limit", "cursor"])
    const { items, limit, next } = yield* listSlos(organization, { list, ...query })
    const links = pageLinks(`/api/${list}`, limit, query.cursor ?? "", next)
    const encoder = yield* SloEncoder
    return jsonResponse(200, encoder.page(items, version, links), rateLimitHeaders(rateLimit))
  })
}

const findSloOf = (version: ApiVersion) =>
  Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization, isSession } = yield* accessOf(request)
    const { findSloPerSecond } = yield* ApiOptions
    const policy = findSloPolicy(findSloPerSecond)
    const rateLimit = yield* enforceRateLimit(organization, isSession ? consolePolicy(policy) : policy)
    const project = request.header("project")
    const found = yield* findSlo(organization, {
      name: request.pathParams["sloName"] ?? "",
      ...(project !== undefined && { project }),
      ...queryOf(request, ["fields", "from", "to"]),
    })
    const encoder = yield* SloEncoder
    return jsonResponse(200, encoder.slo(found, version), rateLimitHeaders(rateLimit))
  })

export const statusRoutes = routesOf(StatusApi, { listSlos: listSlosOf("v2"), findSlo: findSloOf("v2") })

export const statusV1Routes = routesOf(StatusV1Api, {
  listSlosV1: listSlosOf("v1"),
  findSloV1: findSloOf("v1"),
})
