import { enforceRateLimit } from "@tocsin/domain/rate-limit/EnforceRateLimit"
import { seriesPolicy } from "@tocsin/domain/rate-limit/RateLimitPolicy"
import { recordCountBatch } from "@tocsin/domain/slo/RecordCountBatch"
import { recordCounts } from "@tocsin/domain/slo/RecordCounts"
import { findSloSeries } from "@tocsin/domain/slo/SloSeries"
import * as Effect from "effect/Effect"
import { emptyAnswer, jsonAnswer } from "./ApiAnswer.ts"
import type { ApiRequest } from "./ApiRequest.ts"
import { routesOf } from "./ApiRouter.ts"
import { CountsApi } from "./CountsApi.ts"
import { timeText } from "./DeliveryJson.ts"
import { rateLimitHeaders } from "./RateLimitHeaders.ts"
import { accessOf, accessWithRole } from "./RequestAccess.ts"
import { readJson } from "./RequestBody.ts"
import { queryOf } from "./RequestQuery.ts"

/** Answers how counts come in, and how they went. Source: decisions 0603, 0608 and 0707. */
export const countsRoutes = routesOf(CountsApi, {
  recordCounts: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const project = request.header("project")
    const name = request.pathParams["sloName"] ?? ""
    yield* recordCounts(organization, { name, body, ...(project !== undefined && { project }) })
    return emptyAnswer(204)
  }),
  recordCountBatch: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    yield* recordCountBatch(organization, yield* readJson(request))
    return emptyAnswer(204)
  }),
  readSeries: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const rateLimit = yield* enforceRateLimit(organization, seriesPolicy)
    const { from, to, ...series } = yield* findSloSeries(organization, {
      project: request.header("project"),
      name: request.pathParams["sloName"] ?? "",
      ...queryOf(request, ["from", "to", "step"]),
    })
    const told = { from: timeText(from), to: timeText(to), ...series }
    return jsonAnswer(200, JSON.stringify(told), rateLimitHeaders(rateLimit))
  }),
})
