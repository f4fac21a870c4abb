import {
  cancelReplay,
  findReplay,
  replayPercent,
  resumeReplay,
  startReplay,
} from "@tocsin/domain/features/data-source"
import type { Replay } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { readJson } from "../frame/RequestBody.ts"
import { timeText } from "../frame/TimeText.ts"
import { ReplaysApi } from "./ReplaysApi.ts"

export const replaysRoutes = routesOf(ReplaysApi, {
  startReplay: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    return replayResponse(202, yield* startReplay(organization, sloOf(request), body))
  }),
  findReplay: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    return replayResponse(200, yield* findReplay(organization, sloOf(request)))
  }),
  cancelReplay: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    return replayResponse(200, yield* cancelReplay(organization, sloOf(request)))
  }),
  resumeReplay: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    return replayResponse(202, yield* resumeReplay(organization, sloOf(request)))
  }),
})

const sloOf = (request: ApiRequest) => ({
  project: request.header("project"),
  name: request.pathParams["sloName"] ?? "",
})

const replayResponse = (status: number, replay: Replay) => {
  const { range, state, reason, readTo, firstAt, failures, problem, startedAt, endedAt } = replay
  return jsonResponse(
    status,
    JSON.stringify({
      from: timeText(range.from),
      to: timeText(range.to),
      state,
      ...(reason !== undefined && { reason }),
      percent: replayPercent(replay),
      readTo: timeText(Math.min(readTo, range.to)),
      ...(firstAt !== undefined && { firstMinute: timeText(firstAt) }),
      failures,
      ...(problem !== undefined && { problem: { ...problem, at: timeText(problem.at) } }),
      startedAt: timeText(startedAt),
      ...(endedAt !== undefined && { endedAt: timeText(endedAt) }),
    }),
  )
}
