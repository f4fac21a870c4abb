import {
  type BudgetForecast,
  findSloForecast,
  findSloSeries,
  type MetricSeries,
  recordCountBatch,
  recordCounts,
  type SloForecast,
  workFor,
} from "@tocsin/domain"
import { entriesPerPart } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { enforceRateLimit } from "@tocsin/domain/ports"
import { seriesPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { CountsApi } from "./CountsApi.ts"
import { timeText } from "../frame/TimeText.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { readJson } from "../frame/RequestBody.ts"
import { queryOf } from "../frame/RequestParameters.ts"

export const countsRoutes = routesOf(CountsApi, {
  recordCounts: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const project = request.header("project")
    const name = request.pathParams["sloName"] ?? ""
    yield* recordCounts(organization, { name, body, ...(project !== undefined && { project }) }).pipe(
      asLongList(organization, body),
    )
    return emptyResponse(204)
  }),
  recordCountBatch: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    yield* recordCountBatch(organization, body).pipe(asLongList(organization, body))
    return emptyResponse(204)
  }),
  readSeries: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const rateLimit = yield* enforceRateLimit(organization, seriesPolicy)
    const { from, to, step, objectives, composite } = yield* findSloSeries(organization, {
      project: request.header("project"),
      name: request.pathParams["sloName"] ?? "",
      ...queryOf(request, ["from", "to", "step", "range"]),
    })
    const body = {
      from: timeText(from),
      to: timeText(to),
      step,
      objectives: objectives.map(metricsToJson),
      ...(composite !== undefined && { composite: metricsToJson(composite) }),
    }
    return jsonResponse(200, JSON.stringify(body), rateLimitHeaders(rateLimit))
  }),
  readForecast: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const rateLimit = yield* enforceRateLimit(organization, seriesPolicy)
    const forecast = yield* findSloForecast(organization, {
      project: request.header("project"),
      name: request.pathParams["sloName"] ?? "",
    })
    return jsonResponse(200, JSON.stringify(forecastToJson(forecast)), rateLimitHeaders(rateLimit))
  }),
})

/** A list that is decoded in several parts shares the processor; a short one, as most are, waits for nobody. */
const asLongList = (organization: OrganizationId, body: unknown): ReturnType<typeof workFor> =>
  Array.isArray(body) && body.length > entriesPerPart ? workFor(organization) : (work) => work

const metricsToJson = ({ latestAt, ...series }: MetricSeries): object => ({
  ...series,
  ...(latestAt !== undefined && { latestAt: timeText(latestAt) }),
})

export const forecastToJson = ({ asOf, objectives, composite }: SloForecast): object => ({
  asOf: timeText(asOf),
  objectives: objectives.map(({ name, ...forecast }) => ({ name, ...budgetToJson(forecast) })),
  ...(composite !== undefined && { composite: budgetToJson(composite) }),
})

const budgetToJson = ({ outlook, exhaustedAt, earliestAt, latestAt }: BudgetForecast) => ({
  ...(outlook !== undefined && { outlook }),
  ...(exhaustedAt !== undefined && { exhaustedAt: timeText(exhaustedAt) }),
  ...(earliestAt !== undefined && { earliestAt: timeText(earliestAt) }),
  ...(latestAt !== undefined && { latestAt: timeText(latestAt) }),
})
