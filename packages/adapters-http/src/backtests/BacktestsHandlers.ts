import { inParts, overallTrack } from "@tocsin/domain/adapter"
import { minuteMs } from "@tocsin/domain/codec"
import { targetsOf } from "@tocsin/domain/definitions"
import {
  type Backtest,
  backtestIndicator,
  backtestPolicy,
  burnedBudget,
  type ExplainedMinute,
  type ExplainedPolicy,
  explainPolicy,
  type Proposals,
  proposeTargets,
  readIndicatorHistory,
} from "@tocsin/domain/features/backtest"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { explainedMinutesMax } from "@tocsin/domain/limits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { costly, costlyReadsPolicy, inTurn, makeTurns, type TurnLimits } from "@tocsin/domain/rate-limit"
import { queryOf } from "../frame/RequestParameters.ts"
import { readJson } from "../frame/RequestBody.ts"
import { timeText } from "../frame/TimeText.ts"
import { backtestAlertsMax, BacktestsApi } from "./BacktestsApi.ts"

/** Units of costly requests for which a backtest counts, beside its own limit. */
const backtestUnits = 10

/** Units of costly requests for which explaining an alert policy counts, beside those of its minutes. */
const explanationUnits = 20

/** Minutes of an explanation that count as one more unit of costly requests. */
const explainedMinutesPerUnit = 3

/** Units of costly requests for which proposing targets counts. */
const proposalUnits = 10

/** Most backtests of one organization that a process runs at the same time; others wait for their turn. */
const backtestsPerOrganization = 1

/** Most backtests of all organizations that a process runs at the same time. */
const backtestsAtOnce = 6

/** Most backtests of one organization that run or wait. */
const backtestsWaitingPerOrganizationMax = 8

/** Most backtests of all organizations that run or wait. */
const backtestsWaitingMax = 32

/** Shared by all servers of a process, since its processor is. */
export const BacktestTurns = Context.Reference("@tocsin/adapters-http/internal/backtests/BacktestTurns", {
  defaultValue: () => makeTurns(backtestTurns),
})

export const backtestTurns: TurnLimits = {
  perOrganization: backtestsPerOrganization,
  total: backtestsAtOnce,
  waitingPerOrganization: backtestsWaitingPerOrganizationMax,
  waiting: backtestsWaitingMax,
}

/** Runs few evaluations of past minutes at a time, which count as costly reads. */
const bounded =
  (organization: OrganizationId, units: number) =>
  <A, E, R>(evaluation: Effect.Effect<A, E, R>) =>
    Effect.flatMap(BacktestTurns, (turns) =>
      evaluation.pipe(costly(organization, costlyReadsPolicy, units), inTurn(turns, organization)),
    )

export const backtestsRoutes = routesOf(BacktestsApi, {
  backtestPolicy: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const body = yield* readJson(request)
    const project = request.header("project")
    const name = request.pathParams["sloName"] ?? ""
    const backtest = yield* boundedBacktest(organization, {
      name,
      body,
      ...(project !== undefined && { project }),
    })
    return jsonResponse(200, JSON.stringify(backtest))
  }),
  backtestIndicator: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const history = yield* readIndicatorHistory(
      organization,
      yield* readJson(request),
      yield* DefinitionOptions,
    )
    // A slow server is waited for without keeping others from their backtests.
    const backtests = yield* bounded(organization, backtestUnits)(backtestIndicator(organization, history))
    const { counts, problem } = history
    const body = {
      minutesWithCounts: new Set(counts.map(({ at }) => at)).size,
      ...(problem !== undefined && { problem }),
      backtests: backtests.map(backtestToJson),
    }
    return jsonResponse(200, JSON.stringify(body))
  }),
  explainPolicy: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const project = request.header("project")
    const explained = yield* boundedExplanation(organization, {
      name: request.pathParams["sloName"] ?? "",
      ...(project !== undefined && { project }),
      ...queryOf(request, ["alertPolicy", "from", "to"]),
    })
    return jsonResponse(200, JSON.stringify(explained))
  }),
  proposeTargets: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const project = request.header("project")
    const proposals = yield* proposeTargets(organization, {
      name: request.pathParams["sloName"] ?? "",
      ...(project !== undefined && { project }),
    }).pipe(bounded(organization, proposalUnits))
    return jsonResponse(200, JSON.stringify(proposalsToJson(proposals)))
  }),
})

/** Runs a backtest as a costly request, and returns it as JSON. */
const boundedBacktest = (organization: OrganizationId, request: Parameters<typeof backtestPolicy>[1]) =>
  Effect.flatMap(DefinitionOptions, (options) => backtestPolicy(organization, request, options)).pipe(
    bounded(organization, backtestUnits),
    Effect.map(backtestToJson),
  )

/** Explains an alert policy as a costly request, and returns what it found as JSON. */
const boundedExplanation = (organization: OrganizationId, request: Parameters<typeof explainPolicy>[1]) =>
  Effect.flatMap(explainPolicy(organization, request), explainedToJson).pipe(
    bounded(organization, explanationUnits + unitsOfMinutes(request)),
  )

/** Of a range that is invalid and not explained: 0. */
const unitsOfMinutes = ({ from = "", to = "" }: Parameters<typeof explainPolicy>[1]): number => {
  const minutes = (Date.parse(to) - Date.parse(from)) / minuteMs
  return minutes > 0 && minutes <= explainedMinutesMax ? Math.floor(minutes / explainedMinutesPerUnit) : 0
}

const proposalsToJson = ({ history, objectives }: Proposals) => ({
  from: timeText(history.from),
  to: timeText(history.to),
  objectives: objectives.map(({ proposals, ...objective }) => ({
    ...objective,
    proposals: proposals.map(({ lengthMs, windows, measured: { target, ...measured } = {} }) => ({
      minutes: lengthMs / minuteMs,
      windows,
      ...measured,
      ...(target !== undefined && { proposedTarget: target }),
    })),
  })),
})

const explainedToJson = ({ range, minutes, warnings }: ExplainedPolicy) =>
  inParts(function* () {
    const written: Array<ReturnType<typeof explainedMinuteToJson>> = []
    for (const minute of minutes) {
      written.push(explainedMinuteToJson(minute))
      yield
    }
    return { from: timeText(range.from), to: timeText(range.to), minutes: written, warnings }
  })

const explainedMinuteToJson = ({ at, objectives }: ExplainedMinute) => ({
  at: timeText(at),
  objectives: objectives.map(({ name, groups, held }) => {
    const conditionGroups = groups.map((conditions) => ({
      isMet: conditions.every(({ isMet }) => isMet),
      conditions: conditions.map(({ range: measured, events, ...condition }) => ({
        ...condition,
        from: timeText(measured.from),
        to: timeText(measured.to),
        ...events,
      })),
    }))
    return {
      ...(name !== undefined && { name }),
      isMet: conditionGroups.some(({ isMet }) => isMet),
      ...(held !== undefined && { held }),
      conditionGroups,
    }
  }),
})

const backtestToJson = ({ range, slo, alerts, alertsPerMonth, statuses }: Backtest) => {
  return {
    from: timeText(range.from),
    to: timeText(range.to),
    alertCount: alerts.length,
    alertsPerMonth,
    objectives: Array.from(targetsOf(slo).keys(), (track) => {
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
