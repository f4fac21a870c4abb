import { findIndicator, type IndicatorState } from "@tocsin/domain/data-source/IndicatorStore"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { timeText } from "../frame/TimeText.ts"
import { IndicatorsApi } from "./IndicatorsApi.ts"
import { accessOf } from "../access/RequestAccess.ts"

export const indicatorsRoutes = routesOf(IndicatorsApi, {
  findIndicator: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const name = request.pathParams["sloName"] ?? ""
    const state = yield* findIndicator(organization, { project: request.header("project"), name })
    return jsonResponse(200, JSON.stringify(stateToJson(state)))
  }),
})

const stateToJson = ({ readTo, succeededAt, failures, problem }: IndicatorState): object => ({
  ...(readTo > 0 && { readTo: timeText(readTo) }),
  ...(succeededAt !== undefined && { succeededAt: timeText(succeededAt) }),
  failures,
  ...(problem !== undefined && { problem: { ...problem, at: timeText(problem.at) } }),
})
