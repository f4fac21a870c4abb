import { findSlo, listSlos } from "@tocsin/domain"
import { pageLinks } from "@tocsin/domain/pagination"
import { enforceRateLimit } from "@tocsin/domain/ports"
import { consolePolicy, findSloPolicy, listSlosPolicy, listSlosV1Policy } from "@tocsin/domain/rate-limit"
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

/** The most frequent request: without generators. */
const findSloOf = (version: ApiVersion) => (request: ApiRequest) =>
  Effect.flatMap(accessOf(request), ({ organization, isSession }) =>
    Effect.withFiber((fiber) => {
      const policy = findSloPolicy(fiber.getRef(ApiOptions).findSloPerSecond)
      return Effect.flatMap(
        enforceRateLimit(organization, isSession ? consolePolicy(policy) : policy),
        (rateLimit) => {
          const query = queryOf(request, ["fields", "from", "to"])
          const key = { name: request.pathParams["sloName"] ?? "", project: request.header("project") ?? "" }
          return Effect.map(findSlo(organization, { ...key, ...query }), (found) =>
            jsonResponse(200, fiber.getRef(SloEncoder).slo(found, version), rateLimitHeaders(rateLimit)),
          )
        },
      )
    }),
  )

export const statusRoutes = routesOf(StatusApi, { listSlos: listSlosOf("v2"), findSlo: findSloOf("v2") })

export const statusV1Routes = routesOf(StatusV1Api, {
  listSlosV1: listSlosOf("v1"),
  findSloV1: findSloOf("v1"),
})
