import { type Backtest, backtestPolicy } from "@tocsin/domain/backtest/BacktestPolicy"
import { burnedBudget } from "@tocsin/domain/backtest/RunBacktest"
import { overallTrack } from "@tocsin/domain/slo/SliceRules"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { atMost, costly, costlyReadsPolicy, type RequestsInProgress } from "../frame/CostlyRequests.ts"
import { readJson } from "../frame/RequestBody.ts"
import { timeText } from "../frame/TimeText.ts"
import { backtestAlertsMax, BacktestsApi } from "./BacktestsApi.ts"

/** Units of costly requests for which a backtest counts. */
export const backtestUnits = 30

/** Most backtests of one organization that a process runs at the same time. */
export const backtestsPerOrganizationMax = 1

/** Most backtests of all organizations that a process runs at the same time. */
export const backtestsAtOnceMax = 2

/** Shared by all servers of a process, since its processor is. */
export const BacktestsInProgress = Context.Reference<RequestsInProgress>(
  "@tocsin/adapters-http/backtests/BacktestsInProgress",
  { defaultValue: () => ({ byOrganization: new Map(), total: 0 }) },
)

export const backtestsRoutes = routesOf(BacktestsApi, {
  backtestPolicy: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const body = yield* readJson(request)
    const project = request.header("project")
    const name = request.pathParams["sloName"] ?? ""
    const backtest = yield* backtestPolicy(
      organization,
      { name, body, ...(project !== undefined && { project }) },
      yield* DefinitionOptions,
    ).pipe(
      costly(organization, costlyReadsPolicy, backtestUnits),
      atMost(organization, yield* BacktestsInProgress, {
        perOrganization: backtestsPerOrganizationMax,
        total: backtestsAtOnceMax,
      }),
    )
    return jsonResponse(200, JSON.stringify(backtestToJson(backtest)))
  }),
})

const backtestToJson = ({ range, slo, alerts, alertsPerMonth, statuses }: Backtest) => {
  const { objectives, composite } = slo.spec
  const tracks = [...objectives.map(({ name }) => name), ...(composite === undefined ? [] : [overallTrack])]
  return {
    from: timeText(range.from),
    to: timeText(range.to),
    alertCount: alerts.length,
    alertsPerMonth,
    objectives: tracks.map((track) => {
      const burned = burnedBudget(statuses, track)
      return {
        ...(track !== overallTrack && { name: track }),
        alertCount: alerts.filter(({ objective = overallTrack }) => objective === track).length,
        ...(burned !== undefined && { burned }),
      }
    }),
    alerts: alerts.slice(0, backtestAlertsMax).map(({ triggeredAt, closedAt, ...alert }) => ({
      ...alert,
      triggeredAt: timeText(triggeredAt),
      ...(closedAt !== undefined && { closedAt: timeText(closedAt) }),
    })),
  }
}
