import { findIndicatorState } from "@tocsin/domain"
import type { PolledIndicator } from "@tocsin/domain/adapter"
import { isOwnIndicator, unsupportedText } from "@tocsin/domain/definitions"
import { type IndicatorTest, testIndicator } from "@tocsin/domain/features/data-source"
import type { IndicatorState } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { timeText } from "../frame/TimeText.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { readJson } from "../frame/RequestBody.ts"
import { IndicatorsApi } from "./IndicatorsApi.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"

export const indicatorsRoutes = routesOf(IndicatorsApi, {
  findIndicator: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const name = request.pathParams["sloName"] ?? ""
    const state = yield* findIndicatorState(organization, { project: request.header("project"), name })
    if ("polled" in state) return jsonResponse(200, JSON.stringify(stateToJson(state.polled)))
    if ("unsupported" in state) {
      const { type, source, since } = state.unsupported
      const problem = { reason: "source_unsupported", detail: unsupportedText(type), at: timeText(since) }
      return jsonResponse(200, JSON.stringify({ failures: 0, problem, dataSource: source }))
    }
    const { receivedAt } = state.pushed
    const body = { failures: 0, ...(receivedAt !== undefined && { receivedAt: timeText(receivedAt) }) }
    return jsonResponse(200, JSON.stringify(body))
  }),

  testIndicator: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const test = yield* testIndicator(organization, body, yield* DefinitionOptions)
    return jsonResponse(200, JSON.stringify(testToJson(test)))
  }),
})

const stateToJson = ({
  indicator,
  readTo,
  succeededAt,
  failures,
  problem,
  unavailableSince,
}: IndicatorState): object => ({
  ...(readTo > 0 && { readTo: timeText(readTo) }),
  ...(succeededAt !== undefined && { succeededAt: timeText(succeededAt) }),
  failures,
  ...(problem !== undefined && { problem: { ...problem, at: timeText(problem.at) } }),
  ...(unavailableSince !== undefined && { unavailableSince: timeText(unavailableSince) }),
  ...sourceToJson(indicator),
})

const sourceToJson = (indicator: PolledIndicator): object => {
  if (isOwnIndicator(indicator)) return { dataSource: indicator.source }
  const { dataSource } = indicator.prometheus
  return dataSource === undefined ? {} : { dataSource }
}

const testToJson = ({
  range,
  stepMinutes,
  counts,
  isPerObjective,
  problem,
  warnings,
}: IndicatorTest): object => ({
  from: timeText(range.from),
  to: timeText(range.to),
  stepMinutes,
  counts: counts.map(({ objective, at, good, total }) => ({
    ...(isPerObjective && { objective }),
    timestamp: timeText(at),
    good,
    total,
  })),
  ...(problem !== undefined && { problem }),
  warnings,
})
