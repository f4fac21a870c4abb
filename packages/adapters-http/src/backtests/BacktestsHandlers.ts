import {
  type backtest,
  backtestAlertsMax,
  backtests,
  explainedMinute,
  type ExplainedPolicy,
  type targetProposals,
} from "@tocsin/api"
import { inParts, overallTrack } from "@tocsin/domain/adapter"
import { minuteMs } from "@tocsin/domain/codec"
import { targetsOf } from "@tocsin/domain/definitions"
import {
  type Backtest,
  backtestIndicator,
  backtestPolicy,
  burnedBudget,
  type ExplainedMinute,
  explainPolicy,
  type Proposals,
  proposeTargets,
  readIndicatorHistory,
} from "@tocsin/domain/features/backtest"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { explainedMinutesMax } from "@tocsin/domain/limits"
import { costly, costlyReadsPolicy, inTurn, makeTurns, type TurnLimits } from "@tocsin/domain/rate-limit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { timeText } from "../frame/TimeText.ts"
import { measuredGroup } from "../alerts/AlertDocuments.ts"
import { serve } from "../serve/Serve.ts"

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

export const backtestsRoutes = serve(backtests, {
  backtestPolicy: ({ organization, sloName: name, project, body }) =>
    Effect.flatMap(DefinitionOptions, (options) =>
      backtestPolicy(organization, { project, name, body }, options),
    ).pipe(bounded(organization, backtestUnits), Effect.map(resultOf)),
  backtestIndicator: Effect.fnUntraced(function* ({ organization, body }) {
    const history = yield* readIndicatorHistory(organization, body)
    // A slow server is waited for without keeping others from their backtests.
    const found = yield* bounded(organization, backtestUnits)(backtestIndicator(organization, history))
    const { counts, problem } = history
    return {
      minutesWithCounts: new Set(counts.map(({ at }) => at)).size,
      ...(problem !== undefined && { problem }),
      backtests: found.map(resultOf),
    }
  }),
  explainPolicy: ({ organization, sloName: name, project, alertPolicy, from, to }) =>
    Effect.flatMap(explainPolicy(organization, { project, name, alertPolicy, from, to }), (explained) =>
      inParts(function* () {
        const { range, warnings } = explained
        const minutes: Array<typeof explainedMinute.Encoded> = []
        for (const minute of explained.minutes) {
          minutes.push(encodeMinute(minuteOf(minute)))
          yield
        }
        const policy: ExplainedPolicy = {
          from: timeText(range.from),
          to: timeText(range.to),
          minutes,
          warnings,
        }
        return jsonResponse(200, JSON.stringify(policy))
      }),
    ).pipe(bounded(organization, explanationUnits + unitsOfMinutes(from, to))),
  proposeTargets: ({ organization, sloName: name, project }) =>
    proposeTargets(organization, { project, name }).pipe(
      bounded(organization, proposalUnits),
      Effect.map(proposalsOf),
    ),
})

/** Of a range that is invalid and not explained: 0. */
const unitsOfMinutes = (from = "", to = ""): number => {
  const minutes = (Date.parse(to) - Date.parse(from)) / minuteMs
  return minutes > 0 && minutes <= explainedMinutesMax ? Math.floor(minutes / explainedMinutesPerUnit) : 0
}

const proposalsOf = ({ history, objectives }: Proposals): typeof targetProposals.Type => ({
  ...history,
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

const encodeMinute = Schema.encodeSync(explainedMinute)

const minuteOf = ({ at, objectives }: ExplainedMinute): typeof explainedMinute.Type => ({
  at,
  objectives: objectives.map(({ groups, ...objective }) => {
    const conditionGroups = groups.map((group) =>
      measuredGroup(group, ({ range, events, ...condition }) => ({ ...condition, ...range, ...events })),
    )
    return { ...objective, isMet: conditionGroups.some(({ isMet }) => isMet), conditionGroups }
  }),
})

const resultOf = ({ range, slo, alerts, alertsPerMonth, statuses }: Backtest): typeof backtest.Type => ({
  ...range,
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
  alerts: alerts.slice(0, backtestAlertsMax),
})
